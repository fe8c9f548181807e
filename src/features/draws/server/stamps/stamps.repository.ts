import { sql } from 'kysely'
import type { ReadDatabase, Trx } from '#platform/database.ts'

export type StampName = 'terms.tsr' | 'seal.tsr'

/** A file of a contest that lacks its stamp. */
export interface Unstamped {
  id: number
  slug: string
  name: StampName
  /** Of the file that is stamped. */
  hash: string
  /** When its leaf was signed. */
  since: Date
  /** Since then, by the clock of the database. */
  seconds: number
}

const STAMP = sql<StampName>`CASE f.name WHEN 'terms.txt' THEN 'terms.tsr' ELSE 'seal.tsr' END`

export const stampsRepository = (db: ReadDatabase) => ({
  /** Files without their stamps of contests that are not over, the oldest first. */
  async missing(): Promise<Unstamped[]> {
    const { rows } = await sql<Unstamped>`
      SELECT o.id, o.slug, ${STAMP} AS name, encode(f.sha256, 'hex') AS hash, c.at AS since,
             extract(epoch FROM clock_timestamp() - c.at)::float8 AS seconds
      FROM offers o
      JOIN draw_files a ON a.offer_id = o.id AND a.name = 'authority.pem'
      JOIN draw_files f ON f.offer_id = o.id AND f.name IN ('terms.txt', 'list.txt')
      LEFT JOIN draw_lists l ON l.offer_id = f.offer_id AND l.name = f.name
      CROSS JOIN LATERAL (
        SELECT at FROM draw_checkpoints
        WHERE log_id = o.id AND size > coalesce(l.leaf_index, 0) ORDER BY size, id LIMIT 1
      ) AS c
      WHERE o.state NOT IN ('awarded', 'cancelled')
        AND NOT EXISTS (SELECT FROM draw_stamps s WHERE s.offer_id = o.id AND s.name = ${STAMP})
      ORDER BY c.at, o.id`.execute(db)
    return rows
  },
})

export const stampsWrites = (trx: Trx) => ({
  /** @param time Unix seconds @returns whether it is the first one, whose file is then stored in the same transaction */
  async insert(offerId: number, name: StampName, time: number): Promise<boolean> {
    const { rows } = await sql`
      INSERT INTO draw_stamps (offer_id, name, stamped_at) VALUES (${offerId}, ${name}, to_timestamp(${time}))
      ON CONFLICT DO NOTHING RETURNING offer_id`.execute(trx)
    return rows.length > 0
  },
})
