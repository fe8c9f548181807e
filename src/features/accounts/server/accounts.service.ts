import type { MessageKey } from '#i18n/keys.ts'
import { type Database, type Sql, logOf } from '#platform/database.ts'
import type { Caller } from '#platform/http/request.ts'
import type { Limit } from '#platform/limits/limiter.ts'
import type { SecurityLog } from '#platform/security-log.ts'
import { transact } from '#platform/transaction.ts'
import { enqueueEmail } from '#features/emails/server/index.ts'
import { nowMs } from '#shared/clock.ts'
import type { Language } from '#shared/languages.ts'
import { isSameAddress, looksLikeAddress } from '#shared/email-address.ts'
import { fullNumber, parsePhone } from '#shared/phone.ts'
import { InvalidFields, Refusal } from '#shared/refusal.ts'
import type { ChangePasswordBody, Profile, ProfileUpdateBody, RegisterBody } from '../accounts.contract.ts'
import { NEW_PASSWORD_RULES, readPhone } from '../accounts.rules.ts'
import type { AccountEmails } from './account-emails.ts'
import { activeAccount } from './accounts.ts'
import { accountsRepository } from './accounts.repository.ts'
import { type PasswordOwner, type Passwords, guessableBecause } from './passwords.ts'
import { passwordResetsRepository } from './password-resets.repository.ts'
import { sessionsRepository } from './sessions.repository.ts'
import { tokenInvalid } from './tokens.ts'

/** `strong` asks for four kinds of characters at registration, which the specification does not. */
export type PasswordPolicy = 'basic' | 'strong'

export interface AccountsOptions {
  db: Database
  passwords: Passwords
  passwordPolicy: PasswordPolicy
  emails: AccountEmails
  security: SecurityLog
  limits: {
    register: Limit
    /** Trusts the network of a registration. */
    login: Limit
    /** Counts wrong current passwords. */
    password: Limit
    /** Counts correct current passwords. */
    rightPassword: Limit
    profile: Limit
    emailChange: Limit
    /** Counts the emails to an address over all accounts, because several accounts may use one address in turn. */
    emailTo: Limit
  }
}

export interface Sender {
  language: Language
  address: string
}

type Faults = Record<string, MessageKey[]>

export function accountsService({
  db,
  passwords,
  passwordPolicy,
  emails,
  security,
  limits,
}: AccountsOptions) {
  const accounts = accountsRepository(db)

  return {
    /**
     * Creates an account and queues its welcome email, unless the address got too many emails in this hour.
     * @throws InvalidFields; Refusal 429 `limit.register`, because the answer shows who has an account
     */
    async register(body: RegisterBody, { language, address }: Sender) {
      await limits.register.take({ address })
      const taken = await accounts.taken(body.email, body.username)
      const faults: Faults = takenFaults(taken)
      // A login by this address would open the account of its owner.
      if (!taken.isSame && looksLikeAddress(body.username))
        faults['username'] = ['formErrors.username.otherAddress']
      const weaknesses = weaknessesOf(passwordPolicy, body.password, body)
      if (weaknesses.length > 0) faults['password'] = weaknesses
      if (Object.keys(faults).length > 0) throw new InvalidFields(faults)

      const phone = parsePhone(body.phone_number)
      if (!phone) throw new InvalidFields({ phone_number: ['formErrors.phone.invalid'] })
      const phoneNumber = fullNumber(phone.country, phone.digits)
      const account = {
        username: body.username,
        email: body.email,
        password_hash: await passwords.hash(body.password, { address }),
        phone: phoneNumber,
        partner_code: body.code || null,
        language,
      }
      const hasEmailLeft = await takeEmailLimit(body.email)
      const made = await transact(db, async (trx) => {
        const id = await accountsRepository(trx).insert(account)
        if (id !== undefined && hasEmailLeft) await enqueueEmail(trx, emails.welcome({ id, ...account }))
        return id
      })
      if (made === undefined) throw await takenMeanwhile(body)
      // Failures of others must not delay the first login.
      await trustNetwork({ db, login: limits.login }, made, address)
      return { username: body.username, email: body.email, phone_number: phoneNumber }
    },

    /** @throws Refusal when the account is suspended or gone */
    profile: async (caller: Caller): Promise<Profile> => toProfile(await activeAccount(db, caller.userId)),

    /**
     * Changes e-mail and phone; a missing phone stays, an empty one is removed. The former address gets a notice of a
     * new one, which ends the other sessions, because the call needs no password (spec section 7).
     * @throws InvalidFields; Refusal 429, or 503 `request.busy` after a concurrent change
     */
    async updateProfile(
      caller: Caller,
      body: ProfileUpdateBody,
      { address }: Pick<Sender, 'address'>,
    ): Promise<Profile> {
      await limits.profile.take({ account: caller.userId, address })
      const { email } = await activeAccount(db, caller.userId)
      await requireOpenSession(db, caller)
      if (!isSameAddress(email, body.email)) {
        await limits.emailChange.take({ account: caller.userId, address })
        await limits.emailTo.take(recipient(email))
      }
      const change = { email: body.email, ...phoneChange(body) }
      const changed = await transact(db, async (trx) => {
        const former = await accountsRepository(trx).lockAddressee(caller.userId)
        // A concurrent change may have ended this session.
        await requireOpenSession(trx, caller)
        // The limit above counted an email to another address.
        if (former && former.email !== email) throw busy()
        const account = await accountsRepository(trx).updateContact(caller.userId, change)
        if (account === 'taken') throw new InvalidFields({ email: ['errors.email.taken'] })
        if (former && !isSameAddress(former.email, body.email)) {
          // Links sent to the former address must stop working. One that is being sent is stored by now, because
          // storing it locks the account.
          await passwordResetsRepository(trx).endAll(caller.userId)
          await sessionsRepository(trx).revokeAll(caller.userId, caller.sessionId)
          await enqueueEmail(trx, emails.emailChanged(former, new Date(nowMs())))
        }
        return account
      })
      if (!changed) throw tokenInvalid()
      if (!isSameAddress(email, body.email))
        security.record({ event: 'email_changed', userId: caller.userId, address })
      return toProfile(changed)
    },

    /** Ends the caller's other sessions. @throws InvalidFields under `current_password`; Refusal 429 */
    async changePassword(
      caller: Caller,
      body: ChangePasswordBody,
      { address }: Pick<Sender, 'address'>,
    ): Promise<void> {
      const account = await activeAccount(db, caller.userId)
      refuseGuessable(body.new_password, account)
      limits.rightPassword.check({ account: caller.userId, address })
      const attempt = await limits.password.take({ account: caller.userId, address })
      const stored = (await accounts.findPasswordHash(caller.userId)) ?? ''
      const { right } = await passwords
        .verify(body.current_password, stored, { address })
        .catch(async (error) => {
          await attempt.cancel()
          throw error
        })
      if (!right) throw wrongCurrentPassword()
      await attempt.cancel()
      limits.rightPassword.hit({ account: caller.userId, address })
      const hash = await passwords.hash(body.new_password, { address })
      await transact(db, async (trx) => {
        const replaced = await accountsRepository(trx).replacePasswordHash(caller.userId, stored, hash)
        if (!replaced) throw wrongCurrentPassword()
        await sessionsRepository(trx).revokeAll(caller.userId, caller.sessionId)
        await passwordResetsRepository(trx).endAll(caller.userId)
      })
      security.record({ event: 'password_changed', userId: caller.userId, address })
    },
  }

  /** Refuses a session that was logged out elsewhere. */
  async function requireOpenSession(sql: Sql, { sessionId, userId }: Caller): Promise<void> {
    if (!(await sessionsRepository(sql).accountOf(sessionId, userId))) throw tokenInvalid()
  }

  async function takenMeanwhile({ email, username }: RegisterBody): Promise<Error> {
    const faults = takenFaults(await accounts.taken(email, username))
    if (Object.keys(faults).length > 0) return new InvalidFields(faults)
    // The account that had the name no longer exists.
    return busy()
  }

  async function takeEmailLimit(email: string): Promise<boolean> {
    try {
      await limits.emailTo.take(recipient(email))
      return true
    } catch (error) {
      if (error instanceof Refusal) return false
      throw error
    }
  }
}

/** Trusts a network for an account, so that failed logins elsewhere do not delay its owner. Only logs a failure. */
export async function trustNetwork(
  { db, login }: { db: Database; login: Limit },
  id: number,
  address: string,
): Promise<void> {
  try {
    const keys = await accountsRepository(db).loginKeys(id)
    await Promise.all(keys.map((account) => login.trust({ account, holder: id, address })))
  } catch (error) {
    logOf(db).warn({ err: error, account: id }, 'the network of an account could not be trusted')
  }
}

const recipient = (email: string) => ({ account: `to ${email.toLowerCase()}` })

const busy = (): Refusal => new Refusal('request.busy', 503, 'errors.request.busy', { retryAfter: 1 })

function takenFaults(taken: { email: boolean; username: boolean }): Faults {
  const faults: Faults = {}
  if (taken.email) faults['email'] = ['errors.email.taken']
  if (taken.username) faults['username'] = ['formErrors.username.taken']
  return faults
}

function weaknessesOf(policy: PasswordPolicy, password: string, owner: PasswordOwner): MessageKey[] {
  const rules = policy === 'strong' ? NEW_PASSWORD_RULES : []
  const broken = rules.filter((rule) => !rule.pattern.test(password)).map((rule) => rule.message)
  const guessable = guessableBecause(password, owner)
  return broken.length === 0 && guessable ? [guessable] : broken
}

/** A rule beyond the specification. @throws InvalidFields under `new_password` */
export function refuseGuessable(password: string, owner?: PasswordOwner): void {
  const fault = guessableBecause(password, owner)
  if (fault) throw new InvalidFields({ new_password: [fault] })
}

function phoneChange({ phone, countryCode }: ProfileUpdateBody): { phone?: string } {
  if (phone === undefined) return {}
  if (phone === null || phone.trim() === '') return { phone: '' }
  const read = readPhone(phone, countryCode)
  if ('message' in read) throw new InvalidFields({ phone: [read.message] })
  return { phone: fullNumber(read.country, read.digits) }
}

const wrongCurrentPassword = (): InvalidFields =>
  new InvalidFields({ current_password: ['formErrors.password.currentWrong'] })

const toProfile = ({ username, email, phone, is_staff, is_superuser }: Profile): Profile => ({
  username,
  email,
  phone,
  is_staff,
  is_superuser,
})
