/** The two values kept in local storage (spec section 3, "Auth state"). */
export const ACCESS = 'access'
export const REFRESH = 'refresh'

/** The part of `Storage` the session needs. */
export type TokenStorage = Pick<Storage, 'getItem' | 'setItem' | 'removeItem' | 'clear'>

/** Seconds before its end at which a token no longer counts as good: the request still has to travel. */
const LEEWAY_S = 5

/**
 * Whether an access token's expiry claim has passed. A token that cannot be read counts as expired.
 * @param nowMs milliseconds since the epoch
 */
export function isExpired(token: string, nowMs: number): boolean {
  const expiry = expiryOf(token)
  return expiry === undefined || expiry - LEEWAY_S <= nowMs / 1000
}

function expiryOf(token: string): number | undefined {
  const { exp } = claimsOf(token)
  return typeof exp === 'number' ? exp : undefined
}

/** Whether two tokens are of different accounts. What cannot be read, or is none, is of no other account. */
export function areOfTwo(one: string | null, other: string | null): boolean {
  const [first, second] = [one, other].map((token) => (token === null ? undefined : claimsOf(token).sub))
  return first !== undefined && second !== undefined && first !== second
}

/** What a token says; nothing of one that cannot be read. */
function claimsOf(token: string): { exp?: unknown; sub?: unknown } {
  try {
    const claims: unknown = JSON.parse(
      atob((token.split('.')[1] ?? '').replaceAll('-', '+').replaceAll('_', '/')),
    )
    return typeof claims === 'object' && claims !== null ? claims : {}
  } catch {
    return {}
  }
}

/** Local storage, or a memory of this page where the browser forbids it. */
export function browserStorage(): TokenStorage {
  try {
    const storage = window.localStorage
    storage.getItem(ACCESS)
    return storage
  } catch {
    return memoryStorage()
  }
}

/** A storage that lasts as long as the object. */
export function memoryStorage(): TokenStorage {
  const values = new Map<string, string>()
  return {
    getItem: (name) => values.get(name) ?? null,
    setItem: (name, value) => void values.set(name, value),
    removeItem: (name) => void values.delete(name),
    clear: () => values.clear(),
  }
}
