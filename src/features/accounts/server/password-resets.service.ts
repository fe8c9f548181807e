import { createHash, createHmac, hkdfSync, randomUUID } from 'node:crypto'
import { enqueueEmail } from '#features/emails/server/index.ts'
import type { Database } from '#platform/database.ts'
import type { Limit } from '#platform/limits/limiter.ts'
import type { LimitRule } from '#platform/limits/limit-states.ts'
import { transact } from '#platform/transaction.ts'
import { Refusal } from '#shared/refusal.ts'
import type { ForgotPasswordBody, ResetPasswordBody } from '../accounts.contract.ts'
import type { AccountEmails } from './account-emails.ts'
import { accountsRepository } from './accounts.repository.ts'
import { type PasswordPolicy, type Sender, refuseCommon, trustNetwork } from './accounts.service.ts'
import { passwordResetsRepository } from './password-resets.repository.ts'
import type { Passwords } from './passwords.ts'
import { sessionsRepository } from './sessions.repository.ts'

interface ResetTokens {
  /** The token of a link. */
  of(resetId: string): string
}

/**
 * The tokens of reset links, made from a link's id and the shop's secret whenever they are needed. So neither the
 * database nor a mail that waits in it holds one: there are the id and the token's hash.
 * @param secret SECRET_KEY
 */
export function resetTokens(secret: string): ResetTokens {
  // A key for this purpose alone, as for the access tokens.
  const key = Buffer.from(hkdfSync('sha256', secret, '', 'volant password reset', 32))
  return { of: (resetId) => createHmac('sha256', key).update(resetId).digest('base64url') }
}

/** What is stored of a token. It is as random as a key, and needs no slow hash. */
export const resetTokenHash = (token: string): Buffer => createHash('sha256').update(token).digest()

export interface PasswordResetsOptions {
  db: Database
  passwords: Passwords
  passwordPolicy: PasswordPolicy
  emails: AccountEmails
  resetTokens: ResetTokens
  limits: {
    forgot: Limit
    reset: Limit
    /** The network where the new password was set is trusted from then on. */
    login: Limit
  }
}

/** Requests that one run of the background work sees to, so that it ends. */
const REQUESTS_PER_RUN = 200

/** Setting a forgotten password anew (decisions, "Forgot password"). */
export function passwordResetsService({
  db,
  passwords,
  passwordPolicy,
  limits,
}: Omit<PasswordResetsOptions, 'emails' | 'resetTokens'>) {
  const resets = passwordResetsRepository(db)
  return {
    /** Stores the request without looking up the account: what the caller sees and how long it takes is the same for every address. */
    async request({ email }: ForgotPasswordBody, { language, address }: Sender): Promise<void> {
      // Who floods is told so; how often an address was asked for is told to nobody (see `sendPasswordResets`).
      await limits.forgot.take({ address })
      await resets.request(email, language)
    },

    /**
     * Sets the new password, once for a link, ends all sessions of the account and its other links.
     * @returns the address to log in with
     * @throws Refusal 410 `reset.invalid` when the link was used, is too old or never was; 429 `limit.reset`
     */
    async reset(
      { token, new_password }: ResetPasswordBody,
      { address }: Pick<Sender, 'address'>,
    ): Promise<string> {
      await limits.reset.take({ address })
      refuseCommon(passwordPolicy, new_password)
      const tokenHash = resetTokenHash(token)
      // Before the slow hash, which a wrong link is not worth; what counts is decided below.
      if (!(await resets.works(tokenHash))) throw linkInvalid()
      const hash = await passwords.hash(new_password, { address })
      const { id, email } = await transact(db, async (trx) => {
        const account = await passwordResetsRepository(trx).use(tokenHash)
        if (!account) throw linkInvalid()
        await accountsRepository(trx).setPasswordHash(account.id, hash)
        await passwordResetsRepository(trx).endAll(account.id)
        await sessionsRepository(trx).revokeAll(account.id)
        return account
      })
      await trustNetwork({ db, login: limits.login }, id, address)
      return email
    },
  }
}

type SendingOptions = Omit<PasswordResetsOptions, 'passwords' | 'passwordPolicy' | 'limits'> & {
  /** Links that an account is sent within a time. */
  perAccount: LimitRule
}

/** Sees to the requests that wait: those of an active account get a link by mail, the others nothing. */
export async function sendPasswordResets(options: SendingOptions): Promise<void> {
  for (let seen = 0; seen < REQUESTS_PER_RUN; seen += 1) if (!(await sendOne(options))) return
}

/** @returns whether there was a request */
async function sendOne({ db, emails, resetTokens, perAccount }: SendingOptions): Promise<boolean> {
  return await transact(db, async (trx) => {
    const resets = passwordResetsRepository(trx)
    const request = await resets.takeRequest()
    if (!request) return false
    const account = await resets.lockAccount(request.email)
    if (!account?.is_active || !(await resets.mayHaveAnother(account.id, perAccount))) return true
    const id = randomUUID()
    await resets.insert({ id, user_id: account.id, token_hash: resetTokenHash(resetTokens.of(id)) })
    await enqueueEmail(trx, emails.passwordReset(account, request.language, id))
    return true
  })
}

const linkInvalid = (): Refusal => new Refusal('reset.invalid', 410, 'errors.reset.invalid')
