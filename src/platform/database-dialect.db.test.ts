import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { testDatabase, type TestDatabase } from '../../test/support/database.ts'
import { transact } from './transaction.ts'

let base: TestDatabase
beforeAll(async () => {
  base = await testDatabase({ empty: true })
  await sql`create table shelf (id int primary key, n int not null check (n >= 0))`.execute(base.db)
  await sql`insert into shelf values (1, 0), (2, 0)`.execute(base.db)
})
afterAll(() => base.close())

const book = (id: number) => sql<{ id: number }>`select * from shelf where id = ${id}`
const prepared = async (like: string): Promise<number> =>
  (
    await sql<{
      n: number
    }>`select count(*)::int n from pg_prepared_statements where statement like ${like}`.execute(base.db)
  ).rows[0]?.n ?? 0

test('a statement that comes again is planned once, one that comes once is not kept', async () => {
  for (let turn = 0; turn < 5; turn++) await book(1).execute(base.db)
  await sql`select id as only_once from shelf where id = ${1}`.execute(base.db)
  // The pool hands the connection that was used last to the next query.
  expect(await prepared('select * from shelf%')).toBe(1)
  expect(await prepared('select id as only_once%')).toBe(0)
})

test('a statement outlives a change of its table, alone and in a transaction', async () => {
  for (let turn = 0; turn < 5; turn++) await book(1).execute(base.db)
  await sql`alter table shelf add column color text not null default 'red'`.execute(base.db)
  expect((await book(1).execute(base.db)).rows).toEqual([{ id: 1, n: 0, color: 'red' }])
  for (let turn = 0; turn < 5; turn++) await book(1).execute(base.db)
  await sql`alter table shelf add column height int not null default 3`.execute(base.db)
  let runs = 0
  const found = await transact(base.db, async (trx) => {
    runs += 1
    return (await book(1).execute(trx)).rows
  })
  expect(found).toEqual([{ id: 1, n: 0, color: 'red', height: 3 }])
  expect(runs).toBe(2)
})

test('a transaction that fails in its first statement leaves nothing, and its connection serves on', async () => {
  const failing = transact(base.db, async (trx) => {
    await sql`update shelf set n = n - ${1} where id = ${1}`.execute(trx)
    await sql`update shelf set n = n + ${1} where id = ${2}`.execute(trx)
  })
  await expect(failing).rejects.toThrow(/shelf_n_check/)
  expect((await sql`select sum(n)::int as sum from shelf`.execute(base.db)).rows).toEqual([{ sum: 0 }])
})

test('statements of one transaction that are sent together run in their order, all or nothing', async () => {
  const set = (n: number, id: number) => sql`update shelf set n = ${n} where id = ${id}`
  await transact(base.db, async (trx) => {
    await Promise.all([set(1, 1).execute(trx), set(2, 1).execute(trx), set(3, 2).execute(trx)])
  })
  expect((await sql`select n from shelf order by id`.execute(base.db)).rows).toEqual([{ n: 2 }, { n: 3 }])
  const failing = transact(base.db, async (trx) => {
    await Promise.all([set(9, 1).execute(trx), set(-1, 1).execute(trx), set(9, 2).execute(trx)])
  })
  await expect(failing).rejects.toThrow(/shelf_n_check/)
  expect((await sql`select n from shelf order by id`.execute(base.db)).rows).toEqual([{ n: 2 }, { n: 3 }])
})
