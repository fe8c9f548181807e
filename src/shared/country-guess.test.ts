import { expect, test } from 'vitest'
import { COUNTRIES, findCountry } from './countries.ts'
import { guessCountry } from './country-guess.ts'

test.each([
  ['Europe/Brussels', ['nl-NL', 'nl'], 'BE'],
  ['Europe/Brussels', ['fr-FR', 'fr', 'en-US'], 'BE'],
  ['Europe/Paris', ['fr-FR'], 'FR'],
  ['Europe/Paris', ['fr-BE'], 'FR'],
  ['Europe/Luxembourg', ['de-DE'], 'LU'],
  ['Europe/Amsterdam', ['en-GB', 'nl-NL'], 'NL'],
  ['Europe/Berlin', ['en-US'], 'DE'],
  ['Europe/Busingen', [], 'DE'],
  ['Europe/London', [], 'GB'],
  ['Europe/Dublin', ['en-GB'], 'IE'],
  ['Europe/Zurich', ['fr-FR'], 'CH'],
  ['Atlantic/Canary', ['es-ES'], 'ES'],
  ['Atlantic/Azores', ['pt'], 'PT'],
  ['Asia/Nicosia', ['el-GR'], 'CY'],
  ['Europe/Nicosia', [], 'CY'],
  ['europe/brussels', [], 'BE'],
  // A zone of no country that the shop bills: the first language with such a country.
  ['America/New_York', ['en-US', 'nl-BE', 'fr-FR'], 'BE'],
  ['Africa/Casablanca', ['fr-FR'], 'FR'],
  ['Europe/Istanbul', ['tr-TR', 'de-AT'], 'AT'],
  ['Asia/Shanghai', ['zh-Hans-CN', 'sr-Latn-HR'], 'HR'],
  ['UTC', ['nl-BE-u-nu-latn'], 'BE'],
  ['Etc/UTC', ['NL-be'], 'BE'],
  ['CET', ['de-LU'], 'LU'],
  ['', ['lb-LU'], 'LU'],
  [undefined, ['sv-SE'], 'SE'],
  // Nothing tells: a language without a region is spoken in several countries.
  ['UTC', ['nl'], undefined],
  ['UTC', ['fr', 'en-US', 'es-419', 'pt-BR'], undefined],
  ['UTC', ['en-US', 'en'], undefined],
  ['America/Toronto', ['fr-CA'], undefined],
  ['Europe/Monaco', [], undefined],
  ['Europe/', [], undefined],
  ['Europe/Atlantis', ['x-klingon', '', '-BE', 'be', 'nl_BE', 'nl-BEL', 'C'], undefined],
  [undefined, [], undefined],
])('the zone %s and the languages %j are of %s', (timeZone, languages, country) => {
  expect(guessCountry(timeZone, languages)).toBe(country)
})

test('every country that the shop bills has a zone, which every browser knows, and each zone is of one that it bills', () => {
  const zones = Intl.supportedValuesOf('timeZone')
  const guessed = new Set(zones.map((zone) => guessCountry(zone, [])).filter((code) => code !== undefined))
  expect([...guessed].toSorted()).toEqual(COUNTRIES.map(({ code }) => code).toSorted())
  for (const code of guessed) expect(findCountry(code)?.code).toBe(code)
})
