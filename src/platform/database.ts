import { Kysely, type Transaction, sql } from 'kysely'
import pg from 'pg'
import { connectionTo, type DatabaseClientConfig } from './database-client.ts'
import { EagerPostgresDialect, PreparingClient } from './database-dialect.ts'
import { type Sessions, sessionsOf } from './database-sessions.ts'
import type { DB } from './database-types.ts'
import { type PlatformLog, silentLog } from './postgres/log.ts'

export type Database = Kysely<DB>
export type Trx = Transaction<DB>
export type Sql = Database | Trx
/**
 * For what only reads and may be read from a standby (ADR 0112): no change, no transaction. Either of the others will
 * do.
 */
export type ReadDatabase = Pick<Database, 'selectFrom' | 'executeQuery' | 'getExecutor'>

export interface DatabaseOptions {
  url: string
  max: number
  log: PlatformLog
  applicationName: string
  locks?: Locks
  /** How long a statement may take, in milliseconds. */
  statementMs?: number
  /** How much longer a response is waited for before the server counts as gone, in milliseconds. */
  answerMarginMs?: number
}

/** How a transaction waits for locked rows. */
export interface Locks {
  /** For a lock; others may wait for the rows that it has locked so far. */
  waitMs: number
  /** Until it gives up. In between it has locked nothing. */
  patienceMs: number
}

export interface OpenDatabase {
  db: Database
  /** The same connections, for what Kysely does not do: LISTEN, pg-boss. */
  pool: pg.Pool
  /** Waits for running queries. Safe to call twice. */
  close(): Promise<void>
}

const LOCKS: Locks = { waitMs: 100, patienceMs: 3_000 }
const STATEMENT_TIMEOUT_MS = 15_000
const CONNECT_TIMEOUT_MS = 5_000
const IDLE_IN_TRANSACTION_MS = 60_000
/** A server that vanished without a word is noticed fifteen seconds later, when nothing is on its way to it. */
const KEEP_ALIVE_MS = 5_000
/**
 * When something is, Linux would go on sending for a quarter of an hour: no response comes later than so long after a
 * timeout.
 */
const RESPONSE_MARGIN_MS = 5_000

const logs = new WeakMap<Database, PlatformLog>()
const dialects = new WeakMap<Database, EagerPostgresDialect>()
const pools = new WeakMap<Database, pg.Pool>()
const lockings = new WeakMap<Database, Locks>()

export function dialectOf(db: Database): EagerPostgresDialect {
  const dialect = dialects.get(db)
  if (!dialect) throw new Error('a database that openDatabase did not open')
  return dialect
}

/** Whether the database takes no writes, such as a standby. */
export async function isReadOnly(db: Database): Promise<boolean> {
  const setting = sql<{ only: string }>`SELECT current_setting('transaction_read_only') AS only`
  return (await setting.execute(db)).rows[0]?.only === 'on'
}

/**
 * Whether a pooler stands in front: it gives a connection another process id than that of the session which responds.
 */
export async function hasPooler(db: Database): Promise<boolean> {
  const pool = pools.get(db)
  if (!pool) throw new Error('a database that openDatabase did not open')
  const client = await pool.connect()
  try {
    const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')
    return rows[0]?.pid !== (client as unknown as { processID: number }).processID
  } finally {
    client.release()
  }
}

export const locksOf = (db: Database): Locks => lockings.get(db) ?? LOCKS

export const logOf = (db: Database): PlatformLog => logs.get(db) ?? silentLog

/** Opens a pool: int8 is a safe number, numeric and date as text, timestamptz as Date. Timeouts: failure mode 29. */
export function openDatabase({
  url,
  max,
  log,
  applicationName,
  locks = LOCKS,
  statementMs = STATEMENT_TIMEOUT_MS,
  answerMarginMs = RESPONSE_MARGIN_MS,
}: DatabaseOptions): OpenDatabase {
  const sessions = sessionsOf(url, () =>
    log.info({}, 'a pooler shares the sessions of the database: statements are not prepared (ADR 0018)'),
  )
  const options: pg.PoolConfig & DatabaseClientConfig & { sessions: Sessions } = {
    ...connectionTo(url),
    sessions,
    max,
    application_name: applicationName,
    types: isolateTypes(),
    lock_timeout: locks.patienceMs,
    statement_timeout: statementMs,
    query_timeout: statementMs + answerMarginMs,
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
    // Independent statements share a round trip.
    pipeline: true,
    Client: PreparingClient as unknown as typeof pg.Client,
  }
  const pool = new pg.Pool(options)
  // The pool drops a broken idle connection by itself; without a listener it would end the process.
  pool.on('error', (error) => log.warn({ reason: error.message }, 'an idle database connection broke'))
  // For a connection in use, the next statement reports the fault.
  pool.on('connect', (client) => client.on('error', () => {}))
  const dialect = new EagerPostgresDialect({ pool })
  const db = new Kysely<DB>({ dialect })
  logs.set(db, log)
  lockings.set(db, locks)
  dialects.set(db, dialect)
  pools.set(db, pool)
  let closed: Promise<void> | undefined
  return { db, pool, close: () => (closed ??= db.destroy()) }
}

const { types } = pg
const INT8 = types.builtins.INT8
const DATE = types.builtins.DATE

const parseInt8 = (text: string): number => {
  const value = Number(text)
  if (!Number.isSafeInteger(value)) throw new RangeError(`database integer beyond the safe range: ${text}`)
  return value
}

/** Parsers of one pool; the driver's global table stays untouched. */
function isolateTypes(): pg.CustomTypesConfig {
  const own = new Map<number, (text: string) => unknown>([
    [INT8, parseInt8],
    // The driver's Date would be local midnight.
    [DATE, (text) => text],
  ])
  return {
    getTypeParser: (id, format) => {
      const parser = format === 'binary' ? undefined : own.get(id as number)
      return parser ?? types.getTypeParser(id, format)
    },
  }
}
