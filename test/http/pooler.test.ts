import { sql } from 'kysely'
import { afterAll, describe, expect, inject, test } from 'vitest'
import { drawLab } from '#features/draws/server/draw-lab.test-support.ts'
import { checkInvariants } from '#platform/invariants.ts'
import { migrate } from '#platform/migrations.ts'
import { silentLog } from '#platform/postgres/log.ts'
import { transact } from '#platform/transaction.ts'
import { checkShopInvariants, shopInvariants } from '#server/maintenance.ts'
import { describePooler, hasPgbouncer } from '../../tools/testbed/pgbouncer.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

/** Fewer sessions than the shop has connections: in transaction mode they pass from one to the other. */
const SESSIONS = 4

describe.skipIf(!hasPgbouncer()).each([
  { mode: 'transaction', isIgnoring: false },
  { mode: 'transaction', isIgnoring: true },
  { mode: 'session', isIgnoring: false },
] as const)('through PgBouncer, $mode mode, ignoring settings: $isIgnoring', async ({ mode, isIgnoring }) => {
  if (!hasPgbouncer()) return
  const url = inject('databaseAdminUrl')
  const folder = temporaryFolder('volant-pooler-', 'file')
  const size = mode === 'session' ? 20 : SESSIONS
  const pooler = await describePooler({ url, folder, mode, isIgnoring, size })
  await pooler.start()
  const lab = await drawLab({ pooler, processes: 2 })
  const { shop } = lab
  afterAll(() => pooler.stop())

  test('concurrent buyers get what there is, a contest is drawn, the invariants hold', async () => {
    const contest = await lab.newContest({ total_tickets: 10 })
    const buyers = await Promise.all(Array.from({ length: 14 }, () => shop.newCustomer()))
    const paid = await Promise.all(
      buyers.map(async (buyer) => {
        const created = await buyer.order(contest.id, 3)
        if (created.status !== 200) return created.status
        await shop.paypal.approve(created.body['order_id'])
        return (await buyer.capture(created.body['order_id'])).status
      }),
    )
    expect(paid.toSorted((one, other) => one - other)).toEqual([
      ...Array(3).fill(200),
      ...Array(11).fill(409),
    ])
    await shop.paypal.webhooksIdle()
    expect(await checkShopInvariants(shop.checkout, 60)).toBe(true)
    expect(await checkShopInvariants(shop.checkout, 60)).toBe(false)
    await lab.goOn(contest, 'draw')
    expect(await lab.stateOf(contest.id)).toBe('drawn')
    const ours = (await shopInvariants()).filter(({ name }) => name !== 'I5')
    expect(await checkInvariants(shop.db, ours)).toEqual([])
    expect((await shop.anonymous('GET', '/api/health/ready')).status).toBe(200)
  })

  test('nothing is left in a session, and each statement has the timeouts', async () => {
    const settings = `SELECT current_setting('statement_timeout') statement, current_setting('lock_timeout') lock,
      current_setting('idle_in_transaction_session_timeout') idle,
      (SELECT count(*)::int FROM pg_prepared_statements) prepared`
    expect(await migrate({ url: pooler.urlOf(shop.url), folder: 'db/migrations', log: silentLog })).toEqual(
      [],
    )
    const locks = await shop.pool.query(`
      SELECT pid FROM pg_locks JOIN pg_database ON oid = database
      WHERE locktype = 'advisory' AND datname = current_database()`)
    expect(locks.rows).toEqual([])
    // The pool's own way sends a text as it is.
    const { rows: left } = await shop.pool.query(settings)
    expect(left).toEqual([{ statement: '0', lock: '0', idle: '1min', prepared: 0 }])
    for (let turn = 0; turn < 5; turn += 1) {
      const { rows } = await sql`${sql.raw(settings)} WHERE ${turn}::int = ${turn}::int`.execute(shop.db)
      expect(rows).toEqual([{ statement: '15s', lock: '14s', idle: '1min', prepared: 0 }])
    }
    await expect(sql`SELECT 1 / ${0}::int`.execute(shop.db)).rejects.toThrow('division by zero')
    const transacted = await transact(
      shop.db,
      async (trx) => (await sql`${sql.raw(settings)}`.execute(trx)).rows,
    )
    expect(transacted).toEqual([{ statement: '15s', lock: '14s', idle: '1min', prepared: 0 }])
  })
})
