/**
 * An address (spec section 5) without spaces, invisible characters, backslashes or path characters. A letter in its
 * last label distinguishes it from a path or a version in the log. `erased.invalid` (RFC 2606) is reserved for erased
 * buyers, however a database folds its letters.
 */
export const EMAIL_PATTERN =
  /^[^\s\p{C}@,;<>()"\\]+@(?!erased\.[iİı]nval[iİı]d$)[^\s\p{C}@,;<>()"\\/:']+\.(?=[^.]*\p{L})[^\s\p{C}@.,;<>()"\\/:']{2,}$/iu

/** Whether a text could be an address or a login by one, valid for the shop or not. */
export const looksLikeAddress = (text: string): boolean =>
  /^[^\s\p{C}@,;<>()"]+@[^\s\p{C}@,;<>()"]+\.[^\s\p{C}@.,;<>()"]{2,}$/u.test(text)

/** Whether two addresses differ in case only. Some letters (`ϴ` and `θ`) are equal in one case and not in the other. */
export const isSameAddress = (one: string, other: string): boolean =>
  one.toLowerCase() === other.toLowerCase() && one.toUpperCase() === other.toUpperCase()

/** Replaces an erased address. `EMAIL_PATTERN` refuses its domain, so that nobody registers it. */
export const ERASED_EMAIL = 'erased@erased.invalid'

/** Whether it stands for an address that was erased: nobody reads what is sent to it. */
export const isErasedEmail = (email: string): boolean => email.toLowerCase().endsWith('@erased.invalid')

/** RFC 5321. */
export const EMAIL_MAX = 254
