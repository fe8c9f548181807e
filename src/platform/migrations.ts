import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { sql } from 'kysely'
import type { Client } from 'pg'
import { databaseClient } from './database-client.ts'
import type { Database } from './database.ts'
import type { PlatformLog } from './postgres/log.ts'

/** A file `db/migrations/0001-name.sql`. */
export interface MigrationFile {
  version: number
  name: string
  sql: string
  /** Of the text with LF line ends, so that it is the same on every system. */
  checksum: string
  /** Version of the oldest schema whose programs run on the schema that this file makes (ADR 0101). */
  backTo: number
}

/** The message is for the operator. */
export class MigrationError extends Error {
  override name = 'MigrationError'
}

/** The database is of a version before the first release, which no migration updates. */
export class UnreleasedDatabaseError extends MigrationError {
  constructor(made: string) {
    super(
      `This database was made by a version of Volant from before its first release (with ${made}). It cannot be ` +
        'brought up to date and was not changed. Use an empty database, or the version that made this one.',
    )
  }
}

/** The line of a migration that says which older versions of Volant go on after it. */
export const GOING_BACK = /^-- Going back: (?:(yes)|to (\d{4})|no, .+)$/m

const FILE_NAME = /^(\d{4})-([a-z0-9-]+)\.sql$/

/** Reads migrations in order; their versions must be 1, 2, 3 and so on. */
export async function readMigrations(folder: string): Promise<MigrationFile[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.sql')).toSorted()
  const files = await Promise.all(names.map((name) => readMigration(folder, name)))
  for (const [index, file] of files.entries()) {
    if (file.version === index + 1) continue
    throw new MigrationError(
      `${folder}: expected number ${String(index + 1).padStart(4, '0')} and found ${names[index]}.`,
    )
  }
  return files
}

async function readMigration(folder: string, fileName: string): Promise<MigrationFile> {
  const parts = FILE_NAME.exec(fileName)
  if (!parts?.[1] || !parts[2]) {
    throw new MigrationError(`${folder}/${fileName}: a migration is named like 0001-what-it-does.sql.`)
  }
  const sql = (await readFile(path.join(folder, fileName), 'utf8')).replaceAll('\r\n', '\n')
  const checksum = createHash('sha256').update(sql).digest('hex')
  const version = Number(parts[1])
  return { version, name: parts[2], sql, checksum, backTo: oldestSchema(version, sql) }
}

/** Without a line nothing is known, so nothing older runs; house rules demand the line. */
function oldestSchema(version: number, text: string): number {
  const [, any, to] = GOING_BACK.exec(text) ?? []
  return any ? 0 : Math.min(version, Number(to ?? version))
}

export interface MigrateOptions {
  url: string
  folder: string
  log: PlatformLog
  upTo?: number
  /** How long they wait for a lock before the log tells, each time anew. */
  tellAfterMs?: number
}

type AppliedMigration = Pick<MigrationFile, 'version' | 'name' | 'checksum' | 'backTo'>

const MIGRATION_LOCK = 720_411_920

const CONNECT_MS = 5_000
const TELL_AFTER_MS = 5_000

const CREATE_TABLE = `
  create table if not exists schema_migration (
    version integer primary key,
    name text not null,
    checksum text not null,
    applied_at timestamptz not null default now(),
    back_to integer
  );
  do $$ begin
    -- Only where it is missing: a backup under way keeps others from altering the table.
    if not exists (select from pg_attribute where attrelid = 'schema_migration'::regclass and attname = 'back_to')
    then alter table schema_migration add column back_to integer; end if;
  end $$`

/**
 * Applies new files, each in its own transaction and one run at a time. Says so when the database is of a newer version that
 * lets this one run.
 * @returns their names @throws MigrationError
 */
export async function migrate({
  url,
  folder,
  log,
  upTo = Infinity,
  tellAfterMs = TELL_AFTER_MS,
}: MigrateOptions): Promise<string[]> {
  const files = (await readMigrations(folder)).filter((file) => file.version <= upTo)
  return withConnection(url, async (client) => {
    const names: string[] = []
    for (;;) {
      const { file, newer } = await tellingOfWaits({ url, client, log, tellAfterMs }, () =>
        applyNext(client, files, folder),
      )
      if (!file) {
        tellOfNewer(newer, log)
        return names
      }
      log.info({ migration: file.name, version: file.version }, 'migration applied')
      names.push(file.name)
    }
  })
}

export interface Upgrade {
  /** Version of the database's schema; 0 when it is empty. */
  from: number
  /** Names of the files that a start of this version would apply. */
  pending: string[]
  /** Those of a newer version, which lets this one run. */
  newer: string[]
  /** Of the pending ones those after which the version that the database is of now does not run any more. */
  noWayBack: string[]
}

/** What a start of this version would do to the database. Changes nothing. @throws MigrationError */
export async function foreseeUpgrade(url: string, folder: string): Promise<Upgrade> {
  const files = await readMigrations(folder)
  return withConnection(
    url,
    async (client) => {
      const exists = await client.query<{ yes: boolean }>(
        `select to_regclass('schema_migration') is not null as yes`,
      )
      const applied = exists.rows[0]?.yes === true ? await readApplied(client) : []
      const { pending, newer } = compare(files, applied, folder)
      const from = applied.at(-1)?.version ?? 0
      const noWayBack = from === 0 ? [] : pending.filter(({ backTo }) => backTo > from)
      return {
        from,
        pending: pending.map(label),
        newer: newer.map(label),
        noWayBack: noWayBack.map(label),
      }
    },
    CONNECT_MS,
  )
}

function tellOfNewer(newer: AppliedMigration[], log: PlatformLog): void {
  if (newer.length === 0) return
  const migrations = newer.map(label)
  log.warn({ migrations }, 'the database is of a newer version of Volant, whose migrations let this one run')
}

interface Step {
  /** The one that was applied. */
  file: MigrationFile | undefined
  newer: AppliedMigration[]
}

/** A pooler may share the session, so the lock is one of the transaction, and each looks again at what is missing. */
async function applyNext(client: Client, files: MigrationFile[], folder: string): Promise<Step> {
  let file: MigrationFile | undefined
  try {
    await client.query('select pg_advisory_xact_lock($1)', [MIGRATION_LOCK])
    await client.query(CREATE_TABLE)
    const { pending, newer } = compare(files, await readApplied(client), folder)
    file = pending[0]
    if (file) await runFile(client, file)
    await client.query('commit')
    return { file, newer }
  } catch (cause) {
    await client.query('rollback').catch(() => {})
    if (!file) throw cause
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new MigrationError(`Migration ${label(file)} failed and changed nothing: ${reason}`, { cause })
  }
}

interface Waiting extends Required<Pick<MigrateOptions, 'url' | 'log' | 'tellAfterMs'>> {
  client: Client
}

const WAITED_FOR = `
  select pid, application_name as application, state,
         extract(epoch from clock_timestamp() - xact_start)::int as "transactionSeconds"
  from unnest(pg_blocking_pids($1)) as pid left join pg_stat_activity using (pid)`

/** Begins a transaction for `work`, and tells the log while it waits for a lock that others hold. */
async function tellingOfWaits<Result>(
  { url, client, log, tellAfterMs }: Waiting,
  work: () => Promise<Result>,
): Promise<Result> {
  await client.query('begin')
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
  const tell = async (): Promise<void> => {
    const found = await withConnection(url, (other) => other.query(WAITED_FOR, [rows[0]?.pid]), CONNECT_MS)
    if (found.rows.length > 0) log.warn({ holders: found.rows }, 'migrations wait for a lock of others')
  }
  const timer = setInterval(() => void tell().catch(() => {}), tellAfterMs)
  try {
    return await work()
  } finally {
    clearInterval(timer)
  }
}

/** @throws UnreleasedDatabaseError; a database that cannot be reached passes */
export async function refuseUnreleasedDatabase(url: string, folder: string): Promise<void> {
  const files = await readMigrations(folder)
  const applied = await withConnection(url, readApplied, CONNECT_MS).catch(() => [])
  requireSameBeginning(files, applied)
}

async function withConnection<Result>(
  url: string,
  work: (client: Client) => Promise<Result>,
  connectionTimeoutMillis = 0,
): Promise<Result> {
  const application_name = 'volant migrations'
  const client = databaseClient(url, { application_name, connectionTimeoutMillis })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

async function readApplied(client: Client): Promise<AppliedMigration[]> {
  // Versions before ADR 0101 made the table without the last column.
  const query = `
    select version, name, checksum, coalesce((to_jsonb(m) ->> 'back_to')::int, version) as "backTo"
    from schema_migration m order by version`
  return (await client.query<AppliedMigration>(query)).rows
}

const numbered = (version: number): string => String(version).padStart(4, '0')

const label = ({ version, name }: { version: number; name: string }) => `${numbered(version)}-${name}.sql`

/** All versions before the first release began with the same file, which another one has replaced. */
function requireSameBeginning([first]: MigrationFile[], [made]: AppliedMigration[]): void {
  if (first && made && made.version === first.version && made.name !== first.name)
    throw new UnreleasedDatabaseError(label(made))
}

/** Files that are not applied yet, and migrations of a newer version that lets this one run. */
function compare(
  files: MigrationFile[],
  applied: AppliedMigration[],
  folder: string,
): { pending: MigrationFile[]; newer: AppliedMigration[] } {
  requireSameBeginning(files, applied)
  const own = files.at(-1)?.version ?? 0
  const newer = applied.filter(({ version }) => version > own)
  const refusing = newer.find(({ backTo }) => backTo > own)
  if (refusing)
    throw new MigrationError(
      `The database has migration ${label(refusing)}, which ${folder} does not: it was used by a newer version of ` +
        `Volant, and that migration lets no version run that has less than ${numbered(refusing.backTo)}. ` +
        'Start that version, or restore a backup.',
    )
  for (const done of applied) {
    const file = files.find((candidate) => candidate.version === done.version)
    if (!file) continue
    if (file.checksum !== done.checksum) {
      throw new MigrationError(
        `Migration ${label(file)} was changed after this database had applied it. ` +
          'Bring the file back as it was and put the change into a new migration.',
      )
    }
  }
  return { pending: files.filter((file) => !applied.some((done) => done.version === file.version)), newer }
}

/** Version of the newest migration; rejects for an unreachable database and for one of another program. */
export async function migrationVersion(db: Database): Promise<number> {
  const { rows } = await sql<{ version: number }>`
    select max(version)::int as version from schema_migration`.execute(db)
  return rows[0]?.version ?? 0
}

/** Fills an empty database inside the caller's transaction, for restoring a backup. */
export async function applyInTransaction(client: Client, files: MigrationFile[]): Promise<void> {
  await client.query(CREATE_TABLE)
  for (const file of files) await runFile(client, file)
}

async function runFile(client: Client, file: MigrationFile): Promise<void> {
  await client.query(file.sql)
  const insert = 'insert into schema_migration (version, name, checksum, back_to) values ($1, $2, $3, $4)'
  await client.query(insert, [file.version, file.name, file.checksum, file.backTo])
}
