import { sql } from 'kysely'
import { Client } from 'pg'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { testDatabase, type TestDatabase } from '../../test/support/database.ts'
import { databaseTrouble } from './database-errors.ts'
import { openDatabase } from './database.ts'
import { silentLog } from './postgres/log.ts'

let base: TestDatabase
beforeAll(async () => void (base = await testDatabase({ empty: true })))
afterAll(() => base.close())

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
