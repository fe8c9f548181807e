import { expect, test } from 'vitest'
import { verifyAuditLog } from '#platform/audit-log.ts'
import { checkInvariants } from '#platform/invariants.ts'
import { shopInvariants } from '#server/maintenance.ts'
import { openTestDatabase } from '../../test/support/database.ts'
import { withClient } from '../database/tool.ts'
import { fillDatabase, whyNotToFill } from './fill-database.ts'
import { fillHistory, newRows } from './history.ts'

const OPTIONS = {
  orders: 1_500,
  tickets: 7_777,
  customers: 400,
  seed: 3,
  until: new Date('2026-11-23T12:00:00Z'),
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
})

test('the same seed and end make the same rows', async () => {
  const rowsOf = async (seed: number): Promise<string[]> => {
    const [rows, made] = [newRows(), [] as string[]]
    rows.add = (...cells) => void made.push(JSON.stringify(cells))
    await fillHistory(rows, { ...SMALL, seed }, async () => {})
    return made
  }
  const [first, second, other] = [await rowsOf(4), await rowsOf(4), await rowsOf(5)]
  expect(first.length).toBeGreaterThan(1_000)
  expect(second).toEqual(first)
  expect(other).not.toEqual(first)
})
