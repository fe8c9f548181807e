import { randomBytes } from 'node:crypto'
import { Client } from 'pg'
import { afterAll, inject } from 'vitest'
import { type Locks, openDatabase } from '#platform/database.ts'
import { type PlatformLog, silentLog } from '#platform/postgres/log.ts'
import type { Pooler } from '../../tools/testbed/pgbouncer.ts'
import { onDatabase } from './database-url.ts'

export type TestDatabase = ReturnType<typeof openDatabase> & { url: string; close: () => Promise<void> }

export interface TestDatabaseOptions {
  /** Connections of the pool; 10 when left out. */
  max?: number
  log?: PlatformLog
  /** True for a database without any table. */
  empty?: boolean
  /** A database to copy, to which nobody is connected. */
  from?: Pick<TestDatabase, 'url'>
  /** Options of CREATE DATABASE for another locale than the shop's; the database is empty. */
  locale?: string
  /** True for the shop's own way of waiting for locks, which an empty database always has. */
  hasShopsLockTimeout?: boolean
  locks?: Locks
  /** A pooler, through which the shop reaches it. */
  pooler?: Pick<Pooler, 'urlOf'>
}

/** Of the others: on a slow machine a test may hold requests behind its gate for longer than three seconds. */
const LOCKS = { waitMs: 14_000, patienceMs: 14_000 }
const CONNECT_TIMEOUT_MS = 60_000

const asAdmin = async (statement: string): Promise<void> => {
  const client = new Client({ connectionString: inject('databaseAdminUrl') })
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}

/** A database for the tests of one file, dropped after the last of them. */
export async function openTestDatabase(options: TestDatabaseOptions = {}): Promise<TestDatabase> {
  const database = await testDatabase(options)
  afterAll(() => database.close())
  return database
}

/** Every row of the shop's tables, but of those named. */
export async function everyRow(
  { pool }: Pick<TestDatabase, 'pool'>,
  except: readonly string[],
): Promise<Record<string, unknown[]>> {
  const { rows: tables } = await pool.query<{ name: string }>(
    `SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' AND tablename <> ALL ($1)`,
    [except],
  )
  const stored: Record<string, unknown[]> = {}
  for (const { name } of tables) {
    const { rows } = await pool.query(`SELECT to_jsonb(t) AS row FROM "${name}" t ORDER BY to_jsonb(t)::text`)
    stored[name] = rows
  }
  return stored
}

/** A database of the caller's own, cloned from the migrated template; the caller closes it. */
export async function testDatabase(options: TestDatabaseOptions = {}): Promise<TestDatabase> {
  const name = `test_${randomBytes(8).toString('hex')}`
  const kind = options.locale ? 'template0' : options.empty ? 'template1' : inject('databaseTemplate')
  const template = options.from ? new URL(options.from.url).pathname.slice(1) : kind
  await asAdmin(`create database ${name} template ${template} owner volant ${options.locale ?? ''}`)
  const url = onDatabase(inject('databaseAdminUrl'), name)
  const opened = openDatabase({
    url: options.pooler?.urlOf(url) ?? url,
    max: options.max ?? 10,
    log: options.log ?? silentLog,
    applicationName: name,
    ...(!options.empty && !options.hasShopsLockTimeout && { locks: options.locks ?? LOCKS }),
  })
  opened.pool.options.connectionTimeoutMillis = CONNECT_TIMEOUT_MS
  const drop = async () => {
    await opened.close()
    await asAdmin(`drop database if exists ${name} with (force)`)
  }
  let closed: Promise<void> | undefined
  return { ...opened, url, close: () => (closed ??= drop()) }
}
