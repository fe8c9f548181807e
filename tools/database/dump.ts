import type { Client } from 'pg'
import { copyOut } from './copy-query.ts'
import {
  type Fingerprint,
  fingerprint,
  isEmpty,
  listSequences,
  listTables,
  MIGRATION_TABLE,
  selectAll,
  settleSession,
} from './catalogue.ts'
import { type DumpHeader, DumpError, END_OF_ROWS, FORMAT, lineOf } from './dump-format.ts'

/**
 * Writes the whole database as it was at one moment, while the shop goes on. `write` may take its time.
 * Answers how many rows each table had.
 */
export async function dump(
  client: Client,
  write: (chunk: Buffer) => Promise<void>,
): Promise<Record<string, number>> {
  await settleSession(client)
  await client.query('begin isolation level repeatable read, read only')
  try {
    if (await isEmpty(client)) throw new DumpError('This database is empty: no shop has ever used it.')
    const { rows: migrations } = await client.query<DumpHeader['migrations'][number]>(
      `select version, name, checksum from ${MIGRATION_TABLE} order by version`,
    )
    await write(
      lineOf({ kind: 'volant-database', format: FORMAT, madeAt: new Date().toISOString(), migrations }),
    )
    const fingerprints: Record<string, Fingerprint> = {}
    for (const shape of await listTables(client)) {
      await write(lineOf(shape))
      await copyOut(client, `copy (${selectAll(shape)}) to stdout`, write)
      await write(Buffer.from(`${END_OF_ROWS}\n`))
      fingerprints[shape.table] = await fingerprint(client, shape)
    }
    // Counters know no transactions; read last, they are never behind the rows.
    await write(lineOf({ end: true, sequences: await listSequences(client), fingerprints }))
    return Object.fromEntries(Object.entries(fingerprints).map(([table, { rows }]) => [table, rows]))
  } finally {
    await client.query('rollback').catch(() => {})
  }
}
