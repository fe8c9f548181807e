import type { Pool } from 'pg'
import type { DrawsDeps } from '#features/draws/server/index.ts'

/** Leaves of a log before that of a claim. */
export const LEAVES = 21

interface SealOptions {
  claimSeconds?: number
  /** With them it has a log, to which claims are appended; its leaves say nothing. */
  draws?: Pick<DrawsDeps, 'key' | 'host'>
}

/** Moves a contest to `sealed` with what its seal leaves in the tables, but no log of it. */
export async function sealContest(
  pool: Pool,
  offerId: number,
  { claimSeconds = 604_800, draws }: SealOptions = {},
): Promise<void> {
  if (draws) {
    const { key, host } = draws
    await pool.query(
      `INSERT INTO draw_logs (id, origin, key, size) SELECT id, $2 || '/draws/' || slug, $3, $4 FROM offers WHERE id = $1
       UNION ALL SELECT 0, $2 || '/draws', $3, 0 ON CONFLICT DO NOTHING`,
      [offerId, host, key.verifierKey(host), LEAVES],
    )
    const { rows } = await pool.query<{ id: number; origin: string; size: number }>(
      'SELECT id, origin, size FROM draw_logs WHERE id = $1 OR id = 0 AND size = 0',
      [offerId],
    )
    for (const { id, origin, size } of rows) {
      const time = Math.floor(Date.now() / 1000)
      const root = Buffer.alloc(32)
      await pool.query(
        'INSERT INTO draw_checkpoints (log_id, size, root, at, note) VALUES ($1, $2, $3, to_timestamp($4), $5)',
        [id, size, root, time, key.note(host, { origin, size, root, time })],
      )
    }
    await pool.query(
      `INSERT INTO draw_leaves (log_id, index, leaf) SELECT $1, n, 'volant-entry-v1' FROM generate_series(0, $2::int - 1) AS n`,
      [offerId, LEAVES],
    )
  }
  await pool.query(
    `INSERT INTO draws (offer_id, terms_hash, draw_at, objections_seconds, seal_margin_seconds, beacon_patience_seconds,
                        claim_seconds, alternate_delay_seconds, alternates_decided, notice_seconds)
     SELECT id, sha256('terms'), draw_at, 60, 60, 60, $2, 60, 3, 60 FROM offers WHERE id = $1`,
    [offerId, claimSeconds],
  )
  await pool.query(
    `INSERT INTO draw_entries (offer_id, number, leaf_index, salt)
     SELECT offer_id, number, number, sha256(number::text::bytea) FROM tickets WHERE offer_id = $1`,
    [offerId],
  )
  await pool.query(
    `INSERT INTO draw_files (offer_id, name, sha256, bytes) VALUES ($1, 'list.txt', sha256('list'), 1)`,
    [offerId],
  )
  await pool.query(
    `INSERT INTO draw_lists (offer_id, name, leaf_index, log_root, list_root, paid, postal, demo, valid)
     SELECT $1, 'list.txt', 20, sha256('log'), sha256('rows'), count(*) FILTER (WHERE source = 'paid'),
            count(*) FILTER (WHERE source = 'postal'), 0, count(*) FILTER (WHERE status = 'valid')
     FROM tickets WHERE offer_id = $1`,
    [offerId],
  )
  await pool.query(
    `INSERT INTO draw_attempts (offer_id, attempt, round, round_at) SELECT id, 0, 4711, draw_at FROM offers WHERE id = $1`,
    [offerId],
  )
  await pool.query(`UPDATE offers SET state = 'sealed' WHERE id = $1`, [offerId])
}

/** Draws a number of a sealed contest. @param drawnAt as SQL; the draw instant when left out */
export async function drawNumber(
  pool: Pool,
  offerId: number,
  number: number,
  drawnAt = 'round_at',
): Promise<void> {
  await pool.query(
    `UPDATE draw_attempts SET drawn_at = ${drawnAt}, relay = 'https://relay.test', randomness = sha256('r'), number = $2
     WHERE offer_id = $1 AND drawn_at IS NULL`,
    [offerId, number],
  )
  await pool.query(`UPDATE offers SET state = 'drawn' WHERE id = $1`, [offerId])
}
