import { expect, test } from 'vitest'
import {
  DEFAULT_DIAL_CODE,
  PHONE_COUNTRIES,
  findPhoneCountry,
  fullNumber,
  isNationalNumber,
  nationalDigits,
  parsePhone,
} from './phone.ts'

test('the patterns are those of the specification, the French one the default [spec 5.18-5.22, 5.24, 9.12, 9.13]', () => {
  expect(DEFAULT_DIAL_CODE).toBe('+33')
  expect(PHONE_COUNTRIES.map(({ dialCode, min, max, example }) => [dialCode, min, max, example])).toEqual([
    ['+33', 9, 9, '612345678'],
    ['+49', 9, 12, '123456789'],
    ['+32', 8, 9, '471234567'],
    ['+352', 8, 8, '12345678'],
    ['+31', 9, 9, '123456789'],
  ])
})

test.each(PHONE_COUNTRIES)(
  'numbers of $country have the right length and do not begin with 0 [spec 5.18-5.23]',
  (country) => {
    const { min, max, example } = country
    const ones = (length: number): string => '1'.repeat(length)
    const numbers = [example, ones(min), ones(max), ones(min - 1), ones(max + 1), `0${ones(min - 1)}`]
    const valid = numbers.map((digits) => isNationalNumber(country, digits))
    expect(valid).toEqual([true, true, true, false, false, false])
    expect(parsePhone(fullNumber(country, example))).toEqual({ country, digits: example })
  },
)

test.each([
  ['06 12.34-56/78', '612345678'],
  ['(0)612345678', '612345678'],
  ['612345678', '612345678'],
])('the digits of %s are %s', (typed, digits) => expect(nationalDigits(typed)).toBe(digits))

test.each([
  ['+33 6 12 34 56 78', 'FR'],
  ['0033612345678', 'FR'],
  ['+330612345678', 'FR'],
  ['+35212345678', 'LU'],
  ['+1 212 555 0100', undefined],
  ['+33', undefined],
  ['abc', undefined],
  ['', undefined],
  ['+3361234567x', undefined],
])('%j is a number of %s', (text, country) => {
  expect(parsePhone(text)?.country.country).toBe(country)
})

test.each([
  ['+32', 'BE'],
  ['nl', 'NL'],
  ['+1', undefined],
])('%s is the country %s', (code, country) => {
  expect(findPhoneCountry(code)?.country).toBe(country)
})
