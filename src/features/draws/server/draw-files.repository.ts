import { sql } from 'kysely'
import type { Sql, Trx } from '#platform/database.ts'
import { KINDS, type Kind, type VoidReason } from '../protocol/formats.ts'
import type { ListRow } from '../protocol/lists.ts'

export interface StoredFile {
  name: string
  sha256: Buffer
  bytes: number
  made_at: Date
}

export interface ListFigures {
  leaf_index: number
  log_root: Uint8Array
  list_root: Uint8Array | null
  paid: number
  postal: number
  demo: number
  valid: number
}

export type ListName = 'provisional.txt' | 'list.txt'

export const drawFilesRepository = (db: Sql) => ({
  /** The files of a draw by their names. */
  all: (offerId: number): Promise<StoredFile[]> =>
    db
      .selectFrom('draw_files')
      .select(['name', 'sha256', 'bytes', 'made_at'])
      .where('offer_id', '=', offerId)
      .orderBy('name')
      .execute(),

  file: (offerId: number, name: string): Promise<StoredFile | undefined> =>
    db
      .selectFrom('draw_files')
      .select(['name', 'sha256', 'bytes', 'made_at'])
      .where('offer_id', '=', offerId)
      .where('name', '=', name)
      .executeTakeFirst(),

  async part(offerId: number, name: string, part: number): Promise<Buffer | undefined> {
    const row = await db
      .selectFrom('draw_file_parts')
      .select('content')
      .where('offer_id', '=', offerId)
      .where('name', '=', name)
      .where('part', '=', part)
      .executeTakeFirst()
    return row?.content
  },

  list: (offerId: number, name: ListName) =>
    db
      .selectFrom('draw_lists')
      .selectAll()
      .where('offer_id', '=', offerId)
      .where('name', '=', name)
      .executeTakeFirst(),

  /** How many logged entries there are of each kind, and how many of them are valid by the log. */
  async counts(offerId: number): Promise<Record<Kind | 'valid', number>> {
    const { rows } = await sql<{ source: Kind; entries: number; valid: number }>`
      SELECT t.source, count(*)::int AS entries, count(*) FILTER (WHERE v.leaf_index IS NULL)::int AS valid
      FROM draw_entries e
      JOIN tickets t ON t.offer_id = e.offer_id AND t.number = e.number
      LEFT JOIN draw_voids v ON v.offer_id = e.offer_id AND v.number = e.number
      WHERE e.offer_id = ${offerId} GROUP BY t.source`.execute(db)
    const of = (kind: Kind): number => rows.find(({ source }) => source === kind)?.entries ?? 0
    const [paid, postal, demo] = KINDS.map(of) as [number, number, number]
    return { paid, postal, demo, valid: rows.reduce((sum, { valid }) => sum + valid, 0) }
  },

  /** Rows of the list that follows from the log, by number, behind `after`. */
  async rows(offerId: number, after: number, most: number): Promise<ListRow[]> {
    const { rows } = await sql<{ number: number; leaf: string; reason: VoidReason | null }>`
      SELECT e.number, l.leaf, v.reason
      FROM (
        SELECT offer_id, number, leaf_index FROM draw_entries
        WHERE offer_id = ${offerId} AND number > ${after} ORDER BY number LIMIT ${most}
      ) AS e
      JOIN draw_leaves l ON l.log_id = e.offer_id AND l.index = e.leaf_index
      LEFT JOIN draw_voids v ON v.offer_id = e.offer_id AND v.number = e.number AND v.leaf_index IS NOT NULL
      ORDER BY e.number`.execute(db)
    return rows.map(({ number, leaf, reason }) => {
      const [, , , kind, commitment] = leaf.split('\t')
      return { number, kind: kind as Kind, commitment: commitment ?? '', voided: reason }
    })
  },
})

export const drawFilesWrites = (trx: Trx) => ({
  insertFile: (offerId: number, file: { name: string; sha256: Uint8Array; bytes: number }) =>
    trx
      .insertInto('draw_files')
      .values({ offer_id: offerId, ...file, sha256: Buffer.from(file.sha256) })
      .execute(),

  insertPart: (offerId: number, name: string, part: number, content: Uint8Array) =>
    trx
      .insertInto('draw_file_parts')
      .values({ offer_id: offerId, name, part, content: Buffer.from(content) })
      .execute(),

  insertList: (offerId: number, name: ListName, figures: ListFigures) =>
    trx
      .insertInto('draw_lists')
      .values({
        offer_id: offerId,
        name,
        ...figures,
        log_root: Buffer.from(figures.log_root),
        list_root: figures.list_root && Buffer.from(figures.list_root),
      })
      .execute(),
})
