import type { Alerts } from '#features/alerts/server/index.ts'
import { type EmailShop, composeEmail, enqueueEmail } from '#features/emails/server/index.ts'
import { formatSum, formatDay } from '#i18n/format.ts'
import { translate } from '#i18n/server-translator.ts'
import type { Database, Trx } from '#platform/database.ts'
import { transact } from '#platform/transaction.ts'
import { salesReport } from './sales.ts'
import { clearFoundPayments } from './statements.ts'
import { type DueReport, deferReport, takeDueReport } from './subscriptions.repository.ts'

interface SendReportsDeps {
  db: Database
  alerts: Alerts
  shop: EmailShop & { timeZone: string }
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

async function send(trx: Trx, shop: SendReportsDeps['shop'], due: DueReport): Promise<void> {
  const { user_id: userId, email: to, language, period, from, to: until } = due
  const { total, unsold } = await salesReport(trx, shop.timeZone, { from, to: until, group: 'day' }, language)
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
    ...content,
  })
}
