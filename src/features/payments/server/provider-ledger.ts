import type { Database } from '#platform/database.ts'
import type { BookedCapture, ProviderBook } from '#platform/invariants.ts'
import {
  type PaymentProvider,
  type ProviderOrder,
  ProviderRefused,
  ProviderUnknown,
  TOOK_NOTHING,
} from '#platform/payment/payment-provider.ts'
import { ordersRepository } from '#features/orders/server/index.ts'

/** Which orders the provider is asked about: those that changed lately, and of them the newest. */
interface OrdersToCompare {
  hours: number
  most: number
}

/** Orders asked about at the same time: the check must leave room for buyers who pay. */
const AT_ONCE = 4

/**
 * The provider's ledger of recent orders, asked for order by order; PayPal has no list that is up to date (a transaction
 * shows in its search up to three hours late). Orders about which it gives no answer are left out.
 * @throws ProviderUnknown when it answers for none
 */
export async function providerLedger(
  db: Database,
  provider: PaymentProvider,
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
        captures.push(...(await booked(provider, id)))
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

async function booked(provider: PaymentProvider, id: string): Promise<BookedCapture[]> {
  try {
    return capturesIn(await provider.readOrder(id))
  } catch (error) {
    // An order that was never paid is forgotten after a while.
    if (error instanceof ProviderRefused && error.reason === 'not_found') return []
    throw error
  }
}

/** Stands for an amount that cannot be read: no amount of ours is like it, so its order is reported, and only that. */
const UNREADABLE = -1

/**
 * The captures of a provider's order with what has gone back of each. A refund that names none of them counts for the
 * only one that took money; when there are several nobody can tell, and all of them are reported.
 */
function capturesIn({ id: providerOrderId, captures, refunds }: ProviderOrder): BookedCapture[] {
  const taking = captures.filter(({ status }) => !TOOK_NOTHING.has(status))
  const back = new Map<string, number>()
  const count = (id: string, amount: number | undefined): void => {
    const before = back.get(id) ?? 0
    back.set(id, amount === undefined || before === UNREADABLE ? UNREADABLE : before + amount)
  }
  for (const { captureId, money } of refunds.filter(({ status }) => status === 'completed')) {
    const isHere = captures.some(({ id }) => id === captureId)
    const ids = captureId !== undefined && isHere ? [captureId] : taking.map(({ id }) => id)
    for (const id of ids) count(id, ids.length === 1 ? money?.amount : undefined)
  }
  return captures.map(({ id, status, money }) => ({
    capture_id: id,
    provider_order_id: providerOrderId,
    status,
    cents: money?.amount ?? UNREADABLE,
    currency: money?.currency ?? '',
    refunded_cents: back.get(id) ?? 0,
  }))
}
