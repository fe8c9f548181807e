import { type Language, NUMBER_LOCALES } from '#shared/languages.ts'
import { type Cents, parseEur } from '#shared/money.ts'

const kept = new Map<string, unknown>()

/** Intl formats are expensive to make. */
function keep<Format>(name: string, make: () => Format): Format {
  let format = kept.get(name)
  if (format === undefined) kept.set(name, (format = make()))
  return format as Format
}

/** A price with two decimals and the euro sign. @param amount cents, or decimal text ("4.90") */
export function formatEur(amount: Cents | string, language: Language): string {
  const value = typeof amount === 'string' ? parseEur(amount) : amount
  const format = keep(
    `eur:${language}`,
    () => new Intl.NumberFormat(NUMBER_LOCALES[language], { style: 'currency', currency: 'EUR' }),
  )
  return format.format(value / 100)
}

/** A sum, which may exceed an amount or be below zero. @param sum decimal text ("-12345678.90") */
export const formatSum = (sum: string, language: Language): string =>
  keep(
    `eur:${language}`,
    () => new Intl.NumberFormat(NUMBER_LOCALES[language], { style: 'currency', currency: 'EUR' }),
  ).format(sum as Intl.StringNumericLiteral)

/** A sum on an axis: "€1.2K", "1,2 k€". @param value euros */
export const formatAxisSum = (value: number, language: Language): string =>
  keep(
    `axis:${language}`,
    () =>
      new Intl.NumberFormat(NUMBER_LOCALES[language], {
        style: 'currency',
        currency: 'EUR',
        notation: 'compact',
        maximumFractionDigits: 1,
      }),
  ).format(value)

/** A rate: 25.5 gives "25,5 %" or "25.5%". */
export const formatPercent = (percent: number, language: Language): string =>
  keep(
    `percent:${language}`,
    () => new Intl.NumberFormat(NUMBER_LOCALES[language], { style: 'percent', maximumFractionDigits: 2 }),
  ).format(percent / 100)

/** dd/MM/yyyy HH:mm in every language (spec section 9, "Date format"). @param iso ISO 8601, or a Date */
export function formatDateTime(iso: string | Date, timeZone: string): string {
  const format = keep(
    `date:${timeZone}`,
    () =>
      new Intl.DateTimeFormat('en-GB', {
        timeZone,
        day: '2-digit',
        month: '2-digit',
        year: 'numeric',
        hour: '2-digit',
        minute: '2-digit',
        hourCycle: 'h23',
      }),
  )
  const parts = Object.fromEntries(format.formatToParts(new Date(iso)).map((part) => [part.type, part.value]))
  return `${parts['day']}/${parts['month']}/${parts['year']} ${parts['hour']}:${parts['minute']}`
}

/** HH:mm in every language. @param iso ISO 8601, or a Date */
export const formatTime = (iso: string | Date, timeZone: string): string =>
  formatDateTime(iso, timeZone).slice(-5)

/** A calendar day, "2026-11-30", as "30/11/2026" in every language. */
export const formatDay = (day: string): string => day.split('-').toReversed().join('/')

/** Cities that people name the zones of the countries by that the shop sells to. Others have the name of the standard. */
const CITIES = ['Amsterdam', 'Berlin', 'Brussels', 'London', 'Luxembourg', 'Paris'] as const

/**
 * The name of the zone: "heure de Bruxelles"; where no city names it, the standard’s at that moment.
 * @param cityTime what the time of a city is called, of a catalogue (`zones`)
 */
export function formatZoneName(
  iso: string | Date,
  timeZone: string,
  language: Language,
  cityTime: (city: (typeof CITIES)[number]) => string,
): string {
  const city = CITIES.find((one) => timeZone === `Europe/${one}`)
  if (city) return cityTime(city)
  const format = keep(
    `zone:${language}:${timeZone}`,
    () => new Intl.DateTimeFormat(NUMBER_LOCALES[language], { timeZone, timeZoneName: 'long' }),
  )
  return format.formatToParts(new Date(iso)).find((part) => part.type === 'timeZoneName')?.value ?? timeZone
}

/** Any day of these years: the name of a zone depends on whether it had a summer time then. */
const THESE_YEARS = 1.7e12

/** The name of a zone in summer and winter alike: "heure d’Europe centrale". */
export const yearRoundZone = (timeZone: string, language: Language): string =>
  new Intl.DateTimeFormat(NUMBER_LOCALES[language], { timeZone, timeZoneName: 'longGeneric' })
    .formatToParts(THESE_YEARS)
    .find((part) => part.type === 'timeZoneName')?.value ?? timeZone
