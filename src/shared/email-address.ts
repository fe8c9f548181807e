/**
 * A basic address pattern (spec section 5): something, an at sign, a domain with a dot, no spaces or invisible characters;
 * no backslash, nor what ends the version of a package in its domain, and a letter in its last label, so that the log
 * tells an address from a path. Nobody can have one at `erased.invalid`, which stands for erased buyers (`.invalid`:
 * RFC 2606), however a database folds its letters.
 */
export const EMAIL_PATTERN =
  /^[^\s\p{C}@,;<>()"\\]+@(?!erased\.[iİı]nval[iİı]d$)[^\s\p{C}@,;<>()"\\/:']+\.(?=[^.]*\p{L})[^\s\p{C}@.,;<>()"\\/:']{2,}$/iu

/** What somebody may take for an address, and a login as well, whether the shop accepts it or not. */
export const looksLikeAddress = (text: string): boolean =>
  /^[^\s\p{C}@,;<>()"]+@[^\s\p{C}@,;<>()"]+\.[^\s\p{C}@.,;<>()"]{2,}$/u.test(text)

/**
 * Whether two addresses differ by nothing but the case of their letters. Both ways are asked, since some letters become
 * another one in one of them: `ϴ`, the theta of formulas, a `θ`.
 */
export const isSameAddress = (one: string, other: string): boolean =>
  one.toLowerCase() === other.toLowerCase() && one.toUpperCase() === other.toUpperCase()

/** Longest address that mail servers take (RFC 5321). */
export const EMAIL_MAX = 254
