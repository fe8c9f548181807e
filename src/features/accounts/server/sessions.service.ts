import { randomUUID } from 'node:crypto'
import type { Database } from '#platform/database.ts'
import { Refusal } from '#shared/refusal.ts'
import type { LoginBody, TokenPair } from '../accounts.contract.ts'
import { accountsRepository } from './accounts.repository.ts'
import type { Passwords } from './passwords.ts'
import { sessionsRepository } from './sessions.repository.ts'
import { type AccessTokens, newRefreshToken, refreshTokenHash, tokenInvalid } from './tokens.ts'

export interface SessionsOptions {
  db: Database
  passwords: Passwords
  tokens: AccessTokens
}

/** Who a new session is for. */
export interface SessionOwner {
  id: number
  is_staff: boolean
  is_superuser: boolean
}

/** Logging in, staying logged in, logging out. */
export function sessionsService({ db, passwords, tokens }: SessionsOptions) {
  const accounts = accountsRepository(db)
  const sessions = sessionsRepository(db)

  /** Starts a session for an account and hands out its two tokens. */
  async function createSession(owner: SessionOwner): Promise<TokenPair> {
    const refresh = newRefreshToken()
    const sessionId = randomUUID()
    await sessions.insert({ id: sessionId, user_id: owner.id, refresh_hash: refreshTokenHash(refresh) })
    return { access: await issueAccess(owner, sessionId), refresh }
  }

  const issueAccess = ({ id, is_staff, is_superuser }: SessionOwner, sessionId: string): Promise<string> =>
    tokens.issue({ userId: id, sessionId, isStaff: is_staff, isSuperuser: is_superuser })

  /** A password that was hashed at another cost is hashed anew while it is at hand; that must never stop a login. */
  async function renewHash(id: number, stored: string, password: string): Promise<void> {
    try {
      await accounts.replacePasswordHash(id, stored, await passwords.hash(password))
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
    }
  }

  return {
    createSession,

    /**
     * Checks a login; who holds no account is told nothing, neither by words nor by time (decisions, "Login").
     * @throws Refusal 401 `auth.badCredentials`, 403 `auth.suspended`, 429 `auth.busy`
     */
    async logIn({ username, password }: LoginBody): Promise<TokenPair> {
      // PostgreSQL cannot store a NUL, so no account has one.
      const account = username.includes('\0') ? undefined : await accounts.findByLogin(username)
      const { right, outdated } = await passwords.verify(password, account?.password_hash)
      if (!account || !right) throw new Refusal('auth.badCredentials', 401, 'errors.auth.badCredentials')
      if (!account.is_active) throw new Refusal('auth.suspended', 403, 'errors.auth.suspended')
      if (outdated) await renewHash(account.id, account.password_hash, password)
      return createSession(account)
    },

    /**
     * A new access token for a session that still runs. The refresh token stays the same (decisions, "Tokens").
     * @throws Refusal 401 when it is unknown, revoked or too old, or when the account is suspended
     */
    async refresh(token: string): Promise<{ access: string }> {
      const session = await sessions.findByRefreshHash(refreshTokenHash(token))
      if (!session || session.revoked_at !== null) throw tokenInvalid()
      if (session.is_expired) throw new Refusal('auth.tokenExpired', 401, 'errors.auth.tokenExpired')
      if (!session.is_active) throw new Refusal('auth.suspended', 401, 'errors.auth.suspended')
      await sessions.touch(session.id)
      return { access: await issueAccess({ ...session, id: session.user_id }, session.id) }
    },

    /** Ends the session of a refresh token; an unknown token ends nothing. */
    logOut: (token: string): Promise<void> => sessions.revokeByRefreshHash(refreshTokenHash(token)),
  }
}
