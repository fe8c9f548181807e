import { randomUUID } from 'node:crypto'
import {
  type CheckedLogin,
  type LoginCheckOptions,
  currentPassword,
  deviceOf,
  hashToken,
  loginCheck,
  newRefreshToken,
} from '#features/accounts/server/index.ts'
import type { EmailShop } from '#features/emails/server/index.ts'
import { audit } from '#platform/audit-log.ts'
import type { Trx } from '#platform/database.ts'
import type { StaffCaller } from '#platform/http/request.ts'
import { isUuid } from '#platform/ids.ts'
import type { Limit } from '#platform/limits/limiter.ts'
import { transact } from '#platform/transaction.ts'
import { nowMs } from '#shared/clock.ts'
import { Refusal } from '#shared/refusal.ts'
import { STAFF_PERMISSIONS, type StaffPermission, permits } from '#shared/staff-permissions.ts'
import type { OwnSecurity, SecondFactor, SignInBody, StaffSession } from '../staff.contract.ts'
import { type SecondFactors, codeWrong } from './second-factors.ts'
import { secondFactorsRepository } from './second-factors.repository.ts'
import type { StaffSessionState } from './staff-authentication.ts'
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
    /** Wrong codes and passkeys. */
    secondFactor: Limit
    /** Sign-ins with a passkey that were begun. */
    challenges: Limit
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

  /** Counts an attempt as failed until it succeeds. */
  async function counted<Result>(userId: number | string, address: string, attempt: () => Promise<Result>) {
    const taken = await limits.secondFactor.take({ account: userId, address })
    const result = await attempt()
    await taken.cancel()
    return result
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
        after: { second_factor: secondFactor },
      })
    })
    security.record({ event: 'login', userId: account.id, address: from.address, detail: 'console' })
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
      if (code === undefined)
        throw new Refusal('staff.secondFactorRequired', 401, 'console.refusals.secondFactorRequired', {
          body: { methods },
        })
      const used = await counted(account.id, from.address, () => factors.acceptCodeOf(account.id, code))
      return await start(account, used, from)
    },

    /** Signs in with a passkey, which proves two factors at once. @throws Refusal 401 `staff.passkeyWrong`, 403, 429 */
    async signInWithPasskey(response: never, from: Origin): Promise<string> {
      const userId = await counted('passkey', from.address, () => factors.authenticate(null, response))
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
     * @throws Refusal 401 `staff.codeWrong`, 429; InvalidFields under `current_password`
     */
    async stepUp(
      caller: StaffCaller,
      { permission, code, password }: { permission: StaffPermission; code?: string; password?: string },
      address: string,
    ): Promise<void> {
      const methods = await secondFactorsRepository(db).methods(caller.userId)
      if (methods.length === 0 && password !== undefined)
        await current.verify({ userId: caller.userId, sessionId: caller.sessionId }, password, address)
      else if (code !== undefined)
        await counted(caller.userId, address, () => factors.acceptCodeOf(caller.userId, code))
      else throw codeWrong()
      await sessions.stepUp(caller.sessionId, permission)
    },

    /** @throws Refusal 401 `staff.passkeyWrong`, 429 */
    async stepUpWithPasskey(
      caller: StaffCaller,
      permission: StaffPermission,
      response: never,
      address: string,
    ): Promise<void> {
      const userId = await counted(caller.userId, address, () => factors.authenticate(caller, response))
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
        has_authenticator: authenticator?.confirmed_at != null,
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

    /**
     * After a new passkey or authenticator: the session counts as signed in with it, the owner gets an email, and the
     * first one comes with recovery codes.
     * @returns the new recovery codes, which are shown once
     */
    added: (caller: StaffCaller, method: 'passkey' | 'code'): Promise<string[]> =>
      transact(db, async (trx) => {
        await staffSessionsRepository(trx).setSecondFactor(caller.sessionId, method)
        const left = await secondFactorsRepository(trx).recoveryCodesLeft(caller.userId)
        const codes = left === 0 ? await factors.newRecoveryCodes(trx, caller.userId) : []
        await notice(trx, caller.userId, 'secondFactorAdded')
        await audit(trx, { actor: caller, action: 'self.addSecondFactor', after: { method } })
        return codes
      }),

    /** @throws Refusal 409 for an account with neither passkey nor authenticator, which they alone would lock out */
    renewRecoveryCodes: (caller: StaffCaller): Promise<string[]> =>
      transact(db, async (trx) => {
        const methods = await secondFactorsRepository(trx).methods(caller.userId)
        if (!methods.some((method) => method !== 'recovery'))
          throw new Refusal('staff.secondFactorMissing', 409, 'console.refusals.secondFactorMissing')
        const codes = await factors.newRecoveryCodes(trx, caller.userId)
        await audit(trx, { actor: caller, action: 'self.renewRecoveryCodes' })
        return codes
      }),

    /** Removes a passkey, or the authenticator. In live mode one of them stays. @throws Refusal 404, 409 */
    remove: (caller: StaffCaller, what: { passkey: string } | 'authenticator'): Promise<void> =>
      transact(db, async (trx) => {
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
        await audit(trx, {
          actor: caller,
          action: 'self.removeSecondFactor',
          before: { method: what === 'authenticator' ? 'code' : 'passkey' },
        })
      }),
  }
}

const notStaff = (): Refusal => new Refusal('auth.staffOnly', 403, 'console.refusals.notStaff')
