import { describe, expect, test } from 'vitest'
import { LANGUAGES } from './languages.ts'
import { readAmount, tidyAmount } from './typed-amount.ts'

describe('an amount', () => {
  test.each([
    ['28500', '28500'],
    ['28500,5', '28500.5'],
    ['28,5', '28.5'],
    ['28.5', '28.5'],
    ['28500.50', '28500.50'],
    ['28 500,00', '28500.00'],
    ['28\u00a0500,00 €', '28500.00'],
    ['28\u202f500', '28500'],
    ['28’500.00', '28500.00'],
    ['28.500,00', '28500.00'],
    ['28,500.00', '28500.00'],
    ['1.234.567,8', '1234567.8'],
    ['1,234,567', '1234567'],
    ['€ 4,90', '4.90'],
    ['4.9 EUR', '4.9'],
    ['0,05', '0.05'],
    ['5 euros', '5'],
  ])('%s is %s in every language, and for the server', (typed, decimal) => {
    for (const language of [...LANGUAGES, undefined]) expect(readAmount(typed, language)).toEqual({ decimal })
  })

  test.each([
    ['28.500', ['fr', 'nl']],
    ['28,500', ['en']],
    ['0.500', ['fr', 'nl']],
  ])('%s is thousands where people write them so, and ambiguous elsewhere', (typed, own) => {
    for (const language of ['fr', 'nl', 'en'] as const)
      expect(readAmount(typed, language)).toEqual(
        own.includes(language) ? { decimal: typed.replace(/[.,]/, '') } : { fault: 'amountAmbiguous' },
      )
    expect(readAmount(typed)).toEqual({ fault: 'amountAmbiguous' })
  })

  test.each([
    '',
    'free',
    '-5',
    '1e3',
    '4,9,0',
    '4.90.1',
    '28 50,00',
    '1.23.456',
    '5,',
    ',5',
    '28.500.00',
    '1,234.5678',
  ])('%j is none', (typed) => {
    for (const language of [...LANGUAGES, undefined])
      expect(readAmount(typed, language)).toEqual({ fault: 'amount' })
  })

  test('that is none stays as somebody typed it', () => {
    expect(tidyAmount(' 28.500 ', 'en')).toBe('28.500')
    expect(tidyAmount(' 28.500 ', 'nl')).toBe('28500')
  })
})
