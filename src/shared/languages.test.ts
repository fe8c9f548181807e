import { expect, test } from 'vitest'
import { DEFAULT_LANGUAGE, LANGUAGES, isLanguage, localized, preferredLanguage } from './languages.ts'

test('the languages are French, the default, Dutch and English [spec 9.20, 9.21]', () => {
  expect([DEFAULT_LANGUAGE, ...LANGUAGES]).toEqual(['fr', 'fr', 'nl', 'en'])
})

test.each([
  ['nl-BE,nl;q=0.9,en;q=0.5', 'nl'],
  ['de, en;q=0.8, fr;q=0.9', 'fr'],
  ['en;q=0, nl;q=0.1', 'nl'],
  ['es,de', undefined],
  ['*', undefined],
  ['', undefined],
  [';;q=x,,', undefined],
  [undefined, undefined],
])('%s prefers %s', (header, language) => expect(preferredLanguage(header)).toBe(language))

test.each([
  ['fr', true],
  ['de', false],
  [1, false],
  [undefined, false],
])('%j is a language of ours: %s', (value, is) => expect(isLanguage(value)).toBe(is))

const OFFER = { title: 'Coupé rouge', title_nl: 'Rode coupé', title_en: '' }

test('an empty translation falls back to the French text and its language [spec 3.11]', () => {
  expect(localized(OFFER, 'title', 'nl')).toEqual({ text: 'Rode coupé', language: 'nl' })
  expect(localized(OFFER, 'title', 'en')).toEqual({ text: 'Coupé rouge', language: 'fr' })
  expect(localized(OFFER, 'title', 'fr')).toEqual({ text: 'Coupé rouge', language: 'fr' })
})
