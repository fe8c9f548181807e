/** Keys of the local storage (spec section 3, "Auth state"). */
export const ACCESS = 'access'
export const REFRESH = 'refresh'

/** In the storage from the expiry of a session until the next login: no tab takes it for a logout. */
export const EXPIRED = 'session_expired'

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
