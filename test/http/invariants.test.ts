import { spawnSync } from 'node:child_process'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { createPasswords } from '#features/accounts/server/index.ts'
import { loadDemo } from '#features/demo/server/index.ts'
import { providerLedger } from '#features/purchase/payments/server/ledger-reconciliation.ts'
import { reconcile } from '#features/purchase/payments/server/reconcile.ts'
import { recoverPayments } from '#features/purchase/payments/server/payment-recovery.ts'
import { cancelAndRefund } from '#features/purchase/refunds/server/cancelled-offers.ts'
import { type Breach, type ProviderLedger, checkInvariants, reconcileLedgers } from '#platform/invariants.ts'
import { ProviderUnknown } from '#platform/payment/payment-provider.ts'
import { paypalProvider } from '#platform/payment/paypal/paypal-provider.ts'
import { shopInvariants } from '#server/maintenance.ts'
import { testDatabase } from '../support/database.ts'
import { capturesOf, providerSide } from '../support/provider-side.ts'
import { postcard } from '../support/postcards.ts'
import { openShop } from '../support/shop.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { type Sample, type Violation, allowedOf, invariantsOf, violationsOf } from '../support/violations.ts'
import { isExtended } from '../support/tier.ts'

const shop = await openShop()
// A notification would move an order in the middle of a test.
shop.paypal.faults.change({ missingWebhooks: 1 })
const invariants = await shopInvariants()
const i5 = invariants.find(({ name }) => name === 'I5')!

const dataDir = temporaryFolder('volant-invariants-', 'file')

const ledger = (): ProviderLedger => providerSide(shop).book()
const check = (book = ledger()): Promise<Breach[]> => checkInvariants(shop.db, invariants, book)

/** An order of two offers, one of which is cancelled and a third of the total refunded. */
async function partlyRefundedOrder(): Promise<Sample['partlyRefunded']> {
  const [gone, kept] = [await shop.newOffer({ slug: 'gone' }), await shop.newOffer()]
  const customer = await shop.newCustomer()
  await customer.add(gone, 1)
  const { body } = await customer.order(kept, 2)
  await shop.paypal.approve(body['order_id'])
  await customer.capture(body['order_id'])
  await cancelAndRefund(shop.checkout, 'gone', 'a_test')
  await recoverPayments(shop.checkout, 0)
  const { id, total_cents } = await shop.orderOf(body['order_id'])
  return { id, share: Math.round(total_cents / 3) }
}

/** A card, entered in a contest that keeps two of its ten numbers for post. */
async function postalEntry(): Promise<Sample['entry']> {
  const offerId = await shop.newOffer({ total_tickets: 10, postal_reserve_percent: 20 })
  const clerk = await shop.newStaff('postal')
  const { body } = await clerk.post('/api/staff/post/entries/', postcard(offerId))
  return { id: body['id'], offerId, number: Number(body['ticket_number']) }
}

/** A shop with an order in every state that a buyer can bring about, and refunds. */
async function sampleOrders(): Promise<Sample> {
  const paid = await shop.paidOrder(3)
  const tampered = await shop.approvedOrder(2, 'tampered@buyer.test')
  await tampered.customer.capture(tampered.orderId)
  const pending = await shop.approvedOrder(1, 'pending@buyer.test')
  await pending.customer.capture(pending.orderId)
  const open = await shop.approvedOrder(2)
  const ids = ({ customer, offerId }: typeof open) => ({ offerId, userId: customer.id })
  return {
    paid: { id: paid.ours.id, providerId: paid.orderId, ...ids(paid) },
    held: { id: (await shop.orderOf(open.orderId)).id, ...ids(open) },
    refundedCapture: shop.capturesOf(tampered.orderId)[0]!.id,
    partlyRefunded: await partlyRefundedOrder(),
    entry: await postalEntry(),
  }
}
const sample = await sampleOrders()
const { paid } = sample

test('all invariants hold with paid, held, pending and refunded orders', async () => {
  expect(await check()).toEqual([])
  expect(await shop.orderState(paid.providerId)).toBe('completed')
})

test('the ledger read order by order equals the whole ledger of the provider', async () => {
  const { orders, captures } = await providerLedger(shop.db, shop.checkout.provider, { hours: 1, most: 100 })
  expect(orders).toHaveLength(5)
  expect(captures).toHaveLength(ledger().captures.length)
  expect(captures).toEqual(expect.arrayContaining([...ledger().captures]))
  expect(await check({ orders, captures })).toEqual([])
})

test('all invariants hold while the provider does not say which part of a late capture it refunded', async () => {
  const { orderId } = await shop.approvedOrder(1)
  const { id } = await shop.orderOf(orderId)
  await sql`UPDATE orders SET state = 'capturing' WHERE id = ${id}`.execute(shop.db)
  await sql`INSERT INTO order_events (order_id, from_state, to_state, reason)
            VALUES (${id}, 'held', 'capturing', 'a_test')`.execute(shop.db)
  const paypal = shop.client
  const [capture] = capturesOf(await paypal.captureOrder(orderId, `${id}:cap:1`))
  const amount = { currency_code: 'EUR', value: '1.00' }
  await paypal.refundCapture(capture!.id, { amount, note_to_payer: 'a_test' }, 'theirs')
  let calls = 0
  // The first response has the capture; the second, which would have the refund, does not come.
  const getOrder: typeof paypal.getOrder = async (providerOrderId) => {
    calls += 1
    if (calls > 1) throw new ProviderUnknown('the connection broke')
    return paypal.getOrder(providerOrderId)
  }
  await reconcile({ ...shop.checkout, provider: paypalProvider({ ...paypal, getOrder }) }, id)
  expect(await shop.orderState(orderId)).toBe('refunding')
  expect(await check()).toEqual([])
  await reconcile(shop.checkout, id)
  await reconcile(shop.checkout, id)
  expect(await shop.orderState(orderId)).toBe('refunded')
  expect(await check()).toEqual([])
})

test('an unreadable amount is reported with its order and hides no other order', async () => {
  const { orderId, captureId } = await shop.paidOrder(1)
  const paypal = shop.client
  const getOrder: typeof paypal.getOrder = async (id) => {
    const order = structuredClone(await paypal.getOrder(id))
    if (id === orderId) capturesOf(order)[0]!.amount!.value = 'NaN'
    return order
  }
  const book = await providerLedger(shop.db, paypalProvider({ ...paypal, getOrder }), { hours: 1, most: 100 })
  const [breach, ...others] = await checkInvariants(shop.db, [i5], book)
  expect(others).toEqual([])
  expect(breach?.rows).toMatchObject([{ fault: 'another amount', capture_id: captureId, our_cents: 593 }])
})

test('no check is planned with nested loops, which take minutes when statistics lag behind the sales', async () => {
  const planner = `SELECT current_setting('enable_nestloop') AS nested_loops`
  const [breach] = await checkInvariants(shop.db, [{ name: 'I0', title: 'the planner', sql: planner }])
  expect(breach!.rows).toEqual([{ nested_loops: 'off' }])
  expect((await shop.pool.query(planner)).rows).toEqual([{ nested_loops: 'on' }])
})

test('without the provider’s ledger I5 reports that it was not compared', async () => {
  expect(await checkInvariants(shop.db, invariants)).toMatchObject([
    { name: 'I5', rows: [{ fault: "the provider's book was not given" }] },
  ])
})

/** What the invariants find after statements that are rolled back. */
async function breachesAfter(statements: readonly string[]): Promise<Breach[]> {
  const rollback = new Error('rolled back')
  let breaches: Breach[] = []
  await shop.db
    .transaction()
    .execute(async (trx) => {
      for (const statement of statements) await sql.raw(statement).execute(trx)
      breaches = await checkInvariants(trx, invariants, ledger())
      throw rollback
    })
    .catch((error: unknown) => {
      if (error !== rollback) throw error
    })
  return breaches
}

test.each(Object.entries(allowedOf(sample)))('no invariant reports %s', async (_, statements) => {
  expect(await breachesAfter(statements)).toEqual([])
})

describe('violations', () => {
  const violations = violationsOf(sample)

  async function expectFound(violation: Violation): Promise<void> {
    const { guard, statements, row = {} } = violation
    const breaches = await breachesAfter(guard ? [guard.drop, ...statements] : statements)
    expect(breaches.map(({ name }) => name)).toEqual(invariantsOf(violation))
    expect(breaches[0]?.rows ?? [{}]).toContainEqual(expect.objectContaining(row))
  }

  test.each(violations.filter(({ guard }) => !guard))(
    'are found by exactly the invariants they violate: $title',
    expectFound,
  )

  test.each(violations.filter(({ guard }) => guard))(
    'are refused by their constraint, and found without it: $title',
    async (violation) => {
      const refused = breachesAfter(violation.statements)
      await expect(refused).rejects.toMatchObject({ constraint: violation.guard!.name })
      await expectFound(violation)
    },
  )

  test('violate every one of the fifteen invariants', () => {
    expect(invariants).toHaveLength(15)
    expect(new Set(violations.flatMap(invariantsOf))).toEqual(new Set(invariants.map(({ name }) => name)))
  })
})

describe('I5 compares both ledgers in both directions, to the cent', () => {
  const change = (captureId: string, patch: object): ProviderLedger => {
    const { captures, ...book } = ledger()
    return {
      ...book,
      captures: captures.map((one) => (one.capture_id === captureId ? { ...one, ...patch } : one)),
    }
  }
  const captureId = (): string => shop.capturesOf(paid.providerId)[0]!.id

  test('a capture that our ledger lacks', async () => {
    const { captures, ...book } = ledger()
    const unknown = { ...captures[0]!, capture_id: 'THEIRS', provider_order_id: 'X', cents: 1 }
    expect(await check({ ...book, captures: [...captures, unknown] })).toMatchObject([
      {
        name: 'I5',
        rows: [{ fault: 'our book lacks this capture', capture_id: 'THEIRS', their_cents: 1 }],
      },
    ])
  })

  test.each([
    ['another amount', { cents: 1_777 }],
    ['another amount', { currency: 'USD' }],
    ['another amount went back', { refunded_cents: 1 }],
    ['another state', { status: 'pending' }],
    ['another order', { provider_order_id: 'X' }],
    ['the provider knows no such capture', { status: 'declined' }],
  ])('%s: %o', async (fault, patch) => {
    expect(await check(change(captureId(), patch))).toMatchObject([{ name: 'I5', rows: [{ fault }] }])
  })

  test('an order with a pending payment is not compared yet', async () => {
    const pending = ledger().captures.find(({ status }) => status === 'pending')
    expect(await check(change(pending!.capture_id, { status: 'completed', cents: 5 }))).toEqual([])
  })

  test('only a difference that stays counts', async () => {
    const [good, bad] = [ledger(), change(captureId(), { cents: 5 })]
    const compare = (...books: ProviderLedger[]): Promise<Breach | undefined> =>
      reconcileLedgers(
        shop.db,
        i5,
        async () => books.shift() ?? good,
        async () => {},
      )
    expect(await compare(good)).toBeUndefined()
    expect(await compare(bad, good)).toBeUndefined()
    expect(await compare(bad, bad, good)).toBeUndefined()
    expect((await compare(bad, bad, bad))?.rows).toHaveLength(1)
    // Another difference each time is a sale in progress, not a fault.
    expect(await compare(...[6, 7, 8].map((cents) => change(captureId(), { cents })))).toBeUndefined()
  })
})

test('all invariants hold again afterwards', async () => {
  expect(await check()).toEqual([])
})

test.runIf(isExtended)('all invariants hold in the demonstration', async () => {
  const demo = await testDatabase()
  const settings = { memoryKiB: 8, passes: 1, parallelism: 1, concurrent: 4, waiting: 100 }
  await loadDemo({
    db: demo.db,
    passwords: createPasswords(settings),
    dataDir,
    now: new Date(),
    drawRoomMinutes: 3,
  })
  expect(await demo.db.selectFrom('tickets').select('id').limit(1).execute()).toHaveLength(1)
  expect(await checkInvariants(demo.db, invariants, { orders: null, captures: [] })).toEqual([])
  await demo.close()
})

// From here on the tests leave violations behind.

test('holds of capturing and pending orders do not expire; the hold of the same order in held does', async () => {
  const { offerId, customer, orderId } = await shop.approvedOrder(2)
  const expire = async (state: string) => {
    await sql`UPDATE orders SET state = ${state}, hold_until = 'epoch'
              WHERE provider_order_id = ${orderId}`.execute(shop.db)
    await shop.expireHolds()
    await customer.post('/api/paypal/cancel-order/', { order_id: orderId })
    return (await shop.counters(offerId)).tickets_held
  }
  expect([await expire('capturing'), await expire('pending'), await expire('held')]).toEqual([2, 2, 0])
})

test('an order is settled once; without the condition on its old state it takes tickets that another order holds', async () => {
  const settleTwice = async () => {
    const { offerId, customer, orderId } = await shop.approvedOrder(2)
    const other = await shop.approvedOrder(2, 'buyer@buyer.test', offerId)
    await customer.capture(orderId)
    const order = await shop.orderOf(orderId)
    const { captures } = await shop.checkout.provider.readOrder(orderId)
    await shop.checkout.settle({ order: order as never, capture: captures[0]! })
    expect(await shop.orderState(other.orderId)).toBe('held')
    const tickets = await shop.pool.query('SELECT 1 FROM tickets WHERE order_id = $1', [order.id])
    return [(await shop.counters(offerId)).tickets_sold, tickets.rowCount]
  }
  expect(await settleTwice()).toEqual([2, 2])
  // The order always looks unsettled, so that the condition is true every time.
  await shop.pool.query(
    `CREATE FUNCTION unsettle() RETURNS trigger LANGUAGE plpgsql AS $$
       BEGIN UPDATE orders SET state = 'capturing' WHERE id = NEW.id; RETURN NULL; END $$;
     CREATE TRIGGER unsettle AFTER UPDATE ON orders FOR EACH ROW WHEN (NEW.state = 'completed')
       EXECUTE FUNCTION unsettle()`,
  )
  expect(await settleTwice()).toEqual([4, 4])
})

/** Terminates its own database connection, in use or idle, with error listeners or without. */
const TERMINATE_CONNECTION = `
  import pg from 'pg'
  import { openDatabase } from '#platform/database.ts'
  const log = { info() {}, warn() {}, error() {} }
  const { pool } = openDatabase({ url: process.env.URL, max: 1, log, applicationName: 'terminated' })
  const client = await pool.connect()
  const { rows } = await client.query('SELECT pg_backend_pid() AS pid')
  if (process.env.IDLE) client.release()
  if (process.env.DEAF) (process.env.IDLE ? pool : client).removeAllListeners('error')
  const ended = new Promise((resolve) => client.once('end', resolve))
  const admin = new pg.Client({ connectionString: process.env.URL })
  await admin.connect()
  await admin.query('SELECT pg_terminate_backend($1)', [rows[0].pid])
  await ended
  await new Promise((resolve) => setTimeout(resolve, 50))
  process.exit(0)`

test.each([
  ['in use', {}],
  ['idle', { IDLE: 'yes' }],
])('a process survives a connection that breaks while %s; without error listeners it ends', (_, env) => {
  const exitCode = (more: Record<string, string>): number | null =>
    spawnSync(process.execPath, ['--input-type=module', '--eval', TERMINATE_CONNECTION], {
      env: { ...process.env, URL: shop.url, ...env, ...more },
    }).status
  expect(exitCode({})).toBe(0)
  expect(exitCode({ DEAF: 'yes' })).toBe(1)
})
