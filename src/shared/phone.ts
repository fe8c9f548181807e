import { asciiDigits, cleanLine } from './typed-text.ts'

/** Countries with the lengths of their national numbers (spec section 5, "Phone patterns"). */
export const PHONE_COUNTRIES = [
  { dialCode: '+33', country: 'FR', min: 9, max: 9, example: '612345678' },
  { dialCode: '+49', country: 'DE', min: 9, max: 12, example: '123456789' },
  { dialCode: '+32', country: 'BE', min: 8, max: 9, example: '471234567' },
  { dialCode: '+352', country: 'LU', min: 8, max: 8, example: '12345678' },
  { dialCode: '+31', country: 'NL', min: 9, max: 9, example: '123456789' },
] as const

export type DialCode = (typeof PHONE_COUNTRIES)[number]['dialCode']
export type PhoneCountry = (typeof PHONE_COUNTRIES)[number]

export const DEFAULT_DIAL_CODE: DialCode = '+33'

/** By dial code ("+33") or country code ("FR"). */
export const findPhoneCountry = (code: string): PhoneCountry | undefined =>
  PHONE_COUNTRIES.find((entry) => entry.dialCode === code || entry.country === code.toUpperCase())

/** Spec section 5. */
export const isNationalNumber = (country: PhoneCountry, digits: string): boolean =>
  /^[1-9]\d*$/.test(digits) && digits.length >= country.min && digits.length <= country.max

/**
 * What people write between digits means nothing: spaces of any width, dots, slashes, hyphens and dashes, brackets,
 * invisible characters of a pasted contact.
 * @returns "+" or nothing, then what is left of the text; the trunk zero in brackets, "(0)", is left out
 */
export function compactPhone(typed: string): string {
  const text = asciiDigits(cleanLine(typed).normalize('NFKC'))
    .replace(/^tel:/i, '')
    .replaceAll(/[\s.·•/\\()[\]_\p{Pd}\u{2212}\u{200C}\u{200D}]/gu, (one) => (/[()[\]]/.test(one) ? one : ''))
  const isInternational = /^[([]?(?:\+|00)/.test(text)
  return (isInternational ? text.replace(/[([]0[)\]]/, '') : text)
    .replaceAll(/[()[\]]/g, '')
    .replace(/^00/, '+')
}

/** Whether a text begins as a number with its country does: "+31…", "0031…". */
export const isInternational = (typed: string): boolean => compactPhone(typed).startsWith('+')

/** The country whose code a text begins with, whether the rest of it is a number or not. */
export function countryTyped(typed: string): PhoneCountry | undefined {
  const compact = compactPhone(typed)
  return PHONE_COUNTRIES.find(({ dialCode }) => compact.startsWith(dialCode))
}

/** What is typed behind the country code: "471 23 45 67" of "+32 471 23 45 67"; all of it without a code. */
export function withoutDialCode(typed: string): string {
  const dialCode = countryTyped(typed)?.dialCode
  for (let end = 1; dialCode !== undefined && end <= typed.length; end += 1)
    if (compactPhone(typed.slice(0, end)) === dialCode) return typed.slice(end).replace(/^[\s)\].\-/]+/, '')
  return typed
}

/** Without separators and the trunk zero: "06 12.34-56/78" gives "612345678". */
export const nationalDigits = (typed: string): string => compactPhone(typed).replace(/^0/, '')

/** Reads an international number ("+33 6 12 34 56 78", also with 00); undefined for other countries. */
export function parsePhone(typed: string): { country: PhoneCountry; digits: string } | undefined {
  const country = countryTyped(typed)
  if (!country) return undefined
  const digits = compactPhone(typed).slice(country.dialCode.length).replace(/^0/, '')
  return isNationalNumber(country, digits) ? { country, digits } : undefined
}

/**
 * Reads a number as people type it beside the choice of a country: with its own country code, which takes precedence, or
 * local. A local one may repeat the digits of the chosen country's code ("33 6 12 34 56 78").
 */
export function readNumber(
  typed: string,
  chosen: PhoneCountry | undefined,
): { country: PhoneCountry; digits: string } | undefined {
  if (isInternational(typed)) return parsePhone(typed)
  if (!chosen) return undefined
  const digits = nationalDigits(typed)
  if (isNationalNumber(chosen, digits)) return { country: chosen, digits }
  const code = chosen.dialCode.slice(1)
  return digits.startsWith(code) ? parsePhone(`+${digits}`) : undefined
}

/** The stored form: "+33612345678". */
export const fullNumber = (country: PhoneCountry, digits: string): string => `${country.dialCode}${digits}`
