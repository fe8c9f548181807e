import { readFile } from 'node:fs/promises'
import { CompiledQuery, sql } from 'kysely'
import type { Database, Sql, Trx } from './database.ts'
import { transact } from './transaction.ts'

/** A statement that returns the rows that break the invariant. */
export interface Invariant {
  name: string
  title: string
  sql: string
  /** Finds at most `most` further rows, where SQL alone cannot. */
  also?: (trx: Trx, most: number) => Promise<Record<string, unknown>[]>
}

export interface Breach {
  name: string
  title: string
  /** At most a thousand. */
  rows: Record<string, unknown>[]
  more: boolean
}

export interface LedgerCapture {
  capture_id: string
  provider_order_id: string
  status: string
  cents: number
  currency: string
  refunded_cents: number
}

export interface ProviderLedger {
  /** Ids of the covered orders at the provider; null for all orders. */
  orders: readonly string[] | null
  captures: readonly LedgerCapture[]
}

const ROWS_MAX = 1_000
/** A check of a large shop takes longer than a request may. */
const LONGEST_MS = 10 * 60_000

const HEADING = /^-- (I\d+): (.+)$/m

/** Reads `db/invariants.sql`: each statement follows a line that names it. */
export async function readInvariants(file: string): Promise<Invariant[]> {
  const [, ...parts] = (await readFile(file, 'utf8')).split(/^(?=-- I\d+: )/m)
  return parts.map((part) => {
    const [, name = '', title = ''] = HEADING.exec(part) ?? []
    return { name, title, sql: part.trim().replace(/;$/, '') }
  })
}

/** Checks in one snapshot, or in the transaction's own view. Without `ledger`, I5 counts as broken. */
export const checkInvariants = (
  db: Sql,
  invariants: readonly Invariant[],
  ledger?: ProviderLedger,
): Promise<Breach[]> =>
  db.isTransaction
    ? breachesIn(db as Trx, invariants, ledger)
    : transact(db as Database, (trx) => breachesIn(trx, invariants, ledger), { isolation: 'repeatable read' })

async function breachesIn(
  trx: Trx,
  invariants: readonly Invariant[],
  ledger: ProviderLedger | undefined,
): Promise<Breach[]> {
  // Each check reads whole tables. Right after many sales the statistics know a few rows of them; nested loops, which would
  // then be chosen, take minutes where other joins take a part of a second.
  await sql`SELECT set_config('statement_timeout', ${String(LONGEST_MS)}, true),
                   set_config('enable_nestloop', 'off', true),
                   set_config('volant.provider_ledger', ${ledger ? JSON.stringify(ledger) : ''}, true)`.execute(
    trx,
  )
  const breaches: Breach[] = []
  for (const { name, title, sql: statement, also } of invariants) {
    const limited = `SELECT * FROM (${statement}\n) AS broken LIMIT ${ROWS_MAX + 1}`
    const { rows } = await trx.executeQuery<Record<string, unknown>>(CompiledQuery.raw(limited))
    if (also && rows.length <= ROWS_MAX) rows.push(...(await also(trx, ROWS_MAX + 1 - rows.length)))
    if (rows.length > 0)
      breaches.push({ name, title, rows: rows.slice(0, ROWS_MAX), more: rows.length > ROWS_MAX })
  }
  return breaches
}

const ATTEMPTS = 3

/** Reconciles the ledgers (I5). Payments go on meanwhile, so only a difference in all attempts counts. */
export async function reconcileLedgers(
  db: Database,
  invariant: Invariant,
  fetchLedger: () => Promise<ProviderLedger>,
  pause: () => Promise<unknown>,
): Promise<Breach | undefined> {
  let lasting: Breach | undefined
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    if (attempt > 1) await pause()
    const [found] = await checkInvariants(db, [invariant], await fetchLedger())
    if (!found) return undefined
    const before = new Set(lasting?.rows.map(keyOf))
    const rows = lasting && !lasting.more ? found.rows.filter((row) => before.has(keyOf(row))) : found.rows
    if (rows.length === 0) return undefined
    lasting = { ...found, rows }
  }
  return lasting
}

const keyOf = (row: Record<string, unknown>): string => JSON.stringify(row)

/** What a run stores of a breach. */
export interface StoredBreach {
  name: string
  rows: number
  /** Whether there are more than were counted. */
  more: boolean
  /** The ids in the first rows: "order_id …, offer_id 7". */
  first: string[]
}

const FIRST_ROWS = 5
const NAMES_A_ROW = /(?:^|_)(?:id|ids|slug|number)$/

export const storedBreach = ({ name, rows, more }: Breach): StoredBreach => ({
  name,
  rows: rows.length,
  more,
  first: rows.slice(0, FIRST_ROWS).map((row) =>
    Object.entries(row)
      .filter(([column, value]) => NAMES_A_ROW.test(column) && value !== null)
      .map(([column, value]) => `${column} ${String(value)}`)
      .join(', '),
  ),
})

interface Run {
  tookMs: number
  breaches: readonly Breach[]
  unknown: readonly string[]
}

const RUN_LOCK = 720_411_921

export const invariantRuns = (db: Database) => ({
  /** Runs `run` unless another process does, or the last run is recent. @returns whether it ran */
  alone: (minutes: number, run: () => Promise<void>): Promise<boolean> =>
    // Its lock belongs to a transaction, since a pooler may share the session. One that reads nothing more holds nothing back.
    db.transaction().execute(async (trx) => {
      await sql`SELECT set_config('idle_in_transaction_session_timeout', '0', true)`.execute(trx)
      const lock = sql<{ mine: boolean }>`SELECT pg_try_advisory_xact_lock(${RUN_LOCK}) AS mine`
      if (!(await lock.execute(trx)).rows[0]?.mine) return false
      const recent = sql`
        SELECT 1 FROM invariant_checks
        WHERE checked_at > clock_timestamp() - make_interval(mins => ${minutes}) LIMIT 1`
      if ((await recent.execute(trx)).rows.length > 0) return false
      await run()
      return true
    }),

  /** Names that could not be checked in any of the last runs. */
  async unknownInAll(runs: number): Promise<string[]> {
    const { rows } = await sql<{ name: string }>`
      SELECT name FROM (
        SELECT unnest(unknown) AS name FROM (
          SELECT unknown FROM invariant_checks ORDER BY checked_at DESC LIMIT ${runs}
        ) AS last
      ) AS names
      GROUP BY name HAVING count(*) = ${runs} ORDER BY name`.execute(db)
    return rows.map(({ name }) => name)
  },

  async areLate(hours: number): Promise<boolean> {
    const { rows } = await sql`
      SELECT 1 FROM invariant_checks
      WHERE checked_at > clock_timestamp() - make_interval(hours => ${hours}) LIMIT 1`.execute(db)
    return rows.length === 0
  },

  async deleteOld(days: number): Promise<number> {
    const { numAffectedRows } = await sql`
      DELETE FROM invariant_checks WHERE checked_at < now() - make_interval(days => ${days})`.execute(db)
    return Number(numAffectedRows)
  },

  note: ({ tookMs, breaches, unknown }: Run) =>
    db
      .insertInto('invariant_checks')
      .values({
        took_ms: tookMs,
        broken: breaches.map(({ name }) => name),
        unknown: [...unknown],
        breaches: JSON.stringify(breaches.map(storedBreach)),
      })
      .execute(),
})
