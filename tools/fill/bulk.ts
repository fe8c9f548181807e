import { type Client, escapeIdentifier } from 'pg'
import { copyIn } from '../database/copy-query.ts'

/** What a column of a row may be given as. A Buffer is `bytea`, an object JSON. */
export type Cell = string | number | boolean | null | Date | Buffer | readonly string[] | object

const CHUNK_ROWS = 2_000

function textOf(cell: Cell): string {
  if (cell === null) return String.raw`\N`
  if (typeof cell === 'number' || typeof cell === 'boolean') return String(cell)
  if (cell instanceof Date) return cell.toISOString()
  if (Buffer.isBuffer(cell)) return String.raw`\\x${cell.toString('hex')}`
  if (Array.isArray(cell)) return escaped(`{${cell.map((one) => JSON.stringify(one)).join(',')}}`)
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

/** Rows of several tables on their way into the database by COPY, which is many times faster than INSERT. */
export class BulkRows<Table extends string> {
  readonly #columns: Record<Table, readonly string[]>
  readonly #lines = new Map<Table, string[]>()
  /** Rows that were stored, by table. */
  readonly counts: Partial<Record<Table, number>> = {}

  constructor(columns: Record<Table, readonly string[]>) {
    this.#columns = columns
  }

  add(table: Table, ...cells: readonly Cell[]): void {
    const lines = this.#lines.get(table) ?? []
    this.#lines.set(table, lines)
    lines.push(cells.map(textOf).join('\t'))
  }

  /** Stores what was added since the last call. */
  async store(client: Client): Promise<void> {
    for (const [table, lines] of this.#lines) {
      const columns = this.#columns[table].map((column) => escapeIdentifier(column)).join(', ')
      await copyIn(client, `copy public.${escapeIdentifier(table)} (${columns}) from stdin`, chunks(lines))
      this.counts[table] = (this.counts[table] ?? 0) + lines.length
    }
    this.#lines.clear()
  }
}

async function* chunks(lines: readonly string[]): AsyncGenerator<Buffer> {
  for (let from = 0; from < lines.length; from += CHUNK_ROWS)
    yield Buffer.from(`${lines.slice(from, from + CHUNK_ROWS).join('\n')}\n`)
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
