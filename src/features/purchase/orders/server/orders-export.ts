/** Orders as CSV (RFC 4180), as spreadsheets of the reader's language open it. */
import { translate } from '#i18n/server-translator.ts'
import type { MessageKey } from '#i18n/keys.ts'
import { formatDateTime } from '#i18n/format.ts'
import type { ReadDatabase } from '#platform/database.ts'
import { BYTE_ORDER_MARK, csvWriter } from '#platform/documents/csv.ts'
import type { Language } from '#shared/languages.ts'
import { cents, toDecimal } from '#shared/money.ts'
import { shownOrderNumber } from '#shared/order-number.ts'
import { type OrderFilters, staffOrdersRepository } from './staff-orders.repository.ts'

const AT_A_TIME = 500

const COLUMNS = [
  'number',
  'date',
  'state',
  'buyer',
  'email',
  'country',
  'contests',
  'tickets',
  'subtotal',
  'taxRate',
  'tax',
  'total',
  'refunded',
  'providerOrder',
  'captures',
] as const

interface Export {
  db: ReadDatabase
  /** Those that the filters find, or these. */
  which: OrderFilters | readonly string[]
  language: Language
  timeZone: string
}

/** Lines of an export, read in pages: of any number of orders only one page is in memory. */
export async function* ordersCsv({ db, which, language, timeZone }: Export): AsyncGenerator<string> {
  const { line, number } = csvWriter(language)
  const amount = (sum: number) => number(toDecimal(cents(sum)))
  const say = (key: string): string => translate(language, `consoleOrders.${key}` as MessageKey)
  const orders = staffOrdersRepository(db)
  yield BYTE_ORDER_MARK + line(COLUMNS.map((column) => say(`csv.${column}`)))
  for await (const ids of pagesOf(orders, which)) {
    const [listed, more] = await Promise.all([orders.listed(ids, language), orders.exported(ids)])
    const rest = new Map(more.map((one) => [one.id, one]))
    let lines = ''
    for (const order of listed) {
      const own = rest.get(order.id)
      if (!own) continue
      lines += line([
        shownOrderNumber(order.number),
        formatDateTime(order.created_at, timeZone),
        say(`states.${order.state}`),
        order.username,
        own.email,
        order.country,
        order.contests.map(({ title }) => title).join(' | '),
        number(order.tickets),
        amount(own.subtotal_cents),
        number(Number(own.tax_percent)),
        amount(own.tax_cents),
        amount(order.total_cents),
        amount(order.refunded_cents),
        own.provider_order_id ?? '',
        (own.captures ?? []).join(' '),
      ])
    }
    if (lines !== '') yield lines
  }
}

/** Their ids, the newest first. */
async function* pagesOf(
  orders: ReturnType<typeof staffOrdersRepository>,
  which: Export['which'],
): AsyncGenerator<readonly string[]> {
  if (isChosen(which)) {
    const newestFirst = [...new Set(which)].toSorted().toReversed()
    for (let from = 0; from < newestFirst.length; from += AT_A_TIME)
      yield newestFirst.slice(from, from + AT_A_TIME)
    return
  }
  let after: string | undefined
  for (;;) {
    const { ids, last } = await orders.search(which, after, AT_A_TIME, AT_A_TIME)
    yield ids
    if (!last) return
    after = last.id
  }
}

const isChosen = (which: Export['which']): which is readonly string[] => Array.isArray(which)
