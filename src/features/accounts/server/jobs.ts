import type { FastifyBaseLogger } from 'fastify'
import type { Database } from '#platform/database.ts'
import { type Jobs, SECOND } from '#platform/jobs.ts'
import type { LimitRule } from '#platform/limits/limit-states.ts'
import { securityLog } from '#platform/security-log.ts'
import { type AccountEmailShop, accountEmails } from './account-emails.ts'
import { sendPasswordResets } from './password-resets.service.ts'
import { resetTokens } from './tokens.ts'

interface Deps {
  db: Database
  log: FastifyBaseLogger
  secret: string
  shop: AccountEmailShop
  /** For one account. */
  resetLinks: LimitRule
}

export const accountsJobs = {
  'send password resets': {
    everyMs: SECOND,
    async run({ db, log, secret, shop, resetLinks }) {
      const security = securityLog({ db, secret, log })
      await sendPasswordResets({
        db,
        emails: accountEmails(shop),
        resetTokens: resetTokens(secret),
        security,
        perAccount: resetLinks,
      })
      await security.flush()
    },
  },
} satisfies Jobs<Deps>
