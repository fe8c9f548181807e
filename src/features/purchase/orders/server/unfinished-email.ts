/**
 * The one email about a payment that its buyer approved and did not finish (ADR 0007). Its words are decided when it is
 * sent, and it is not sent any more once the payment is finished, cancelled or over. The sentences are
 * `src/i18n/<language>/emails.json`, `unfinished`.
 */
import { addresseeOf, greeting } from '#features/accounts/server/index.ts'
import { type EmailShop, type NewEmail, composeEmail } from '#features/emails/server/index.ts'
import { transact } from '#platform/transaction.ts'
import type { Database, Sql } from '#platform/database.ts'
import { formatDateTime, formatEur } from '#i18n/format.ts'
import { translate } from '#i18n/server-translator.ts'
import type { Language } from '#shared/languages.ts'
import { cents } from '#shared/money.ts'
import { shownOrderNumber } from '#shared/order-number.ts'
import { buyerOrdersRepository } from './buyer-orders.repository.ts'
import type { OrdersBase } from './order-batches.ts'
import { type OrderRow, ordersRepository } from './orders.repository.ts'
import { enqueueOrderEmails } from './receipt-email.ts'
import { titleBought } from './receipt-lines.ts'
import { requireBuyer } from './refund-email.ts'

const KEY = 'unfinished:'
const BATCH = 100

const envelope = (order: OrderRow, to: { id: number; email: string }): NewEmail => {
  const language = order.language as Language
  return {
    key: `${KEY}${order.id}`,
    kind: 'unfinished-payment',
    to: to.email,
    userId: to.id,
    language,
    subject: translate(language, 'emails.unfinished.subject'),
    bodyRef: { kind: 'unfinished-payment', ref: order.id },
  }
}

/**
 * Background job, safe to run concurrently: tells buyers once that a payment which they approved is not finished.
 * @returns how many were told
 */
export const tellUnfinished = (deps: Pick<OrdersBase, 'db' | 'log'>): Promise<number> =>
  transact(deps.db, async (trx) => {
    const orders = await ordersRepository(trx).lockUntold(KEY, BATCH)
    for (const order of orders) {
      const to = requireBuyer(await addresseeOf(trx, order.user_id))
      await enqueueOrderEmails(deps, trx, [() => envelope(order, to)])
    }
    return orders.length
  })

/** Whether the email about an order still has something to tell. */
export const isStillUnfinished = (db: Database, orderId: string): Promise<boolean> =>
  ordersRepository(db).isUnfinished(orderId)

export interface UnfinishedEmailShop extends EmailShop {
  timeZone: string
  provider: string
  /** Where the buyer finishes the order, or gives it back. @param orderId the provider's id */
  finishUrl: (orderId: string, language: Language) => string
}

/** Writes the email of an order in the order's language. @throws Error for an unknown order */
export const writeUnfinishedEmail =
  (db: Sql, shop: UnfinishedEmailShop) =>
  async (orderId: string): Promise<{ text: string; html: string }> => {
    const order = await buyerOrdersRepository(db).byId(orderId)
    if (!order) throw new Error('an email of an unknown order')
    const { username } = requireBuyer(await addresseeOf(db, order.user_id))
    const language = order.language as Language
    const count = order.lines.reduce((sum, { quantity }) => sum + quantity, 0)
    const values = {
      count,
      amount: formatEur(cents(order.total_cents), language),
      provider: shop.provider,
      until: formatDateTime(order.hold_until, shop.timeZone),
    }
    const say = (key: string): string => translate(language, `emails.unfinished.${key}`, values)
    return composeEmail(shop, {
      language,
      subject: say('subject'),
      preview: say('preview'),
      blocks: [
        { kind: 'text', text: greeting(language, username) },
        { kind: 'text', text: say('text') },
        {
          kind: 'facts',
          facts: [
            { name: translate(language, 'emails.receipt.order'), text: shownOrderNumber(order.number) },
            ...order.lines.map((line) => ({
              name: titleBought(line, language),
              text: translate(language, 'emails.unfinished.tickets', { count: line.quantity }),
            })),
            { name: say('total'), text: values.amount, isStrong: true },
            { name: say('reserved'), text: values.until },
          ],
        },
        {
          kind: 'button',
          label: say('button'),
          url: shop.finishUrl(order.provider_order_id ?? '', language),
        },
        { kind: 'note', text: say('otherwise') },
      ],
    })
  }
