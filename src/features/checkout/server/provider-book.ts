import type { Database } from '#platform/database.ts'
import type { BookedCapture, ProviderBook } from '#platform/invariants.ts'
import type { PayPalClient } from '#platform/paypal/client.ts'
import { ProviderRefused, ProviderUnknown } from '#platform/paypal/faults.ts'
import {
  type ProviderOrder,
  TOOK_NOTHING,
  captureIdOf,
  capturesOf,
  refundsOf,
} from '#platform/paypal/messages.ts'
import { ordersRepository } from './orders.repository.ts'
import { amountOf } from './provider-answers.ts'

/** Which orders the provider is asked for: those that changed lately, and of them the newest. */
interface OrdersToCompare {
  hours: number
  most: number
}

/** Orders asked for at the same time: a comparison must not crowd out those who pay. */
const AT_ONCE = 4

/**
 * The provider's book of recent orders, asked for order by order; PayPal has no list that is up to date (a transaction
 * shows in its search up to three hours late). Orders about which it gives no answer are left out.
 * @throws ProviderUnknown when it answers for none
 */
export async function providerBook(
  db: Database,
  paypal: PayPalClient,
  { hours, most }: OrdersToCompare,
): Promise<ProviderBook> {
  const wanted = await ordersRepository(db).changedWithin(hours, most)
  const left = [...wanted]
  const orders: string[] = []
  const captures: BookedCapture[] = []
  let silence: unknown
  const askOn = async (): Promise<void> => {
    for (let id = left.pop(); id !== undefined; id = left.pop()) {
      try {
        captures.push(...(await booked(paypal, id)))
        orders.push(id)
      } catch (error) {
        if (!(error instanceof ProviderUnknown)) throw error
        silence = error
      }
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, askOn))
  if (wanted.length > 0 && orders.length === 0) throw silence
  return { orders, captures }
}

async function booked(paypal: PayPalClient, id: string): Promise<BookedCapture[]> {
  try {
    return capturesIn(await paypal.getOrder(id))
  } catch (error) {
    // An order that was never paid is forgotten after a while.
    if (error instanceof ProviderRefused && error.status === 404) return []
    throw error
  }
}

/** Stands for an amount that cannot be read: no amount of ours is like it, so its order is reported, and only that. */
const UNREADABLE = -1

/**
 * The captures of a provider's order with what has gone back of each. A refund that names none of them counts for the
 * only one that took money; when there are several nobody can tell, and all of them are reported.
 */
function capturesIn(order: ProviderOrder): BookedCapture[] {
  const captures = capturesOf(order)
  const taking = captures.filter(({ status }) => !TOOK_NOTHING.has(status))
  const back = new Map<string, number>()
  const count = (id: string, amount: number | undefined): void => {
    const before = back.get(id) ?? 0
    back.set(id, amount === undefined || before === UNREADABLE ? UNREADABLE : before + amount)
  }
  for (const refund of refundsOf(order).filter(({ status }) => status === 'COMPLETED')) {
    const named = captureIdOf(refund)
    const isHere = captures.some(({ id }) => id === named)
    const ids = named !== undefined && isHere ? [named] : taking.map(({ id }) => id)
    for (const id of ids) count(id, ids.length === 1 ? amountOf(refund) : undefined)
  }
  return captures.map(({ id, status, amount }) => ({
    capture_id: id,
    provider_order_id: order.id,
    status,
    cents: amountOf({ amount }) ?? UNREADABLE,
    currency: amount?.currency_code ?? '',
    refunded_cents: back.get(id) ?? 0,
  }))
}
