import type { Client } from 'pg'
import { copyOut } from './copy-query.ts'
import {
  type Fingerprint,
  MIGRATION_TABLE,
  type SequencePosition,
  type TableShape,
  fingerprint,
  isEmpty,
  listSequences,
  listTables,
  selectAll,
  settleTransaction,
} from './tables.ts'

/** A dump is a header, every table with its rows as COPY writes them up to `\.`, and a trailer, which completes it. */
export const FORMAT = 1

export interface DumpHeader {
  kind: 'volant-database'
  format: typeof FORMAT
  madeAt: string
  migrations: { version: number; name: string; checksum: string }[]
}

export interface DumpTrailer {
  end: true
  sequences: SequencePosition[]
  fingerprints: Record<string, Fingerprint>
}

export type DumpPart = DumpHeader | TableShape | DumpTrailer

export const END_OF_ROWS = '\\.'

/** A dump or its target cannot be used; the message explains why to the operator. */
export class DumpError extends Error {
  override name = 'DumpError'
}

export const lineOf = (part: DumpPart): Buffer => Buffer.from(`${JSON.stringify(part)}\n`)

/** Cuts a stream of bytes into lines, without their ends; only a line feed ends a line. */
export async function* readLines(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void> {
  let rest: Buffer[] = []
  for await (const chunk of source) {
    let from = 0
    for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, from)) {
      const line = chunk.subarray(from, at)
      yield rest.length > 0 ? Buffer.concat([...rest, line]) : line
      rest = []
      from = at + 1
    }
    if (from < chunk.length) rest.push(Buffer.from(chunk.subarray(from)))
  }
  if (rest.length > 0) throw new DumpError('The dump is cut off in the middle of a line.')
}

/** Writes one snapshot of the whole database. @returns the number of rows of each table */
export async function dump(
  client: Client,
  write: (chunk: Buffer) => Promise<void>,
): Promise<Record<string, number>> {
  await client.query('begin isolation level repeatable read, read only')
  try {
    await settleTransaction(client)
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
