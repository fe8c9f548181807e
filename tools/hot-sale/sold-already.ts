import { sql } from 'kysely'
import pg from 'pg'
import { assignNumbers } from '#features/tickets/server/index.ts'
import type { BookedCapture } from '#platform/invariants.ts'
import type { HotStand } from './stand.ts'

/** What the provider's book would say of what was sold. */
export interface SoldAlready {
  captures: BookedCapture[]
}

const QUANTITY = 5
const CUSTOMERS = 2_000
/** Orders of one statement. */
const AT_ONCE = 4_000

/**
 * Brings a contest to so many sold tickets as if they had been bought one order after the other: orders, their history,
 * captures, receipts and numbers as the contest's own permutation gives them, written many at a time.
 */
export async function sellAlready(
  stand: HotStand,
  contest: { id: number; key: Buffer; total: number },
  upTo: number,
): Promise<SoldAlready> {
  const { db } = stand
  const { rows } = await sql<{ sold: number }>`
    SELECT tickets_sold AS sold FROM offers WHERE id = ${contest.id}`.execute(db)
  const userIds = (await stand.customers(CUSTOMERS)).map(({ userId }) => userId)
  const captures: BookedCapture[] = []
  for (let sold = rows[0]?.sold ?? 0; sold < upTo;) {
    const orders = Math.min(AT_ONCE, Math.ceil((upTo - sold) / QUANTITY))
    sold += orders * QUANTITY
    const [issue] = assignNumbers([
      {
        userId: 0,
        source: 'demo',
        atMs: 0,
        sales: [
          { offerId: contest.id, sold, quantity: orders * QUANTITY, total: contest.total, key: contest.key },
        ],
      },
    ])
    captures.push(...(await store(db, contest.id, userIds, issue?.numbers.get(contest.id) ?? [])))
  }
  await settle(stand)
  return { captures }
}

/** Has PostgreSQL do now what so many new rows would have it do during the measurement. */
async function settle({ url, adminUrl }: Pick<HotStand, 'url' | 'adminUrl'>): Promise<void> {
  for (const [connectionString, statement] of [
    [url, 'VACUUM (ANALYZE, SKIP_LOCKED)'],
    [adminUrl, 'CHECKPOINT'],
  ] as const) {
    const client = new pg.Client({ connectionString })
    await client.connect()
    await client.query(statement)
    await client.end()
  }
}

async function store(
  db: HotStand['db'],
  offerId: number,
  userIds: readonly number[],
  numbers: readonly number[],
): Promise<BookedCapture[]> {
  const { rows } = await sql<BookedCapture>`
    WITH numbered AS (
      SELECT number, (place - 1) / ${QUANTITY}::int AS sale
      FROM unnest(${numbers}::int[]) WITH ORDINALITY AS n (number, place)
    ), sales AS (
      SELECT sale, gen_random_uuid() AS id,
             (${userIds}::bigint[])[1 + sale % ${userIds.length}::int] AS user_id
      FROM numbered GROUP BY sale
    ), taken AS (
      UPDATE offers SET tickets_sold = tickets_sold + ${numbers.length}::int WHERE id = ${offerId}
    ), ordered AS (
      INSERT INTO orders (id, user_id, cart_version, state, country, language, subtotal_cents, tax_percent, tax_cents,
                          total_cents, provider_order_id, capture_started_at, hold_until)
      SELECT id, user_id, 1, 'completed', 'BE', 'fr', 2450, 21, 515, 2965, 'SOLD-' || id, now(), now() FROM sales
    ), lines AS (
      INSERT INTO order_lines (order_id, offer_id, quantity, unit_cents, title)
      SELECT id, ${offerId}::int, ${QUANTITY}::int, 490, 'Hot' FROM sales
    ), history AS (
      INSERT INTO order_events (order_id, from_state, to_state, reason)
      SELECT id, step.before, step.after, step.why
      FROM sales, (VALUES (1, NULL, 'held', 'created'), (2, 'held', 'capturing', 'capture_requested'),
                          (3, 'capturing', 'completed', 'captured')) AS step (place, before, after, why)
      ORDER BY step.place
    ), captured AS (
      INSERT INTO captures (capture_id, order_id, status, amount_cents, currency)
      SELECT 'CAPTURE-' || id, id, 'completed', 2965, 'EUR' FROM sales
    ), receipts AS (
      INSERT INTO mails (id, key, kind, recipient, language, subject, body_text, body_html, state, closed_at)
      SELECT gen_random_uuid(), 'receipt:' || id, 'receipt', 'load@customers.test', 'fr', 'Billets', 'Billets', 'Billets',
             'kept', now()
      FROM sales
    ), given AS (
      INSERT INTO tickets (id, offer_id, number, user_id, order_id, source)
      SELECT gen_random_uuid(), ${offerId}::int, number, user_id, sales.id, 'paid'
      FROM numbered JOIN sales USING (sale)
    )
    SELECT 'CAPTURE-' || id AS capture_id, 'SOLD-' || id AS provider_order_id, 'completed' AS status, 2965 AS cents,
           'EUR' AS currency, 0 AS refunded_cents
    FROM sales`.execute(db)
  return rows
}
