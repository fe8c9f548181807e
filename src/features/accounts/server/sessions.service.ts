import { randomUUID } from 'node:crypto'
import { hashToken } from '#platform/keyed-hashes.ts'
import type { Trx } from '#platform/database.ts'
import type { Caller } from '#platform/http/request.ts'
import { isUuid } from '#platform/ids.ts'
import type { Limit } from '#platform/limits/limiter.ts'
import type { SecurityLog } from '#platform/security-log.ts'
import { transact } from '#platform/transaction.ts'
import { Refusal } from '#shared/refusal.ts'
import type { EndSessionsBody, LoginBody, OpenSession, TokenPair } from '../accounts.contract.ts'
import { deviceOf } from '../accounts.rules.ts'
import { loginKey } from './accounts.ts'
import { type LoginAccount, accountsRepository } from './accounts.repository.ts'
import { type CurrentPasswordOptions, currentPassword } from './current-password.ts'
import { endLinks } from './email-links.service.ts'
import { sessionsRepository } from './sessions.repository.ts'
import { type AccessTokens, newRefreshToken, tokenInvalid } from './tokens.ts'

export interface SessionsOptions extends CurrentPasswordOptions {
  tokens: AccessTokens
  security: SecurityLog
  limits: CurrentPasswordOptions['limits'] & {
    /** Counts failed logins. */
    login: Limit
    refresh: Limit
    logout: Limit
  }
}

interface Origin {
  address: string
}

interface LoginOrigin extends Origin {
  userAgent?: string | undefined
}

export function sessionsService(options: SessionsOptions) {
  const { db, passwords, tokens, security, limits } = options
  const accounts = accountsRepository(db)
  const sessions = sessionsRepository(db)
  const current = currentPassword(options)
  const check = loginCheck(options)

  /** Starts a session. When the stored hash changed meanwhile, compares the password once more. */
  async function createSession(
    { id: userId, password_hash: compared }: { id: number; password_hash: string },
    password: string,
    from: LoginOrigin,
  ): Promise<TokenPair> {
    const refresh = newRefreshToken()
    const device = deviceOf(from.userAgent)
    const session = { id: randomUUID(), userId, refreshHash: hashToken(refresh), device }
    const isStarted = (await sessions.start(session, compared)) || (await startAnew(session, password, from))
    if (!isStarted) throw badCredentials()
    return { access: await tokens.issue({ userId, sessionId: session.id }), refresh }
  }

  async function startAnew(
    session: Parameters<typeof sessions.start>[0],
    password: string,
    from: Origin,
  ): Promise<boolean> {
    const stored = await accounts.findPasswordHash(session.userId)
    const { right } = await passwords.verify(password, stored, from)
    return right && stored !== undefined && sessions.start(session, stored)
  }

  /** Hashes a password again at the current cost; a full queue must not stop the login. */
  async function renewHash(
    { id, password_hash }: { id: number; password_hash: string },
    password: string,
    from: Origin,
  ): Promise<void> {
    try {
      await accounts.replacePasswordHash(id, password_hash, await passwords.hash(password, from))
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
    }
  }

  return {
    /** Logs in. @throws Refusal as `loginCheck` */
    async logIn(body: LoginBody, from: LoginOrigin): Promise<TokenPair> {
      const { address } = from
      const { account, outdated } = await check(body, from)
      const { password } = body
      const pair = await createSession(account, password, from)
      security.record({ event: 'login', userId: account.id, address })
      if (outdated) await renewHash(account, password, from)
      return pair
    },

    /** A new access token; the refresh token stays the same. @throws Refusal 401, or 429 */
    async refresh(token: string, { address }: Origin): Promise<{ access: string }> {
      const hash = hashToken(token)
      limits.refresh.hit({ account: hash.toString('base64url'), address })
      const session = await sessions.findByRefreshHash(hash)
      if (!session || session.revoked_at !== null) throw tokenInvalid()
      if (session.is_expired) throw new Refusal('auth.tokenExpired', 401, 'errors.auth.tokenExpired')
      if (!session.is_active) throw new Refusal('auth.suspended', 401, 'errors.auth.suspended')
      await sessions.touch(session.id)
      return { access: await tokens.issue({ userId: session.user_id, sessionId: session.id }) }
    },

    /** Limits only tokens without a session, so that nobody can block logouts of a network. @throws Refusal 429 */
    async logOut(token: string, { address }: Origin): Promise<void> {
      const hash = hashToken(token)
      const userId = await sessions.revokeByRefreshHash(hash)
      if (userId === undefined) return limits.logout.hit({ account: hash.toString('base64url'), address })
      security.record({ event: 'session_ended', userId, address, detail: 'logout' })
    },

    async list({ userId, sessionId }: Caller): Promise<OpenSession[]> {
      const rows = await sessions.ofUser(userId)
      return rows.map(({ id, browser, system, created_at, last_used_at }) => ({
        id,
        browser,
        system,
        started_at: created_at.toISOString(),
        last_used_at: last_used_at.toISOString(),
        is_current: id === sessionId,
      }))
    },

    /**
     * Ends one session of the caller. The password comes first, so that a stolen token learns nothing of a session's id.
     * @throws InvalidFields under `current_password`; Refusal 429, or 404 for any other session
     */
    async end(caller: Caller, id: string, body: EndSessionsBody, { address }: Origin): Promise<void> {
      const { userId } = caller
      await current.verify(caller, body.current_password, address)
      if (!isUuid(id) || !(await sessions.revoke(userId, id)))
        throw new Refusal('request.notFound', 404, 'errors.request.notFound')
      security.record({ event: 'session_ended', userId, address, detail: 'owner' })
    },

    /** Ends all sessions of the caller, this one included. @throws InvalidFields under `current_password`; Refusal 429 */
    async endAll(caller: Caller, body: EndSessionsBody, { address }: Origin): Promise<void> {
      const { userId } = caller
      await current.verify(caller, body.current_password, address)
      await transact(db, (trx) => endSessions(trx, userId))
      security.record({ event: 'session_ended', userId, address, detail: 'everywhere' })
    },
  }
}

export type LoginCheckOptions = Pick<SessionsOptions, 'db' | 'passwords' | 'security'> & {
  limits: Pick<SessionsOptions['limits'], 'login' | 'rightPassword'>
}

export interface CheckedLogin {
  account: LoginAccount
  /** The stored hash should be made again. */
  outdated: boolean
}

/** Compares a name and a password with the stored ones, for the shop and for the console. */
export function loginCheck({ db, passwords, security, limits }: LoginCheckOptions) {
  const accounts = accountsRepository(db)

  /**
   * Neither response nor time shows whether an account exists. An attempt counts as failed until it succeeds, so that
   * concurrent ones are limited. It counts by the account, whichever of its names was typed (ADR 0019), or by the key of
   * a name without one.
   * @throws Refusal 401 `auth.badCredentials`, 403 `auth.suspended`, 429
   */
  return async ({ username, password }: LoginBody, from: Origin): Promise<CheckedLogin> => {
    const { address } = from
    const { key, account } = await accounts.findByLogin(username)
    const attempt = await limits.login.take({
      account: loginKey(account?.id ?? key),
      holder: account?.id,
      address,
    })
    const logins = { ...(account && { account: account.id }), address }
    const failed = (detail: string): void =>
      security.record({ event: 'login_failed', userId: account?.id, address, detail })
    const compare = async () => {
      limits.rightPassword.check(logins)
      return await passwords.verify(password, account?.password_hash, from)
    }
    const { right, outdated } = await compare().catch(async (error) => {
      // No password was compared.
      await attempt.cancel()
      throw error
    })
    if (!account || !right) {
      failed('credentials')
      throw badCredentials()
    }
    await attempt.succeed()
    limits.rightPassword.hit(logins)
    if (!account.is_active) {
      failed('suspended')
      throw new Refusal('auth.suspended', 403, 'errors.auth.suspended')
    }
    return { account, outdated }
  }
}

/**
 * Ends all sessions of an account, and the links that somebody who was logged in may have asked for.
 * @returns how many sessions
 */
export async function endSessions(trx: Trx, userId: number): Promise<number> {
  // A change of the address holds this lock while it checks its session and stores its link.
  await accountsRepository(trx).lockAddressee(userId)
  await endLinks(trx, userId)
  return await sessionsRepository(trx).revokeAll(userId)
}

const badCredentials = (): Refusal => new Refusal('auth.badCredentials', 401, 'errors.auth.badCredentials')
