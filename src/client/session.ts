import type { CallSession, Transport } from './api-call.ts'
import { ApiError, type ApiFailure, type FailureTexts, readFailure } from './api-error.ts'
import type { RenewalTurns } from './renewal-turns.ts'
import type { KeyedStore } from './browser-parts.ts'
import { ACCESS, EXPIRED, REFRESH, areDifferentAccounts, isExpired } from './tokens.ts'

/**
 * `expired`: a renewal was refused, and the page must go to the login (spec section 4, "Session"). `…-elsewhere`:
 * another tab logged out, lost the session, logged in or switched accounts.
 */
export type SessionEvent =
  | 'started'
  | 'ended'
  | 'expired'
  | 'started-elsewhere'
  | 'ended-elsewhere'
  | 'expired-elsewhere'
  | 'replaced-elsewhere'

export interface SessionOptions {
  storage: KeyedStore
  transport: Transport
  texts: FailureTexts
  turns: RenewalTurns
  announceEnd: () => void
  /** Milliseconds since the epoch by the clock of those who issue the tokens. */
  now: () => number
}

/** Whether our API refused the token. Another response, such as a proxy's page, says nothing about the session. */
function isRefused({ status, code = '', fields }: ApiFailure): boolean {
  if (status === 400) return code !== '' && fields?.['refresh'] !== undefined
  return (status === 401 || status === 403) && isOfSessions(code)
}

const isOfSessions = (code = ''): boolean => code.startsWith('auth.')

/** As the API issues them. */
interface TokenPair {
  access: string
  refresh: string
}

export interface Session extends CallSession {
  isAuthenticated(): boolean
  /** Ends the session of another account first. */
  start(tokens: TokenPair): void
  /** Clears all local storage, notifies the other tabs and revokes the session on the server. */
  end(): Promise<void>
  /** Whether the token is valid, after a renewal if needed. @throws ApiError when the renewal fails */
  ensure(): Promise<boolean>
  /** Ends a session whose renewed token is refused. @returns whether the failure is a refusal by our API */
  expire(failure: ApiFailure): boolean
  syncFromOtherTab(): void
  subscribe(listener: (event: SessionEvent) => void): () => void
  /** True once after an unreported expiry. */
  takeExpired(): boolean
}

/** A call may be refused this long after the end of its session. */
const JUST_MS = 5_000

/** The session of this browser: two tokens in local storage, renewed by one tab for all. */
export function createSession(options: SessionOptions): Session {
  const { storage, transport, texts, turns, announceEnd, now } = options
  const listeners = new Set<(event: SessionEvent) => void>()
  /** The last token that this page saw. */
  let seen = storage.getItem(ACCESS)
  /** Whether the storage has tokens of another account; the page is then reloaded. */
  let isReplaced = false
  /** For a page that starts later than the event. */
  let isExpiryUnreported = false
  let expiredAtMs = -Infinity

  function announce(event: SessionEvent): void {
    seen = storage.getItem(ACCESS)
    for (const listener of listeners) listener(event)
  }

  /**
   * Null without a refresh token or when our API refuses it. @throws ApiError for other responses; the session stays
   */
  const renewed = (rejected: string): Promise<string | null> =>
    turns.exclusively(async () => {
      await turns.awaitReplacement(rejected, () => storage.getItem(ACCESS) !== rejected)
      const stored = storage.getItem(ACCESS)
      if (stored !== null && stored !== rejected) return stored
      const refresh = storage.getItem(REFRESH)
      if (refresh === null) return null
      const access = await askForAccess(refresh)
      if (storage.getItem(REFRESH) !== refresh) return storage.getItem(ACCESS)
      if (access === null) return null
      storage.setItem(ACCESS, access)
      await turns.announceReplacement(rejected)
      return access
    })

  async function askForAccess(refresh: string): Promise<string | null> {
    const response = await post('/api/token/refresh/', { refresh })
    const body = (await response.json().catch(() => undefined)) as { access?: unknown } | undefined
    if (response.ok && typeof body?.access === 'string') return body.access
    const failure = readFailure(response.status, body, texts)
    if (isRefused(failure)) return null
    throw new ApiError(failure)
  }

  const post = (path: string, body: unknown): Promise<Response> => {
    const headers: Record<string, string> = { 'content-type': 'application/json' }
    const access = storage.getItem(ACCESS)
    if (access !== null) headers['authorization'] = `Bearer ${access}`
    const init = { method: 'POST', headers, body: JSON.stringify(body), keepalive: true }
    return transport(path, init).catch(() => {
      throw new ApiError({ status: 0, network: true, message: texts.network })
    })
  }

  /** On the server; a session that is not revoked expires. Never throws. */
  const revoke = async (refresh: string | null): Promise<unknown> =>
    refresh !== null && post('/api/token/logout/', { refresh }).catch(() => undefined)

  /** @param hasExpired no logout and no other login ends it */
  function dropTokens(event: SessionEvent, hasExpired = event === 'expired'): void {
    // First, since other tabs read why the tokens are gone as soon as they are.
    if (hasExpired) storage.setItem(EXPIRED, '1')
    storage.removeItem(ACCESS)
    storage.removeItem(REFRESH)
    isExpiryUnreported = event === 'expired'
    if (isExpiryUnreported) expiredAtMs = now()
    announce(event)
  }

  function noteReplaced(): void {
    if (!areDifferentAccounts(seen, storage.getItem(ACCESS))) return
    isReplaced = true
    announce('replaced-elsewhere')
  }

  /** A call without a token right after the end needs no second message. */
  const isJustExpired = (): boolean => now() - expiredAtMs < JUST_MS

  return {
    accessToken: () => storage.getItem(ACCESS),
    isAuthenticated: () => storage.getItem(ACCESS) !== null,

    async renew(rejected) {
      const access = await renewed(rejected)
      // No call is repeated with the token of another account.
      if (areDifferentAccounts(rejected, access)) {
        noteReplaced()
        return null
      }
      // Concurrent calls report the end of their session once.
      if (access === null && (seen !== null || (rejected === '' && !isJustExpired()))) dropTokens('expired')
      return access
    },

    async ensure() {
      const stored = storage.getItem(ACCESS)
      if (stored === null) return false
      if (!isExpired(stored, now()) || (await renewed(stored)) !== null) return true
      dropTokens('ended', true)
      return false
    },

    start({ access, refresh }) {
      const isOther = areDifferentAccounts(storage.getItem(ACCESS), access)
      const former = storage.getItem(REFRESH)
      if (isOther) dropTokens('ended')
      isExpiryUnreported = false
      isReplaced = false
      expiredAtMs = -Infinity
      storage.removeItem(EXPIRED)
      storage.setItem(ACCESS, access)
      storage.setItem(REFRESH, refresh)
      if (isOther) announceEnd()
      announce('started')
      // A login replaces the session that another tab began.
      if (former !== refresh) void revoke(former)
    },

    async end() {
      const refresh = storage.getItem(REFRESH)
      storage.clear()
      announce('ended')
      announceEnd()
      // The local logout always succeeds.
      await revoke(refresh)
    },

    expire({ status, code }) {
      if (status !== 401 || !isOfSessions(code)) return false
      if (!isReplaced && storage.getItem(ACCESS) !== null) dropTokens('expired')
      return true
    },

    syncFromOtherTab() {
      const authenticated = storage.getItem(ACCESS) !== null
      if (authenticated === (seen !== null)) return noteReplaced()
      if (authenticated) return announce('started-elsewhere')
      announce(storage.getItem(EXPIRED) === null ? 'ended-elsewhere' : 'expired-elsewhere')
    },

    subscribe(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },

    takeExpired() {
      const expired = isExpiryUnreported
      isExpiryUnreported = false
      return expired
    },
  }
}
