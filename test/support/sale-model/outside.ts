import type { TestShop } from '../shop.ts'
import type { Payment } from './model.ts'
import { reconcile } from '#features/payments/server/reconcile.ts'

const ACCOUNTS: Record<Payment, string> = {
  pays: 'buyer@buyer.test',
  loses: 'lost@buyer.test',
  declines: 'declined@buyer.test',
  pends: 'pending@buyer.test',
  tampers: 'tampered@buyer.test',
}

const ourOrder = (shop: TestShop, providerId: string) =>
  shop.db
    .selectFrom('orders')
    .select(['id', 'capture_attempt'])
    .where('provider_order_id', '=', providerId)
    .executeTakeFirstOrThrow()

/** What happens at the provider without the shop. */
export const provider = {
  /** The account at the provider that pays like this. */
  account: (payment: Payment): string => ACCOUNTS[payment],

  /** Takes the money of an approved order, as a request of ours that was long on its way would. */
  async take(shop: TestShop, orderId: string): Promise<void> {
    const { id, capture_attempt } = await ourOrder(shop, orderId)
    await shop.client.captureOrder(orderId, `${id}:cap:${capture_attempt}`)
  },

  /** Has the provider decide about the capture of an order. */
  async decide(
    shop: TestShop,
    orderId: string,
    verdict: 'release' | 'deny' | 'refund',
    body: object = {},
  ): Promise<void> {
    const captureId = shop.paypal.book.orders.get(orderId)?.captureIds[0]
    const answer = await fetch(`${shop.paypal.url}/_emulator/captures/${captureId}/${verdict}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    if (!answer.ok) throw new Error(`${verdict} answered ${answer.status}`)
  },
}

/** What a notification about an order leads to. */
export async function reconcileAs(shop: TestShop, providerId: string): Promise<void> {
  await reconcile(shop.checkout, (await ourOrder(shop, providerId)).id, { closedToo: true })
}

/** Leaves an order as a process does that is killed while it captures. */
export async function beginCapture(shop: TestShop, providerId: string): Promise<void> {
  await shop.pool.query(
    `WITH moved AS (
       UPDATE orders SET state = 'capturing', capture_started_at = now(), changed_at = now()
       WHERE provider_order_id = $1 RETURNING id
     )
     INSERT INTO order_events (order_id, from_state, to_state, reason)
     SELECT id, 'held', 'capturing', 'capture_requested' FROM moved`,
    [providerId],
  )
}
