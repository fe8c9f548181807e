import { describe, expect, test } from 'vitest'
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

describe.each(PHONE_COUNTRIES)('$country', (country) => {
  test('its example is a number', () => expect(isNationalNumber(country, country.example)).toBe(true))

  test('one digit too few or too many is none, nor is one that begins with 0 [spec 5.18-5.23]', () => {
    expect(isNationalNumber(country, '1'.repeat(country.min - 1))).toBe(false)
    expect(isNationalNumber(country, '1'.repeat(country.min))).toBe(true)
    expect(isNationalNumber(country, '1'.repeat(country.max))).toBe(true)
    expect(isNationalNumber(country, '1'.repeat(country.max + 1))).toBe(false)
    expect(isNationalNumber(country, `0${'1'.repeat(country.min - 1)}`)).toBe(false)
  })

  test('a stored number is read back', () => {
    const full = fullNumber(country, country.example)
    expect(parsePhone(full)).toEqual({ country, digits: country.example })
  })
})

test.each([
  ['06 12.34-56/78', '612345678'],
  ['(0)612345678', '612345678'],
  ['612345678', '612345678'],
])('%s is typed for %s', (typed, digits) => expect(nationalDigits(typed)).toBe(digits))

test.each(['+33 6 12 34 56 78', '0033612345678', '+330612345678'])('%s is a French number', (text) => {
  expect(parsePhone(text)).toMatchObject({ country: { country: 'FR' }, digits: '612345678' })
})

test.each(['+1 212 555 0100', '+33', 'abc', '', '+3361234567x'])('%j is no number of ours', (text) => {
  expect(parsePhone(text)).toBeUndefined()
})

test('Luxembourg is not taken for another country that begins alike', () => {
  expect(parsePhone('+35212345678')?.country.country).toBe('LU')
})

test('countries are found by dial code and by country code', () => {
  expect(findPhoneCountry('+32')?.country).toBe('BE')
  expect(findPhoneCountry('nl')?.dialCode).toBe('+31')
  expect(findPhoneCountry('+1')).toBeUndefined()
})
