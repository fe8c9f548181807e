import { sql } from 'kysely'
import type { ReadDatabase, Sql } from '#platform/database.ts'
import { IS_STEP, REGISTER, TYPE, witnessedNote } from '../draw-logs.repository.ts'

/** Why the register does not grow: witnesses know another history, or nobody has asked them since the database started. */
export type RegisterHalt = 'contradicted' | 'unasked'

/** A witness as the job asks it. */
export interface RegisterWitness {
  id: number
  vkey: string
  size: number
  first_asked_at: Date
  signed_at: Date | null
  fault: string | null
  conflict_size: number | null
  conflict_at: Date | null
}

/** A checkpoint of the register with one cosignature. Times are Unix seconds. */
export interface CosignedCheckpoint {
  id: number
  size: number
  at: number
  vkey: string
  time: number
}

/** Restored data are older; a database that was restored another way has started since. */
const ASKED_SINCE = sql`greatest(clock_timestamp() - interval '1 hour', pg_postmaster_start_time())`

/** Times of witnesses differ by seconds: the checkpoint that is confirmed first is one of the first. */
const MOST_NEAR = 10

const secondsOf = (column: string) => sql`extract(epoch FROM ${sql.ref(column)})::float8`

/** How much of the contest's log a leaf of the register gives; null for another leaf. */
const LOG_SIZE = sql`CASE WHEN ${TYPE} = 'log' THEN split_part(leaf, E'\\t', 3)::bigint END`
const ofContest = (slug: string) => sql`log_id = ${REGISTER} AND split_part(leaf, E'\\t', 2) = ${slug}`

export const registerRepository = (db: ReadDatabase) => ({
  /** Unix seconds by the clock of the database. */
  async now(): Promise<number> {
    const { rows } = await sql<{
      now: number
    }>`SELECT extract(epoch FROM clock_timestamp())::float8 AS now`.execute(db)
    return rows[0]!.now
  },

  /** Null while it may grow. */
  async halt(): Promise<RegisterHalt | null> {
    const { rows } = await sql<{ halt: RegisterHalt | null }>`
      SELECT CASE WHEN halted_at IS NOT NULL THEN 'contradicted'
                  WHEN is_watched AND coalesce(asked_at < ${ASKED_SINCE}, true) THEN 'unasked' END AS halt
      FROM register_watch`.execute(db)
    return rows[0]!.halt
  },

  /** Ids of the logs of contests that have grown since the register named them an hour ago. */
  async toRegister(): Promise<number[]> {
    const { rows } = await sql<{ id: number }>`
      SELECT l.id FROM draw_logs l JOIN offers o ON o.id = l.id
      WHERE l.size > l.registered_size AND l.registered_at <= clock_timestamp() - interval '1 hour'
        AND o.state NOT IN ('awarded', 'cancelled')
      ORDER BY l.id`.execute(db)
    return rows.map(({ id }) => id)
  },

  /** The hash that the register names last for a program; undefined without one. */
  async verifierHash(name: string): Promise<string | undefined> {
    const { rows } = await sql<{ hash: string }>`
      SELECT split_part(leaf, E'\\t', 3) AS hash FROM draw_leaves
      WHERE ${ofContest(name)} AND ${TYPE} = 'verifier' ORDER BY index DESC LIMIT 1`.execute(db)
    return rows[0]?.hash
  },

  /** Texts of the policies of contests that are not over, the newest first. */
  async policies(): Promise<string[]> {
    const { rows } = await sql<{ text: string }>`
      SELECT convert_from(p.content, 'UTF8') AS text FROM offers o
      JOIN draw_file_parts p ON p.offer_id = o.id AND p.name = 'policy.txt' AND p.part = 0
      WHERE o.state NOT IN ('awarded', 'cancelled') ORDER BY o.id DESC`.execute(db)
    return [...new Set(rows.map(({ text }) => text))]
  },

  async witnesses(vkeys: readonly string[]): Promise<RegisterWitness[]> {
    return db
      .selectFrom('register_witnesses')
      .select(['id', 'vkey', 'size', 'first_asked_at', 'signed_at', 'fault', 'conflict_size', 'conflict_at'])
      .where('vkey', 'in', [...vkeys])
      .orderBy('id')
      .execute()
  },

  /** Which of them are to be asked about a checkpoint: it is new to them, their pause is over, or the database has started. */
  async toAsk(vkeys: readonly string[], checkpointId: number): Promise<string[]> {
    const { rows } = await sql<{ vkey: string }>`
      SELECT vkey FROM register_witnesses
      WHERE vkey = ANY(${[...vkeys]}::text[]) AND ${isDue(checkpointId)} ORDER BY id`.execute(db)
    return rows.map(({ vkey }) => vkey)
  },

  /** Cosignatures of the last minutes under checkpoints of the register. */
  async cosignedSince(minutes: number): Promise<CosignedCheckpoint[]> {
    const { rows } = await sql<CosignedCheckpoint>`
      ${COSIGNED} WHERE s.time > clock_timestamp() - make_interval(mins => ${minutes}::int) ORDER BY c.id`.execute(
      db,
    )
    return rows
  },

  /**
   * Checkpoints of the register that at least so many of the witnesses have signed: the first ones that contain each of the
   * leaves, and the last ones. There can be hundreds of thousands.
   * @param upTo id of the last one
   */
  async cosigned(
    indexes: readonly number[],
    { vkeys, least, upTo }: { vkeys: readonly string[]; least: number; upTo?: number },
  ): Promise<CosignedCheckpoint[]> {
    const isSigned = sql`log_id = ${REGISTER} AND id <= ${upTo ?? Number.MAX_SAFE_INTEGER}::bigint AND ${least} <= (
      SELECT count(*) FROM witness_cosignatures s JOIN register_witnesses w ON w.id = s.key_id
      WHERE s.checkpoint_id = k.id AND w.vkey = ANY(${[...vkeys]}::text[])
    )`
    const { rows } = await sql<CosignedCheckpoint>`
      ${COSIGNED} WHERE c.id IN (
        SELECT near.id FROM unnest(${[...indexes]}::int[]) AS u (index) CROSS JOIN LATERAL (
          SELECT id FROM draw_checkpoints k WHERE size > u.index AND ${isSigned} ORDER BY size, id LIMIT ${MOST_NEAR}
        ) AS near
        UNION (SELECT id FROM draw_checkpoints k WHERE ${isSigned} ORDER BY id DESC LIMIT ${MOST_NEAR})
      ) ORDER BY c.id`.execute(db)
    return rows
  },

  /** How many cosignatures the checkpoints of the register have. */
  async cosignatures(): Promise<number> {
    const { rows } = await sql<{
      count: number
    }>`SELECT count(*)::int AS count FROM witness_cosignatures`.execute(db)
    return rows[0]!.count
  },

  /** The first leaf of the register that gives a contest's log with the leaf at `index`. */
  async indexFor(slug: string, index: number): Promise<number | undefined> {
    const { rows } = await sql<{ index: number }>`
      SELECT index FROM draw_leaves
      WHERE ${ofContest(slug)} AND ${LOG_SIZE} > ${index} ORDER BY index LIMIT 1`.execute(db)
    return rows[0]?.index
  },

  /**
   * Where the register gives a contest's steps, and the voids of its winners: docs/draw-v1.md, section 13, asks when they
   * were confirmed.
   */
  async indexesOf({ id, slug }: { id: number; slug: string }): Promise<number[]> {
    const { rows } = await sql<{ index: number }>`
      WITH marked AS (
        SELECT index FROM draw_leaves WHERE log_id = ${id} AND ${IS_STEP}
        UNION
        SELECT v.leaf_index FROM draw_voids v JOIN draw_attempts a ON a.offer_id = v.offer_id AND a.number = v.number
        WHERE v.offer_id = ${id} AND v.leaf_index IS NOT NULL
      )
      SELECT DISTINCT r.index FROM marked CROSS JOIN LATERAL (
        SELECT index FROM draw_leaves
        WHERE ${ofContest(slug)} AND ${LOG_SIZE} > marked.index ORDER BY index LIMIT 1
      ) AS r ORDER BY r.index`.execute(db)
    return rows.map(({ index }) => index)
  },

  async isOver(offerId: number): Promise<boolean> {
    const { rows } = await sql`
      SELECT FROM offers WHERE id = ${offerId} AND state IN ('awarded', 'cancelled')`.execute(db)
    return rows.length > 0
  },

  /** The last leaf about a contest. */
  async lastIndexOf(slug: string): Promise<number | undefined> {
    const { rows } = await sql<{ index: number }>`
      SELECT index FROM draw_leaves WHERE ${ofContest(slug)} ORDER BY index DESC LIMIT 1`.execute(db)
    return rows[0]?.index
  },

  /** Where leaves of the register stand that are not about the growth of a log. */
  async milestones(): Promise<number[]> {
    const { rows } = await sql<{ index: number }>`
      SELECT index FROM draw_leaves WHERE log_id = ${REGISTER} AND ${IS_STEP} AND ${TYPE} <> 'log' ORDER BY index`.execute(
      db,
    )
    return rows.map(({ index }) => index)
  },

  /** The first checkpoints of the register that contain each of these leaves. */
  async firsts(indexes: readonly number[], upTo: number): Promise<{ id: number; size: number }[]> {
    const { rows } = await sql<{ id: number; size: number }>`
      SELECT DISTINCT c.id, c.size FROM unnest(${[...indexes]}::int[]) AS u (index) CROSS JOIN LATERAL (
        SELECT id, size FROM draw_checkpoints
        WHERE log_id = ${REGISTER} AND size > u.index AND id <= ${upTo} ORDER BY size, id LIMIT 1
      ) AS c`.execute(db)
    return rows
  },

  /** Signed notes of checkpoints, the oldest first. */
  async notes(ids: readonly number[]): Promise<string[]> {
    const { rows } = await sql<{ note: string }>`
      SELECT ${witnessedNote} AS note FROM draw_checkpoints c WHERE c.id = ANY(${[...ids]}::bigint[]) ORDER BY c.id`.execute(
      db,
    )
    return rows.map(({ note }) => note)
  },

  /** The last checkpoint of each day. @param upTo id of the last one */
  async daily(upTo: number): Promise<number[]> {
    const { rows } = await sql<{ id: number }>`
      SELECT DISTINCT ON (date_trunc('day', at, 'UTC')) id FROM draw_checkpoints
      WHERE log_id = ${REGISTER} AND id <= ${upTo} ORDER BY date_trunc('day', at, 'UTC'), id DESC`.execute(db)
    return rows.map(({ id }) => id)
  },
})

/** How long one who asks has for it, before another one does. */
const LEASE_SECONDS = 20

const isDue = (checkpointId: number) =>
  sql`(checkpoint_id IS DISTINCT FROM ${checkpointId} OR next_at <= clock_timestamp() OR asked_at < ${ASKED_SINCE})
    AND coalesce(claimed_at <= clock_timestamp() - make_interval(secs => ${LEASE_SECONDS}), true)`

const COSIGNED = sql`
  SELECT c.id, c.size, ${secondsOf('c.at')} AS at, w.vkey, ${secondsOf('s.time')} AS time
  FROM witness_cosignatures s
  JOIN draw_checkpoints c ON c.id = s.checkpoint_id
  JOIN register_witnesses w ON w.id = s.key_id`

export const registerWrites = (db: Sql) => ({
  noteLog: (id: number, size: number) =>
    sql`UPDATE draw_logs SET registered_size = ${size}, registered_at = clock_timestamp() WHERE id = ${id}`.execute(
      db,
    ),

  addWitnesses: (vkeys: readonly string[]) =>
    sql`INSERT INTO register_witnesses (vkey) SELECT unnest(${[...vkeys]}::text[]) ON CONFLICT DO NOTHING`.execute(
      db,
    ),

  /** @returns the witness for one of several who want to ask it */
  async claim(
    vkey: string,
    checkpointId: number,
  ): Promise<{ id: number; size: number; tries: number } | undefined> {
    const { rows } = await sql<{ id: number; size: number; tries: number }>`
      UPDATE register_witnesses
      SET checkpoint_id = ${checkpointId}, claimed_at = clock_timestamp()
      WHERE vkey = ${vkey} AND ${isDue(checkpointId)} RETURNING id, size, tries`.execute(db)
    return rows[0]
  },

  /** @param again when it is asked again about the same, in seconds */
  signed: (id: number, signed: { checkpointId: number; size: number; again: number }) =>
    sql`
      UPDATE register_witnesses SET
        checkpoint_id = ${signed.checkpointId}, size = greatest(size, ${signed.size}), tries = 0, fault = NULL,
        conflict_size = NULL, conflict_at = NULL, claimed_at = NULL, asked_at = clock_timestamp(), signed_at = clock_timestamp(),
        next_at = clock_timestamp() + make_interval(secs => ${signed.again})
      WHERE id = ${id}`.execute(db),

  /** @param conflict the size at which it knows another history */
  failed: (id: number, failure: { fault: string; again: number; conflict?: number }) =>
    sql`
      UPDATE register_witnesses SET
        tries = tries + 1, fault = ${failure.fault}, claimed_at = NULL, asked_at = clock_timestamp(),
        next_at = clock_timestamp() + make_interval(secs => ${failure.again}),
        conflict_size = coalesce(${failure.conflict ?? null}::bigint, conflict_size),
        conflict_at = CASE WHEN ${failure.conflict ?? null}::bigint IS NULL THEN conflict_at ELSE coalesce(conflict_at, clock_timestamp()) END
      WHERE id = ${id}`.execute(db),

  cosign: (cosignature: { checkpointId: number; keyId: number; time: number; line: string }) =>
    sql`
      INSERT INTO witness_cosignatures (checkpoint_id, key_id, time, line)
      VALUES (${cosignature.checkpointId}, ${cosignature.keyId}, to_timestamp(${cosignature.time}), ${cosignature.line})
      ON CONFLICT DO NOTHING`.execute(db),

  /** Notes whether the register may grow, by the witnesses that are asked. A new one knows nothing yet. */
  watch: (vkeys: readonly string[], isHalted: boolean) =>
    sql`
      UPDATE register_watch SET is_watched = n.is_watched, asked_at = n.asked_at, halted_at = n.halted_at
      FROM (
        SELECT count(*) > 0 AS is_watched, min(w.asked_at) AS asked_at,
               CASE WHEN ${isHalted} THEN coalesce((SELECT halted_at FROM register_watch), clock_timestamp()) END AS halted_at
        FROM register_witnesses w WHERE w.vkey = ANY(${[...vkeys]}::text[]) AND w.asked_at IS NOT NULL
      ) AS n
      WHERE (register_watch.is_watched, register_watch.asked_at, register_watch.halted_at)
        IS DISTINCT FROM (n.is_watched, n.asked_at, n.halted_at)`.execute(db),

  /** Stores a checkpoint that was signed before. */
  restoreCheckpoint: ({
    size,
    root,
    time,
    note,
  }: {
    size: number
    root: Uint8Array
    time: number
    note: string
  }) =>
    db
      .insertInto('draw_checkpoints')
      .values({ log_id: REGISTER, size, root: Buffer.from(root), at: new Date(time * 1000), note })
      .execute(),
})
