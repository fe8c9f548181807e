import { domainToUnicode } from 'node:url'
import type { MessageKey } from '#i18n/keys.ts'
import type { LinkTokens } from '#platform/link-tokens.ts'
import { type Database, logOf } from '#platform/database.ts'
import type { Caller } from '#platform/http/request.ts'
import type { Limit } from '#platform/limits/limiter.ts'
import type { SecurityLog } from '#platform/security-log.ts'
import { transact } from '#platform/transaction.ts'
import { enqueueEmail } from '#features/emails/server/index.ts'
import type { Language } from '#shared/languages.ts'
import { isSameAddress, looksLikeAddress } from '#shared/email-address.ts'
import { fullNumber, parsePhone } from '#shared/phone.ts'
import { InvalidFields, Refusal } from '#shared/refusal.ts'
import type { ChangePasswordBody, Profile, ProfileUpdateBody, RegisterBody } from '../accounts.contract.ts'
import { NEW_PASSWORD_RULES, readPhone } from '../accounts.rules.ts'
import type { AccountEmails } from './account-emails.ts'
import { activeAccount, loginKey, requireOpenSession } from './accounts.ts'
import { AddressTaken, accountsRepository } from './accounts.repository.ts'
import { emailLinksRepository } from './email-links.repository.ts'
import { type CurrentPasswordOptions, currentPassword, wrongCurrentPassword } from './current-password.ts'
import {
  type EmailLinksOptions,
  type OnConfirmed,
  emailLinks,
  endLinks,
  recipient,
} from './email-links.service.ts'
import { type PasswordOwner, guessableBecause } from './guessable-passwords.ts'
import { sessionsRepository } from './sessions.repository.ts'
import { tokenInvalid } from './tokens.ts'

/** `strong` asks for four kinds of characters at registration, which the specification does not. */
export type PasswordPolicy = 'basic' | 'strong'

export interface AccountsOptions extends CurrentPasswordOptions {
  passwordPolicy: PasswordPolicy
  emails: AccountEmails
  security: SecurityLog
  emailLinkTokens: LinkTokens
  resetTokens: LinkTokens
  onConfirmed?: OnConfirmed
  limits: EmailLinksOptions['limits'] &
    CurrentPasswordOptions['limits'] & {
      register: Limit
      /** Trusts the network of a registration. */
      login: Limit
      profile: Limit
    }
}

export interface Sender {
  language: Language
  address: string
}

type Faults = Record<string, MessageKey[]>

export function accountsService(options: AccountsOptions) {
  const { db, passwords, passwordPolicy, emails, security, limits } = options
  const accounts = accountsRepository(db)
  const links = emailLinks(options)
  const current = currentPassword(options)

  return {
    /**
     * Creates an account and queues its welcome email with the link that confirms the address, unless the address got
     * too many emails in this hour.
     * @throws InvalidFields; Refusal 429 `limit.register`, because the response shows who has an account
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
        if (id === undefined) return undefined
        if (hasEmailLeft) {
          const ref = await links.newConfirmation(trx, { id, ...account })
          await enqueueEmail(trx, emails.welcome({ id, ...account }, ref))
        }
        return id
      })
      if (made === undefined) throw await takenMeanwhile(body)
      // Failures of others must not delay the first login.
      await trustNetwork({ db, login: limits.login }, made, address)
      return { username: body.username, email: shownAddress(body.email), phone_number: phoneNumber }
    },

    /** @throws Refusal when the account is suspended or gone */
    profile: async (caller: Caller): Promise<Profile> => {
      const [account, pending] = await Promise.all([
        activeAccount(db, caller.userId),
        emailLinksRepository(db).pending(caller.userId),
      ])
      return toProfile(account, pending)
    },

    /**
     * Changes the phone at once: a missing one stays, an empty one is removed. Another e-mail waits for a link that was
     * sent to it, and without the current password first for one sent to the present address (ADR 0039).
     * @throws InvalidFields; Refusal 429, or 503 `request.busy` after a concurrent change
     */
    async updateProfile(
      caller: Caller,
      body: ProfileUpdateBody,
      { address }: Pick<Sender, 'address'>,
    ): Promise<Profile> {
      await limits.profile.take({ account: caller.userId, address })
      const { email } = await activeAccount(db, caller.userId)
      const phone = phoneChange(body)
      const isOther = !isSameAddress(email, body.email)
      const purpose = body.current_password === undefined ? 'allow' : 'change'
      let compared: string | undefined
      if (isOther) {
        await limits.emailChange.take({ account: caller.userId, address })
        if (body.current_password !== undefined)
          compared = await current.verify(caller, body.current_password, address)
        if (await accounts.isTaken(body.email, caller.userId)) throw emailTaken()
        await limits.emailTo.take(recipient(purpose === 'allow' ? email : body.email))
      }
      const profile = await transact(db, async (trx) => {
        const account = await accountsRepository(trx).lockAddressee(caller.userId)
        // A concurrent change may have ended this session.
        await requireOpenSession(trx, caller)
        if (!account) throw tokenInvalid()
        // The limit above counted an email to another address.
        if (account.email !== email) throw busy()
        if (compared !== undefined && account.password_hash !== compared) throw wrongCurrentPassword()
        if (isOther)
          await links.startChange(trx, account, { purpose, email: body.email, sessionId: caller.sessionId })
        const change = { email: isOther ? email : body.email, ...phone }
        const changed = await accountsRepository(trx).updateContact(caller.userId, change)
        if (!changed) throw tokenInvalid()
        return toProfile(changed, await emailLinksRepository(trx).pending(caller.userId))
      }).catch((error: unknown) => {
        throw error instanceof AddressTaken ? emailTaken() : error
      })
      if (isOther)
        security.record({
          event: 'email_change_requested',
          userId: caller.userId,
          address,
          detail: purpose === 'change' ? 'with password' : 'without password',
        })
      return profile
    },

    /** Ends the caller's other sessions. @throws InvalidFields under `current_password`; Refusal 429 */
    async changePassword(
      caller: Caller,
      body: ChangePasswordBody,
      { address }: Pick<Sender, 'address'>,
    ): Promise<void> {
      const account = await activeAccount(db, caller.userId)
      refuseGuessable(body.new_password, account)
      const stored = await current.verify(caller, body.current_password, address)
      const hash = await passwords.hash(body.new_password, { address })
      await transact(db, async (trx) => {
        const replaced = await accountsRepository(trx).replacePasswordHash(caller.userId, stored, hash)
        if (!replaced) throw wrongCurrentPassword()
        // It may have ended while the passwords were hashed.
        await requireOpenSession(trx, caller)
        await sessionsRepository(trx).revokeAll(caller.userId, caller.sessionId)
        await endLinks(trx, caller.userId)
      })
      security.record({ event: 'password_changed', userId: caller.userId, address })
    },
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
    await login.trust({ account: loginKey(id), holder: id, address })
  } catch (error) {
    logOf(db).warn({ err: error, account: id }, 'the network of an account could not be trusted')
  }
}

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
export function refuseGuessable(password: string, owner: PasswordOwner): void {
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

/** An address as its owner writes it: "u@münchen.example" for "u@xn--mnchen-3ya.example". */
function shownAddress(email: string): string {
  const [local = '', domain = ''] = email.split('@')
  return domain.includes('xn--') ? `${local}@${domainToUnicode(domain)}` : email
}

const emailTaken = (): InvalidFields => new InvalidFields({ email: ['errors.email.taken'] })

type PendingChange = Awaited<ReturnType<ReturnType<typeof emailLinksRepository>['pending']>>

const toProfile = (
  account: Omit<Profile, 'email_confirmed'> & { email_confirmed_at: Date | null },
  pending: PendingChange,
): Profile => ({
  username: account.username,
  email: shownAddress(account.email),
  phone: account.phone,
  is_staff: account.is_staff,
  is_superuser: account.is_superuser,
  email_confirmed: account.email_confirmed_at !== null,
  ...(pending && {
    pending_email: shownAddress(pending.email),
    pending_link: pending.purpose === 'allow' ? ('present' as const) : ('new' as const),
  }),
})
