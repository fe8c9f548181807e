import { spawnSync } from 'node:child_process'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Trx } from '#platform/database.ts'
import { type Invariant, checkInvariants } from '#platform/invariants.ts'
import { shopInvariants } from '#server/maintenance.ts'
import { GUARDS, type Sale } from '../support/constraints.ts'
import { type TestShop, testShop } from '../support/shop.ts'

/**
 * The negative controls of docs/failure-modes.md: the fault is refused while the guard is there, and appears when it is
 * not. A guard is taken off in the test's own database and inside a transaction that is undone.
 */
let shop: TestShop
let invariants: Invariant[]
/** A paid order of two tickets, and one that holds two. */
let paid: Sale
let held: Sale

beforeAll(async () => {
  shop = await testShop()
  invariants = await shopInvariants()
  const first = await shop.approvedOrder(2)
  await first.customer.capture(first.orderId)
  paid = { id: await ourId(first.orderId), offerId: first.offerId, orderId: first.orderId }
  const second = await shop.approvedOrder(2)
  held = { id: await ourId(second.orderId), offerId: second.offerId, orderId: second.orderId }
})
afterAll(() => shop.close())

const ourId = async (providerId: string): Promise<string> => (await shop.orderOf(providerId)).id

class Undone extends Error {}

/** Runs something in a transaction that is undone. */
async function undone<Result>(act: (trx: Trx) => Promise<Result>): Promise<Result> {
  let result: Result | undefined
  await shop.db
    .transaction()
    .execute(async (trx) => {
      result = await act(trx)
      throw new Undone()
    })
    .catch((error: unknown) => {
      if (!(error instanceof Undone)) throw error
    })
  return result as Result
}

const run = (trx: Trx, statement: string) => sql.raw(statement).execute(trx)

/** Which invariants the statements violate; the ledger is reconciled elsewhere. */
const broken = async (trx: Trx): Promise<string[]> =>
  (
    await checkInvariants(
      trx,
      invariants.filter(({ name }) => name !== 'I5'),
    )
  ).map(({ name }) => name)

describe('a constraint', () => {
  test.each(GUARDS)(
    'keeps out what appears without it (row $row)',
    async ({ guard, table, isTrigger, fault, breaks }) => {
      const statement = fault({ paid, held })
      await expect(undone((trx) => run(trx, statement))).rejects.toMatchObject({ constraint: guard })
      const found = await undone(async (trx) => {
        const ofTable = isTrigger
          ? `DROP TRIGGER ${guard} ON ${table}`
          : `ALTER TABLE ${table} DROP CONSTRAINT ${guard} CASCADE`
        await run(trx, table === 'INDEX' ? `DROP INDEX ${guard}` : ofTable)
        await run(trx, statement)
        return broken(trx)
      })
      expect(found).toEqual(breaks)
    },
  )
})

describe('a hold', () => {
  test('in a state that expires would be given away while it is being paid', async () => {
    // A notification would have the order paid in the middle of this.
    shop.paypal.faults.change({ missingWebhooks: 1 })
    const { offerId, customer, orderId } = await shop.approvedOrder(2)
    const put = (state: string) =>
      shop.db
        .updateTable('orders')
        .set({ state, hold_until: new Date(0) })
        .where('provider_order_id', '=', orderId)
        .execute()
    for (const state of ['capturing', 'pending']) {
      await put(state)
      await shop.expireHolds()
      await customer.post('/api/paypal/cancel-order/', { order_id: orderId })
      expect(await shop.counters(offerId)).toEqual({ tickets_sold: 0, tickets_held: 2 })
    }
    await put('held')
    await shop.expireHolds()
    expect(await shop.counters(offerId)).toEqual({ tickets_sold: 0, tickets_held: 0 })
  })
})

describe('the condition on the old state', () => {
  /** Settles one paid order twice. */
  async function settleTwice(): Promise<{ sold: number; tickets: number }> {
    // A notification would settle it a third time.
    shop.paypal.faults.change({ missingWebhooks: 1 })
    const { offerId, customer, orderId } = await shop.approvedOrder(2)
    const other = await shop.approvedOrder(2, 'buyer@buyer.test', offerId)
    await customer.capture(orderId)
    const order = await shop.orderOf(orderId)
    const { captures } = await shop.checkout.provider.readOrder(orderId)
    await shop.checkout.settle({ order: order as never, capture: captures[0]! })
    expect(await shop.orderState(other.orderId)).toBe('held')
    const { tickets_sold: sold } = await shop.counters(offerId)
    const rows = await shop.db.selectFrom('tickets').select('id').where('order_id', '=', order.id).execute()
    return { sold, tickets: rows.length }
  }

  test('lets an order be settled once; without it another buyer’s held tickets are given away', async () => {
    expect(await settleTwice()).toEqual({ sold: 2, tickets: 2 })
    // An order that always looks unsettled: the condition finds what it asks for every time.
    await run(
      shop.db as unknown as Trx,
      `CREATE FUNCTION forget() RETURNS trigger LANGUAGE plpgsql AS $$
       BEGIN UPDATE orders SET state = 'capturing' WHERE id = NEW.id; RETURN NULL; END $$`,
    )
    await run(
      shop.db as unknown as Trx,
      `CREATE TRIGGER forgetful AFTER UPDATE ON orders FOR EACH ROW WHEN (NEW.state = 'completed') EXECUTE FUNCTION forget()`,
    )
    try {
      expect(await settleTwice()).toEqual({ sold: 4, tickets: 4 })
    } finally {
      await run(shop.db as unknown as Trx, 'DROP TRIGGER forgetful ON orders')
    }
  })
})

describe('the listeners on connections', () => {
  const CUT = `
    import pg from 'pg'
    import { openDatabase } from '#platform/database.ts'
    const log = { info() {}, warn() {}, error() {} }
    const { pool } = openDatabase({ url: process.env.URL, max: 1, log, applicationName: 'cut off' })
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

  /** What a program ends with whose connection is cut. */
  const cut = (env: Record<string, string>): number | null => {
    const args = ['--input-type=module', '--eval', CUT]
    return spawnSync(process.execPath, args, { env: { ...process.env, URL: shop.url, ...env } }).status
  }

  test.each([
    ['in use', {}],
    ['idle', { IDLE: 'yes' }],
  ])('have a program outlive one that breaks while %s; without them it ends', (_, env) => {
    expect(cut(env)).toBe(0)
    expect(cut({ ...env, DEAF: 'yes' })).toBe(1)
  })
})
