import { translate } from '#i18n/server-translator.ts'
import type { MessageKey } from '#i18n/keys.ts'
import { BYTE_ORDER_MARK, csvWriter } from '#platform/documents/csv.ts'
import type { ReadDatabase } from '#platform/database.ts'
import { countryName } from '#shared/countries.ts'
import type { Language } from '#shared/languages.ts'
import { sumToDecimal } from '#shared/money.ts'
import { Refusal } from '#shared/refusal.ts'
import type { SalesFigures, SalesQuery, SalesReport, SalesRow } from '../sales.contract.ts'
import { isPeriod } from '../sales.rules.ts'
import { type ReturnedRow, type SalesFilters, type SoldRow, salesRepository } from './sales.repository.ts'

const NOTHING_SOLD = { orders: 0, tickets: 0, net: 0, tax: 0, fees: 0, unknown: 0 }
const NOTHING_RETURNED = { refunds: 0, net: 0, tax: 0 }

/** What was sold and refunded in a period. @throws Refusal for a contest that does not exist */
export async function salesReport(
  db: ReadDatabase,
  zone: string,
  { offer, ...query }: SalesQuery,
  language: Language,
): Promise<SalesReport> {
  const stored = salesRepository(db)
  const [{ today, month }, contests] = await Promise.all([stored.today(zone), stored.contests(language)])
  const to = query.to ?? (query.from !== undefined && query.from > today ? query.from : today)
  const from = query.from ?? (query.to === undefined ? month : `${query.to.slice(0, 8)}01`)
  if (!isPeriod(from, to)) throw new Refusal('reports.period', 400, 'consoleReports.filters.wrongPeriod')
  const contest = contests.find(({ slug }) => slug === offer)
  if (offer !== undefined && !contest) throw new Refusal('offer.notFound', 404, 'errors.offer.notFound')
  const filters: SalesFilters = { ...query, from, to, zone, offerId: contest?.id }
  const [sold, returned, unsold] = await Promise.all([
    stored.sold(filters),
    stored.returned(filters),
    contest ? null : stored.unsold(filters),
  ])
  const [soldBy, returnedBy] = [byKey(sold), byKey(returned)]
  const keys = [...new Set([...soldBy.keys(), ...returnedBy.keys()])].filter((key) => key !== null)
  const titles = new Map(contests.map(({ id, ...one }) => [String(id), one]))
  const rowOf = (key: string): SalesRow => {
    const offered = query.group === 'contest' ? titles.get(key) : undefined
    const [country = '', rate] = key.split(' ')
    const isOfCountry = query.group === 'country' || query.group === 'vat'
    return {
      key: offered?.slug ?? key,
      title: offered?.title ?? null,
      country: isOfCountry ? country : null,
      rate: rate === undefined ? null : Number(rate),
      ...figuresOf(soldBy.get(key), returnedBy.get(key)),
    }
  }
  const order =
    query.group === 'contest'
      ? (one: string, other: string) => Number(other) - Number(one)
      : (one: string, other: string) => one.localeCompare(other, 'en', { numeric: true })
  return {
    from,
    to,
    today,
    group: query.group,
    rows: keys.toSorted(order).map(rowOf),
    total: figuresOf(soldBy.get(null), returnedBy.get(null)),
    unsold: unsold && {
      ...unsold,
      taken: sumToDecimal(unsold.taken),
      fees: sumToDecimal(unsold.fees),
      returned: sumToDecimal(unsold.returned),
    },
    contests: contests.map(({ slug, title }) => ({ slug, title })),
  }
}

const byKey = <Row extends { key: string | null }>(rows: readonly Row[]): Map<string | null, Row> =>
  new Map(rows.map((row) => [row.key, row]))

/** Sums over no rows are null. */
function figuresOf(sold: Partial<SoldRow> = {}, returned: Partial<ReturnedRow> = {}): SalesFigures {
  const sale = { ...NOTHING_SOLD, ...withoutNulls(sold) }
  const back = { ...NOTHING_RETURNED, ...withoutNulls(returned) }
  return {
    orders: sale.orders,
    tickets: sale.tickets,
    net: sumToDecimal(sale.net),
    vat: sumToDecimal(sale.tax),
    gross: sumToDecimal(sale.net + sale.tax),
    refunds: back.refunds,
    refunded_net: sumToDecimal(back.net),
    refunded_vat: sumToDecimal(back.tax),
    refunded: sumToDecimal(back.net + back.tax),
    left_net: sumToDecimal(sale.net - back.net),
    left_vat: sumToDecimal(sale.tax - back.tax),
    left: sumToDecimal(sale.net + sale.tax - back.net - back.tax),
    fees: sumToDecimal(sale.fees),
    fees_unknown: sale.unknown,
  }
}

const withoutNulls = <Values extends object>(values: Values): Values =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null)) as Values

const FIGURES = [
  'orders',
  'tickets',
  'net',
  'vat',
  'gross',
  'refunds',
  'refunded_net',
  'refunded_vat',
  'refunded',
  'left_net',
  'left_vat',
  'left',
  'fees',
  'fees_unknown',
] as const satisfies readonly (keyof SalesFigures)[]

/** The report as a file for spreadsheets of the language. */
export function salesCsv(report: SalesReport, language: Language): string {
  const { line, number } = csvWriter(language)
  const say = (key: string): string => translate(language, `consoleReports.${key}` as MessageKey)
  const { group } = report
  const heads = group === 'vat' ? [say('groups.country'), say('rate')] : [say(`groups.${group}`)]
  const cellsOf = ({ key, title, country, rate }: SalesRow) => {
    const name = country === null ? (title ?? key) : countryName(country, language)
    return rate === null ? [name] : [name, number(rate)]
  }
  const figures = (of: SalesFigures) => FIGURES.map((figure) => number(of[figure]))
  return [
    BYTE_ORDER_MARK + line([...heads, ...FIGURES.map((figure) => say(`figures.${figure}`))]),
    ...report.rows.map((row) => line([...cellsOf(row), ...figures(row)])),
    line([say('total'), ...heads.slice(1).map(() => ''), ...figures(report.total)]),
  ].join('')
}
