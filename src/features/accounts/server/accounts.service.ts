import type { MessageKey } from '#i18n/keys.ts'
import { type Database, type Sql, logOf } from '#platform/database.ts'
import type { Caller } from '#platform/http/request.ts'
import type { Limit } from '#platform/limits/limiter.ts'
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
import { type Passwords, isCommonPassword } from './passwords.ts'
import { passwordResetsRepository } from './password-resets.repository.ts'
import { sessionsRepository } from './sessions.repository.ts'
import { tokenInvalid } from './tokens.ts'

/** `strong` asks more of passwords than the specification does. */
export type PasswordPolicy = 'basic' | 'strong'

export interface AccountsOptions {
  db: Database
  passwords: Passwords
  /** `strong` enforces the composition rules at registration. */
  passwordPolicy: PasswordPolicy
  emails: AccountEmails
  limits: {
    register: Limit
    /** The network where an account was opened is trusted from then on. */
    login: Limit
    /** Counts wrong current passwords. */
    password: Limit
    /** Counts right ones. */
    rightPassword: Limit
    profile: Limit
    /** Counts changes of the e-mail address, each of which sends a mail. */
    emailChange: Limit
    /** Counts the emails to an address, whoever owns it: throw-away accounts may take turns at a stranger's. */
    emailTo: Limit
  }
}

/** Who sends a form: its language, and the address of the connection. */
export interface Sender {
  language: Language
  address: string
}

type Faults = Record<string, MessageKey[]>

/** Registering, and what holders do with their own account. */
export function accountsService({ db, passwords, passwordPolicy, emails, limits }: AccountsOptions) {
  const accounts = accountsRepository(db)

  return {
    /**
     * Makes an account and queues its welcome, unless its address had enough emails in this hour.
     * @throws InvalidFields for every field that is wrong or taken; two requests for one name get one account
     * @throws Refusal 429 `limit.register`: the answer tells which addresses are known, so it is not given too often
     */
    async register(body: RegisterBody, { language, address }: Sender) {
      await limits.register.take({ address })
      const taken = await accounts.taken(body.email, body.username)
      const faults: Faults = takenFaults(taken)
      // A login takes an address for its holder's; as the name of anybody else it would stop to work one day.
      if (!taken.isSame && looksLikeAddress(body.username))
        faults['username'] = ['errors.username.otherAddress']
      const weaknesses = passwordPolicy === 'strong' ? weaknessesOf(body.password) : []
      if (weaknesses.length > 0) faults['password'] = weaknesses
      if (Object.keys(faults).length > 0) throw new InvalidFields(faults)

      const phone = parsePhone(body.phone_number)
      if (!phone) throw new InvalidFields({ phone_number: ['errors.phone.invalid'] })
      const phoneNumber = fullNumber(phone.country, phone.digits)
      const account = {
        username: body.username,
        email: body.email,
        password_hash: await passwords.hash(body.password, { address }),
        phone: phoneNumber,
        partner_code: body.code || null,
        language,
      }
      const isWelcomed = await mayWriteTo(body.email)
      const made = await transact(db, async (trx) => {
        const id = await accountsRepository(trx).insert(account)
        if (id !== undefined && isWelcomed) await enqueueEmail(trx, emails.welcome({ id, ...account }))
        return id
      })
      if (made === undefined) throw await lostRace(body)
      // Its first login must not wait for what others have guessed since.
      await trustNetwork({ db, login: limits.login }, made, address)
      return { username: body.username, email: body.email, phone_number: phoneNumber }
    },

    /** @throws Refusal when the account is suspended or gone */
    profile: async (caller: Caller): Promise<Profile> => toProfile(await activeAccount(db, caller.userId)),

    /**
     * Changes e-mail and phone; a phone that is left out stays, an empty one is removed. Another e-mail address is told
     * to the former one and ends the caller's other sessions, since no password is asked for (spec section 7). One that
     * differs in the case of its letters only is no other.
     * @throws InvalidFields under `email` and `phone`; Refusal 429 `limit.profile`, `limit.emailChange` or
     * `limit.emailTo`, 503 `request.busy` when the address was changed meanwhile
     */
    async updateProfile(
      caller: Caller,
      body: ProfileUpdateBody,
      { address }: Pick<Sender, 'address'>,
    ): Promise<Profile> {
      await limits.profile.take({ account: caller.userId, address })
      const { email } = await activeAccount(db, caller.userId)
      await standingSession(db, caller)
      if (!isSameAddress(email, body.email)) {
        await limits.emailChange.take({ account: caller.userId, address })
        await limits.emailTo.take(recipient(email))
      }
      const change = { email: body.email, ...phoneChange(body) }
      const changed = await transact(db, async (trx) => {
        const former = await accountsRepository(trx).lockAddressee(caller.userId)
        // Another change may have ended this session while we waited for the lock.
        await standingSession(trx, caller)
        // What was counted above was an email to somebody else, or none.
        if (former && former.email !== email) throw busy()
        const account = await accountsRepository(trx).updateContact(caller.userId, change)
        if (account === 'taken') throw new InvalidFields({ email: ['errors.email.taken'] })
        if (former && !isSameAddress(former.email, body.email)) {
          // A link that was mailed to the address before is not the holder's any more; one that is being mailed has been
          // stored by now, since its account was locked for it.
          await passwordResetsRepository(trx).endAll(caller.userId)
          await sessionsRepository(trx).revokeOthers(caller.userId, caller.sessionId)
          await enqueueEmail(trx, emails.emailChanged(former, new Date(nowMs())))
        }
        return account
      })
      if (!changed) throw tokenInvalid()
      return toProfile(changed)
    },

    /**
     * Sets a new password and ends the caller's other sessions.
     * @throws InvalidFields under `current_password` when that is not the current one; Refusal 429 `limit.password`,
     * `limit.rightPassword` or `auth.busy`
     */
    async changePassword(
      caller: Caller,
      body: ChangePasswordBody,
      { address }: Pick<Sender, 'address'>,
    ): Promise<void> {
      await activeAccount(db, caller.userId)
      await standingSession(db, caller)
      refuseCommon(passwordPolicy, body.new_password)
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
        await sessionsRepository(trx).revokeOthers(caller.userId, caller.sessionId)
        await passwordResetsRepository(trx).endAll(caller.userId)
      })
    },
  }

  /** Who was logged out elsewhere changes nothing any more. */
  async function standingSession(sql: Sql, { sessionId, userId }: Caller): Promise<void> {
    if (!(await sessionsRepository(sql).accountOf(sessionId, userId))) throw tokenInvalid()
  }

  async function lostRace({ email, username }: RegisterBody): Promise<Error> {
    const faults = takenFaults(await accounts.taken(email, username))
    if (Object.keys(faults).length > 0) return new InvalidFields(faults)
    // The winner is gone again: nothing is wrong with the form.
    return busy()
  }

  async function mayWriteTo(email: string): Promise<boolean> {
    try {
      await limits.emailTo.take(recipient(email))
      return true
    } catch (error) {
      if (error instanceof Refusal) return false
      throw error
    }
  }
}

/**
 * Trusts this network for an account: failed logins from elsewhere, with any of its names, do not make its owner wait
 * here. What was done before stands without it, so a failure is only logged.
 * @param login the limit of failed logins
 * @param address IP address of the connection
 */
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

/** The recipient an email is counted for. */
const recipient = (email: string) => ({ account: `to ${email.toLowerCase()}` })

const busy = (): Refusal => new Refusal('request.busy', 503, 'errors.request.busy', { retryAfter: 1 })

function takenFaults(taken: { email: boolean; username: boolean }): Faults {
  const faults: Faults = {}
  if (taken.email) faults['email'] = ['errors.email.taken']
  if (taken.username) faults['username'] = ['errors.username.taken']
  return faults
}

function weaknessesOf(password: string): MessageKey[] {
  const broken = NEW_PASSWORD_RULES.filter((rule) => !rule.pattern.test(password)).map((rule) => rule.message)
  return broken.length === 0 && isCommonPassword(password) ? ['errors.password.common'] : broken
}

/**
 * The other rules of a new password are the contract's; this one is the operator's choice, because the specification lists
 * all of its rules. @throws InvalidFields under `new_password`
 */
export function refuseCommon(policy: PasswordPolicy, password: string): void {
  if (policy === 'strong' && isCommonPassword(password))
    throw new InvalidFields({ new_password: ['errors.password.common'] })
}

function phoneChange({ phone, countryCode }: ProfileUpdateBody): { phone?: string } {
  if (phone === undefined) return {}
  if (phone === null || phone.trim() === '') return { phone: '' }
  const read = readPhone(phone, countryCode)
  if ('message' in read) throw new InvalidFields({ phone: [read.message] })
  return { phone: fullNumber(read.country, read.digits) }
}

const wrongCurrentPassword = (): InvalidFields =>
  new InvalidFields({ current_password: ['errors.password.currentWrong'] })

const toProfile = ({ username, email, phone, is_staff, is_superuser }: Profile): Profile => ({
  username,
  email,
  phone,
  is_staff,
  is_superuser,
})
