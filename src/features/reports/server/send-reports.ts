import type { Alerts } from '#features/alerts/server/index.ts'
import { type Block, type EmailShop, composeEmail, enqueueEmail } from '#features/emails/server/index.ts'
import { formatSum, formatDay } from '#i18n/format.ts'
import { translate } from '#i18n/server-translator.ts'
import type { Database, Sql, Trx } from '#platform/database.ts'
import { transact } from '#platform/transaction.ts'
import { countryName } from '#shared/countries.ts'
import type { Language } from '#shared/languages.ts'
import type { SalesReport } from '../sales.contract.ts'
import { salesCsv, salesReport } from './sales.ts'
import { clearFoundPayments } from './statements.ts'
import { type DueReport, deferReport, takeDueReport } from './subscriptions.repository.ts'

export interface ReportsShop extends EmailShop {
  timeZone: string
}

interface SendReportsDeps {
  db: Database
  alerts: Alerts
  shop: ReportsShop
}

/**
 * Sends each report that is due, once over all processes, and ends alerts about payments that were found.
 * @throws AggregateError at the end, with what failed: one report keeps no other
 */
export async function sendReports(deps: SendReportsDeps): Promise<void> {
  const failures: unknown[] = []
  await clearFoundPayments(deps).catch((error: unknown) => failures.push(error))
  let due: DueReport | undefined
  do {
    due = undefined
    try {
      await transact(deps.db, async (trx) => {
        due = await takeDueReport(trx, deps.shop.timeZone)
        if (due) await send(trx, deps.shop, due)
      })
    } catch (error) {
      failures.push(error)
      if (due) await deferReport(deps.db, due)
    }
  } while (due)
  if (failures.length > 0) throw new AggregateError(failures, 'reports could not be sent')
}

/** By what the email lists its rows; each has a file, too. */
const GROUPS = ['contest', 'country'] as const
type Group = (typeof GROUPS)[number]
/** Rows of a group in the email; the file has all. */
const ROWS_SHOWN = 20

/** What was sold by contest or country, the highest sales first. */
function rowsOf({ rows }: SalesReport, group: Group, language: Language): Block[] {
  if (rows.length === 0) return []
  const say = (name: string, values: Record<string, string | number> = {}): string =>
    translate(language, `emails.report.${name}`, values)
  const eur = (sum: string): string => formatSum(sum, language)
  const shown = rows.toSorted((one, other) => Number(other.gross) - Number(one.gross)).slice(0, ROWS_SHOWN)
  const more = rows.length - shown.length
  return [
    { kind: 'heading', text: say(`groups.${group}`) },
    {
      kind: 'facts',
      facts: shown.map(({ key, title, country, tickets, gross, left }) => ({
        name: country === null ? (title ?? key) : countryName(country, language),
        text: say('row', { count: tickets, gross: eur(gross), left: eur(left) }),
      })),
    },
    ...(more > 0 ? [{ kind: 'note' as const, text: say('more', { count: more }) }] : []),
  ]
}

/**
 * Makes the file of an email when it is sent; what was sold and refunded in the past stays as it was (ADR 0051).
 * @param ref "contest 2026-10-01 2026-10-31" @throws RangeError for another one
 */
export async function salesFile(db: Sql, timeZone: string, ref: string, language: Language) {
  const [name, from = '', to = ''] = ref.split(' ')
  const group = GROUPS.find((one) => one === name)
  if (group === undefined) throw new RangeError(`no report by ${name}`)
  const report = await salesReport(db, timeZone, { from, to, group }, language)
  const values = { from, to, group: translate(language, `emails.report.fileGroups.${group}`) }
  return [
    {
      filename: `${translate(language, 'emails.report.fileName', values)}.csv`,
      contentType: 'text/csv; charset=utf-8',
      content: Buffer.from(salesCsv(report, language)),
    },
  ]
}

async function send(trx: Trx, shop: ReportsShop, due: DueReport): Promise<void> {
  const { user_id: userId, email: to, language, period, from, to: until } = due
  const reportBy = (group: Group): Promise<SalesReport> =>
    salesReport(trx, shop.timeZone, { from, to: until, group }, language)
  const byContest = await reportBy('contest')
  const byCountry = await reportBy('country')
  const { total, unsold } = byContest
  const eur = (sum: string): string => formatSum(sum, language)
  const say = (name: string, values: Record<string, string | number> = {}): string =>
    translate(language, `emails.report.${name}`, values)
  const days = { from: formatDay(from), to: formatDay(until) }
  const text = say(period, days)
  const facts = [
    { name: say('orders'), text: String(total.orders) },
    { name: say('tickets'), text: String(total.tickets) },
    { name: say('gross'), text: eur(total.gross) },
    { name: say('refunded', { count: total.refunds }), text: eur(total.refunded) },
    { name: say('left'), text: eur(total.left), isStrong: true },
    { name: say('leftVat'), text: eur(total.left_vat) },
    { name: say('fees'), text: eur(total.fees) },
  ]
  const content = composeEmail(shop, {
    language,
    subject: say('subject', { brand: shop.brand, ...days }),
    preview: `${say('left')}: ${eur(total.left)}`,
    blocks: [
      { kind: 'text', text },
      { kind: 'facts', facts },
      ...(total.fees_unknown > 0
        ? [{ kind: 'note' as const, text: say('feesUnknown', { count: total.fees_unknown }) }]
        : []),
      ...(unsold && unsold.payments + unsold.refunds > 0
        ? [
            {
              kind: 'note' as const,
              text: say('unsold', { taken: eur(unsold.taken), returned: eur(unsold.returned) }),
            },
          ]
        : []),
      ...rowsOf(byContest, 'contest', language),
      ...rowsOf(byCountry, 'country', language),
      { kind: 'note', text: say('files') },
      {
        kind: 'button',
        label: translate(language, 'console.emails.open'),
        url: `${shop.publicUrl}/admin/reports?from=${from}&to=${until}`,
      },
      { kind: 'note', text: say('why') },
    ],
  })
  await enqueueEmail(trx, {
    key: `report:${period}:${from}:${userId}`,
    kind: 'report',
    to,
    userId,
    language,
    attachments: GROUPS.map((group) => ({ kind: 'sales', ref: `${group} ${from} ${until}` })),
    ...content,
  })
}
