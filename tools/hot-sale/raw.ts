import pg from 'pg'
import { randomUUID } from 'node:crypto'

/**
 * A purchase as PostgreSQL alone could do it: one statement that takes the tickets, stores a completed order and gives
 * the numbers. No cart, no provider, no question, no HTTP: the ceiling above everything the shop does.
 */
const PURCHASE = `
WITH wanted AS (
  SELECT * FROM unnest($1::uuid[], $2::bigint[]) WITH ORDINALITY AS w (order_id, user_id, place)
),
taken AS (
  UPDATE offers SET tickets_sold = tickets_sold + (SELECT count(*) FROM wanted) * $4
  WHERE id = $3 AND tickets_sold + tickets_held + (SELECT count(*) FROM wanted) * $4 <= total_tickets
  RETURNING id, tickets_sold
),
made AS (
  INSERT INTO orders (id, user_id, cart_version, state, country, language, subtotal_cents, tax_percent, tax_cents,
                      total_cents, provider_order_id, hold_until)
  SELECT order_id, user_id, 1, 'completed', 'BE', 'fr', 2450, 21, 515, 2965, order_id::text, now() FROM wanted, taken
  RETURNING id
)
INSERT INTO tickets (id, offer_id, number, user_id, order_id, source)
SELECT gen_random_uuid(), taken.id, taken.tickets_sold - (place - 1) * $4 - n, user_id, order_id, 'paid'
FROM wanted, taken, generate_series(0, $4 - 1) AS n`

interface RawRun {
  url: string
  offerId: number
  userIds: readonly number[]
  quantity: number
  seconds: number
}

/** Purchases per second with one statement each, on several connections at once. */
export async function rawUnmerged(run: RawRun, connections: number): Promise<number> {
  const clients = await connect(run.url, connections)
  let done = 0
  const started = performance.now()
  const until = started + run.seconds * 1000
  await Promise.all(
    clients.map(async (client) => {
      while (performance.now() < until) {
        await client.query({
          name: 'purchase',
          text: PURCHASE,
          values: [[randomUUID()], [run.userIds[done % run.userIds.length]], run.offerId, run.quantity],
        })
        done += 1
      }
    }),
  )
  const seconds = (performance.now() - started) / 1000
  await Promise.all(clients.map((client) => client.end()))
  return done / seconds
}

/** Purchases per second when as many as `batch` share a statement, on one connection. */
export async function rawMerged(run: RawRun, batch: number): Promise<number> {
  const [client] = await connect(run.url, 1)
  let done = 0
  const started = performance.now()
  const until = started + run.seconds * 1000
  while (performance.now() < until) {
    const orders = Array.from({ length: batch }, () => randomUUID())
    const users = orders.map((_, index) => run.userIds[(done + index) % run.userIds.length])
    await client?.query({
      name: 'purchase',
      text: PURCHASE,
      values: [orders, users, run.offerId, run.quantity],
    })
    done += batch
  }
  const seconds = (performance.now() - started) / 1000
  await client?.end()
  return done / seconds
}

async function connect(url: string, count: number): Promise<pg.Client[]> {
  const clients = Array.from({ length: count }, () => new pg.Client({ connectionString: url }))
  await Promise.all(clients.map((client) => client.connect()))
  return clients
}
