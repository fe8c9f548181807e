import { setTimeout as sleep } from 'node:timers/promises'
import { errorCode } from '#platform/database-errors.ts'
import { batchCalls } from '#platform/batcher.ts'
import { ProviderRefused, ProviderUnknown } from '#platform/payment/payment-provider.ts'
import { transact, withCommit } from '#platform/transaction.ts'
import { RELEASED } from '#features/purchase/orders/order-machine.rules.ts'
import {
  type CreatedAtProvider,
  type HeldOrder,
  HoldRefused,
  type OrderRequest,
  type OrderRow,
  type OrdersDeps,
  alertOfRefusal,
  areRequestsLocked,
  assertCreatedFor,
  holdExpiry,
  openOrders,
  orderWrites,
  ordersRepository,
  paymentRequest,
  providerFailure,
  releaseOrder,
} from '#features/purchase/orders/server/index.ts'
import { Refusal } from '#shared/refusal.ts'
import { orderClosed } from './capture-payment.ts'

/** How long a double click waits for another process's order, and how often it looks. */
const WAIT_MS = 8_000
const WAIT_STEP_MS = 100

const isTaken = (error: unknown): boolean => errorCode(error) === '23505'

/**
 * Makes the function that prices a cart, holds its tickets and creates the provider's order. The same cart gives the
 * same order (failure modes 1 and 2).
 */
export function orderCreation(deps: OrdersDeps): (request: OrderRequest) => Promise<OrderRow> {
  const hold = batchCalls<OrderRequest, HeldOrder>(
    (requests, options) => openOrders(deps, requests, options),
    {
      ...deps.batchBounds,
      meter: deps.metrics.batch('hold'),
      areLocked: (requests) => areRequestsLocked(deps.db, requests),
    },
  )
  const store = batchCalls<CreatedAtProvider, OrderRow | undefined>(
    async (made, options) => {
      const rows = await transact(
        deps.db,
        async (trx) => withCommit(orderWrites(trx).setProvider(made)),
        options,
      )
      const stored = new Map(rows.map((order) => [order.id, order]))
      return made.map(({ orderId }) => ({ value: stored.get(orderId) }))
    },
    { ...deps.batchBounds, meter: deps.metrics.batch('store order') },
  )

  /** Expires holds as soon as their tickets are wanted; concurrent callers share a run. */
  const expireHolds = holdExpiry(deps)
  let expiring: Promise<number> | undefined
  const expireOnce = (): Promise<number> =>
    (expiring ??= expireHolds()
      .catch((error: unknown) => {
        // The caller responds with the first refusal.
        deps.log.error({ err: error }, 'expired holds could not be released')
        return 0
      })
      .finally(() => {
        expiring = undefined
      }))

  async function held(request: OrderRequest): Promise<HeldOrder> {
    try {
      return await hold(request)
    } catch (error) {
      if (!(error instanceof HoldRefused)) throw error
      if ((await expireOnce()) === 0) throw error.refusal
      return await hold(request).catch((again: unknown) => {
        throw again instanceof HoldRefused ? again.refusal : again
      })
    }
  }

  /** By order: a double click shares one request. */
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
      const created = assertCreatedFor(
        order,
        await deps.provider.createOrder(paymentRequest(order, items, deps), `${order.id}:create`),
      )
      const stored = await store({
        orderId: order.id,
        providerId: created.id,
        paymentUrl: created.approvalUrl,
      })
      const known = stored ?? (await knownAtProvider(order))
      // A database crash has undone the order before anybody got its address.
      if (!known) throw new Refusal('request.busy', 503, 'errors.request.busy', { retryAfter: 1 })
      return known
    } catch (error) {
      const known = await knownAtProvider(order)
      if (known) return known
      if (error instanceof ProviderRefused && error.isUnderWay) return await createdElsewhere(order)
      // After a refusal the provider has no order. An unknown outcome keeps the hold; the next try has the same id.
      if (error instanceof ProviderRefused) {
        await transact(deps.db, async (trx) => {
          await releaseOrder(trx, order.id, 'cancelUncreated', 'provider_refused_order', error.code)
          if (error.reason === 'shop_fault' || error.reason === 'other')
            await alertOfRefusal(deps, trx, order, error)
        })
      }
      throw providerFailure(
        isTaken(error) ? new ProviderUnknown('it answered with the id of another order') : error,
      )
    }
  }

  async function createdElsewhere(order: OrderRow): Promise<OrderRow> {
    for (let waited = 0; waited < WAIT_MS; waited += WAIT_STEP_MS) {
      await sleep(WAIT_STEP_MS)
      const known = await knownAtProvider(order)
      if (known) return known
    }
    throw providerFailure(new ProviderUnknown('the order is being created by another request'))
  }

  /** The order once another process has created it. @throws Refusal when it is closed */
  async function knownAtProvider({ id }: OrderRow): Promise<OrderRow | undefined> {
    const order = await ordersRepository(deps.db).byId(id)
    if (order && RELEASED.some((state) => state === order.state)) throw orderClosed()
    return order?.provider_order_id ? order : undefined
  }

  return async (request) => {
    const made = await held(request).catch((error: unknown) => {
      deps.metrics.hold('refused')
      throw error
    })
    deps.metrics.hold('held')
    if (!made.order.provider_order_id) return atProvider(made)
    if (made.order.capture_started_at) await orderWrites(deps.db).markResumed(made.order.id)
    return made.order
  }
}
