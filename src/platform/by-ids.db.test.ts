import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type TestDatabase, testDatabase } from '../../test/support/database.ts'
import { anyOf } from './any-of.ts'
import { byIds } from './by-ids.ts'
import { transact } from './transaction.ts'

let base: TestDatabase
beforeAll(async () => {
  base = await testDatabase()
  for (const name of ['a', 'b', 'c'])
    await sql`INSERT INTO users (username, email, password_hash) VALUES (${name}, ${`${name}@x.test`}, 'none')`.execute(
      base.db,
    )
})
afterAll(() => base.close())

test('a query by ids is built once and asked with the ids of each call, in a transaction and outside', async () => {
  let built = 0
  const namesOf = byIds((db, ids: readonly number[]) => {
    built += 1
    return db
      .selectFrom('users')
      .select(['id', 'username'])
      .where('id', '=', anyOf(ids, 'bigint'))
      .where('username', '<>', 'c')
      .where(sql<boolean>`id = ANY(${[...ids]}::bigint[])`)
      .orderBy('id')
  })
  const all = (await sql<{ id: number }>`SELECT id FROM users ORDER BY id`.execute(base.db)).rows.map(
    ({ id }) => id,
  )
  const names = async (ids: readonly number[]) =>
    (await namesOf(base.db, ids)).map(({ username }) => username)
  expect(await names(all)).toEqual(['a', 'b'])
  expect(await names(all.slice(1))).toEqual(['b'])
  expect(await names([])).toEqual([])
  expect(await transact(base.db, (trx) => namesOf(trx, all.slice(0, 1)))).toEqual([
    { id: all[0], username: 'a' },
  ])
  expect(built).toBe(1)
})
