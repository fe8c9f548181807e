import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type TestShop, testShop } from '../../../../test/support/shop.ts'
import type { NotificationDeps } from '#features/payments/server/notifications.ts'
import type { PayPalClient } from '#platform/payment/paypal/paypal-client.ts'
import { refundCancelledOffers } from './cancelled-offers.ts'
import { paypalProvider } from '#platform/payment/paypal/paypal-provider.ts'

let shop: TestShop
/** A checkout whose provider never ends a refund. */
let deps: NotificationDeps

beforeAll(async () => {
  shop = await testShop()
  const refundCapture: PayPalClient['refundCapture'] = async (_capture, body, requestId) => ({
    id: requestId,
    status: 'PENDING',
    amount: (body as { amount: { currency_code: string; value: string } }).amount,
  })
  deps = { ...shop.checkout, provider: paypalProvider({ ...shop.client, refundCapture }) }
})
afterAll(() => shop.close())

/** As many as one turn takes. */
const TURN = 100

/** Paid orders of a ticket each of some cancelled contests, made the given minutes ago; their ids begin with a digit. */
async function paidOrders(
  name: string,
  count: number,
  offerIds: readonly number[],
  minutes: number,
  digit = '0',
) {
  const { id: userId } = await shop.newCustomer()
  await sql`
    WITH made AS (
      INSERT INTO orders (id, user_id, cart_version, state, country, language, subtotal_cents, tax_percent, tax_cents,
                          total_cents, hold_until, provider_order_id, changed_at)
      SELECT overlay(gen_random_uuid()::text PLACING ${digit} FROM 1)::uuid, ${userId}, 1000 + n, 'completed', 'BE', 'fr', 1000, 0, 0, 1000, now(), ${name} || n,
             now() - make_interval(mins => ${minutes})
      FROM generate_series(1, ${count}::int) AS n
      RETURNING id
    ),
    lines AS (
      INSERT INTO order_lines (order_id, offer_id, quantity, unit_cents, title)
      SELECT made.id, c.id, 1, 500, 'x' FROM made, unnest(${[...offerIds]}::int[]) AS c (id)
    )
    INSERT INTO captures (capture_id, order_id, status, amount_cents, currency)
    SELECT 'C' || id, id, 'completed', 1000, 'EUR' FROM made`.execute(shop.db)
}

const cancelled = (offerId: number) =>
  sql`UPDATE offers SET active = false, cancelled_at = now(), cancelled_why = 'x' WHERE id = ${offerId}`.execute(
    shop.db,
  )

/** Orders of a contest whose share is not on its way. */
async function waiting(name: string, offerId: number): Promise<number> {
  const { rows } = await shop.pool.query(
    `SELECT count(*)::int AS n FROM order_lines l JOIN orders o ON o.id = l.order_id
     WHERE l.offer_id = $1 AND l.refund_requested_at IS NULL AND o.provider_order_id LIKE $2`,
    [offerId, `${name}%`],
  )
  return rows[0].n
}

test('orders whose other refund is still under way keep no others of the contest waiting', async () => {
  const [first, second] = [await shop.newOffer(), await shop.newOffer()]
  await paidOrders('both', TURN, [first, second], 20)
  await paidOrders('one', 5, [second], 10)
  await cancelled(first)
  await refundCancelledOffers(deps)
  expect(await waiting('both', first)).toBe(0)
  await cancelled(second)
  await refundCancelledOffers(deps)
  expect(await waiting('one', second)).toBe(0)
  expect(await waiting('both', second)).toBe(TURN)
  // Once theirs have ended, they go too.
  await shop.pool.query(`UPDATE refunds SET status = 'completed'`)
  await refundCancelledOffers(deps)
  expect(await waiting('both', second)).toBe(0)
})

test('orders that cannot be sent back take their turn after the others', async () => {
  const offerId = await shop.newOffer()
  await paidOrders('broken', TURN, [offerId], 20)
  await paidOrders('whole', 5, [offerId], 10, 'f')
  await cancelled(offerId)
  await shop.pool.query(`
    CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'not this one'; END $$;
    CREATE TRIGGER broken BEFORE INSERT ON refunds FOR EACH ROW EXECUTE FUNCTION refuse()`)
  await refundCancelledOffers(deps)
  await shop.pool.query('DROP TRIGGER broken ON refunds')
  expect(await waiting('', offerId)).toBe(TURN + 5)
  await refundCancelledOffers(deps)
  expect(await waiting('whole', offerId)).toBe(0)
})
