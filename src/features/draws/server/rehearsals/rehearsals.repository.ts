import { sql } from 'kysely'
import type { Sql, Trx } from '#platform/database.ts'
import type { DrawRehearsal } from '../../draws.contract.ts'
import type { PublicDraw } from '../../public-draws.contract.ts'
import type { OfferToPublish } from '../draw-steps.repository.ts'
import type { LocalizedText } from '#shared/localized-text.ts'

/** What of a contest goes into a rehearsal; a draft may lack some of it. */
export type OfferToRehearse = Pick<
  OfferToPublish,
  'per_person' | 'post_reserve' | 'prize_value_cents' | 'questions' | 'choices' | 'draw_terms_texts'
> & {
  slug: string | null
  titles: LocalizedText
  tickets: number | null
  price_cents: number | null
  draw_at: Date | null
  /** Unix seconds */
  now: number
}

export type RehearsalSummary = Pick<
  DrawRehearsal,
  'alternate' | 'is_invented' | 'entries' | 'list_hash' | 'numbers'
>

interface ShownRehearsal {
  plays_at: Date
  facts: PublicDraw
  /** By the clock of the database. */
  now: Date
}

export interface RehearsalFile {
  name: string
  sha256: Buffer
  bytes: number
}

/** What of a long file is read at once. */
const PART_BYTES = 1_048_576

export const rehearsalsRepository = (db: Sql) => ({
  async offer(offerId: number): Promise<OfferToRehearse | undefined> {
    const { rows } = await sql<OfferToRehearse>`
      SELECT slug, titles, total_tickets AS tickets, max_per_person AS per_person, postal_reserve AS post_reserve,
             price_cents, prize_value_cents, questions, choices, draw_terms_texts, draw_at,
             floor(extract(epoch FROM clock_timestamp()))::float8 AS now
      FROM offers WHERE id = ${offerId}`.execute(db)
    return rows[0]
  },

  async ofOffer(offerId: number): Promise<DrawRehearsal | null> {
    const { rows } = await sql<
      Pick<DrawRehearsal, 'id' | 'slug' | 'made_by' | 'is_played'> & {
        made_at: Date
        plays_at: Date
        summary: RehearsalSummary
      }
    >`
      SELECT r.id, r.slug, r.made_at, u.username AS made_by, r.plays_at, r.summary,
             r.plays_at <= clock_timestamp() AS is_played
      FROM draw_rehearsals r JOIN users u ON u.id = r.made_by WHERE r.offer_id = ${offerId}`.execute(db)
    const [row] = rows
    if (!row) return null
    const { made_at, plays_at, summary, ...rest } = row
    return { ...rest, made_at: made_at.toISOString(), plays_at: plays_at.toISOString(), ...summary }
  },

  async shown(id: string, slug: string): Promise<ShownRehearsal | undefined> {
    const { rows } = await sql<ShownRehearsal>`
      SELECT plays_at, facts, clock_timestamp() AS now FROM draw_rehearsals
      WHERE id = ${id} AND slug = ${slug}`.execute(db)
    return rows[0]
  },

  /** The files of a rehearsal by their names; none without one. */
  async files(id: string): Promise<(RehearsalFile & { slug: string })[]> {
    const { rows } = await sql<RehearsalFile & { slug: string }>`
      SELECT r.slug, f.name, f.sha256, length(f.content) AS bytes
      FROM draw_rehearsals r JOIN draw_rehearsal_files f USING (offer_id) WHERE r.id = ${id} ORDER BY f.name`.execute(
      db,
    )
    return rows
  },

  /** The bytes of a file in parts. */
  async *parts(id: string, { name, bytes }: Pick<RehearsalFile, 'name' | 'bytes'>): AsyncGenerator<Buffer> {
    for (let at = 0; at < bytes; at += PART_BYTES) {
      const { rows } = await sql<{ part: Buffer }>`
        SELECT substring(f.content FROM ${at + 1}::int FOR ${PART_BYTES}::int) AS part
        FROM draw_rehearsals r JOIN draw_rehearsal_files f USING (offer_id) WHERE r.id = ${id} AND f.name = ${name}`.execute(
        db,
      )
      // A new rehearsal has taken its place.
      if (!rows[0]) throw new Error(`the rehearsal ${id} is gone`)
      yield rows[0].part
    }
  },
})

interface NewRehearsal {
  offerId: number
  id: string
  slug: string
  madeBy: number
  seconds: number
  facts: PublicDraw
  summary: RehearsalSummary
}

export const rehearsalsWrites = (trx: Trx) => ({
  /** In the place of the contest's last one, whose row it locks. */
  replace: ({ offerId, id, slug, madeBy, seconds, facts, summary }: NewRehearsal) =>
    sql`
      INSERT INTO draw_rehearsals (offer_id, id, slug, made_by, plays_at, facts, summary)
      VALUES (${offerId}, ${id}, ${slug}, ${madeBy}, clock_timestamp() + make_interval(secs => ${seconds}),
              ${JSON.stringify(facts)}, ${JSON.stringify(summary)})
      ON CONFLICT (offer_id) DO UPDATE SET id = excluded.id, slug = excluded.slug, made_at = clock_timestamp(),
        made_by = excluded.made_by, plays_at = excluded.plays_at, facts = excluded.facts, summary = excluded.summary`.execute(
      trx,
    ),

  removeFiles: (offerId: number) =>
    trx.deleteFrom('draw_rehearsal_files').where('offer_id', '=', offerId).execute(),

  insertFile: (offerId: number, name: string, sha256: Uint8Array, content: Uint8Array) =>
    trx
      .insertInto('draw_rehearsal_files')
      .values({ offer_id: offerId, name, sha256: Buffer.from(sha256), content: Buffer.from(content) })
      .execute(),

  /** @returns whether there is one */
  async play(offerId: number, seconds: number): Promise<boolean> {
    const { numAffectedRows } = await sql`
      UPDATE draw_rehearsals SET plays_at = clock_timestamp() + make_interval(secs => ${seconds})
      WHERE offer_id = ${offerId}`.execute(trx)
    return Number(numAffectedRows ?? 0) > 0
  },
})

/** @returns how many */
export async function deleteOldRehearsals(db: Sql, days: number): Promise<number> {
  const { numAffectedRows } = await sql`
    DELETE FROM draw_rehearsals WHERE made_at < now() - make_interval(days => ${days})`.execute(db)
  return Number(numAffectedRows ?? 0)
}
