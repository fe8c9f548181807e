import { sql } from 'kysely'
import type { Sql, Trx } from '#platform/database.ts'

export interface StoredKey {
  id: number
  name: string
  public_key: Buffer
}

export interface WitnessedLog {
  slug: string
  origin: string
  key: string
}

interface ToSign {
  id: number
  of: 'latest' | 'seal'
  size: number
  note: string
  at: Date
  is_signed: boolean
}

export const witnessesRepository = (db: Sql) => ({
  async keyOf(userId: number): Promise<StoredKey | undefined> {
    const { rows } = await sql<StoredKey>`
      SELECT id, name, public_key FROM witness_keys WHERE user_id = ${userId} AND ended_at IS NULL`.execute(
      db,
    )
    return rows[0]
  },

  async log(offerId: number): Promise<WitnessedLog | undefined> {
    const { rows } = await sql<WitnessedLog>`
      SELECT o.slug, l.origin, l.key FROM draw_logs l JOIN offers o ON o.id = l.id WHERE l.id = ${offerId}`.execute(
      db,
    )
    return rows[0]
  },

  /** The latest checkpoint of a log, and the first one that contains the seal. @param keyId of the caller */
  async toSign(logId: number, keyId: number | undefined): Promise<ToSign[]> {
    const { rows } = await sql<ToSign>`
      SELECT c.id, which.of, c.size, c.note, c.at,
             EXISTS (
               SELECT FROM witness_signatures w WHERE w.checkpoint_id = c.id AND w.key_id = ${keyId ?? null}::bigint
             ) AS is_signed
      FROM (
        (SELECT id, 'latest' AS of FROM draw_checkpoints WHERE log_id = ${logId} ORDER BY id DESC LIMIT 1)
        UNION ALL
        (SELECT k.id, 'seal' FROM draw_lists s JOIN draw_checkpoints k ON k.log_id = s.offer_id AND k.size > s.leaf_index
         WHERE s.offer_id = ${logId} AND s.name = 'list.txt' ORDER BY k.size, k.id LIMIT 1)
      ) AS which JOIN draw_checkpoints c ON c.id = which.id
      ORDER BY c.id DESC, which.of`.execute(db)
    return rows
  },

  /** The note of a checkpoint of a log, by the shop alone. */
  async note(logId: number, checkpointId: number): Promise<string | undefined> {
    const { rows } = await sql<{ note: string }>`
      SELECT note FROM draw_checkpoints WHERE id = ${checkpointId} AND log_id = ${logId}`.execute(db)
    return rows[0]?.note
  },
})

export const witnessesWrites = (trx: Trx) => ({
  /** @returns false when the caller has a key, or the name or the key is another one's */
  async insertKey(userId: number, name: string, publicKey: Uint8Array): Promise<boolean> {
    const { rows } = await sql`
      INSERT INTO witness_keys (user_id, name, public_key) VALUES (${userId}, ${name}, ${Buffer.from(publicKey)})
      ON CONFLICT DO NOTHING RETURNING id`.execute(trx)
    return rows.length > 0
  },

  /** @returns whether there was one */
  async endKey(userId: number): Promise<boolean> {
    const { rows } = await sql`
      UPDATE witness_keys SET ended_at = clock_timestamp() WHERE user_id = ${userId} AND ended_at IS NULL
      RETURNING id`.execute(trx)
    return rows.length > 0
  },

  /** @returns false when the key has signed it before */
  async sign(checkpointId: number, keyId: number, line: string): Promise<boolean> {
    const { rows } = await sql`
      INSERT INTO witness_signatures (checkpoint_id, key_id, line) VALUES (${checkpointId}, ${keyId}, ${line})
      ON CONFLICT DO NOTHING RETURNING key_id`.execute(trx)
    return rows.length > 0
  },
})
