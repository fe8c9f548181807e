import { expect, test } from 'vitest'
import { DEFAULT_LANGUAGE, LANGUAGES, isLanguage, preferredLanguage, suggestedLanguage } from './languages.ts'

test('the languages begin with those of the specification, French by default [spec 9.20, 9.21]', () => {
  expect([DEFAULT_LANGUAGE, ...LANGUAGES.slice(0, 3)]).toEqual(['fr', 'fr', 'nl', 'en'])
})

test.each([
  ['nl-BE,nl;q=0.9,en;q=0.5', 'nl'],
  ['xx, en;q=0.8, fr;q=0.9', 'fr'],
  ['en;q=0, nl;q=0.1', 'nl'],
  ['xy,xx', undefined],
  ['*', undefined],
  ['', undefined],
  [';;q=x,,', undefined],
  [undefined, undefined],
])('%s prefers %s', (header, language) => expect(preferredLanguage(header)).toBe(language))

test.each([
  [['nl-BE', 'nl', 'fr'], 'fr', 'nl'],
  [['nl', 'fr'], 'nl', undefined],
  [['de-DE', 'en-US', 'fr'], 'fr', 'en'],
  [['EN-gb'], 'fr', 'en'],
  [['fr-CA', 'en'], 'fr', undefined],
  [['fr-FR'], 'en', 'fr'],
  [['de', 'lb', 'frr', ''], 'fr', undefined],
  [[], 'fr', undefined],
] as const)('to a browser with %j a page in %s suggests %s', (preferred, page, language) => {
  expect(suggestedLanguage(preferred, page)).toBe(language)
})

test.each([
  ['fr', true],
  ['xx', false],
  [1, false],
  [undefined, false],
])('%j is a language of ours: %s', (value, is) => expect(isLanguage(value)).toBe(is))
