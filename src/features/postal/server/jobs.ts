import { type Jobs, MINUTE, untilDone } from '#platform/jobs.ts'
import { type PostalShop, postalEmails } from './entrant-emails.ts'
import { type PostalDeps, tellVoids } from './postal.service.ts'

const EMAILS_AT_ONCE = 100

/** Tells those who entered by post and gave an address that their number is void. @returns how many */
export const tellEntrants = (deps: Pick<PostalDeps, 'db' | 'emails'>): Promise<number> =>
  untilDone(EMAILS_AT_ONCE, (limit) => tellVoids(deps, limit))

export const postalJobs = {
  'tell posters': {
    everyMs: MINUTE,
    run: ({ db, shop }) => tellEntrants({ db, emails: postalEmails(shop) }),
  },
} satisfies Jobs<Pick<PostalDeps, 'db'> & { shop: PostalShop }>
