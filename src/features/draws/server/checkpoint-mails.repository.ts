import { sql } from 'kysely'
import type { Sql, Trx } from '#platform/database.ts'

/** A log with its last checkpoint. */
export interface LoggedCheckpoint {
  origin: string
  size: number
  note: string
}

/** Days for which the log of a contest that is over is still sent. */
const LAST_DAYS = 2

export const checkpointMailsRepository = (db: Sql) => ({
  /** The last checkpoints of the register and of every contest whose draw is not over, or only just. */
  async checkpoints(): Promise<LoggedCheckpoint[]> {
    const { rows } = await sql<LoggedCheckpoint>`
      SELECT l.origin, c.size, c.note
      FROM draw_logs l
      LEFT JOIN offers o ON o.id = l.id
      CROSS JOIN LATERAL (
        SELECT k.id, k.size, k.note, k.at FROM draw_checkpoints k WHERE k.log_id = l.id ORDER BY k.id DESC LIMIT 1
      ) AS c
      WHERE l.id = 0 OR o.state NOT IN ('awarded', 'cancelled')
        OR c.at > clock_timestamp() - make_interval(days => ${LAST_DAYS})
      ORDER BY l.id`.execute(db)
    return rows
  },

  async isSentToday(): Promise<boolean> {
    const { rows } = await sql`
      SELECT FROM checkpoint_mails WHERE day = (clock_timestamp() AT TIME ZONE 'UTC')::date`.execute(db)
    return rows.length > 0
  },

  /** The file of a day: "2026-11-26". */
  async content(day: string): Promise<string | undefined> {
    const { rows } = await sql<{ content: string }>`
      SELECT content FROM checkpoint_mails WHERE day = ${day}::date`.execute(db)
    return rows[0]?.content
  },
})

export const checkpointMailsWrites = (trx: Trx) => ({
  /** Stores the file of today, for one of several workers. @returns its day; undefined when it was stored before */
  async insert(content: string): Promise<string | undefined> {
    const { rows } = await sql<{ day: string }>`
      INSERT INTO checkpoint_mails (day, content) VALUES ((clock_timestamp() AT TIME ZONE 'UTC')::date, ${content})
      ON CONFLICT DO NOTHING RETURNING to_char(day, 'YYYY-MM-DD') AS day`.execute(trx)
    return rows[0]?.day
  },
})
