import { sql } from 'kysely'
import type { ReadDatabase, Trx } from '#platform/database.ts'
import { KINDS, type Kind, type VoidReason } from '#draw-protocol/formats.ts'
import type { ListRow } from '#draw-protocol/lists.ts'
import { TILE_WIDTH, type Tile } from '#draw-protocol/tiles.ts'

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

/** Which rows of the sealed list a tree has. */
export type RowsOfTree = 'all' | 'valid'

/** The tile of such a tree with the row of number `e.number`, and the index of that row. */
const tileOf = (rows: RowsOfTree) => sql`LATERAL (
  SELECT index, first_number FROM draw_list_tiles
  WHERE offer_id = e.offer_id AND of_valid = ${rows === 'valid'} AND level = 0 AND first_number <= e.number
  ORDER BY first_number DESC LIMIT 1
)`

/** Of an entry `e` in the sealed list `s`: its void `v`, if it was before the seal. */
const VOID_BEFORE_SEAL = sql`LEFT JOIN draw_voids v
  ON v.offer_id = e.offer_id AND v.number = e.number AND v.leaf_index < s.leaf_index`

export const drawFilesRepository = (db: ReadDatabase) => ({
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
    const { rows } = await sql<LoggedRow>`
      SELECT e.number, l.leaf, v.reason
      FROM (
        SELECT offer_id, number, leaf_index FROM draw_entries
        WHERE offer_id = ${offerId} AND number > ${after} ORDER BY number LIMIT ${most}
      ) AS e
      JOIN draw_leaves l ON l.log_id = e.offer_id AND l.index = e.leaf_index
      LEFT JOIN draw_voids v ON v.offer_id = e.offer_id AND v.number = e.number AND v.leaf_index IS NOT NULL
      ORDER BY e.number`.execute(db)
    return rows.map(toListRow)
  },

  /**
   * The row of a number in the sealed list, where it stands among those of a tree, and how many these are; undefined when it
   * is none of them, or the list was sealed before there was such a tree.
   */
  async sealedRow(
    offerId: number,
    number: number,
    rows: RowsOfTree,
  ): Promise<{ row: ListRow; index: number; size: number } | undefined> {
    const isOfTree = (void_: string) => (rows === 'valid' ? sql`${sql.ref(void_)} IS NULL` : sql`true`)
    const { rows: found } = await sql<LoggedRow & { index: number; size: number }>`
      SELECT e.number, l.leaf, v.reason,
             ${rows === 'valid' ? sql`s.valid` : sql`s.paid + s.postal + s.demo`} AS size,
             t.index * ${TILE_WIDTH}::int + (
               SELECT count(*)::int FROM draw_entries b
               LEFT JOIN draw_voids w ON w.offer_id = b.offer_id AND w.number = b.number AND w.leaf_index < s.leaf_index
               WHERE b.offer_id = e.offer_id AND b.number >= t.first_number AND b.number < e.number AND ${isOfTree('w.number')}
             ) AS index
      FROM draw_lists s
      JOIN draw_entries e ON e.offer_id = s.offer_id AND e.number = ${number}
      JOIN draw_leaves l ON l.log_id = e.offer_id AND l.index = e.leaf_index
      ${VOID_BEFORE_SEAL}
      CROSS JOIN ${tileOf(rows)} AS t
      WHERE s.offer_id = ${offerId} AND s.name = 'list.txt' AND ${isOfTree('v.number')}`.execute(db)
    const [one] = found
    return one && { row: toListRow(one), index: one.index, size: one.size }
  },

  /** The valid row of the sealed list at an index, counted among the valid ones. */
  async validRowAt(offerId: number, index: number): Promise<ListRow | undefined> {
    const { rows } = await sql<LoggedRow>`
      SELECT e.number, l.leaf, v.reason
      FROM draw_lists s
      JOIN draw_list_tiles t ON t.offer_id = s.offer_id AND t.of_valid AND t.level = 0
        AND t.index = ${Math.floor(index / TILE_WIDTH)}
      JOIN draw_entries e ON e.offer_id = s.offer_id AND e.number >= t.first_number
      JOIN draw_leaves l ON l.log_id = e.offer_id AND l.index = e.leaf_index
      ${VOID_BEFORE_SEAL}
      WHERE s.offer_id = ${offerId} AND s.name = 'list.txt' AND v.number IS NULL
      ORDER BY e.number OFFSET ${index % TILE_WIDTH} LIMIT 1`.execute(db)
    return rows[0] && toListRow(rows[0])
  },

  /** The hashes of a tile of the sealed list. */
  async listTile(
    offerId: number,
    rows: RowsOfTree,
    level: number,
    index: number,
  ): Promise<Buffer | undefined> {
    const row = await db
      .selectFrom('draw_list_tiles')
      .select('hashes')
      .where('offer_id', '=', offerId)
      .where('of_valid', '=', rows === 'valid')
      .where('level', '=', level)
      .where('index', '=', index)
      .executeTakeFirst()
    return row?.hashes
  },
})

interface LoggedRow {
  number: number
  leaf: string
  reason: VoidReason | null
}

function toListRow({ number, leaf, reason }: LoggedRow): ListRow {
  const [, , , kind, commitment] = leaf.split('\t')
  return { number, kind: kind as Kind, commitment: commitment ?? '', voided: reason }
}

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

  /** @param firstNumbers of the tiles of the lowest level, by their index */
  insertListTiles: (
    offerId: number,
    rows: RowsOfTree,
    tiles: readonly Tile[],
    firstNumbers: ReadonlyMap<number, number>,
  ) =>
    sql`
      INSERT INTO draw_list_tiles (offer_id, of_valid, level, index, hashes, first_number)
      SELECT ${offerId}, ${rows === 'valid'}, * FROM unnest(
        ${tiles.map(({ level }) => level)}::smallint[], ${tiles.map(({ index }) => index)}::int[],
        ${tiles.map(({ hashes }) => Buffer.from(hashes))}::bytea[],
        ${tiles.map(({ level, index }) => (level === 0 ? (firstNumbers.get(index) ?? null) : null))}::int[]
      )`.execute(trx),
})
