import type { MessageKey } from '#i18n/keys.ts'
import type { Database } from '#platform/database.ts'
import type { Caller } from '#platform/http/request.ts'
import { transact } from '#platform/transaction.ts'
import type { Language } from '#shared/languages.ts'
import { fullNumber, parsePhone } from '#shared/phone.ts'
import { InvalidFields, Refusal } from '#shared/refusal.ts'
import type { ChangePasswordBody, Profile, ProfileUpdateBody, RegisterBody } from '../accounts.contract.ts'
import { NEW_PASSWORD_RULES, readPhone } from '../accounts.rules.ts'
import { activeAccount } from './active-account.ts'
import { accountsRepository } from './accounts.repository.ts'
import type { Passwords } from './passwords.ts'
import { sessionsRepository } from './sessions.repository.ts'
import { tokenInvalid } from './tokens.ts'

export interface AccountsOptions {
  db: Database
  passwords: Passwords
  /** `strong` enforces the composition rules at registration. */
  passwordPolicy: 'basic' | 'strong'
}

type Faults = Record<string, MessageKey[]>

/** Registering, and what holders do with their own account. */
export function accountsService({ db, passwords, passwordPolicy }: AccountsOptions) {
  const accounts = accountsRepository(db)
  const sessions = sessionsRepository(db)

  return {
    /**
     * Makes an account.
     * @throws InvalidFields for every field that is wrong or taken; two requests for one name get one account
     */
    async register(body: RegisterBody, language: Language) {
      const faults: Faults = takenFaults(await accounts.taken(body.email, body.username))
      const weaknesses = passwordPolicy === 'strong' ? brokenRules(body.password) : []
      if (weaknesses.length > 0) faults['password'] = weaknesses
      if (Object.keys(faults).length > 0) throw new InvalidFields(faults)

      const phone = parsePhone(body.phone_number)
      if (!phone) throw new InvalidFields({ phone_number: ['errors.phone.invalid'] })
      const phoneNumber = fullNumber(phone.country, phone.digits)
      const id = await accounts.insert({
        username: body.username,
        email: body.email,
        password_hash: await passwords.hash(body.password),
        phone: phoneNumber,
        partner_code: body.code || null,
        language,
      })
      if (id === undefined) throw await lostRace(body)
      return { username: body.username, email: body.email, phone_number: phoneNumber }
    },

    /** @throws Refusal when the account is suspended or gone */
    profile: async (caller: Caller): Promise<Profile> => toProfile(await activeAccount(db, caller.userId)),

    /**
     * Changes e-mail and phone; a phone that is left out stays, an empty one is removed.
     * @throws InvalidFields under `email` and `phone`
     */
    async updateProfile(caller: Caller, body: ProfileUpdateBody): Promise<Profile> {
      await activeAccount(db, caller.userId)
      await standingSession(caller)
      const changed = await accounts.updateContact(caller.userId, { email: body.email, ...phoneChange(body) })
      if (changed === 'taken') throw new InvalidFields({ email: ['errors.email.taken'] })
      if (!changed) throw tokenInvalid()
      return toProfile(changed)
    },

    /**
     * Sets a new password and ends the caller's other sessions.
     * @throws InvalidFields under `current_password` when that is not the current one
     */
    async changePassword(caller: Caller, body: ChangePasswordBody): Promise<void> {
      await activeAccount(db, caller.userId)
      await standingSession(caller)
      const stored = (await accounts.findPasswordHash(caller.userId)) ?? ''
      const { right } = await passwords.verify(body.current_password, stored)
      if (!right) throw wrongCurrentPassword()
      const hash = await passwords.hash(body.new_password)
      await transact(db, async (trx) => {
        const replaced = await accountsRepository(trx).replacePasswordHash(caller.userId, stored, hash)
        if (!replaced) throw wrongCurrentPassword()
        await sessionsRepository(trx).revokeOthers(caller.userId, caller.sessionId)
      })
    },
  }

  /** Who was logged out elsewhere changes nothing any more. */
  async function standingSession({ sessionId, userId }: Caller): Promise<void> {
    if (!(await sessions.stands(sessionId, userId))) throw tokenInvalid()
  }

  async function lostRace({ email, username }: RegisterBody): Promise<Error> {
    const faults = takenFaults(await accounts.taken(email, username))
    if (Object.keys(faults).length > 0) return new InvalidFields(faults)
    // The winner is gone again: nothing is wrong with the form.
    return new Refusal('request.busy', 503, 'errors.request.busy', { retryAfter: 1 })
  }
}

function takenFaults(taken: { email: boolean; username: boolean }): Faults {
  const faults: Faults = {}
  if (taken.email) faults['email'] = ['errors.email.taken']
  if (taken.username) faults['username'] = ['errors.username.taken']
  return faults
}

const brokenRules = (password: string): MessageKey[] =>
  NEW_PASSWORD_RULES.filter((rule) => !rule.pattern.test(password)).map((rule) => rule.message)

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
