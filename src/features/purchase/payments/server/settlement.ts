import type { Trx } from '#platform/database.ts'
import { type Outcome, type RunOptions, batchCalls } from '#platform/batcher.ts'
import type { Payer, ProviderCapture } from '#platform/payment/payment-provider.ts'
import { transact, withCommit } from '#platform/transaction.ts'
import { type Addressee, addresseesOf } from '#features/accounts/server/index.ts'
import { lockCartsOf, subtractBought } from '#features/purchase/cart/server/index.ts'
import { type SoldOffer, anyLocked, sellFree, sellHeld } from '#features/offers/server/index.ts'
import {
  type OrderLineRow,
  type OrderRow,
  type OrdersBase,
  type OrdersDeps,
  enqueueOrderEmails,
  orderWrites,
  ordersRepository,
  requireBuyer,
  sumByOffer,
  wantedOf,
} from '#features/purchase/orders/server/index.ts'
import { ledgerWrites } from '#features/purchase/refunds/server/index.ts'
import { assignNumbers, issueTickets } from '#features/tickets/server/index.ts'
import type { Ticket } from '#features/tickets/tickets.contract.ts'
import { isErasedEmail } from '#shared/email-address.ts'

export interface PaymentsDeps extends OrdersDeps {
  /** @returns undefined when the order has no hold, was settled before, or has an excluded payer */
  settle(paid: Paid): Promise<Settled | undefined>
}

export const paymentsDeps = (deps: OrdersDeps): PaymentsDeps => ({
  ...deps,
  settle: batchCalls<Paid, Settled | undefined>(
    async (batch, options) => {
      const outcomes = await settleAll(deps, batch, options)
      for (const outcome of outcomes) if ('value' in outcome && outcome.value) deps.metrics.settled()
      return outcomes
    },
    {
      ...deps.batchBounds,
      meter: deps.metrics.batch('settle'),
      areLocked: async (batch) => {
        const lines = await ordersRepository(deps.db).linesOf(batch.map(({ order }) => order.id))
        const offersOf = Map.groupBy(lines, (line) => line.order_id)
        return anyLocked(
          deps.db,
          batch.map(({ order }) => (offersOf.get(order.id) ?? []).map((line) => line.offer_id)),
        )
      },
    },
  ),
})

/** An order and a completed capture of its exact total. */
export interface Paid {
  order: OrderRow
  capture: ProviderCapture
  payer?: Payer | undefined
}

export interface Settled {
  order: OrderRow
  tickets: Ticket[]
}

type OrderLine = OrderLineRow & { order_id: string }

/**
 * Turns the holds of paid orders into tickets in one transaction. Independent statements are pipelined: three round
 * trips for any number of orders.
 * @returns for each the completed order; undefined when it has no hold, was settled before, or has an excluded payer
 */
const settleAll = (
  deps: OrdersBase,
  batch: readonly Paid[],
  options: RunOptions = {},
): Promise<Outcome<Settled | undefined>[]> =>
  transact(
    deps.db,
    async (trx) => {
      const ids = [...new Set(batch.map((one) => one.order.id))]
      const [, rows, { lines: all, buyers }] = await Promise.all([
        // Every transaction locks carts, orders, offers in this order, which prevents deadlocks.
        lockCartsOf(trx, buyersOf(batch)),
        orderWrites(trx).moveAll(ids, 'complete', 'captured', { payers: payersOf(batch) }),
        linesAndBuyers(trx, batch),
      ])
      const moved = new Map(rows.map((order) => [order.id, order]))
      const settled = new Map(
        batch.filter(({ order }) => moved.has(order.id)).map((one) => [one.order.id, one]),
      )
      const paid = [...settled.values()]
      if (paid.length === 0) return batch.map(() => ({ value: undefined }))
      const lines = all.filter((line) => settled.has(line.order_id))
      // Last, since all buyers contend for the offers' rows.
      const [, , sold] = await Promise.all([
        ledgerWrites(trx).upsertCaptures(paid),
        subtract(trx, paid, lines),
        sellHeld(trx, sumByOffer(lines)),
      ])
      const given = issue(deps, trx, sharesOf(paid, lines, sold), buyers)
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

export const payersOf = (paid: readonly Pick<Paid, 'order' | 'payer'>[]) =>
  Object.fromEntries(paid.map(({ order, payer }) => [order.id, payer]))

const buyersOf = (paid: readonly Paid[]): number[] => paid.map(({ order }) => order.user_id)

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

function subtract(trx: Trx, paid: readonly Paid[], lines: readonly OrderLine[]): Promise<void> {
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

interface Share extends Paid {
  lines: readonly OrderLine[]
  sold: readonly SoldOffer[]
}

/** Gives each order its own range of the offers' running counts. */
function sharesOf(paid: readonly Paid[], lines: readonly OrderLine[], sold: readonly SoldOffer[]): Share[] {
  const counted = new Map(sold.map((one) => [one.offerId, one.sold - one.quantity]))
  const offers = new Map(sold.map((one) => [one.offerId, one]))
  return paid.map((one) => {
    const { order } = one
    const own = lines.filter((line) => line.order_id === order.id)
    const share = own.map((line) => {
      const offer = offers.get(line.offer_id)
      const before = counted.get(line.offer_id)
      if (!offer || before === undefined) throw new Error(`order ${order.id} was settled without its offer`)
      counted.set(line.offer_id, before + line.quantity)
      return { ...offer, quantity: line.quantity, sold: before + line.quantity }
    })
    return { ...one, lines: own, sold: share }
  })
}

/** @returns the tickets by order */
async function issue(
  deps: OrdersBase,
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
    return deps.emails.receiptEnvelope({ order, to: requireBuyer(buyers.get(order.user_id)), count })
  })
  const [tickets] = await Promise.all([issueTickets(trx, issued), enqueueOrderEmails(deps, trx, receipts)])
  return new Map(shares.map(({ order }, index) => [order.id, tickets[index] ?? []]))
}

class NothingLeft extends Error {}

/**
 * Settles an order paid after its hold. @returns false, with nothing changed, when too few tickets are left, when the
 * buyer has closed the account, or would have more than one person may
 */
export async function settleLate(deps: OrdersBase, paid: Paid): Promise<boolean> {
  const { order } = paid
  try {
    await transact(deps.db, async (trx) => {
      const [, moved] = await Promise.all([
        lockCartsOf(trx, [order.user_id]),
        orderWrites(trx).move(order.id, 'completeLate', 'captured_late', { payers: payersOf([paid]) }),
      ])
      if (!moved) return
      const [{ lines, buyers }, , isOverLimit] = await Promise.all([
        linesAndBuyers(trx, [paid]),
        ledgerWrites(trx).upsertCaptures([paid]),
        ordersRepository(trx).isOverPersonLimit(order.id),
      ])
      const isClosed = isErasedEmail(requireBuyer(buyers.get(order.user_id)).email)
      if (isClosed || isOverLimit) throw new NothingLeft()
      const sold = await sellFree(trx, wantedOf(lines))
      if (!sold) throw new NothingLeft()
      await subtract(trx, [paid], lines)
      await issue(deps, trx, [{ ...paid, lines, sold }], buyers)
    })
    return true
  } catch (error) {
    if (error instanceof NothingLeft) return false
    throw error
  }
}
