import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { sql } from 'kysely'
import { Client } from 'pg'
import type { Database } from './database.ts'
import type { PlatformLog } from './postgres/log.ts'

/** A file `db/migrations/0001-name.sql`. */
export interface MigrationFile {
  version: number
  name: string
  sql: string
  /** Of the text with LF line ends, so that it is the same on every system. */
  checksum: string
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
  return { version: Number(parts[1]), name: parts[2], sql, checksum }
}

export interface MigrateOptions {
  url: string
  folder: string
  log: PlatformLog
  upTo?: number
}

type AppliedMigration = Pick<MigrationFile, 'version' | 'name' | 'checksum'>

const MIGRATION_LOCK = 720_411_920

const CONNECT_MS = 5_000

const CREATE_TABLE = `
  create table if not exists schema_migration (
    version integer primary key,
    name text not null,
    checksum text not null,
    applied_at timestamptz not null default now()
  )`

/** Applies new files under one lock, each in its own transaction. @returns their names @throws MigrationError */
export async function migrate({ url, folder, log, upTo = Infinity }: MigrateOptions): Promise<string[]> {
  const files = (await readMigrations(folder)).filter((file) => file.version <= upTo)
  return withConnection(url, async (client) => {
    // Held by the session, since it spans several transactions.
    await client.query('select pg_advisory_lock($1)', [MIGRATION_LOCK])
    await client.query(CREATE_TABLE)
    const pending = pendingFiles(files, await readApplied(client), folder)
    for (const file of pending) {
      await apply(client, file)
      log.info({ migration: file.name, version: file.version }, 'migration applied')
    }
    return pending.map((file) => file.name)
  })
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
  const client = new Client({ connectionString: url, application_name, connectionTimeoutMillis })
  // A failing query reports the fault itself.
  client.on('error', () => {})
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

async function readApplied(client: Client): Promise<AppliedMigration[]> {
  const query = 'select version, name, checksum from schema_migration order by version'
  return (await client.query<AppliedMigration>(query)).rows
}

const label = ({ version, name }: { version: number; name: string }) =>
  `${String(version).padStart(4, '0')}-${name}.sql`

/** All versions before the first release began with the same file, which another one has replaced. */
function requireSameBeginning([first]: MigrationFile[], [made]: AppliedMigration[]): void {
  if (first && made && made.version === first.version && made.name !== first.name)
    throw new UnreleasedDatabaseError(label(made))
}

function pendingFiles(files: MigrationFile[], applied: AppliedMigration[], folder: string): MigrationFile[] {
  requireSameBeginning(files, applied)
  for (const done of applied) {
    const file = files.find((candidate) => candidate.version === done.version)
    if (!file) {
      throw new MigrationError(
        `The database has migration ${label(done)}, which ${folder} does not: ` +
          'it was used by a newer version of Volant. Start that version, or restore a backup.',
      )
    }
    if (file.checksum !== done.checksum) {
      throw new MigrationError(
        `Migration ${label(file)} was changed after this database had applied it. ` +
          'Bring the file back as it was and put the change into a new migration.',
      )
    }
  }
  return files.filter((file) => !applied.some((done) => done.version === file.version))
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
  const insert = 'insert into schema_migration (version, name, checksum) values ($1, $2, $3)'
  await client.query(insert, [file.version, file.name, file.checksum])
}

async function apply(client: Client, file: MigrationFile): Promise<void> {
  try {
    await client.query('begin')
    await runFile(client, file)
    await client.query('commit')
  } catch (cause) {
    await client.query('rollback').catch(() => {})
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new MigrationError(`Migration ${label(file)} failed and changed nothing: ${reason}`, { cause })
  }
}
