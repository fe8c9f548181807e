import { type Client, escapeIdentifier } from 'pg'

/** A table of the shop and the columns that hold data of their own. */
export interface TableShape {
  table: string
  columns: string[]
}

export interface Fingerprint {
  rows: number
  sum: string
}

export interface SequencePosition {
  name: string
  last: string
}

/** Bookkeeping of the migrations, which goes into the header of a dump instead. */
export const MIGRATION_TABLE = 'schema_migration'

const listed = (columns: string[]) => columns.map((column) => escapeIdentifier(column)).join(', ')

/** `"table" ("a", "b")`, the target of COPY. */
export const copyTarget = ({ table, columns }: TableShape): string =>
  `public.${escapeIdentifier(table)} (${listed(columns)})`

/** A query for all rows of a table; zero columns are a table of the schema that cannot be. */
export const selectAll = ({ table, columns }: TableShape): string =>
  `select ${listed(columns)} from public.${escapeIdentifier(table)}`

const SETTINGS = {
  timezone: 'UTC',
  datestyle: 'ISO',
  intervalstyle: 'iso_8601',
  bytea_output: 'hex',
  extra_float_digits: '1',
  client_encoding: 'UTF8',
  statement_timeout: '0',
  lock_timeout: '0',
  idle_in_transaction_session_timeout: '0',
}

/** Makes texts of values the same on every server in this transaction, and takes the time a big table needs. */
export async function settleTransaction(client: Client): Promise<void> {
  const settings = Object.entries(SETTINGS).map(([name, value]) => `set local ${name} = '${value}'`)
  await client.query(settings.join('; '))
}

export async function listTables(client: Client): Promise<TableShape[]> {
  const { rows } = await client.query<TableShape>(
    `select c.relname as table, array_agg(a.attname::text order by a.attnum) as columns
     from pg_class c join pg_attribute a on a.attrelid = c.oid
     where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
       and c.relpersistence = 'p' and not c.relispartition
       and a.attnum > 0 and not a.attisdropped and a.attgenerated = '' and c.relname <> $1
     group by c.relname order by c.relname`,
    [MIGRATION_TABLE],
  )
  return rows
}

export async function isEmpty(client: Client): Promise<boolean> {
  const { rows } = await client.query(
    `select from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') limit 1`,
  )
  return rows.length === 0
}

/** Programs connected to the same database, by name, besides this one. */
export async function otherUsers(client: Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `select distinct coalesce(nullif(application_name, ''), 'unnamed') as name from pg_stat_activity
     where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'
       and application_name not like 'volant tool%'`,
  )
  return rows.map(({ name }) => name)
}

export async function fingerprint(client: Client, shape: TableShape): Promise<Fingerprint> {
  const { rows } = await client.query<{ rows: string; sum: string }>(
    `select count(*) as rows, coalesce(sum(hashtextextended(x::text, 0)::numeric), 0)::text as sum
     from (${selectAll(shape)}) x`,
  )
  return { rows: Number(rows[0]?.rows), sum: rows[0]?.sum ?? '' }
}

export async function listSequences(client: Client): Promise<SequencePosition[]> {
  const { rows } = await client.query<SequencePosition>(
    `select sequencename as name, last_value::text as last from pg_sequences
     where schemaname = 'public' and last_value is not null order by sequencename`,
  )
  return rows
}

interface ForeignKey {
  table: string
  name: string
  definition: string
}

/** Takes the foreign keys off, because tables arrive in any order. */
export async function dropForeignKeys(client: Client): Promise<ForeignKey[]> {
  const { rows } = await client.query<ForeignKey>(
    `select conrelid::regclass::text as table, conname as name, pg_get_constraintdef(oid) as definition
     from pg_constraint
     where contype = 'f' and connamespace = 'public'::regnamespace and conparentid = 0`,
  )
  for (const { table, name } of rows) {
    await client.query(`alter table ${table} drop constraint ${escapeIdentifier(name)}`)
  }
  return rows
}

/** Puts the foreign keys back, which checks every row. */
export async function restoreForeignKeys(client: Client, keys: ForeignKey[]): Promise<void> {
  for (const { table, name, definition } of keys) {
    await client.query(`alter table ${table} add constraint ${escapeIdentifier(name)} ${definition}`)
  }
}

/** Triggers guard and record changes by the shop; rows of a dump have been through them before. */
export async function setTriggers(
  client: Client,
  tables: TableShape[],
  state: 'enable' | 'disable',
): Promise<void> {
  for (const { table } of tables) {
    await client.query(`alter table public.${escapeIdentifier(table)} ${state} trigger user`)
  }
}
