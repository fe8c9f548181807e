/** A basic address pattern (spec section 5): something, an at sign, a domain with a dot, no spaces or invisible characters. */
export const EMAIL_PATTERN = /^[^\s\p{C}@,;<>()"]+@[^\s\p{C}@,;<>()"]+\.[^\s\p{C}@.,;<>()"]{2,}$/u

/**
 * Whether two addresses differ by nothing but the case of their letters. Both ways are asked, since some letters become
 * another one in one of them: `ϴ`, the theta of formulas, a `θ`.
 */
export const isSameAddress = (one: string, other: string): boolean =>
  one.toLowerCase() === other.toLowerCase() && one.toUpperCase() === other.toUpperCase()

/** Longest address that mail servers take (RFC 5321). */
export const EMAIL_MAX = 254
