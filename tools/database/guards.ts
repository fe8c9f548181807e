import { type Client, escapeIdentifier } from 'pg'
import type { TableShape } from './catalogue.ts'

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
