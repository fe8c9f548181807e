import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { recoverPayments } from '#features/purchase/payments/server/index.ts'
import { assignNumbers } from '#features/tickets/server/index.ts'
import { checkInvariants } from '#platform/invariants.ts'
import { newId } from '#platform/ids.ts'
import { shopInvariants } from '#server/maintenance.ts'
import { withTax } from '#shared/countries.ts'
import { cents, shareOf, toDecimal } from '#shared/money.ts'
import { seededRandom } from '../../db/story/random.ts'
import { providerSide } from '../support/provider-side.ts'
import { type Staff, openShop } from '../support/shop.ts'
import { type ShopProcess, startShopProcess } from '../support/shop-process.ts'
import { isExtended, sized } from '../support/tier.ts'

/**
 * A contest is cancelled while the process that gives the money back is killed with -9. The short form has few orders and
 * one kill, after which this process goes on; the long one has 10,000, a web process, and workers that are killed at
 * random moments.
 */
const { orders: ORDERS, kills: KILLS } = sized({
  short: { orders: 60, kills: 1 },
  extended: { orders: 10_000, kills: 8 },
})
const UNIT = 490
const VAT = 21
const COURTESY = 100
const LONG = { timeout: 30 * 60_000, interval: 500 }

const shop = await openShop()
const { book } = shop.paypal
let folder: string
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'volant-cancellation-'))
  await chmod(folder, 0o711)
})
afterAll(() => rm(folder, { recursive: true, force: true }))

/** A process of the shop beside this one. */
const startProcess = (role: 'web' | 'worker'): Promise<ShopProcess> =>
  startShopProcess({
    env: {
      DATABASE_URL: shop.url,
      DATA_DIR: path.join(folder, role),
      SECRET_KEY: shop.secret,
      LOG_KEY: '5e'.repeat(32),
      PAYPAL_BASE_URL: shop.paypal.url,
      ROLES: role,
      DATABASE_POOL: '5',
      // Responses are lost and delayed on purpose.
      LOG_LEVEL: 'silent',
    },
  })

interface PaidOrder {
  id: string
  number: string
  captureId: string
  providerId: string
  /** Of the contest, and of another one. */
  quantity: number
  others: number
  total: number
  /** Refunded before. */
  courtesy: number
  /** Of the cancelled contest. */
  share: number
}

/** Orders as they are once paid: every fifth is for another contest, too, and some have got an amount back. */
function paidOrder(index: number): PaidOrder {
  const [quantity, others] = [1 + (index % 4), index % 5 === 0 ? 1 : 0]
  const { total } = withTax(cents((quantity + others) * UNIT), VAT, false)
  const courtesy = others === 0 && index % 11 === 3 ? COURTESY : 0
  const place = String(index).padStart(8, '0')
  return {
    id: newId(Date.now() - 3_600_000 + index),
    number: place.replaceAll(/[01]/g, (digit) => (digit === '0' ? 'A' : 'B')),
    captureId: `CAPTURE00${place}`,
    providerId: `ORDER0000${place}`,
    quantity,
    others,
    total,
    courtesy,
    share: others > 0 ? shareOf(total, quantity, quantity + others) : total - courtesy,
  }
}

/** Stores paid orders of both contests in the shop and at the provider. */
async function fillOrders(gone: number, kept: number, staffId: number): Promise<PaidOrder[]> {
  const paid = Array.from({ length: ORDERS }, (_, index) => paidOrder(index))
  const column = <Key extends keyof PaidOrder>(key: Key): PaidOrder[Key][] => paid.map((one) => one[key])
  const { rows: users } = await shop.pool.query<{ id: number }>(
    `INSERT INTO users (username, email, password_hash, email_confirmed_at)
     SELECT 'filled ' || n, 'filled' || n || '@example.test', 'none', now() FROM generate_series(1, $1::int) AS n
     RETURNING id`,
    [Math.ceil(ORDERS / 4)],
  )
  const userOf = (index: number): number => users[index % users.length]!.id
  const subtotal = paid.map((one) => (one.quantity + one.others) * UNIT)
  await shop.pool.query(
    `INSERT INTO orders (id, number, user_id, cart_version, state, country, language, subtotal_cents, tax_percent, tax_cents,
                         total_cents, provider_order_id, capture_started_at, hold_until)
     SELECT id, number, user_id, place, 'completed', 'BE', 'fr', subtotal, ${VAT}, total - subtotal, total, provider_id,
            now(), now()
     FROM unnest($1::uuid[], $2::text[], $3::bigint[], $4::int[], $5::int[], $6::text[]) WITH ORDINALITY
          AS o (id, number, user_id, subtotal, total, provider_id, place)`,
    [
      column('id'),
      column('number'),
      paid.map((_, index) => userOf(index)),
      subtotal,
      column('total'),
      column('providerId'),
    ],
  )
  await shop.pool.query(
    `INSERT INTO order_events (order_id, from_state, to_state, reason)
     SELECT id, from_state, to_state, reason FROM unnest($1::uuid[]) WITH ORDINALITY AS o (id, place)
     CROSS JOIN (VALUES (1, NULL, 'held', 'created'), (2, 'held', 'capturing', 'capture_requested'),
                        (3, 'capturing', 'completed', 'captured')) AS e (step, from_state, to_state, reason)
     ORDER BY place, step`,
    [column('id')],
  )
  await shop.pool.query(
    `INSERT INTO captures (capture_id, order_id, status, amount_cents, currency, refunded_cents)
     SELECT id, order_id, CASE WHEN refunded > 0 THEN 'partially_refunded' ELSE 'completed' END, amount, 'EUR', refunded
     FROM unnest($1::text[], $2::uuid[], $3::int[], $4::int[]) AS c (id, order_id, amount, refunded)`,
    [column('captureId'), column('id'), column('total'), column('courtesy')],
  )
  await shop.pool.query(
    `INSERT INTO refunds (capture_id, order_id, amount_cents, reason, status, refund_id, requested_by, staff_reason, part)
     SELECT id, order_id, refunded, 'staff_request', 'completed', 'R' || id, $4::bigint, 'goodwill', 'amount'
     FROM unnest($1::text[], $2::uuid[], $3::int[]) AS c (id, order_id, refunded) WHERE refunded > 0`,
    [column('captureId'), column('id'), column('courtesy'), staffId],
  )
  await shop.pool.query(
    `INSERT INTO emails (id, key, kind, recipient, language, subject, body_text, body_html, state, closed_at)
     SELECT gen_random_uuid(), 'receipt:' || id, 'receipt', 'filled@example.test', 'fr', 'Vos billets', '.', '.', 'sent', now()
     FROM unnest($1::uuid[]) AS o (id)`,
    [column('id')],
  )
  for (const [offerId, key] of [
    [gone, 'quantity'],
    [kept, 'others'],
  ] as const) {
    await shop.pool.query(
      `INSERT INTO order_lines (order_id, offer_id, quantity, unit_cents, title)
       SELECT id, $2, quantity, ${UNIT}, 'Concours' FROM unnest($1::uuid[], $3::int[]) AS l (id, quantity)
       WHERE quantity > 0`,
      [column('id'), offerId, column(key)],
    )
    const { total_tickets: total, number_key } = await shop.db
      .selectFrom('offers')
      .select(['total_tickets', 'number_key'])
      .where('id', '=', offerId)
      .executeTakeFirstOrThrow()
    const holders = paid.flatMap((one, index) =>
      Array.from({ length: one[key] }, () => [one.id, userOf(index)] as const),
    )
    const sale = {
      offerId,
      sold: holders.length,
      quantity: holders.length,
      total: total ?? 0,
      key: number_key,
    }
    const [numbered] = assignNumbers([{ userId: 0, source: 'demo', atMs: 0, sales: [sale] }])
    await shop.pool.query(
      `INSERT INTO tickets (id, offer_id, number, user_id, order_id, source)
       SELECT gen_random_uuid(), $1, number, user_id, order_id, 'paid'
       FROM unnest($2::int[], $3::uuid[], $4::bigint[]) AS t (number, order_id, user_id)`,
      [
        offerId,
        numbered?.numbers.get(offerId),
        holders.map(([order]) => order),
        holders.map(([, user]) => user),
      ],
    )
    await shop.db
      .updateTable('offers')
      .set({ tickets_sold: holders.length })
      .where('id', '=', offerId)
      .execute()
  }
  // As the database does by itself in time; without it ten thousand new orders look like none.
  await shop.pool.query('ANALYZE')
  for (const one of paid) rememberAtProvider(one)
  return paid
}

function rememberAtProvider({ id, number, providerId, captureId, total, courtesy }: PaidOrder): void {
  const at = new Date(Date.now() - 3_600_000).toISOString()
  const names = { customId: id, invoiceId: number }
  const common = { orderId: providerId, currency: 'EUR', created: at, ...names }
  book.insert('order', providerId, {
    id: providerId,
    status: 'COMPLETED',
    units: [
      {
        reference_id: 'default',
        amount: { currency_code: 'EUR', value: toDecimal(cents(total)) },
        custom_id: id,
        invoice_id: number,
      },
    ],
    context: {},
    funding: 'paypal',
    created: at,
    updated: at,
    payer: { email: 'buyer@buyer.test', instrument: 'default' },
    captureIds: [captureId],
    declines: 0,
    failures: 0,
  })
  const status = courtesy > 0 ? 'PARTIALLY_REFUNDED' : 'COMPLETED'
  book.insert('capture', captureId, {
    ...common,
    id: captureId,
    reference: 'default',
    status,
    cents: total,
    refunded: courtesy,
    updated: at,
  })
  if (courtesy > 0)
    book.insert('refund', `R${captureId}`, {
      ...common,
      id: `R${captureId}`,
      captureId,
      kind: 'refund',
      cents: courtesy,
    })
}

/** Calls of staff, at the process that takes them. */
const callsAt =
  (base: string) => async (staff: Staff, method: 'GET' | 'POST', url: string, body?: object) => {
    const response = await fetch(base + url, {
      method,
      headers: { cookie: staff.cookie, origin: base, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    })
    return { status: response.status, body: (await response.json()) as Record<string, unknown> }
  }

test(
  `kill -9 while ${ORDERS} orders of a cancelled contest are refunded: each gets its money back once`,
  async () => {
    const [maker, approver] = [await shop.newStaff('manager'), await shop.newStaff('owner')]
    const gone = await shop.newOffer({ slug: 'gone', total_tickets: ORDERS * 5 })
    const kept = await shop.newOffer({ slug: 'kept', total_tickets: ORDERS })
    const paid = await fillOrders(gone, kept, maker.id)
    const invariants = await shopInvariants()
    const broken = () => checkInvariants(shop.db, invariants, providerSide(shop).book())
    expect(await broken()).toEqual([])
    const refundsMade = (): number => book.refunds.size - paid.filter(({ courtesy }) => courtesy > 0).length

    const web = isExtended ? await startProcess('web') : undefined
    await web?.whenReady()
    const call = callsAt(web ? `http://localhost:${web.port}` : shop.config.publicUrl)
    const preview = await call(maker, 'GET', '/api/staff/offers/gone/cancellation/preview/')
    const shares = paid.reduce((sum, { share }) => sum + share, 0)
    const tickets = paid.reduce((sum, { quantity }) => sum + quantity, 0)
    const effects = { orders: ORDERS, amount: toDecimal(cents(shares)), emails: ORDERS, tickets }
    expect(preview).toMatchObject({ status: 200, body: { ...effects, needs_approval: true } })

    shop.paypal.faults.change(
      {
        delayMs: 30,
        dropReplyAfterCommit: 0.05,
        http5xx: 0.05,
        duplicateWebhooks: 0.1,
        missingWebhooks: 0.5,
      },
      7,
    )
    const asked = await call(maker, 'POST', '/api/staff/offers/gone/cancel/', { reason: 'a test' })
    expect(asked.status).toBe(202)
    const { id: approval } = asked.body['approval'] as { id: number }
    expect((await call(maker, 'POST', `/api/staff/approvals/${approval}/approve/`)).status).not.toBe(200)
    expect(await call(approver, 'POST', `/api/staff/approvals/${approval}/approve/`)).toMatchObject({
      status: 200,
    })

    const random = seededRandom(10)
    for (let kill = 0; kill < KILLS; kill += 1) {
      const goal = refundsMade() + random.between(1, Math.floor(ORDERS / (KILLS + 2)))
      const worker = await startProcess('worker')
      try {
        await expect.poll(() => refundsMade() >= goal, { ...LONG, interval: 3 }).toBe(true)
      } finally {
        await worker.end('SIGKILL')
      }
      expect(refundsMade()).toBeLessThan(ORDERS)
    }

    const last = isExtended ? await startProcess('worker') : undefined
    try {
      await vi.waitUntil(async () => {
        // The same work without its pauses.
        if (!last) await recoverPayments(shop.checkout, 0)
        const { body } = await call(maker, 'GET', '/api/staff/offers/gone/cancellation/')
        return body['returned_at'] !== null
      }, LONG)
    } finally {
      await last?.end('SIGTERM')
      await web?.end('SIGTERM')
    }
    await shop.paypal.webhooksIdle()

    const refundsOf = ({ captureId }: PaidOrder): number[] =>
      book
        .refundsOf(captureId)
        .filter(({ id }) => id !== `R${captureId}`)
        .map((refund) => refund.cents)
    expect(paid.filter((one) => refundsOf(one).join('+') !== String(one.share)).slice(0, 5)).toEqual([])
    const { rows } = await shop.pool.query(
      `SELECT (SELECT count(*)::int FROM refunds WHERE reason = 'offer_cancelled' AND status = 'completed') AS refunds,
            (SELECT sum(amount_cents)::int FROM refunds WHERE reason = 'offer_cancelled' AND status = 'completed') AS cents,
            (SELECT count(*)::int FROM emails WHERE kind = 'refund') AS emails,
            (SELECT count(*)::int FROM tickets WHERE offer_id = $1 AND status = 'void') AS tickets,
            (SELECT count(*)::int FROM tickets WHERE offer_id = $2 AND status = 'void') AS others,
            (SELECT count(*)::int FROM orders WHERE state = 'refunded') AS whole`,
      [gone, kept],
    )
    const whole = paid.filter(({ others }) => others === 0).length
    expect(rows).toEqual([{ refunds: ORDERS, cents: shares, emails: ORDERS, tickets, others: 0, whole }])
    expect(await broken()).toEqual([])
  },
  isExtended ? 45 * 60_000 : 120_000,
)
