import { sql } from 'kysely'
import type { OfferState } from '#features/offers/offer-states.rules.ts'
import type { Sql, Trx } from '#platform/database.ts'
import { postalWrites } from './postal.repository.ts'

export interface CountFacts {
  state: OfferState
  /** Cards of the contest, refused ones too. */
  registered: number
  seal_by: Date | null
}

interface StoredCount {
  id: number
  cards: number
  user_id: number
  counted_by: string
  counted_at: Date
  confirmed_by: string | null
  confirmed_at: Date | null
}

const REGISTERED = sql`(SELECT count(*)::int FROM postal_entries e WHERE e.offer_id = o.id)`
const SEAL_BY = sql`d.draw_at - make_interval(secs => d.seal_margin_seconds)`

export const postCountRepository = (db: Sql) => ({
  async facts(offerId: number): Promise<CountFacts | undefined> {
    const { rows } = await sql<CountFacts>`
      SELECT o.state, ${REGISTERED} AS registered, ${SEAL_BY} AS seal_by
      FROM offers o LEFT JOIN draws d ON d.offer_id = o.id WHERE o.id = ${offerId}`.execute(db)
    return rows[0]
  },

  async last(offerId: number): Promise<StoredCount | undefined> {
    const { rows } = await sql<StoredCount>`
      SELECT c.id, c.cards, c.counted_by AS user_id, first.username AS counted_by, c.counted_at,
             second.username AS confirmed_by, c.confirmed_at
      FROM postal_counts c JOIN users first ON first.id = c.counted_by LEFT JOIN users second ON second.id = c.confirmed_by
      WHERE c.offer_id = ${offerId} ORDER BY c.id DESC LIMIT 1`.execute(db)
    return rows[0]
  },

  /** Contests that wait for their seal without a count of two people. */
  async uncounted(): Promise<string[]> {
    const { rows } = await sql<{ slug: string }>`
      SELECT o.slug
      FROM offers o JOIN draws d ON d.offer_id = o.id
      WHERE o.state IN ('closed', 'listed')
        AND clock_timestamp() >= ${SEAL_BY} - make_interval(secs => d.objections_seconds / 2)
        AND NOT EXISTS (
          SELECT FROM postal_counts c
          WHERE c.offer_id = o.id AND c.confirmed_at IS NOT NULL AND c.cards = ${REGISTERED}
        )
      ORDER BY o.slug`.execute(db)
    return rows.map(({ slug }) => slug)
  },
})

export const postCountWrites = (trx: Trx) => ({
  /** So that no card is registered meanwhile. */
  lockDesk: (offerId: number) => postalWrites(trx).lockDesk(offerId),

  insert: (offerId: number, cards: number, userId: number) =>
    trx
      .insertInto('postal_counts')
      .values({ offer_id: offerId, cards, registered: cards, counted_by: userId })
      .execute(),

  confirm: (id: number, userId: number) =>
    sql`
      UPDATE postal_counts SET confirmed_by = ${userId}, confirmed_at = clock_timestamp() WHERE id = ${id}`.execute(
      trx,
    ),
})
