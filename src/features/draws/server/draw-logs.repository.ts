import { sql } from 'kysely'
import type { Sql, Trx } from '#platform/database.ts'
import { TILE_WIDTH, type Tile } from '#draw-protocol/tiles.ts'
import type { LocalizedText } from '#shared/localized-text.ts'

/** Of the log with the leaves of all contests. */
export const REGISTER = 0

/** A log whose row this transaction has locked. */
export interface LockedLog {
  id: number
  origin: string
  key: string
  size: number
  entries: number
}

/** What a leaf is: the part of its tag between the hyphens. */
export const TYPE = sql`split_part(leaf, '-', 2)`
/** The condition of the index `draw_leaves_of_steps`. */
export const IS_STEP = sql`split_part(leaf, '-', 2) NOT IN ('entry', 'void')`

/** The signed note of the checkpoint `c`, with the lines of witnesses. */
export const witnessedNote = sql<string>`c.note || coalesce((
  SELECT string_agg(w.line || E'\n', '' ORDER BY w.key_id) FROM witness_cosignatures w WHERE w.checkpoint_id = c.id
), '')`

export interface StoredCheckpoint {
  id: number
  size: number
  root: Buffer
  at: Date
  note: string
}

export const drawLogsRepository = (db: Sql) => ({
  log: (id: number): Promise<LockedLog | undefined> =>
    db.selectFrom('draw_logs').selectAll().where('id', '=', id).executeTakeFirst(),

  /** What still gets checkpoints: the register first, then the logs of contests that are not over. */
  open: async (): Promise<Pick<LockedLog, 'origin' | 'key'>[]> =>
    (
      await sql<Pick<LockedLog, 'origin' | 'key'>>`
        SELECT l.origin, l.key FROM draw_logs l LEFT JOIN offers o ON o.id = l.id
        WHERE l.id = ${REGISTER} OR o.state NOT IN ('awarded', 'cancelled') ORDER BY l.id`.execute(db)
    ).rows,

  /** The texts of leaves from `first` on, in order. */
  async leaves(logId: number, first: number, most: number): Promise<string[]> {
    const rows = await db
      .selectFrom('draw_leaves')
      .select('leaf')
      .where('log_id', '=', logId)
      .where('index', '>=', first)
      .where('index', '<', first + most)
      .orderBy('index')
      .execute()
    return rows.map(({ leaf }) => leaf)
  },

  /** The leaf of that type, the first one if there are several; `undefined` without one. Not for entries and voids. */
  async step(logId: number, type: string): Promise<number | undefined> {
    const { rows } = await sql<{ index: number }>`
      SELECT index FROM draw_leaves
      WHERE log_id = ${logId} AND ${IS_STEP} AND ${TYPE} = ${type} ORDER BY index LIMIT 1`.execute(db)
    return rows[0]?.index
  },

  /** The hashes of a full tile. */
  async fullTile(logId: number, level: number, index: number): Promise<Buffer | undefined> {
    const row = await db
      .selectFrom('draw_tiles')
      .select('hashes')
      .where('log_id', '=', logId)
      .where('level', '=', level)
      .where('index', '=', index)
      .executeTakeFirst()
    return row?.hashes
  },

  /** The roots of the full tiles below a tile, in order. */
  async rootsBelow(logId: number, level: number, index: number): Promise<Buffer[]> {
    const rows = await db
      .selectFrom('draw_tiles')
      .select('root')
      .where('log_id', '=', logId)
      .where('level', '=', level - 1)
      .where('index', '>=', index * TILE_WIDTH)
      .where('index', '<', (index + 1) * TILE_WIDTH)
      .orderBy('index')
      .execute()
    return rows.map(({ root }) => root)
  },

  /** @returns it, as signed, and with the lines of witnesses */
  lastCheckpoint: (logId: number): Promise<(StoredCheckpoint & { witnessed: string }) | undefined> =>
    db
      .selectFrom('draw_checkpoints as c')
      .select(['id', 'size', 'root', 'at', 'note', witnessedNote.as('witnessed')])
      .where('log_id', '=', logId)
      .orderBy('id', 'desc')
      .limit(1)
      .executeTakeFirst(),

  /** The first checkpoint that contains a leaf: its time is that of the leaf (docs/draw-v1.md, section 5). */
  firstCheckpoint: (logId: number, index: number): Promise<StoredCheckpoint | undefined> =>
    db
      .selectFrom('draw_checkpoints')
      .select(['id', 'size', 'root', 'at', 'note'])
      .where('log_id', '=', logId)
      .where('size', '>', index)
      .orderBy('size')
      .orderBy('id')
      .limit(1)
      .executeTakeFirst(),

  /** The leaves that are neither an entry nor a void, in order. */
  async steps(logId: number): Promise<{ index: number; leaf: string }[]> {
    const { rows } = await sql<{ index: number; leaf: string }>`
      SELECT index, leaf FROM draw_leaves WHERE log_id = ${logId} AND ${IS_STEP} ORDER BY index`.execute(db)
    return rows
  },

  /**
   * The checkpoints of `checkpoints.txt`, the oldest first: those that contain a step or a void of a winner first, the
   * last one of each day, and the last one.
   * @param upTo id of the last one
   */
  async published(logId: number, upTo: number): Promise<string[]> {
    const { rows } = await sql<{ note: string }>`
      WITH RECURSIVE marked AS (
        SELECT index FROM draw_leaves WHERE log_id = ${logId} AND ${IS_STEP}
        UNION
        SELECT v.leaf_index FROM draw_voids v
        JOIN draw_attempts a ON a.offer_id = v.offer_id AND a.number = v.number
        WHERE v.offer_id = ${logId} AND v.leaf_index IS NOT NULL
      ), firsts AS (
        SELECT c.id FROM marked CROSS JOIN LATERAL (
          SELECT id FROM draw_checkpoints
          WHERE log_id = ${logId} AND size > marked.index AND id <= ${upTo} ORDER BY size, id LIMIT 1
        ) AS c
      ), days AS (
        SELECT id, at FROM draw_checkpoints WHERE log_id = ${logId} AND id = ${upTo}
        UNION ALL
        -- From day to day by an index: a busy contest has hundreds of thousands.
        SELECT before.id, before.at FROM days CROSS JOIN LATERAL (
          SELECT id, at FROM draw_checkpoints
          WHERE log_id = ${logId} AND at < date_trunc('day', days.at, 'UTC') ORDER BY at DESC, id DESC LIMIT 1
        ) AS before
      )
      SELECT (SELECT note FROM draw_checkpoints c WHERE c.id = kept.id) AS note FROM (
        SELECT id FROM firsts UNION SELECT id FROM days
      ) AS kept ORDER BY id`.execute(db)
    return rows.map(({ note }) => note)
  },

  /** Id of the log of a contest with published terms. */
  async bySlug(slug: string): Promise<{ id: number; titles: LocalizedText } | undefined> {
    const row = await db
      .selectFrom('draws')
      .innerJoin('offers', 'offers.id', 'draws.offer_id')
      .select(['offers.id', 'offers.titles'])
      .where('offers.slug', '=', slug)
      .executeTakeFirst()
    return row
  },

  /** Where the entry of a number stands. */
  async indexOf(logId: number, number: number): Promise<number | undefined> {
    const row = await db
      .selectFrom('draw_entries')
      .select('leaf_index')
      .where('offer_id', '=', logId)
      .where('number', '=', number)
      .executeTakeFirst()
    return row?.leaf_index
  },

  /** Where the void of a number stands; null while it is not in the log. */
  async indexOfVoid(logId: number, number: number): Promise<number | null> {
    const row = await db
      .selectFrom('draw_voids')
      .select('leaf_index')
      .where('offer_id', '=', logId)
      .where('number', '=', number)
      .executeTakeFirst()
    return row?.leaf_index ?? null
  },
})

export const drawLogsWrites = (trx: Trx) => ({
  /** Creates a log, unless it exists. */
  create: (id: number, origin: string, key: string) =>
    trx
      .insertInto('draw_logs')
      .values({ id, origin, key })
      .onConflict((conflict) => conflict.column('id').doNothing())
      .execute(),

  /** @param skipLocked `undefined` when another transaction appends at this moment */
  async lock(id: number, { skipLocked = false } = {}): Promise<LockedLog | undefined> {
    const query = trx.selectFrom('draw_logs').selectAll().where('id', '=', id).forNoKeyUpdate()
    return (skipLocked ? query.skipLocked() : query).executeTakeFirst()
  },

  /** The time for the next checkpoint of a locked log, in Unix seconds: now, and not before the last one. */
  async nextTime(id: number): Promise<number> {
    const { rows } = await sql<{ seconds: number }>`
      SELECT floor(extract(epoch FROM greatest(
        clock_timestamp(), (SELECT at FROM draw_checkpoints WHERE log_id = ${id} ORDER BY id DESC LIMIT 1)
      )))::bigint AS seconds`.execute(trx)
    return rows[0]!.seconds
  },

  insertLeaves: (id: number, first: number, leaves: readonly string[]) =>
    sql`
      INSERT INTO draw_leaves (log_id, index, leaf)
      SELECT ${id}, ${first}::int + at - 1, leaf
      FROM unnest(${[...leaves]}::text[]) WITH ORDINALITY AS u (leaf, at)`.execute(trx),

  insertTiles: (id: number, tiles: readonly (Tile & { root: Uint8Array })[]) =>
    sql`
      INSERT INTO draw_tiles (log_id, level, index, hashes, root)
      SELECT ${id}, * FROM unnest(
        ${tiles.map(({ level }) => level)}::smallint[], ${tiles.map(({ index }) => index)}::int[],
        ${tiles.map(({ hashes }) => Buffer.from(hashes))}::bytea[],
        ${tiles.map(({ root }) => Buffer.from(root))}::bytea[]
      )`.execute(trx),

  insertCheckpoint: (
    id: number,
    checkpoint: { size: number; root: Uint8Array; time: number; note: string },
  ) =>
    trx
      .insertInto('draw_checkpoints')
      .values({
        log_id: id,
        size: checkpoint.size,
        root: Buffer.from(checkpoint.root),
        at: new Date(checkpoint.time * 1000),
        note: checkpoint.note,
      })
      .execute(),

  grow: ({ id, size, entries }: Pick<LockedLog, 'id' | 'size' | 'entries'>) =>
    trx.updateTable('draw_logs').set({ size, entries }).where('id', '=', id).execute(),
})
