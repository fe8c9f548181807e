/** A basic address pattern (spec section 5): something, an at sign, a domain with a dot, no spaces or invisible characters. */
export const EMAIL_PATTERN = /^[^\s\p{C}@,;<>()"]+@[^\s\p{C}@,;<>()"]+\.[^\s\p{C}@.,;<>()"]{2,}$/u

/** Longest address that mail servers take (RFC 5321). */
export const EMAIL_MAX = 254
