import { browserCall } from '#client/browser.ts'
import type { Claim, ClaimForm, ConsentForm } from './claims.contract.ts'

/** How the page names a claim: by the secret of a link, or by the contest for whoever is logged in. */
export type ClaimSource = { token: string } | { contest: string }

const own = (contest: string): string => `/api/claims/own/${encodeURIComponent(contest)}/`

/** Calls about the claim of a prize. */
export function claimApi(source: ClaimSource) {
  const call = browserCall()
  const byLink = (action: string, body: object = {}): Promise<Claim> =>
    call('POST', `/api/claims/${action}/`, { body: { ...source, ...body }, anonymous: true })
  return {
    read: (): Promise<Claim> => ('token' in source ? byLink('read') : call('GET', own(source.contest))),
    submit: (body: ClaimForm): Promise<Claim> =>
      'token' in source ? byLink('submit', body) : call('PUT', own(source.contest), { body }),
    consent: (body: ConsentForm): Promise<Claim> =>
      'token' in source ? byLink('consent', body) : call('PUT', `${own(source.contest)}consent/`, { body }),
  }
}
export type ClaimApi = ReturnType<typeof claimApi>
