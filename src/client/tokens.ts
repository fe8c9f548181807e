/** Keys of the local storage (spec section 3, "Auth state"). */
export const ACCESS = 'access'
export const REFRESH = 'refresh'

export type TokenStorage = Pick<Storage, 'getItem' | 'setItem' | 'removeItem' | 'clear'>

/** Seconds before its expiry at which a token counts as expired. */
const LEEWAY_S = 5

/** Whether a token has expired or cannot be read. */
export function isExpired(token: string, nowMs: number): boolean {
  const expiry = expiryOf(token)
  return expiry === undefined || expiry - LEEWAY_S <= nowMs / 1000
}

function expiryOf(token: string): number | undefined {
  const { exp } = claimsOf(token)
  return typeof exp === 'number' ? exp : undefined
}

/** Whether two tokens belong to different accounts; an unreadable one belongs to none. */
export function areDifferentAccounts(one: string | null, other: string | null): boolean {
  const [first, second] = [one, other].map((token) => (token === null ? undefined : claimsOf(token).sub))
  return first !== undefined && second !== undefined && first !== second
}

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

/** Local storage, or memory where it is forbidden. */
export function browserStorage(): TokenStorage {
  try {
    const storage = window.localStorage
    storage.getItem(ACCESS)
    return storage
  } catch {
    return memoryStorage()
  }
}

export function memoryStorage(): TokenStorage {
  const values = new Map<string, string>()
  return {
    getItem: (name) => values.get(name) ?? null,
    setItem: (name, value) => void values.set(name, value),
    removeItem: (name) => void values.delete(name),
    clear: () => values.clear(),
  }
}
