import type { FastifyInstance } from 'fastify'
import type { ZodTypeProvider } from 'fastify-type-provider-zod'
import * as z from 'zod'
import { addresseeOf } from '#features/accounts/server/index.ts'
import { ticketsOfOrders } from '#features/tickets/server/index.ts'
import type { Database } from '#platform/database.ts'
import { callerOf } from '#platform/http/request.ts'
import { inThread } from '#platform/documents/documents.ts'
import type { Limit } from '#platform/limits/limiter.ts'
import { translate } from '#i18n/server-translator.ts'
import type { Language } from '#shared/languages.ts'
import { textIn } from '#shared/localized-text.ts'
import { cents, toDecimal } from '#shared/money.ts'
import { readOrderNumber, shownOrderNumber } from '#shared/order-number.ts'
import { Refusal } from '#shared/refusal.ts'
import type { OrderState } from '../order-machine.rules.ts'
import {
  type BuyerOrder,
  BuyerOrders,
  BuyerOrdersQuery,
  type OrderPhase,
  type UnfinishedOrder,
} from '../orders.contract.ts'
import { type BuyerOrderRow, buyerOrdersRepository } from './buyer-orders.repository.ts'
import { type OrderRow, ordersRepository } from './orders.repository.ts'
import { titleBought } from './receipt-lines.ts'
import type { ReceiptShop, receiptPdf as draw } from './receipt-pdf.ts'
import { requireBuyer } from './refund-email.ts'

const PAGE = 20

const receiptPdf = inThread<typeof draw>(new URL('./receipt-pdf.ts', import.meta.url), 'receiptPdf')

interface BuyerOrdersDeps {
  db: Database
  shop: ReceiptShop
  /** Of receipts. */
  limit: Limit
  /** Reads an order at the provider, unless that was done a moment ago: a notification of its approval may be lost. */
  lookUp: (order: OrderRow) => Promise<unknown>
}

/** Callers see only their own orders, and only those for which money moved or is moving. */
export const buyerOrdersRoutes =
  ({ db, shop, limit, lookUp }: BuyerOrdersDeps) =>
  async (root: FastifyInstance): Promise<void> => {
    const app = root.withTypeProvider<ZodTypeProvider>()
    const tags = ['orders']
    const orders = buyerOrdersRepository(db)

    async function unfinishedOf(userId: number, language: Language): Promise<UnfinishedOrder[]> {
      const open = await ordersRepository(db).unfinishedOf(userId)
      const unknown = open.filter((order) => order.approved_at === null)
      await Promise.all(unknown.map(lookUp))
      const now = unknown.length === 0 ? open : await ordersRepository(db).unfinishedOf(userId)
      const approved = now.flatMap(({ id, approved_at: at }) => (at === null ? [] : [id]))
      return (await orders.byIds(approved)).map(unfinishedIn(language))
    }

    app.get(
      '/api/orders/',
      { schema: { tags, querystring: BuyerOrdersQuery, response: { 200: BuyerOrders } } },
      async (request): Promise<BuyerOrders> => {
        const { userId } = callerOf(request)
        const { after, confirming } = request.query
        const toWire = wireOf(request.language)
        if (confirming) {
          // First, since a lookup may find a payment that is under way.
          const unfinished = await unfinishedOf(userId, request.language)
          return { orders: (await orders.confirming(userId)).map(toWire), unfinished, next: null }
        }
        // An unknown number has no older orders.
        const from = after === undefined ? undefined : (readOrderNumber(after) ?? '')
        const rows = await orders.page(userId, from, PAGE + 1)
        const shown = rows.slice(0, PAGE).map(toWire)
        return { orders: shown, next: rows.length > PAGE ? (shown.at(-1)?.number ?? null) : null }
      },
    )

    app.get(
      '/api/orders/:number/receipt/',
      { schema: { tags, params: z.object({ number: z.string().max(64) }) } },
      async (request, reply) => {
        const { userId } = callerOf(request)
        limit.hit({ account: userId, address: request.ip })
        const number = readOrderNumber(request.params.number)
        const order = number === undefined ? undefined : await orders.byNumber(userId, number)
        if (!order || order.payments.length === 0)
          throw new Refusal('checkout.orderNotFound', 404, 'errors.checkout.orderNotFound')
        const { language } = request
        const buyer = requireBuyer(await addresseeOf(db, userId))
        const [tickets = []] = await ticketsOfOrders(db, [order.id])
        const numbers = tickets.map(({ offer_id, ticket_number, status }) => ({
          offer_id,
          number: ticket_number,
          isVoid: status === 'void',
        }))
        const name = translate(language, 'emails.receiptPdf.fileName')
        return reply
          .type('application/pdf')
          .header(
            'content-disposition',
            `attachment; filename="${name}-${shownOrderNumber(order.number)}.pdf"`,
          )
          .header('content-language', language)
          .send(await receiptPdf(`user ${userId}`, order, buyer, numbers, language, shop))
      },
    )
  }

const PHASES: Record<OrderState, OrderPhase> = {
  capturing: 'confirming',
  pending: 'confirming',
  completed: 'paid',
  refunding: 'refunding',
  refunded: 'refunded',
  review: 'checking',
  // Money came for an order that had ended: it becomes tickets or a refund at once.
  held: 'checking',
  expired: 'checking',
  cancelled: 'checking',
  superseded: 'checking',
}

const phaseOf = ({ state, refunds }: BuyerOrderRow): OrderPhase =>
  state === 'completed' && refunds.length > 0 ? 'partlyRefunded' : PHASES[state]

const decimal = (amount: number): string => toDecimal(cents(amount))

const unfinishedIn =
  (language: Language) =>
  (order: BuyerOrderRow): UnfinishedOrder => ({
    number: shownOrderNumber(order.number),
    order_id: order.provider_order_id ?? '',
    total: decimal(order.total_cents),
    lines: order.lines.map((line) => ({ title: titleBought(line, language), quantity: line.quantity })),
    held_until: order.hold_until.toISOString(),
  })

const wireOf =
  (language: Language) =>
  (order: BuyerOrderRow): BuyerOrder => ({
    number: shownOrderNumber(order.number),
    order_id: order.provider_order_id,
    phase: phaseOf(order),
    placed_at: order.created_at.toISOString(),
    paid_at: order.paid_at?.toISOString() ?? null,
    lines: order.lines.map(({ offer_slug, titles, quantity, unit_cents }) => ({
      offer_slug,
      title: textIn(titles, language).text,
      quantity,
      unit_price: decimal(unit_cents),
    })),
    tickets: { valid: order.valid_tickets, void: order.void_tickets },
    subtotal: decimal(order.subtotal_cents),
    tax_rate: Number(order.tax_percent),
    tax_amount: decimal(order.tax_cents),
    total: decimal(order.total_cents),
    country: order.country,
    refunds: order.refunds.map(({ amount_cents, done, at }) => ({
      amount: decimal(amount_cents),
      done,
      at: new Date(at).toISOString(),
    })),
    has_receipt: order.payments.length > 0,
  })
