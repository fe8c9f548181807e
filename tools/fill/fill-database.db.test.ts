import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { tellEntrants } from '#features/postal/server/index.ts'
import { verifyAuditLog } from '#platform/audit-log.ts'
import { checkInvariants } from '#platform/invariants.ts'
import { silentLog } from '#platform/postgres/log.ts'
import { readConfig } from '#server/config.ts'
import { applyRetention, shopInvariants } from '#server/maintenance.ts'
import { shopPost } from '#server/shop-mailer.ts'
import { openTestDatabase } from '../../test/support/database.ts'
import { Rows } from '../../db/story/rows.ts'
import { withClient } from '../database/tool.ts'
import { fillDatabase, whyNotToFill } from './fill-database.ts'
import { fillHistory } from './history.ts'

const OPTIONS = {
  orders: 1_500,
  tickets: 7_777,
  customers: 400,
  seed: 3,
  until: new Date(),
  passwordHash: 'none',
}
const SMALL = { ...OPTIONS, orders: 100, tickets: 500 }
/** Without the provider, which knows none of it. */
const invariants = (await shopInvariants()).filter(({ name }) => name !== 'I5')

test('a failure leaves the database empty; a filled one has what was asked for, and every invariant holds', async () => {
  const { url, db } = await openTestDatabase()
  await withClient(url, 'fill', async (client) => {
    const dying = fillDatabase(client, SMALL, () => {
      throw new Error('killed')
    })
    await expect(dying).rejects.toThrow('killed')
    expect(await whyNotToFill(client)).toBeUndefined()
    const counts = await fillDatabase(client, OPTIONS, () => {})
    expect(counts).toMatchObject({ orders: 1_500, tickets: 7_777, users: 406 })
    expect(await whyNotToFill(client)).toMatch(/^holds data already/)
    // The shop goes on from there: identities and triggers are back.
    const added = client.query(
      `INSERT INTO users (username, email, password_hash) VALUES ('new', 'new@customers.test', 'none') RETURNING id`,
    )
    expect((await added).rows).toEqual([{ id: '407' }])
    await expect(client.query('DELETE FROM order_events')).rejects.toThrow(/order_events_only_grow/)
  })
  expect(await checkInvariants(db, invariants)).toEqual([])
  const { entries, brokenAt } = await verifyAuditLog(db)
  expect([entries > 300, brokenAt]).toEqual([true, null])

  const count = async (statement: string): Promise<Record<string, number>> =>
    Object.fromEntries(
      (await sql.raw<{ key: string; rows: number }>(statement).execute(db)).rows.map(({ key, rows }) => [
        key,
        Number(rows),
      ]),
    )
  const states = await count('SELECT state AS key, count(*) AS rows FROM orders GROUP BY 1')
  expect(states).toMatchObject({ held: 3, refunding: 2, review: expect.any(Number) })
  expect(Object.keys(states).toSorted()).toEqual(
    ['cancelled', 'completed', 'expired', 'held', 'refunded', 'refunding', 'review', 'superseded'].toSorted(),
  )
  expect(
    await count(`SELECT CASE WHEN closed_at IS NOT NULL THEN 'closed' WHEN is_active THEN 'active' ELSE 'suspended' END
      AS key, count(*) AS rows FROM users WHERE role IS NULL GROUP BY 1`),
  ).toEqual({ active: 399, closed: 1, suspended: 1 })
  // Nothing of a closed account is left, and a suspended one does nothing.
  const own = ['orders', 'sessions', 'emails', 'messages', 'security_events']
  const ofClosed = own.map(
    (name) => `SELECT '${name}' AS key, id::text FROM ${name} WHERE user_id IN
    (SELECT id FROM users WHERE closed_at IS NOT NULL)`,
  )
  expect(
    await count(`SELECT key, count(*) AS rows FROM (${ofClosed.join(' UNION ALL ')}) AS t GROUP BY 1`),
  ).toEqual({})
  expect(
    await count(`SELECT 'later' AS key, count(*) AS rows FROM orders o JOIN account_suspensions s USING (user_id)
      WHERE o.created_at > s.suspended_at`),
  ).toEqual({ later: 0 })
  // An order in review has a refund that failed.
  expect(
    await count(`SELECT 'without' AS key, count(*) AS rows FROM orders o WHERE state = 'review' AND NOT EXISTS (
      SELECT FROM refunds WHERE order_id = o.id AND status = 'failed')`),
  ).toEqual({ without: 0 })
  for (const table of ['approvals', 'security_events', 'statements', 'refunds', 'alerts'])
    expect(await count(`SELECT '${table}' AS key, least(1, count(*)) AS rows FROM ${table}`)).toEqual({
      [table]: 1,
    })
  expect(
    await count(`SELECT action AS key, count(*) AS rows FROM audit_log l LEFT JOIN orders o ON o.id::text = l.subject
      WHERE subject_kind = 'order' AND o.id IS NULL GROUP BY 1`),
  ).toEqual({})
  // The jobs of a shop that starts here have nothing to catch up on.
  const config = readConfig({ SECRET_KEY: 's'.repeat(40) })
  expect(await applyRetention(db, silentLog as never, config)).toEqual({
    claims: 0,
    objections: 0,
    favourites: 0,
    reminders: 0,
    rehearsals: 0,
    emails: 0,
    messages: 0,
    notifications: 0,
    orders: 0,
    postalEntries: 0,
    securityEvents: 0,
    alerts: 0,
    alertNotes: 0,
    checks: 0,
    pictures: 0,
  })
  expect(await tellEntrants(shopPost({ db, config }))).toBe(0)
  expect(
    await count(`SELECT 'due' AS key, count(*) AS rows FROM ledger_reconciliation
      WHERE ended_at IS NULL OR started_at < clock_timestamp() - interval '1 day'`),
  ).toEqual({ due: 0 })
})

test('the same seed and end make the same rows', async () => {
  const rowsOf = async (seed: number): Promise<string[]> => {
    const [rows, made] = [new Rows(), [] as string[]]
    await fillHistory(rows, { ...SMALL, seed }, async () => {
      for (const [table, list] of rows.take())
        made.push(...list.map((row) => `${table} ${JSON.stringify(row)}`))
    })
    return made
  }
  const [first, second, other] = [await rowsOf(4), await rowsOf(4), await rowsOf(5)]
  expect(first.length).toBeGreaterThan(1_000)
  expect(second).toEqual(first)
  expect(other).not.toEqual(first)
})
