import { findCountry } from './countries.ts'

/** Cities of the IANA time zones of each country, `Europe/` where nothing stands before a city. */
const ZONES =
  'AT Vienna BE Brussels BG Sofia CH Zurich CY Nicosia Asia/Nicosia Asia/Famagusta CZ Prague DE Berlin Busingen ' +
  'DK Copenhagen EE Tallinn ES Madrid Africa/Ceuta Atlantic/Canary FI Helsinki FR Paris GB London GR Athens HR Zagreb ' +
  'HU Budapest IE Dublin IT Rome LT Vilnius LU Luxembourg LV Riga MT Malta NL Amsterdam NO Oslo PL Warsaw ' +
  'PT Lisbon Atlantic/Madeira Atlantic/Azores RO Bucharest SE Stockholm SI Ljubljana SK Bratislava'

/** By zone, in small letters: "europe/brussels". */
let countries: Map<string, string> | undefined

function countryOfZone(timeZone: string): string | undefined {
  if (!countries) {
    countries = new Map()
    let code = ''
    for (const word of ZONES.split(' ')) {
      if (word.length === 2) code = word
      else countries.set((word.includes('/') ? word : `Europe/${word}`).toLowerCase(), code)
    }
  }
  return countries.get(timeZone.toLowerCase())
}

/** The region of a language tag: "BE" of "nl-BE" or "nl-Latn-BE-u-nu-latn". */
const regionOf = (tag: string): string | undefined =>
  /^[a-z]{2,3}(?:-[a-z]{4})?-([a-z]{2})(?:-|$)/i.exec(tag)?.[1]

/**
 * The country whose VAT the prices show to somebody who has chosen none. The time zone says where a device is; a language
 * says less, since many read "en-GB" or "fr-FR" elsewhere, and counts where the zone is of no country that the shop bills.
 * @param languages in the browser's order
 * @returns a two-letter code; undefined where nothing tells
 */
export function guessCountry(timeZone: string | undefined, languages: readonly string[]): string | undefined {
  return (
    countryOfZone(timeZone ?? '') ??
    languages.map((tag) => findCountry(regionOf(tag) ?? '')?.code).find((code) => code !== undefined)
  )
}
