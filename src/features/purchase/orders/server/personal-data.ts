import type { RawBuilder } from 'kysely'
import { formatEur } from '#i18n/format.ts'
import type { Trx } from '#platform/database.ts'
import { type ExportBlock, type PersonalDataSource, isoOrNull } from '#platform/personal-data.ts'
import { countryName } from '#shared/countries.ts'
import { cents, toDecimal } from '#shared/money.ts'
import { shownOrderNumber } from '#shared/order-number.ts'
import { anonymizeOldOrders, forgetBuyer } from './orders.repository.ts'
import { keptOrdersOf } from './personal-data.repository.ts'

const amount = (value: number): string => toDecimal(cents(value))

/**
 * Orders with their payments and refunds, and how staff look at the list of orders, which goes with their role (a trigger).
 * @param eraseWords erases what others wrote about orders that lose their buyer, given a query of their ids
 */
export const ordersPersonalData = (eraseWords: (trx: Trx, orders: RawBuilder<unknown>) => Promise<void>) =>
  ({
    name: 'orders',
    columns: [
      'orders.user_id',
      'orders.country',
      'orders.payer_country',
      'orders.funding_country',
      'orders.language',
      'orders.network',
      'order_lines.answer',
      'order_notes.text',
      'order_views.user_id',
      'order_views.name',
    ],
    async export(trx, { userId }, { say, word, when, language }) {
      const country = (code: string | null): string | null =>
        code === null ? null : countryName(code, language)
      const orders = (await keptOrdersOf(trx, userId)).map((order) => ({
        number: shownOrderNumber(order.number),
        state: order.state,
        created_at: isoOrNull(order.created_at),
        country: order.country,
        payer_country: order.payer_country,
        funding_country: order.funding_country,
        language: order.language,
        currency: order.currency,
        subtotal: amount(order.subtotal_cents),
        tax_percent: order.tax_percent,
        tax: amount(order.tax_cents),
        total: amount(order.total_cents),
        payment_service_id: order.provider_order_id,
        network: order.network,
        lines: order.lines.map(({ unit_cents, ...line }) => ({ ...line, unit_price: amount(unit_cents) })),
        payments: order.payments.map(({ amount_cents, at, ...one }) => ({
          ...one,
          amount: amount(amount_cents),
          at: isoOrNull(at),
        })),
        refunds: order.refunds.map(({ amount_cents, at, ...one }) => ({
          ...one,
          amount: amount(amount_cents),
          at: isoOrNull(at),
        })),
        events: order.events.map((event) => ({ ...event, at: isoOrNull(event.at) })),
      }))
      return [
        {
          name: 'orders',
          data: orders,
          title: say('orders.title'),
          blocks: orders.flatMap((order) => {
            const paid = order.payments.map(
              (one) => `${formatEur(one.amount, language)}, ${when(one.at)}, ${one.id}`,
            )
            const back = order.refunds.map((one) =>
              [formatEur(one.amount, language), when(one.at), one.note].filter(Boolean).join(', '),
            )
            return [
              { heading: say('orders.number', { number: order.number }) },
              {
                facts: [
                  [say('at'), when(order.created_at)],
                  [say('state'), word('orders.states', order.state)],
                  [say('orders.subtotal'), formatEur(order.subtotal, language)],
                  [say('orders.tax'), `${formatEur(order.tax, language)} (${Number(order.tax_percent)} %)`],
                  [say('orders.total'), formatEur(order.total, language)],
                  [say('orders.country'), country(order.country)],
                  [say('orders.payerCountry'), country(order.payer_country)],
                  [say('orders.fundingCountry'), country(order.funding_country)],
                  [say('orders.payments'), paid.join('; ')],
                  [say('orders.refunds'), back.join('; ')],
                  [say('security.network'), order.network],
                ],
              },
              {
                heads: [say('contest'), say('quantity'), say('orders.price'), say('answer')],
                rows: order.lines.map((line) => [
                  line.title,
                  String(line.quantity),
                  formatEur(line.unit_price, language),
                  line.answer,
                ]),
              },
              {
                heads: [say('at'), say('orders.event')],
                rows: order.events.map((event) => [when(event.at), word('orders.states', event.state)]),
              },
            ] satisfies ExportBlock[]
          }),
        },
      ]
    },
    async erase(trx, { userId }) {
      await forgetBuyer(trx, userId)
      return { rows: 0 }
    },
    retain: {
      orders: (db, { keepOrderYears }, limit) => anonymizeOldOrders(db, keepOrderYears, limit, eraseWords),
    },
  }) satisfies PersonalDataSource
