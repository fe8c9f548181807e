import { key } from '#i18n/keys.ts'
import {
  type PhoneCountry,
  countryTyped,
  findPhoneCountry,
  isInternational,
  readNumber,
} from '#shared/phone.ts'

/** Shortest password (spec section 9). */
export const PASSWORD_MIN = 8

/** The rules of a strong password, each with its message (spec section 5, "New password"). */
export const NEW_PASSWORD_RULES = [
  { name: 'length', pattern: /^.{8,}$/s, message: key('formErrors.password.tooShort') },
  { name: 'uppercase', pattern: /\p{Lu}/u, message: key('formErrors.password.noUppercase') },
  { name: 'lowercase', pattern: /\p{Ll}/u, message: key('formErrors.password.noLowercase') },
  { name: 'digit', pattern: /\d/, message: key('formErrors.password.noDigit') },
  { name: 'special', pattern: /[!@#$%^&*]/, message: key('formErrors.password.noSpecial') },
] as const

/** Reads a full number, or local digits with "+33" or "FR". @returns country and digits, or the fault's message */
export function readPhone(
  phone: string,
  code?: string | null,
): { country: PhoneCountry; digits: string } | { message: ReturnType<typeof key> } {
  const chosen = code ? findPhoneCountry(code.trim()) : undefined
  const read = readNumber(phone, chosen)
  if (read) return read
  if (isInternational(phone)) {
    const meant = countryTyped(phone)
    return { message: key(meant ? `formErrors.phone.${meant.country}` : 'formErrors.phone.invalid') }
  }
  return { message: key(chosen ? `formErrors.phone.${chosen.country}` : 'formErrors.phone.format') }
}

const PASSWORD_FIELD_ALIASES = new Map([
  ['old_password', 'current_password'],
  ['oldPassword', 'current_password'],
  ['currentPassword', 'current_password'],
  ['newPassword', 'new_password'],
  ['confirmPassword', 'confirm_password'],
])

/** Renames aliases of a change-password body; a canonical field takes precedence. */
export function canonicalPasswordFields(body: unknown): unknown {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return body
  const renamed = Object.entries(body).map(([name, value]) => [
    PASSWORD_FIELD_ALIASES.get(name) ?? name,
    value,
  ])
  return { ...Object.fromEntries(renamed), ...body }
}

/**
 * Undefined for the account that replaces erased buyers, whose name begins with a space, and when the name could be an
 * advertisement, because anybody can register with another person's address.
 */
export const greetingName = (username: string): string | undefined =>
  /^(?! )[\p{L}\p{M}\p{N} '’_-]{1,40}$/u.test(username) ? username : undefined

/** What a session's user agent names; null when it names neither. */
export interface Device {
  browser: string | null
  system: string | null
}

/** The first match counts: most browsers also call themselves Chrome or Safari. */
const BROWSERS: readonly [name: string, mark: RegExp][] = [
  ['Edge', /\bEdg(?:e|A|iOS)?\//],
  ['Opera', /\b(?:OPR|OPT|Opera)\b/],
  ['Samsung Internet', /\bSamsungBrowser\//],
  ['Firefox', /\b(?:Firefox|FxiOS)\//],
  ['Chrome', /\b(?:Chrome|Chromium|CriOS)\//],
  ['Safari', /\bVersion\/[\d.]+.*\bSafari\//],
]
const SYSTEMS: readonly [name: string, mark: RegExp][] = [
  ['iPhone', /\biPhone\b/],
  ['iPad', /\biPad\b/],
  ['Android', /\bAndroid\b/],
  ['Windows', /\bWindows\b/],
  ['ChromeOS', /\bCrOS\b/],
  ['Mac', /\bMac(?:intosh| OS X)\b/],
  ['Linux', /\bLinux\b/],
]

/** Browser and system of a user agent, by names that their owners know. */
export function deviceOf(userAgent = ''): Device {
  const named = (names: typeof BROWSERS): string | null =>
    names.find(([, mark]) => mark.test(userAgent.slice(0, 500)))?.[0] ?? null
  return { browser: named(BROWSERS), system: named(SYSTEMS) }
}

/** Whether an address can be shown to somebody else than who typed it: it holds no link that an email program would open. */
export const isPlainAddress = (email: string): boolean => /^[\w.+-]{1,64}@[a-z0-9.-]+$/i.test(email)
