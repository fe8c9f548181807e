import { once } from 'node:events'
import { PassThrough } from 'node:stream'
import { Kysely, PostgresDialect } from 'kysely'
import { type Client, escapeIdentifier } from 'pg'
import { stopSelling } from '#features/offers/server/index.ts'
import type { Trx } from '#platform/database.ts'
import { applyInTransaction, readMigrations } from '#platform/migrations.ts'
import { copyIn } from './copy-query.ts'
import {
  DumpError,
  type DumpHeader,
  type DumpPart,
  type DumpTrailer,
  END_OF_ROWS,
  FORMAT,
  dump,
  readLines,
} from './dump.ts'
import {
  type TableShape,
  copyTarget,
  dropForeignKeys,
  fingerprint,
  isEmpty,
  listTables,
  otherUsers,
  restoreForeignKeys,
  setTriggers,
  settleTransaction,
} from './tables.ts'

const LINE_FEED = Buffer.from('\n')
const BATCH = 64 * 1024

export interface LoadOptions {
  migrations: string
  /** Removes what the database holds instead of refusing. */
  replace?: boolean
  /** Changes what was filled in before anybody can see it. */
  beforeCommit?: (client: Client) => Promise<void>
}

/**
 * Fills a database from a dump in one transaction, with the migrations of the dump; newer ones are for `migrate()`.
 * @returns the number of rows of each table
 */
export async function load(
  client: Client,
  source: AsyncIterable<Buffer>,
  options: LoadOptions,
): Promise<Record<string, number>> {
  const users = await otherUsers(client)
  if (users.length > 0)
    throw new DumpError(`Stop the shop first; connected to this database: ${users.join(', ')}.`)
  await client.query('begin')
  try {
    await settleTransaction(client)
    await makeRoom(client, options.replace === true)
    const counts = await fill(client, readLines(source), options.migrations)
    await askWitnessesAgain(client)
    await options.beforeCommit?.(client)
    await client.query('commit')
    await client.query('analyze')
    return counts
  } catch (error) {
    await client.query('rollback').catch(() => {})
    throw error
  }
}

/** They may have seen more of the register than this dump has: nothing is published before they are asked. */
async function askWitnessesAgain(client: Client): Promise<void> {
  const { rows } = await client.query<{ found: string | null }>(
    `select to_regclass('register_watch') as found`,
  )
  if (rows[0]?.found)
    await client.query(
      `update register_watch set asked_at = null; update register_witnesses set next_at = now()`,
    )
}

async function makeRoom(client: Client, replace: boolean): Promise<void> {
  if (replace) {
    await client.query(
      'drop schema if exists pgboss cascade; drop schema public cascade; create schema public',
    )
    return
  }
  if (await isEmpty(client)) return
  throw new DumpError(
    'The target database is not empty. Choose an empty one (for the embedded database: another DATA_DIR), ' +
      'or let db:restore delete what it holds with --replace.',
  )
}

async function fill(
  client: Client,
  lines: AsyncGenerator<Buffer>,
  folder: string,
): Promise<Record<string, number>> {
  const header = (await nextPart(lines)) as DumpHeader
  await buildShape(client, header, folder)
  const tables = await listTables(client)
  // First of all: the rows that migrations bring go, and the history of orders is not emptied otherwise.
  await setTriggers(client, tables, 'disable')
  for (const { table } of tables) await client.query(`truncate public.${escapeIdentifier(table)} cascade`)
  const keys = await dropForeignKeys(client)
  const loaded: TableShape[] = []
  for (;;) {
    const part = await nextPart(lines)
    if ('table' in part) {
      await copyIn(client, `copy ${copyTarget(part)} from stdin`, rowsOf(lines))
      loaded.push(part)
    } else if ('end' in part) {
      await restoreForeignKeys(client, keys)
      await setTriggers(client, tables, 'enable')
      return finish(client, loaded, part)
    } else throw new DumpError('The dump has two headers.')
  }
}

async function nextPart(lines: AsyncGenerator<Buffer>): Promise<DumpPart> {
  const next = await lines.next()
  if (next.done) throw new DumpError('The dump is cut off: its end is missing.')
  try {
    return JSON.parse(next.value.toString('utf8')) as DumpPart
  } catch {
    throw new DumpError('This is not a dump of Volant, or it is damaged.')
  }
}

async function* rowsOf(lines: AsyncGenerator<Buffer>): AsyncGenerator<Buffer, void> {
  let batch: Buffer[] = []
  let size = 0
  for (;;) {
    const next = await lines.next()
    if (next.done) throw new DumpError('The dump is cut off in the middle of a table.')
    const isEnd = next.value.toString('latin1') === END_OF_ROWS
    if (!isEnd) {
      batch.push(next.value, LINE_FEED)
      size += next.value.length
    }
    if (size > BATCH || (isEnd && batch.length > 0)) {
      yield Buffer.concat(batch)
      batch = []
      size = 0
    }
    if (isEnd) return
  }
}

/** Applies the migrations the dump was made with, and no others. */
async function buildShape(client: Client, header: DumpHeader, folder: string): Promise<void> {
  if (header.kind !== 'volant-database') throw new DumpError('This is not a dump of Volant.')
  if (header.format !== FORMAT)
    throw new DumpError(`The dump has format ${String(header.format)}; this version reads ${String(FORMAT)}.`)
  const files = await readMigrations(folder)
  for (const made of header.migrations) {
    const file = files.find(({ version }) => version === made.version)
    if (file?.checksum === made.checksum) continue
    throw new DumpError(
      `The dump was made with migration ${made.version} «${made.name}», which this version of Volant ` +
        `${file ? 'has in another form' : 'does not have'}. Use the version that made the dump, or a newer one.`,
    )
  }
  await applyInTransaction(
    client,
    files.filter(({ version }) => header.migrations.some((made) => made.version === version)),
  )
}

/** Sets the counters and checks every table against the dump's own account of it. */
async function finish(
  client: Client,
  loaded: TableShape[],
  trailer: DumpTrailer,
): Promise<Record<string, number>> {
  for (const { name, last } of trailer.sequences) {
    await client.query('select setval($1::regclass, $2)', [`public.${escapeIdentifier(name)}`, last])
  }
  const counts: Record<string, number> = {}
  for (const [table, expected] of Object.entries(trailer.fingerprints)) {
    const shape = loaded.find((candidate) => candidate.table === table)
    const found = shape && (await fingerprint(client, shape))
    if (found?.rows !== expected.rows || found.sum !== expected.sum) {
      throw new DumpError(
        `Table ${table} did not arrive whole: ${found?.rows ?? 'no'} of ${expected.rows} rows, or other contents.`,
      )
    }
    counts[table] = expected.rows
  }
  return counts
}

/** Copies everything from one database into another, which must be empty; both sides are compared. */
export async function move(
  source: Client,
  target: Client,
  options: LoadOptions,
): Promise<Record<string, number>> {
  const users = await otherUsers(source)
  // What the shop sells during the copy would be lost.
  if (users.length > 0)
    throw new DumpError(`Stop the shop first; connected to its database: ${users.join(', ')}.`)
  const pipe = new PassThrough({ highWaterMark: 1024 * 1024 })
  // Both ends report their faults themselves.
  pipe.on('error', () => {})
  const reading = load(target, pipe, options)
  const writing = dump(source, async (chunk) => {
    if (!pipe.write(chunk)) await Promise.race([once(pipe, 'drain'), reading])
  }).then(
    () => pipe.end(),
    (error: Error) => pipe.destroy(error),
  )
  try {
    return await reading
  } finally {
    pipe.destroy()
    await writing
  }
}

/**
 * Stops every contest that is for sale or will be, for a database that lacks its last sales and would issue their numbers
 * again. @returns the slugs of those that were for sale
 */
export async function closeContests(client: Client): Promise<string[]> {
  const { rows } = await client.query<{ generated: string }>(
    `SELECT is_generated AS generated FROM information_schema.columns
     WHERE table_schema = 'public' AND table_name = 'offers' AND column_name = 'active'`,
  )
  if (rows[0]?.generated === 'ALWAYS') return stopSelling(transactionOf(client), 'Restored from a backup.')
  // A backup from before the states of contests, which its migration makes of this.
  const closed = await client.query<{ slug: string }>(
    'UPDATE offers SET active = false WHERE active AND end_date > now() RETURNING slug',
  )
  return closed.rows.map(({ slug }) => slug).toSorted()
}

/** The client's own transaction, for functions of the shop. */
function transactionOf(client: Client): Trx {
  const connection = { query: client.query.bind(client), release: () => undefined }
  const pool = { connect: async () => connection, end: async () => undefined }
  return new Kysely<never>({ dialect: new PostgresDialect({ pool: pool as never }) }) as unknown as Trx
}
