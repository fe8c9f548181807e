import { randomUUID } from 'node:crypto'
import {
  type CheckedLogin,
  type LoginCheckOptions,
  currentPassword,
  deviceOf,
  loginCheck,
  newRefreshToken,
} from '#features/accounts/server/index.ts'
import type { EmailShop } from '#features/emails/server/index.ts'
import { hashToken } from '#platform/keyed-hashes.ts'
import { audit } from '#platform/audit-log.ts'
import type { Trx } from '#platform/database.ts'
import type { StaffCaller } from '#platform/http/request.ts'
import { isUuid } from '#platform/ids.ts'
import type { Who } from '#platform/limits/limit-keys.ts'
import type { Limit } from '#platform/limits/limiter.ts'
import { transact } from '#platform/transaction.ts'
import { nowMs } from '#shared/clock.ts'
import { InvalidFields, Refusal } from '#shared/refusal.ts'
import { STAFF_PERMISSIONS, type StaffPermission, permits } from '#shared/staff-permissions.ts'
import type { SecondFactor, StaffSession } from '#shared/staff-session.ts'
import type { NewAuthenticator, OwnSecurity, SignInBody } from '../staff.contract.ts'
import { type SecondFactors, codeWrong, isAuthenticatorCode } from './second-factors.ts'
import { secondFactorsRepository } from './second-factors.repository.ts'
import { type StaffSessionState, requirePermission } from './staff-authentication.ts'
import { type StaffNotice, enqueueStaffNotice } from './staff-emails.ts'
import { staffPeopleRepository } from './staff-people.repository.ts'
import { staffSessionsRepository } from './staff-sessions.repository.ts'

export interface StaffSessionsOptions extends LoginCheckOptions {
  factors: SecondFactors
  shop: EmailShop
  /** Live mode. */
  needsSecondFactor: boolean
  limits: LoginCheckOptions['limits'] & {
    /** Wrong passwords of somebody who is signed in. */
    password: Limit
    /** Wrong codes of an authenticator. */
    secondFactor: Limit
    recoveryCodes: Limit
    /** Wrong passkeys of a known account. */
    ownPasskeys: Limit
    /** Wrong second factors of a session; `account` is the session. */
    stepUp: Limit
    /** Sign-ins with a passkey that were begun. */
    challenges: Limit
    /** Those that failed before it was known whose they are. */
    passkeys: Limit
  }
}

interface Origin {
  address: string
  /** The session that the browser had, which a new one replaces. */
  replaces?: string | undefined
  userAgent?: string | undefined
  network: string
}

const PERMISSIONS = Object.keys(STAFF_PERMISSIONS) as StaffPermission[]

/** Sign-ins of the console, and what staff do about their own security. */
export function staffSessions(options: StaffSessionsOptions) {
  const { db, security, limits, factors, shop, needsSecondFactor } = options
  const check = loginCheck(options)
  const current = currentPassword(options)
  const sessions = staffSessionsRepository(db)

  /** Counts an attempt as failed until it succeeds, and records a wrong one. */
  async function counted<Result>(
    limit: Limit,
    who: Who & { holder: number; address: string },
    detail: string,
    attempt: () => Promise<Result>,
  ) {
    const taken = await limit.take(who)
    const result = await attempt().catch((error: unknown) => {
      if (error instanceof Refusal && error.status === 401)
        security.record({
          event: 'second_factor_failed',
          userId: who.holder,
          address: who.address,
          detail,
        })
      throw error
    })
    await taken.cancel()
    return result
  }

  /** A code at a sign-in. Whoever guesses those of an authenticator does not keep out the owner's recovery codes. */
  const acceptCode = (holder: number, code: string, address: string) => {
    const isRecovery = !isAuthenticatorCode(code)
    return counted(
      isRecovery ? limits.recoveryCodes : limits.secondFactor,
      { account: holder, holder, address },
      isRecovery ? 'recovery code' : 'code',
      () => factors.acceptCodeOf(db, holder, code),
    )
  }

  async function notice(trx: Trx, userId: number, what: StaffNotice): Promise<void> {
    const person = await staffPeopleRepository(trx).person(userId)
    if (person) await enqueueStaffNotice(trx, shop, person, { notice: what, ref: `${nowMs()}` })
  }

  /** @returns the cookie's token @throws Refusal 403 for an account without a role */
  async function start(
    account: { id: number; username?: string; password_hash?: string },
    secondFactor: SecondFactor | null,
    from: Origin,
  ): Promise<string> {
    const token = newRefreshToken()
    const session = {
      id: randomUUID(),
      userId: account.id,
      tokenHash: hashToken(token),
      secondFactor,
      device: deviceOf(from.userAgent),
    }
    await transact(db, async (trx) => {
      const stored = staffSessionsRepository(trx)
      if (!(await stored.start(session, account.password_hash))) throw notStaff()
      // Somebody may have set one up meanwhile: the row of the account is locked from here on.
      const methods = secondFactor === null ? await secondFactorsRepository(trx).methods(account.id) : []
      if (methods.length > 0) throw secondFactorRequired(methods)
      if (from.replaces !== undefined) await stored.endOne(from.replaces)
      const person = await staffPeopleRepository(trx).person(account.id)
      if (!person) throw notStaff()
      if (secondFactor === 'recovery') await notice(trx, account.id, 'recoveryCodeUsed')
      await audit(trx, {
        actor: {
          userId: account.id,
          name: person.username,
          role: person.role,
          sessionId: session.id,
          network: from.network,
        },
        action: 'session.start',
        // By which a person recognises the device.
        after: { second_factor: secondFactor, ...session.device },
      })
    })
    security.record({
      event: 'login',
      userId: account.id,
      address: from.address,
      detail: `console, ${secondFactor ?? 'password'}`,
    })
    return token
  }

  return {
    /**
     * Signs in with a password, and with a code where the account has a second factor.
     * @returns the cookie's token
     * @throws Refusal 401 `auth.badCredentials`, `staff.secondFactorRequired` (with `methods`), `staff.codeWrong`, 403, 429
     */
    async signIn({ email, password, code }: SignInBody, from: Origin): Promise<string> {
      const { account }: CheckedLogin = await check({ username: email, password }, from)
      if (!account.role) throw notStaff()
      const methods = await secondFactorsRepository(db).methods(account.id)
      if (methods.length === 0) return await start(account, null, from)
      if (code === undefined) throw secondFactorRequired(methods)
      const used = await acceptCode(account.id, code, from.address)
      return await start(account, used, from)
    },

    /**
     * Signs in with a passkey, which proves two factors at once. Before it is known whose it is, attempts count by network
     * alone: no count that strangers can fill keeps staff out.
     * @throws Refusal 401 `staff.passkeyWrong`, 403, 429
     */
    async signInWithPasskey(response: never, from: Origin): Promise<string> {
      const { address } = from
      const taken = await limits.passkeys.take({ address })
      const userId = await factors.authenticate(null, response, (holder, verify) =>
        counted(limits.ownPasskeys, { account: holder, holder, address }, 'passkey', verify),
      )
      await taken.cancel()
      return await start({ id: userId }, 'passkey', from)
    },

    async end(caller: StaffCaller, address: string, id = caller.sessionId): Promise<void> {
      if (!isUuid(id) || !(await sessions.end(caller.userId, id)))
        throw new Refusal('request.notFound', 404, 'errors.request.notFound')
      security.record({ event: 'session_ended', userId: caller.userId, address, detail: 'console' })
    },

    async show(
      caller: StaffCaller,
      { email, secondFactor, expiresAt }: StaffSessionState,
    ): Promise<StaffSession> {
      return {
        user_id: caller.userId,
        name: caller.name,
        email,
        role: caller.role,
        permissions: PERMISSIONS.filter((permission) => permits(caller.role, permission)),
        second_factor: secondFactor,
        methods: await secondFactorsRepository(db).methods(caller.userId),
        must_enrol: needsSecondFactor && secondFactor === null,
        expires_at: expiresAt.toISOString(),
      }
    },

    /**
     * Permits one kind of action for ten minutes, by a code, or by the password of somebody without a second factor.
     * @throws Refusal 401 `staff.codeWrong`, 403, 429; InvalidFields under `password`
     */
    async stepUp(
      caller: StaffCaller,
      { permission, code, password }: { permission: StaffPermission; code?: string; password?: string },
      address: string,
    ): Promise<void> {
      const { userId, sessionId } = caller
      requirePermission(caller, permission)
      const methods = await secondFactorsRepository(db).methods(userId)
      if (methods.length === 0 && password !== undefined) {
        await current.verify({ userId, sessionId }, password, address).catch((error: unknown) => {
          if (!(error instanceof InvalidFields)) throw error
          security.record({ event: 'second_factor_failed', userId, address, detail: 'step-up' })
          throw new InvalidFields({ password: ['console.refusals.passwordWrong'] })
        })
        await sessions.stepUp(sessionId, permission)
        return
      }
      if (code === undefined) throw codeWrong()
      await counted(limits.stepUp, { account: sessionId, holder: userId, address }, 'step-up', () =>
        transact(db, async (trx) => {
          const used = await factors.acceptCodeOf(trx, userId, code)
          await staffSessionsRepository(trx).stepUp(sessionId, permission)
          if (used === 'recovery') await notice(trx, userId, 'recoveryCodeUsed')
        }),
      )
    },

    /** @throws Refusal 401 `staff.passkeyWrong`, 403, 429 */
    async stepUpWithPasskey(
      caller: StaffCaller,
      permission: StaffPermission,
      response: never,
      address: string,
    ): Promise<void> {
      requirePermission(caller, permission)
      const who = { account: caller.sessionId, holder: caller.userId, address }
      const userId = await factors.authenticate(caller, response, (_, verify) =>
        counted(limits.stepUp, who, 'step-up', verify),
      )
      if (userId !== caller.userId)
        throw new Refusal('staff.passkeyWrong', 401, 'console.refusals.passkeyWrong')
      await sessions.stepUp(caller.sessionId, permission)
    },

    async own({ userId, sessionId }: StaffCaller): Promise<OwnSecurity> {
      const stored = secondFactorsRepository(db)
      const [passkeys, authenticator, codes, open] = await Promise.all([
        stored.passkeysOf(userId),
        stored.authenticator(userId),
        stored.recoveryCodesLeft(userId),
        sessions.ofUser(userId),
      ])
      return {
        passkeys: passkeys.map(({ id, name, created_at, last_used_at }) => ({
          id,
          name,
          created_at: created_at.toISOString(),
          last_used_at: last_used_at?.toISOString() ?? null,
        })),
        has_authenticator: authenticator?.is_confirmed === true,
        recovery_codes_left: codes,
        sessions: open.map(({ id, browser, system, created_at, last_used_at }) => ({
          id,
          browser,
          system,
          created_at: created_at.toISOString(),
          last_used_at: last_used_at.toISOString(),
          is_current: id === sessionId,
        })),
      }
    },

    /** Begins to set up an authenticator. @throws Refusal 409 when there is one */
    startAuthenticator: (caller: StaffCaller, email: string): Promise<NewAuthenticator> =>
      transact(db, async (trx) => {
        const fresh = await factors.startAuthenticator(trx, caller.userId, email)
        await audit(trx, { actor: caller, action: 'self.startAuthenticator' })
        return fresh
      }),

    /**
     * Stores a new passkey, or confirms an authenticator, and in the same transaction all that comes with it: this session
     * counts as signed in with it, those that began with a password alone end, the owner gets an email, and with the
     * first one recovery codes.
     * @returns the new recovery codes, which are shown once
     */
    addFactor: (
      caller: StaffCaller,
      method: 'passkey' | 'code',
      add: (trx: Trx) => Promise<void>,
    ): Promise<string[]> =>
      transact(db, async (trx) => {
        await staffPeopleRepository(trx).lock(caller.userId)
        await add(trx)
        const stored = staffSessionsRepository(trx)
        // Another factor may have ended it meanwhile.
        if (!(await stored.setSecondFactor(caller.sessionId, method))) throw signedOut()
        await stored.endPasswordOnly(caller.userId)
        const left = await secondFactorsRepository(trx).recoveryCodesLeft(caller.userId)
        const codes = left === 0 ? await factors.newRecoveryCodes(trx, caller.userId) : []
        await notice(trx, caller.userId, 'secondFactorAdded')
        await audit(trx, { actor: caller, action: 'self.addSecondFactor', after: { method } })
        return codes
      }),

    /** @throws Refusal 409 for an account with neither passkey nor authenticator, which they alone would lock out */
    renewRecoveryCodes: (caller: StaffCaller): Promise<string[]> =>
      transact(db, async (trx) => {
        await staffPeopleRepository(trx).lock(caller.userId)
        const methods = await secondFactorsRepository(trx).methods(caller.userId)
        if (!methods.some((method) => method !== 'recovery'))
          throw new Refusal('staff.secondFactorMissing', 409, 'console.refusals.secondFactorMissing')
        const codes = await factors.newRecoveryCodes(trx, caller.userId)
        await notice(trx, caller.userId, 'recoveryCodesRenewed')
        await audit(trx, { actor: caller, action: 'self.renewRecoveryCodes' })
        return codes
      }),

    /** Removes a passkey, or the authenticator. In live mode one of them stays. @throws Refusal 404, 409 */
    remove: (caller: StaffCaller, what: { passkey: string } | 'authenticator'): Promise<void> =>
      transact(db, async (trx) => {
        await staffPeopleRepository(trx).lock(caller.userId)
        const stored = secondFactorsRepository(trx)
        const isGone =
          what === 'authenticator'
            ? await stored.removeAuthenticator(caller.userId)
            : await stored.removePasskey(caller.userId, what.passkey)
        if (!isGone) throw new Refusal('request.notFound', 404, 'errors.request.notFound')
        const left = (await stored.methods(caller.userId)).filter((method) => method !== 'recovery')
        if (left.length === 0 && needsSecondFactor)
          throw new Refusal('staff.lastSecondFactor', 409, 'console.refusals.lastSecondFactor')
        // Recovery codes alone are no second factor.
        if (left.length === 0) await stored.replaceRecoveryCodes(caller.userId, [])
        await notice(trx, caller.userId, 'ownFactorRemoved')
        await audit(trx, {
          actor: caller,
          action: 'self.removeSecondFactor',
          before: { method: what === 'authenticator' ? 'code' : 'passkey' },
        })
      }),
  }
}

const notStaff = (): Refusal => new Refusal('auth.staffOnly', 403, 'console.refusals.notStaff')
const signedOut = (): Refusal => new Refusal('staff.signInRequired', 401, 'console.refusals.signInRequired')
const secondFactorRequired = (methods: SecondFactor[]): Refusal =>
  new Refusal('staff.secondFactorRequired', 401, 'console.refusals.secondFactorRequired', {
    body: { methods },
  })
