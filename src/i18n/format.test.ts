import { describe, expect, test } from 'vitest'
import { cents } from '#shared/money.ts'
import {
  formatDateTime,
  formatDay,
  formatEur,
  formatPercent,
  formatZoneName,
  yearRoundZone,
} from './format.ts'
import { translate } from './server-translator.ts'
import type { Language } from '#shared/languages.ts'

/** Intl uses several kinds of no-break spaces. */
const spaced = (text: string): string => text.replaceAll(/[\u00a0\u202f]/g, ' ')

test('a calendar day is written the same in every language', () => {
  expect(formatDay('2026-01-31')).toBe('31/01/2026')
})

describe('prices', () => {
  test.each([
    ['fr', '4,90 €'],
    ['nl', '€ 4,90'],
    ['en', '€4.90'],
  ] as const)('have the format of %s [spec 9.6, 9.7]', (language, written) => {
    expect(spaced(formatEur('4.90', language))).toBe(written)
    expect(spaced(formatEur(cents(490), language))).toBe(written)
  })

  test('have two decimals and separated thousands [spec 3.6, 9.7]', () => {
    expect(spaced(formatEur('1234.5', 'fr'))).toBe('1 234,50 €')
    expect(spaced(formatEur('1234', 'nl'))).toBe('€ 1.234,00')
    expect(spaced(formatEur(cents(123400), 'en'))).toBe('€1,234.00')
  })

  test('of an invalid amount fail', () => {
    expect(() => formatEur('abc', 'fr')).toThrow(RangeError)
  })
})

test.each([
  ['fr', '25,5 %'],
  ['nl', '25,5%'],
  ['en', '25.5%'],
] as const)('a rate has the format of %s', (language, written) => {
  expect(spaced(formatPercent(25.5, language))).toBe(written)
})

describe('moments', () => {
  test('are dd/MM/yyyy HH:mm in the zone of the shop, summer and winter [spec 2.49, 9.22]', () => {
    expect(formatDateTime('2026-07-01T22:05:00Z', 'Europe/Brussels')).toBe('02/07/2026 00:05')
    expect(formatDateTime('2026-12-31T23:30:00Z', 'Europe/Brussels')).toBe('01/01/2027 00:30')
    expect(formatDateTime(new Date('2026-12-31T23:30:00Z'), 'Europe/London')).toBe('31/12/2026 23:30')
  })

  test('have a zone with a name in the language of the page', () => {
    const zoneName = (at: string, zone: string, language: Language) =>
      formatZoneName(at, zone, language, (city) => translate(language, `frame.zones.${city}`))
    const [summer, winter] = ['2026-07-01T12:00:00Z', '2026-01-01T12:00:00Z']
    expect(zoneName(summer, 'Europe/Brussels', 'fr')).toBe('heure de Bruxelles')
    expect(zoneName(winter, 'Europe/Brussels', 'nl')).toBe('tijd in Brussel')
    expect(zoneName(summer, 'Europe/Helsinki', 'nl')).toMatch(/zomertijd/i)
    expect(zoneName(winter, 'Europe/Rome', 'fr')).toMatch(/Europe centrale/)
    expect(yearRoundZone('Europe/Brussels', 'fr')).toBe('heure d’Europe centrale')
    expect(yearRoundZone('Europe/London', 'en')).toBe('United Kingdom Time')
  })
})

describe('a text of the server', () => {
  test.each([
    ['fr', 'errors.cart.wrongAnswer', {}, 'Mauvaise réponse.'],
    ['en', 'errors.email.required', {}, 'Email is required'],
    [
      'fr',
      'errors.offer.fewLeft',
      { remaining: 1, title: 'Aube' },
      'Il ne reste qu’un billet pour «\u00a0Aube\u00a0».',
    ],
    [
      'fr',
      'errors.offer.fewLeft',
      { remaining: 3, title: '<b>A</b>' },
      'Il ne reste que 3 billets pour «\u00a0<b>A</b>\u00a0».',
    ],
  ] as const)('in %s: %s with %j', (language, name, values, text) => {
    expect(translate(language, name, values)).toBe(text)
  })

  test.each(['emails.nothingOfTheKind', 'errors.toString'])('with the unknown name %s fails', (name) => {
    expect(() => translate('nl', name as 'errors.network')).toThrow(new RangeError(`no message: ${name}`))
  })
})
