import { sql } from 'kysely'
import { Client } from 'pg'
import { beforeAll, describe, expect, inject, test } from 'vitest'
import { openTestDatabase, testDatabase } from '../../test/support/database.ts'
import { anyOf } from './any-of.ts'
import { byIds } from './by-ids.ts'
import { databaseTrouble } from './database-errors.ts'
import { openDatabase } from './database.ts'
import { silentLog } from './postgres/log.ts'
import { transact } from './transaction.ts'

const base = await openTestDatabase({ empty: true })

test('values arrive as number, text, Date and calendar day', async () => {
  const { rows } = await sql`
    select 9007199254740991::int8 big, 12.50::numeric exact,
           timestamptz '2026-03-01 12:00:00+02' as moment, date '2026-03-29' as day`.execute(base.db)
  expect(rows).toEqual([
    { big: 9007199254740991, exact: '12.50', moment: new Date('2026-03-01T10:00:00Z'), day: '2026-03-29' },
  ])
})

test('a number that JavaScript cannot hold is an error, not a rounded number', async () => {
  await expect(sql`select 9007199254740993::int8 big`.execute(base.db)).rejects.toThrow(RangeError)
  expect((await sql`select 1 as one`.execute(base.db)).rows).toEqual([{ one: 1 }])
})

test('every connection has its timeouts and its name', async () => {
  const { rows } = await sql`
    select current_setting('lock_timeout') lock, current_setting('statement_timeout') statement,
           current_setting('application_name') = current_database() named`.execute(base.db)
  expect(rows).toEqual([{ lock: '3s', statement: '15s', named: true }])
})

test('the pool serves again after the server has cut all its connections', async () => {
  await sql`select 1`.execute(base.db)
  const admin = new Client({ connectionString: inject('databaseAdminUrl') })
  await admin.connect()
  const running = sql`select pg_sleep(10)`.execute(base.db).catch((error: unknown) => error)
  await expect
    .poll(async () => {
      const cut = await admin.query(
        `select count(pg_terminate_backend(pid))::int n from pg_stat_activity
         where application_name = $1 and query like '%pg_sleep%'`,
        [new URL(base.url).pathname.slice(1)],
      )
      return cut.rows[0]?.n
    })
    .toBe(1)
  expect(databaseTrouble(await running)).toBe('down')
  await admin.query('select pg_terminate_backend(pid) from pg_stat_activity where application_name = $1', [
    new URL(base.url).pathname.slice(1),
  ])
  await admin.end()
  await expect
    .poll(async () => (await sql`select 1 as one`.execute(base.db).catch(() => ({ rows: [] }))).rows)
    .toEqual([{ one: 1 }])
})

test('a connection that breaks between two statements of a transaction costs that transaction, not the process', async () => {
  const { pool } = base
  const client = await pool.connect()
  const admin = new Client({ connectionString: inject('databaseAdminUrl') })
  await admin.connect()
  const { rows } = await client.query('select pg_backend_pid() pid')
  await client.query('begin')
  // Without anybody listening this event ends the process, and the test run reports it.
  const broken = new Promise((resolve) => client.once('end', resolve))
  await admin.query('select pg_terminate_backend($1)', [rows[0].pid])
  await broken
  await expect(client.query('select 1')).rejects.toThrow('not queryable')
  client.release(true)
  await admin.end()
  expect((await sql`select 1 as one`.execute(base.db)).rows).toEqual([{ one: 1 }])
})

test('an unreachable server is reported as down', async () => {
  const url = new URL(base.url)
  url.searchParams.set('host', '/nowhere')
  const gone = openDatabase({ url: url.href, max: 1, log: silentLog, applicationName: 'gone' })
  const error = await sql`select 1`.execute(gone.db).catch((reason: unknown) => reason)
  expect(databaseTrouble(error)).toBe('down')
  await gone.close()
  await gone.close()
})

test('an ordinary mistake is no trouble of the database', async () => {
  const error = await sql`select 1 / 0`.execute(base.db).catch((reason: unknown) => reason)
  expect(databaseTrouble(error)).toBeUndefined()
  expect(databaseTrouble(undefined)).toBeUndefined()
})

describe('statements', () => {
  beforeAll(async () => {
    await sql`create table shelf (id int primary key, n int not null check (n >= 0))`.execute(base.db)
    await sql`insert into shelf values (1, 0), (2, 0)`.execute(base.db)
  })

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

  test('a query by ids is built once and asked with the ids of each call, in a transaction and outside', async () => {
    const migrated = await testDatabase()
    for (const name of ['a', 'b', 'c'])
      await migrated.db
        .insertInto('users')
        .values({ username: name, email: `${name}@x.test`, password_hash: 'none' })
        .execute()
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
    const all = (await sql<{ id: number }>`SELECT id FROM users ORDER BY id`.execute(migrated.db)).rows.map(
      ({ id }) => id,
    )
    const names = async (ids: readonly number[]) =>
      (await namesOf(migrated.db, ids)).map(({ username }) => username)
    expect(await names(all)).toEqual(['a', 'b'])
    expect(await names(all.slice(1))).toEqual(['b'])
    expect(await names([])).toEqual([])
    expect(await transact(migrated.db, (trx) => namesOf(trx, all.slice(0, 1)))).toEqual([
      { id: all[0], username: 'a' },
    ])
    expect(built).toBe(1)
    await migrated.close()
  })
})
