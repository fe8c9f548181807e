import type { TokenPair } from '#features/accounts/accounts.contract.ts'
import { nowMs } from '#shared/clock.ts'
import type { CallSession, Transport } from './api-call.ts'
import { ApiError, type ApiFailure, type FailureTexts, readFailure } from './api-error.ts'
import type { RenewalTurns } from './renewal-turns.ts'
import { ACCESS, REFRESH, type TokenStorage, areOfTwo, isExpired } from './tokens.ts'

/**
 * `expired`: a call was refused and could not be saved, the page must go to the login (spec section 4, "Session").
 * `ended-elsewhere`: another tab logged out. `started-elsewhere`: another tab logged in.
 * `replaced-elsewhere`: the same as somebody else, and this page, which slept meanwhile, still shows who was here before.
 */
export type SessionEvent =
  | 'started'
  | 'ended'
  | 'expired'
  | 'started-elsewhere'
  | 'ended-elsewhere'
  | 'replaced-elsewhere'

export interface SessionOptions {
  storage: TokenStorage
  transport: Transport
  texts: FailureTexts
  turns: RenewalTurns
  /** Tells the other tabs that this one logged out. */
  announceEnd: () => void
  now?: () => number
}

/**
 * Whether our API says that a refresh token is good for nothing any more: malformed (a fault of the field `refresh`),
 * unknown, revoked or too old, of a suspended account. Anything else says nothing about the session: a proxy's page, or
 * a body that was cut on its way.
 */
function isRefused({ status, code = '', fields }: ApiFailure): boolean {
  if (status === 400) return code !== '' && fields?.['refresh'] !== undefined
  return (status === 401 || status === 403) && isOfSessions(code)
}

/** Whether a refusal is our API's, of who calls. */
const isOfSessions = (code = ''): boolean => code.startsWith('auth.')

export interface Session extends CallSession {
  isAuthenticated(): boolean
  /** Login: what this browser shows and keeps of somebody else who was signed in ends first. */
  start(tokens: TokenPair): void
  /** Logout: clears all local storage, tells the other tabs and revokes the session on the server. */
  end(): Promise<void>
  /**
   * For route guards: whether a usable token is stored, after a renewal if it has expired.
   * @throws ApiError when it cannot be renewed now
   */
  ensure(): Promise<boolean>
  /**
   * Ends a session whose token our API refuses although it was just renewed; nothing is left to end for who has none.
   * @returns whether the failure of a call says that; a proxy's 401 says nothing about the session
   */
  expire(failure: ApiFailure): boolean
  /** Reports what another tab did to the storage they share. */
  syncFromOtherTab(): void
  subscribe(listener: (event: SessionEvent) => void): () => void
  /** Whether the session has expired and nobody has told the visitor yet; true once. */
  takeExpired(): boolean
}

/** How long after the end of a session what it has left behind may still be refused. */
const JUST_MS = 5_000

/** The signed-in state of this browser: two tokens in local storage, renewed by one tab for all. */
export function createSession(options: SessionOptions): Session {
  const { storage, transport, texts, turns, announceEnd, now = nowMs } = options
  const listeners = new Set<(event: SessionEvent) => void>()
  /** The last token that this page saw: it tells whether somebody is signed in here, and who. */
  let seen = storage.getItem(ACCESS)
  /** Whether the storage belongs to somebody else by now; then the page is loaded anew. */
  let isReplaced = false
  /** A page that is still starting hears no event; it asks. */
  let isExpiryUnreported = false
  let expiredAtMs = -Infinity

  function announce(event: SessionEvent): void {
    seen = storage.getItem(ACCESS)
    for (const listener of listeners) listener(event)
  }

  /**
   * Replaces a rejected or expired token; null when there is nothing to renew with or our API says no.
   * @throws ApiError when it says neither yes nor no; the session goes on
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
      await turns.tellReplaced(rejected)
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

  /** Carries the stored token as every request does (spec section 7), though these routes do not look at it. */
  const post = (path: string, body: unknown): Promise<Response> => {
    const headers: Record<string, string> = { accept: 'application/json', 'content-type': 'application/json' }
    const access = storage.getItem(ACCESS)
    if (access !== null) headers['authorization'] = `Bearer ${access}`
    const init = { method: 'POST', headers, body: JSON.stringify(body), keepalive: true }
    return transport(path, init).catch(() => {
      throw new ApiError({ status: 0, network: true, message: texts.network })
    })
  }

  function dropTokens(event: SessionEvent): void {
    storage.removeItem(ACCESS)
    storage.removeItem(REFRESH)
    isExpiryUnreported = event === 'expired'
    if (isExpiryUnreported) expiredAtMs = now()
    announce(event)
  }

  function noteReplaced(): void {
    if (!areOfTwo(seen, storage.getItem(ACCESS))) return
    isReplaced = true
    announce('replaced-elsewhere')
  }

  /** A call may leave just after the end of its session, without a token: the visitor is being told already. */
  const isJustExpired = (): boolean => now() - expiredAtMs < JUST_MS

  return {
    accessToken: () => storage.getItem(ACCESS),
    isAuthenticated: () => storage.getItem(ACCESS) !== null,

    async renew(rejected) {
      const access = await renewed(rejected)
      // Nobody's call is repeated in the name of somebody else.
      if (areOfTwo(rejected, access)) {
        noteReplaced()
        return null
      }
      // Several calls can be refused at once; the end of their session is told once.
      if (access === null && (seen !== null || (rejected === '' && !isJustExpired()))) dropTokens('expired')
      return access
    },

    async ensure() {
      const stored = storage.getItem(ACCESS)
      if (stored === null) return false
      if (!isExpired(stored, now())) return true
      if ((await renewed(stored)) !== null) return true
      dropTokens('ended')
      return false
    },

    start({ access, refresh }) {
      const isOther = areOfTwo(storage.getItem(ACCESS), access)
      if (isOther) dropTokens('ended')
      isExpiryUnreported = false
      isReplaced = false
      expiredAtMs = -Infinity
      storage.setItem(ACCESS, access)
      storage.setItem(REFRESH, refresh)
      if (isOther) announceEnd()
      announce('started')
    },

    async end() {
      const refresh = storage.getItem(REFRESH)
      storage.clear()
      announce('ended')
      announceEnd()
      // The person is logged out here whatever the server says; a lost call leaves a session that runs out by itself.
      if (refresh !== null) await post('/api/token/logout/', { refresh }).catch(() => undefined)
    },

    expire({ status, code }) {
      if (status !== 401 || !isOfSessions(code)) return false
      if (!isReplaced && storage.getItem(ACCESS) !== null) dropTokens('expired')
      return true
    },

    syncFromOtherTab() {
      const authenticated = storage.getItem(ACCESS) !== null
      if (authenticated !== (seen !== null)) announce(authenticated ? 'started-elsewhere' : 'ended-elsewhere')
      else noteReplaced()
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
