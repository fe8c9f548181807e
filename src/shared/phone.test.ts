import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  DEFAULT_DIAL_CODE,
  PHONE_COUNTRIES,
  countryTyped,
  findPhoneCountry,
  fullNumber,
  isNationalNumber,
  nationalDigits,
  parsePhone,
  readNumber,
  withoutDialCode,
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

const LOCAL = { FR: '612345678', NL: '612345678', BE: '471234567', LU: '62112345', DE: '15123456789' }

test.each([
  ['+31 6 12345678', 'FR', '+31612345678'],
  ['+33 6 12 34 56 78', 'FR', '+33612345678'],
  ['0032 471 23 45 67', 'FR', '+32471234567'],
  ['(+32) (0)471/23.45.67', 'NL', '+32471234567'],
  ['+32\u00a0471\u202f23\u200945\u201367', 'FR', '+32471234567'],
  ['\u202a+31 6 12345678\u202c', 'FR', '+31612345678'],
  ['\u200b\ufeff+49\u2011151\u00ad23456789', 'FR', '+4915123456789'],
  ['00 352 621 12 345', 'FR', '+35262112345'],
  ['tel:+33612345678', 'BE', '+33612345678'],
  ['＋３３ ６１２３４５６７８', 'FR', '+33612345678'],
  ['٠٦١٢٣٤٥٦٧٨', 'FR', '+33612345678'],
  ['06.12.34.56.78', 'FR', '+33612345678'],
  ['(06) 12–34–56–78', 'FR', '+33612345678'],
  ['33 6 12 34 56 78', 'FR', '+33612345678'],
  ['32471234567', 'BE', '+32471234567'],
  ['06 12 34 56 7', 'FR', undefined],
  ['+44 20 7946 0958', 'FR', undefined],
  ['0612345678 / 0712345678', 'FR', undefined],
  ['06 12 34 56 78 #2', 'FR', undefined],
  ['+', 'FR', undefined],
  ['\u200b', 'FR', undefined],
])('%j typed with %s chosen is %s [spec 5.18-5.22]', (typed, chosen, full) => {
  const read = readNumber(typed, findPhoneCountry(chosen))
  expect(read && fullNumber(read.country, read.digits)).toBe(full)
})

test.each([
  ['+32 471 23 45 67', '471 23 45 67'],
  ['0032471234567', '471234567'],
  ['00 32 (0)471/23.45.67', '(0)471/23.45.67'],
  ['(+352) 621 12 345', '621 12 345'],
  ['tel:+33612345678', '612345678'],
  ['＋３３ ６１２３４５６７８', '６１２３４５６７８'],
  ['+32', ''],
  ['0471 23 45 67', '0471 23 45 67'],
  ['+44 20 7946 0958', '+44 20 7946 0958'],
  ['', ''],
])('behind the country code of %j stands %j, which is the same number', (typed, rest) => {
  expect(withoutDialCode(typed)).toBe(rest)
  const country = countryTyped(typed)
  expect(readNumber(rest, country)).toEqual(country && readNumber(typed, country))
})

test('every way of writing a number gives the same one', () => {
  const separator = fc.constantFrom(
    '',
    ' ',
    '.',
    '-',
    '/',
    '\u00a0',
    '\u2013',
    '\u200b',
    '\u202a',
    ' \u2066',
    '\u00ad',
  )
  const writing = fc.tuple(
    fc.constantFrom(...PHONE_COUNTRIES),
    fc.constantFrom('+', '00', '(+'),
    fc.constantFrom('', '0', '(0)'),
    fc.array(separator, { minLength: 20, maxLength: 20 }),
  )
  fc.assert(
    fc.property(writing, ([country, prefix, trunk, gaps]) => {
      const digits = Array.from(LOCAL[country.country], (digit, at) => `${gaps[at]}${digit}`).join('')
      const code = `${prefix}${country.dialCode.slice(1)}${prefix === '(+' ? ')' : ''}`
      const expected = { country, digits: LOCAL[country.country] }
      expect(readNumber(`${gaps[19]}${code}${gaps[18]}${trunk}${digits}${gaps[17]}`, undefined)).toEqual(
        expected,
      )
      expect(readNumber(`${gaps[19]}0${digits}`, country)).toEqual(expected)
    }),
  )
})

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
