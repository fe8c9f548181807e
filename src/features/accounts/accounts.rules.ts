import { key } from '#i18n/keys.ts'
import { type PhoneCountry, findPhoneCountry, isNationalNumber, nationalDigits, parsePhone } from '#shared/phone.ts'

/** Shortest password (spec section 9). */
export const PASSWORD_MIN = 8

/** The rules of a strong password, each with its message (spec section 5, "New password"). */
export const NEW_PASSWORD_RULES = [
  { name: 'length', pattern: /^.{8,}$/s, message: key('errors.password.tooShort') },
  { name: 'uppercase', pattern: /\p{Lu}/u, message: key('errors.password.noUppercase') },
  { name: 'lowercase', pattern: /\p{Ll}/u, message: key('errors.password.noLowercase') },
  { name: 'digit', pattern: /\d/, message: key('errors.password.noDigit') },
  { name: 'special', pattern: /[!@#$%^&*]/, message: key('errors.password.noSpecial') },
] as const

/** Which strong-password rules a password meets, for the live checklist. */
export const passwordChecks = (password: string): { name: string; met: boolean }[] =>
  NEW_PASSWORD_RULES.map((rule) => ({ name: rule.name, met: rule.pattern.test(password) }))

/**
 * Reads a phone number given with or without its country.
 * @param phone local digits or a full international number
 * @param code "+33" or "FR"; needed only for local digits
 * @returns the country and digits, or the message that says what is wrong
 */
export function readPhone(
  phone: string,
  code?: string | null,
): { country: PhoneCountry; digits: string } | { message: ReturnType<typeof key> } {
  if (/^\s*(\+|00)/.test(phone)) return parsePhone(phone) ?? { message: key('errors.phone.invalid') }
  const country = code ? findPhoneCountry(code) : undefined
  if (!country) return { message: key('errors.phone.format') }
  const digits = nationalDigits(phone)
  return isNationalNumber(country, digits) ? { country, digits } : { message: key(`errors.phone.${country.country}`) }
}
