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

/** Without separators and the trunk zero: "06 12.34-56/78" gives "612345678". */
export const nationalDigits = (typed: string): string => typed.replace(/[\s.\-/()]/g, '').replace(/^0/, '')

/** Spec section 5. */
export const isNationalNumber = (country: PhoneCountry, digits: string): boolean =>
  /^[1-9]\d*$/.test(digits) && digits.length >= country.min && digits.length <= country.max

/** Reads an international number ("+33 6 12 34 56 78", also with 00); undefined for other countries. */
export function parsePhone(text: string): { country: PhoneCountry; digits: string } | undefined {
  const compact = text.replace(/[\s.\-/()]/g, '').replace(/^00/, '+')
  for (const country of PHONE_COUNTRIES) {
    if (!compact.startsWith(country.dialCode)) continue
    const digits = nationalDigits(compact.slice(country.dialCode.length))
    if (isNationalNumber(country, digits)) return { country, digits }
  }
  return undefined
}

/** The stored form: "+33612345678". */
export const fullNumber = (country: PhoneCountry, digits: string): string => `${country.dialCode}${digits}`
