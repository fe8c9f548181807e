import { setTimeout as sleep } from 'node:timers/promises'
import { errorCode } from '#platform/database-errors.ts'
import { batchCalls as mergeCalls } from '#platform/batcher.ts'
import { ProviderRefused, ProviderUnknown } from '#platform/paypal/faults.ts'
import { approvalUrl } from '#platform/paypal/messages.ts'
import { transact, withCommit } from '#platform/transaction.ts'
import { releaseTickets } from '#features/offers/server/index.ts'
import { Refusal } from '#shared/refusal.ts'
import { GIVEN_UP, type OrderState } from '../order-states.rules.ts'
import { orderClosed } from './back-with-buyer.ts'
import { type CheckoutDeps, providerFailure } from './checkout-deps.ts'
import { lapsing } from './lapses.ts'
import { HoldRefused, type HeldOrder, type OrderRequest, openOrders } from './open-orders.ts'
import { type MadeAtProvider, orderWrites } from './order-moves.repository.ts'
import { type OrderRow, ordersRepository, wantedOf } from './orders.repository.ts'
import { madeOf } from './provider-answers.ts'
import { providerOrder } from './provider-order.ts'

/** How long a double click waits for what the other process is told, and how often it looks. */
const WAIT_MS = 8_000
const WAIT_STEP_MS = 100

const isTaken = (error: unknown): boolean => errorCode(error) === '23505'

/**
 * Makes the function that prices a buyer's cart from the database, holds its tickets and makes the provider's order.
 * Asking again for the same cart gives the same order (reliability, rows 1 and 2). Holds that wait at the same moment
 * are written as one transaction.
 */
export function orderCreation(deps: CheckoutDeps): (request: OrderRequest) => Promise<OrderRow> {
  const hold = mergeCalls<OrderRequest, HeldOrder>(
    (requests, options) => openOrders(deps, requests, options),
    {
      ...deps.laneBounds,
      meter: deps.metrics.lane('hold'),
    },
  )
  const note = mergeCalls<MadeAtProvider, OrderRow | undefined>(
    async (made, options) => {
      const rows = await transact(
        deps.db,
        async (trx) => withCommit(orderWrites(trx).setProvider(made)),
        options,
      )
      const noted = new Map(rows.map((order) => [order.id, order]))
      return made.map(({ orderId }) => ({ value: noted.get(orderId) }))
    },
    { ...deps.laneBounds, meter: deps.metrics.lane('note order') },
  )

  /** Lapsed holds go back at once when somebody wants the tickets, not only at the next sweep; many losers share it. */
  const release = lapsing(deps)
  let releasing: Promise<number> | undefined
  const releaseOnce = (): Promise<number> =>
    (releasing ??= release()
      .catch((error: unknown) => {
        // What cannot lapse may be anybody's: this buyer is told what was found before.
        deps.log.error({ err: error }, 'lapsed holds could not be given back')
        return 0
      })
      .finally(() => {
        releasing = undefined
      }))

  async function held(request: OrderRequest): Promise<HeldOrder> {
    try {
      return await hold(request)
    } catch (error) {
      if (!(error instanceof HoldRefused)) throw error
      if ((await releaseOnce()) === 0) throw error.refusal
      return await hold(request).catch((again: unknown) => {
        throw again instanceof HoldRefused ? again.refusal : again
      })
    }
  }

  /** Requests of one order that are under way in this process: a double click shares one. */
  const underWay = new Map<string, Promise<OrderRow>>()

  function atProvider(held: HeldOrder): Promise<OrderRow> {
    const { id } = held.order
    const running = underWay.get(id)
    if (running) return running
    const request = requestAtProvider(held).finally(() => underWay.delete(id))
    underWay.set(id, request)
    return request
  }

  async function requestAtProvider({ order, lines }: HeldOrder): Promise<OrderRow> {
    const items = lines ?? (await ordersRepository(deps.db).lines(order.id))
    try {
      const made = madeOf(
        order,
        await deps.paypal.createOrder(providerOrder(order, items, deps), `${order.id}:create`),
      )
      const noted = await note({ orderId: order.id, providerId: made.id, paymentUrl: approvalUrl(made) })
      const known = noted ?? (await knownAtProvider(order))
      // Undone by a crash of the database meanwhile: nobody has its address, so nobody can pay for it.
      if (!known) throw new Refusal('request.busy', 503, 'errors.request.busy', { retryAfter: 1 })
      return known
    } catch (error) {
      const known = await knownAtProvider(order)
      if (known) return known
      // Another process is asking for this very order: what it is told is the answer here, too.
      if (error instanceof ProviderRefused && error.isUnderWay) return await madeElsewhere(order)
      // A definite no: nothing exists there, so the tickets go back. An unknown outcome keeps the hold, and the next
      // attempt sends the same request id.
      if (error instanceof ProviderRefused) {
        await transact(deps.db, async (trx) => {
          const given = await orderWrites(trx).cancelUnmade(order.id)
          if (given) await releaseTickets(trx, wantedOf(await ordersRepository(trx).lines(order.id)))
        })
      }
      // An id that another order has is no answer about this one.
      throw providerFailure(isTaken(error) ? new ProviderUnknown('an order that is another one’s') : error)
    }
  }

  async function madeElsewhere(order: OrderRow): Promise<OrderRow> {
    for (let waited = 0; waited < WAIT_MS; waited += WAIT_STEP_MS) {
      await sleep(WAIT_STEP_MS)
      const known = await knownAtProvider(order)
      if (known) return known
    }
    throw providerFailure(new ProviderUnknown('the order is being made by another request'))
  }

  /**
   * The order when another process has made it at the provider in the meantime.
   * @throws Refusal when it was given up: a newer one has taken its place, or its tickets are back
   */
  async function knownAtProvider({ id }: OrderRow): Promise<OrderRow | undefined> {
    const order = await ordersRepository(deps.db).byId(id)
    if (order && GIVEN_UP.includes(order.state as OrderState)) throw orderClosed()
    return order?.provider_order_id ? order : undefined
  }

  return async (request) => {
    const made = await held(request).catch((error: unknown) => {
      deps.metrics.hold('refused')
      throw error
    })
    deps.metrics.hold('held')
    return made.order.provider_order_id ? made.order : atProvider(made)
  }
}
