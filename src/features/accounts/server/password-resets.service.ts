import { enqueueEmail } from '#features/emails/server/index.ts'
import type { LinkTokens } from '#platform/link-tokens.ts'
import type { Database } from '#platform/database.ts'
import type { Limit } from '#platform/limits/limiter.ts'
import type { SecurityLog } from '#platform/security-log.ts'
import type { LimitRule } from '#platform/limits/limit-states.ts'
import { transact } from '#platform/transaction.ts'
import { Refusal } from '#shared/refusal.ts'
import type { ForgotPasswordBody, ResetPasswordBody } from '../accounts.contract.ts'
import type { AccountEmails } from './account-emails.ts'
import { accountsRepository } from './accounts.repository.ts'
import { type Sender, refuseGuessable, trustNetwork } from './accounts.service.ts'
import { type OnConfirmed, endLinks, newReset } from './email-links.service.ts'
import { passwordResetsRepository } from './password-resets.repository.ts'
import type { Passwords } from './passwords.ts'
import { sessionsRepository } from './sessions.repository.ts'

export interface PasswordResetsOptions {
  db: Database
  passwords: Passwords
  emails: AccountEmails
  resetTokens: LinkTokens
  onConfirmed?: OnConfirmed
  security: SecurityLog
  limits: {
    forgot: Limit
    reset: Limit
    /** Trusts the network of a reset. */
    login: Limit
  }
}

const REQUESTS_PER_RUN = 200

/** Resets a forgotten password. */
export function passwordResetsService({
  db,
  passwords,
  security,
  limits,
  onConfirmed,
  resetTokens,
}: Omit<PasswordResetsOptions, 'emails'>) {
  const resets = passwordResetsRepository(db)
  return {
    /** Stores the request without looking up the account, so that neither response nor time depend on it. */
    async request({ email }: ForgotPasswordBody, { language, address }: Sender): Promise<void> {
      // Limited by network alone: a limit by address would show how often it was requested.
      await limits.forgot.take({ address })
      await resets.request(email, language)
      security.record({ event: 'reset_requested', address })
    },

    /** Ends all sessions and links, too. @returns the login address @throws Refusal 410 `reset.invalid`, or 429 */
    async reset(
      { token, new_password }: ResetPasswordBody,
      { address }: Pick<Sender, 'address'>,
    ): Promise<string> {
      await limits.reset.take({ address })
      const tokenHash = await resetTokens.linkOf(db, token)
      // Saves the slow hash for an invalid link; `use` decides.
      const owner = tokenHash && (await resets.ownerOf(tokenHash))
      if (!owner) throw linkInvalid()
      refuseGuessable(new_password, owner)
      const hash = await passwords.hash(new_password, { address })
      const { id, email } = await transact(db, async (trx) => {
        const account = await passwordResetsRepository(trx).use(tokenHash)
        if (!account) throw linkInvalid()
        await accountsRepository(trx).setPasswordHash(account.id, hash)
        // The link was sent to the address.
        await accountsRepository(trx).confirmEmail(account.id)
        await onConfirmed?.(trx, account.id, account.email)
        await endLinks(trx, account.id)
        await sessionsRepository(trx).revokeAll(account.id)
        return account
      })
      security.record({ event: 'password_reset', userId: id, address })
      await trustNetwork({ db, login: limits.login }, id, address)
      return email
    },
  }
}

type SendingOptions = Omit<PasswordResetsOptions, 'passwords' | 'limits'> & {
  perAccount: LimitRule
}

/** Sends links for the waiting requests of active accounts. */
export async function sendPasswordResets(options: SendingOptions): Promise<void> {
  for (let seen = 0; seen < REQUESTS_PER_RUN; seen += 1) if (!(await sendOne(options))) return
}

async function sendOne({ db, emails, resetTokens, security, perAccount }: SendingOptions): Promise<boolean> {
  const sent = await transact(db, async (trx) => {
    const resets = passwordResetsRepository(trx)
    const request = await resets.takeRequest()
    if (!request) return 'none'
    const account = await resets.lockAccount(request.email)
    if (!account?.is_active || !(await resets.mayHaveAnother(account.id, perAccount))) return 'nobody'
    const id = await newReset(trx, resetTokens, account.id)
    await enqueueEmail(trx, emails.passwordReset(account, request.language, id))
    return account.id
  })
  if (typeof sent === 'number') security.record({ event: 'reset_link_sent', userId: sent })
  return sent !== 'none'
}

const linkInvalid = (): Refusal => new Refusal('reset.invalid', 410, 'formErrors.reset.invalid')
