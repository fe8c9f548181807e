import { type Client, escapeIdentifier } from 'pg'
import type { Cell, Row, Rows, Table } from '../../db/story/rows.ts'
import { copyIn } from '../database/copy-query.ts'

const CHUNK_ROWS = 2_000
/** Columns of arrays; a list in another one is JSON. */
const ARRAYS: ReadonlySet<string> = new Set(['address', 'other_than'])

function textOf(column: string, cell: Cell | undefined): string {
  if (cell === null) return String.raw`\N`
  if (cell === undefined) throw new Error(`a row lacks ${column}`)
  if (typeof cell === 'number' || typeof cell === 'boolean') return String(cell)
  if (cell instanceof Date) return cell.toISOString()
  if (Buffer.isBuffer(cell)) return String.raw`\\x${cell.toString('hex')}`
  if (Array.isArray(cell) && ARRAYS.has(column))
    return escaped(`{${cell.map((one) => JSON.stringify(one)).join(',')}}`)
  return escaped(typeof cell === 'string' ? cell : JSON.stringify(cell))
}

const ESCAPES: Record<string, string> = {
  '\\': String.raw`\\`,
  '\t': String.raw`\t`,
  '\n': String.raw`\n`,
  '\r': String.raw`\r`,
}
const escaped = (text: string): string =>
  /[\\\t\n\r]/.test(text) ? text.replaceAll(/[\\\t\n\r]/g, (one) => ESCAPES[one] ?? one) : text

/** Stores rows by COPY, which is many times faster than INSERT, and counts them. */
export async function copyRows(
  client: Client,
  rows: Rows,
  counts: Partial<Record<Table, number>>,
): Promise<void> {
  for (const [table, list] of rows.take()) {
    const columns = Object.keys(list[0] ?? {})
    const names = columns.map((column) => escapeIdentifier(column)).join(', ')
    await copyIn(
      client,
      `copy public.${escapeIdentifier(table)} (${names}) from stdin`,
      chunks(list, columns),
    )
    counts[table] = (counts[table] ?? 0) + list.length
  }
}

async function* chunks(rows: readonly Row<Table>[], columns: readonly string[]): AsyncGenerator<Buffer> {
  const lineOf = (row: Readonly<Record<string, Cell | undefined>>): string => {
    if (Object.keys(row).length !== columns.length)
      throw new Error(`a row has more than ${columns.join(', ')}`)
    return columns.map((column) => textOf(column, row[column])).join('\t')
  }
  for (let from = 0; from < rows.length; from += CHUNK_ROWS)
    yield Buffer.from(
      `${rows
        .slice(from, from + CHUNK_ROWS)
        .map(lineOf)
        .join('\n')}\n`,
    )
}

interface Index {
  table: string
  name: string
  definition: string
}

/**
 * Takes keys and indexes off all tables: built from whole tables they take a fraction of the time. Foreign keys must be
 * gone already.
 */
export async function dropIndexes(client: Client): Promise<{ keys: Index[]; indexes: Index[] }> {
  const { rows: keys } = await client.query<Index>(
    `select conrelid::regclass::text as table, conname as name, pg_get_constraintdef(oid) as definition
     from pg_constraint where contype in ('p', 'u') and connamespace = 'public'::regnamespace order by 1, 2`,
  )
  for (const { table, name } of keys)
    await client.query(`alter table ${table} drop constraint ${escapeIdentifier(name)}`)
  const { rows: indexes } = await client.query<Index>(
    `select tablename as table, indexname as name, indexdef as definition
     from pg_indexes where schemaname = 'public' order by 1, 2`,
  )
  for (const { name } of indexes) await client.query(`drop index public.${escapeIdentifier(name)}`)
  return { keys, indexes }
}

/** Puts them back, which checks every row. @param onTable called before the first of a table */
export async function restoreIndexes(
  client: Client,
  { keys, indexes }: { keys: Index[]; indexes: Index[] },
  onTable: (table: string) => void,
): Promise<void> {
  const tables = new Set([...keys, ...indexes].map(({ table }) => table))
  for (const table of tables) {
    onTable(table)
    for (const { name, definition } of keys.filter((one) => one.table === table))
      await client.query(`alter table ${table} add constraint ${escapeIdentifier(name)} ${definition}`)
    for (const { definition } of indexes.filter((one) => one.table === table)) await client.query(definition)
  }
}
