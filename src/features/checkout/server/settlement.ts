import type { Trx } from '#platform/database.ts'
import type { Outcome, RunOptions } from '#platform/batcher.ts'
import { ProviderUnknown } from '#platform/paypal/faults.ts'
import { type Capture, TOOK_NOTHING } from '#platform/paypal/messages.ts'
import { transact, withCommit } from '#platform/transaction.ts'
import { type Addressee, addresseesOf } from '#features/accounts/server/index.ts'
import { lockCartsOf, subtractBought } from '#features/cart/server/index.ts'
import { type SoldOffer, sellHeld } from '#features/offers/server/index.ts'
import { assignNumbers, issueTickets } from '#features/tickets/server/index.ts'
import type { Ticket } from '#features/tickets/tickets.contract.ts'
import { HOLDING } from '../order-states.rules.ts'
import type { CheckoutBase } from './checkout-base.ts'
import { orderWrites } from './order-moves.repository.ts'
import { type OrderLineRow, type OrderRow, ordersRepository, sumByOffer } from './orders.repository.ts'
import { type SaidCapture, paymentWrites } from './payments.repository.ts'
import { amountOf } from './provider-answers.ts'
import { known, queueLetters } from './queue-letters.ts'

/** An order and the completed capture that pays exactly for it. */
export interface Paid {
  order: OrderRow
  capture: Capture
}

/** A completed order with the tickets that it brought. */
export interface Settled {
  order: OrderRow
  tickets: Ticket[]
}

type OrderLine = OrderLineRow & { order_id: string }

/**
 * Turns the holds of paid orders into tickets in one transaction: state, capture, cart, counters, numbers, all or nothing.
 * What does not need the answer to something else travels with it: three round trips for any number of orders.
 * @returns for each the completed order; undefined when it held no tickets any more, or somebody else was first
 */
export const settleAll = (
  deps: CheckoutBase,
  batch: readonly Paid[],
  options: RunOptions = {},
): Promise<Outcome<Settled | undefined>[]> =>
  transact(
    deps.db,
    async (trx) => {
      const ids = [...new Set(batch.map((one) => one.order.id))]
      const [, rows, { lines: all, buyers }] = await Promise.all([
        // Carts, then orders, then offers: whoever locks several of them does so in this order.
        lockCartsOf(trx, buyersOf(batch)),
        orderWrites(trx).moveAll(ids, HOLDING, 'completed', 'captured'),
        linesAndBuyers(trx, batch),
      ])
      const moved = new Map(rows.map((order) => [order.id, order]))
      const settled = new Map(
        batch.filter(({ order }) => moved.has(order.id)).map((one) => [one.order.id, one]),
      )
      const paid = [...settled.values()]
      if (paid.length === 0) return batch.map(() => ({ value: undefined }))
      const lines = all.filter((line) => settled.has(line.order_id))
      // The offers' rows come last: they are what everybody waits for.
      const [, , sold] = await Promise.all([
        paymentWrites(trx).recordCaptures(paid.map(({ order, capture }) => said(order, capture))),
        subtract(trx, paid, lines),
        sellHeld(trx, sumByOffer(lines)),
      ])
      const given = give(deps, trx, sharesOf(paid, lines, sold), buyers)
      return withCommit(
        given.then((tickets) =>
          batch.map((one) => {
            const order = settled.get(one.order.id) === one ? moved.get(one.order.id) : undefined
            return { value: order && { order, tickets: tickets.get(order.id) ?? [] } }
          }),
        ),
      )
    },
    options,
  )

const buyersOf = (paid: readonly Paid[]): number[] => paid.map(({ order }) => order.user_id)

/** Reads the orders' lines and their buyers. */
async function linesAndBuyers(
  trx: Trx,
  paid: readonly Paid[],
): Promise<{ lines: OrderLine[]; buyers: Map<number, Addressee> }> {
  const [lines, buyers] = await Promise.all([
    ordersRepository(trx).linesOf(paid.map(({ order }) => order.id)),
    addresseesOf(trx, buyersOf(paid)),
  ])
  return { lines, buyers }
}

/** Enters what was paid. @returns the orders' lines, and the buyers by id */
export async function enter(
  trx: Trx,
  paid: readonly Paid[],
): Promise<{ lines: OrderLine[]; buyers: Map<number, Addressee> }> {
  const [read] = await Promise.all([
    linesAndBuyers(trx, paid),
    paymentWrites(trx).recordCaptures(paid.map(({ order, capture }) => said(order, capture))),
  ])
  return read
}

/** Takes the bought lines off the locked carts. */
export function subtract(trx: Trx, paid: readonly Paid[], lines: readonly OrderLine[]): Promise<void> {
  const userOf = new Map(paid.map(({ order }) => [order.id, order.user_id]))
  return subtractBought(
    trx,
    lines.map((line) => ({
      userId: userOf.get(line.order_id) ?? 0,
      offerId: line.offer_id,
      quantity: line.quantity,
    })),
  )
}

/** A paid order with its lines and what each of its offers sold to it. */
interface Share extends Paid {
  lines: readonly OrderLine[]
  sold: readonly SoldOffer[]
}

/** Shares what the offers sold among the orders: each gets its own stretch of the running counts. */
function sharesOf(paid: readonly Paid[], lines: readonly OrderLine[], sold: readonly SoldOffer[]): Share[] {
  const counted = new Map(sold.map((one) => [one.offerId, one.sold - one.quantity]))
  const offers = new Map(sold.map((one) => [one.offerId, one]))
  return paid.map(({ order, capture }) => {
    const own = lines.filter((line) => line.order_id === order.id)
    const share = own.map((line) => {
      const offer = offers.get(line.offer_id)
      const before = counted.get(line.offer_id)
      if (!offer || before === undefined) throw new Error(`order ${order.id} was settled without its offer`)
      counted.set(line.offer_id, before + line.quantity)
      return { ...offer, quantity: line.quantity, sold: before + line.quantity }
    })
    return { order, capture, lines: own, sold: share }
  })
}

/** Issues the numbers of settled orders and queues their receipts. @returns the tickets by order */
export async function give(
  deps: CheckoutBase,
  trx: Trx,
  shares: readonly Share[],
  buyers: ReadonlyMap<number, Addressee>,
): Promise<Map<string, Ticket[]>> {
  const issues = shares.map(({ order, sold }) => ({
    userId: order.user_id,
    source: { orderId: order.id },
    atMs: deps.clock().getTime(),
    sales: sold,
  }))
  const issued = assignNumbers(issues)
  const receipts = shares.map(({ order, lines }) => () => {
    const count = lines.reduce((sum, { quantity }) => sum + quantity, 0)
    return deps.letters.receipt({ order, to: known(buyers.get(order.user_id)), count })
  })
  const [tickets] = await Promise.all([issueTickets(trx, issued), queueLetters(deps, trx, receipts)])
  return new Map(shares.map(({ order }, index) => [order.id, tickets[index] ?? []]))
}

/**
 * A capture of the provider as it is stored.
 * @throws ProviderUnknown when it is no definite no and names no amount that can be read: a guess would be sent back
 */
export function said(order: OrderRow, capture: Capture): SaidCapture {
  const { id, status } = capture
  const amount = amountOf(capture)
  if (amount === undefined && !TOOK_NOTHING.has(status))
    throw new ProviderUnknown('a capture without a readable amount')
  const currency = capture.amount?.currency_code ?? ''
  return { id, orderId: order.id, status, amount: amount ?? 0, currency }
}
