import { type RawBuilder, sql } from 'kysely'
import type { Sql, Trx } from '#platform/database.ts'
import type { Room } from '../waiting-room.rules.ts'

export interface RoomRow extends Room {
  offerId: number
}

export interface PlaceRow {
  offerId: number
  userId: number
  number: number
  /** Whether the buyer may act: entered, and not too long ago. */
  isInside: boolean
  /** Entered so long ago that the place is used up. */
  isOver: boolean
}

export interface Buyer {
  userId: number
  offerId: number
}

/** For how long a buyer who has entered puts tickets into the cart and orders them. */
const STAY = sql`interval '10 minutes'`
/** A room closes when nobody has waited for so long. */
const EMPTY = sql`interval '30 seconds'`

const age = (since: RawBuilder<unknown>): RawBuilder<number> =>
  sql`greatest(0, extract(epoch FROM clock_timestamp() - ${since}))::float8`

const ROOM = sql`r.offer_id AS "offerId", r.arrived, r.frontier, r.rate,
  ${age(sql`r.stepped_at`)} AS "sinceStep", ${age(sql`r.slowed_at`)} AS "sinceSlowed"`

const onSale = sql`(o.active AND o.end_date > clock_timestamp() AND o.tickets_sold < o.total_tickets)`

export const openRooms = async (db: Sql): Promise<{ offerId: number; slug: string }[]> =>
  (
    await sql<{ offerId: number; slug: string }>`
      SELECT r.offer_id AS "offerId", o.slug FROM waiting_rooms r JOIN offers o ON o.id = r.offer_id`.execute(
      db,
    )
  ).rows

/** Opens the room of a contest that is on sale, unless it is open. */
export async function openRoom(db: Sql, offerId: number, rate: number): Promise<void> {
  await sql`
    INSERT INTO waiting_rooms (offer_id, frontier, rate)
    SELECT o.id, ${rate}, ${rate} FROM offers o WHERE o.id = ${offerId} AND ${onSale}
    ON CONFLICT (offer_id) DO NOTHING`.execute(db)
}

export const roomWrites = (trx: Trx) => ({
  /** @param offerIds all when left out */
  lock: async (offerIds?: readonly number[]): Promise<RoomRow[]> =>
    (
      await sql<RoomRow>`
        SELECT ${ROOM} FROM waiting_rooms r
        ${offerIds ? sql`WHERE r.offer_id = ANY(${[...offerIds]}::int[])` : sql``}
        ORDER BY r.offer_id FOR NO KEY UPDATE`.execute(trx)
    ).rows,

  /** Stores rooms that the transaction has locked and stepped. */
  save: async (rooms: readonly (RoomRow & { isSlowed: boolean })[]): Promise<void> => {
    await sql`
      UPDATE waiting_rooms r
      SET arrived = n.arrived, frontier = n.frontier, rate = n.rate, stepped_at = clock_timestamp(),
          slowed_at = CASE WHEN n.is_slowed THEN clock_timestamp() ELSE r.slowed_at END,
          waited_at = CASE WHEN n.arrived > n.frontier THEN clock_timestamp() ELSE r.waited_at END
      FROM unnest(${rooms.map((one) => one.offerId)}::int[], ${rooms.map((one) => one.arrived)}::int[],
        ${rooms.map((one) => one.frontier)}::float8[], ${rooms.map((one) => one.rate)}::float8[],
        ${rooms.map((one) => one.isSlowed)}::boolean[]) AS n (offer_id, arrived, frontier, rate, is_slowed)
      WHERE r.offer_id = n.offer_id`.execute(trx)
  },

  /** Of these buyers, as far as they have one. */
  places: async (buyers: readonly Buyer[]): Promise<PlaceRow[]> =>
    (
      await sql<PlaceRow>`
        SELECT p.offer_id AS "offerId", p.user_id AS "userId", p.number,
               coalesce(p.entered_at > clock_timestamp() - ${STAY}, false) AS "isInside",
               coalesce(p.entered_at <= clock_timestamp() - ${STAY}, false) AS "isOver"
        FROM waiting_places p
        JOIN unnest(${buyers.map((one) => one.offerId)}::int[], ${buyers.map((one) => one.userId)}::bigint[])
          AS w (offer_id, user_id) ON w.offer_id = p.offer_id AND w.user_id = p.user_id`.execute(trx)
    ).rows,

  store: async (places: readonly (Buyer & { number: number; enters: boolean })[]): Promise<void> => {
    await sql`
      INSERT INTO waiting_places (offer_id, user_id, number, entered_at)
      SELECT n.offer_id, n.user_id, n.number, CASE WHEN n.enters THEN clock_timestamp() END
      FROM unnest(${places.map((one) => one.offerId)}::int[], ${places.map((one) => one.userId)}::bigint[],
        ${places.map((one) => one.number)}::int[], ${places.map((one) => one.enters)}::boolean[])
        AS n (offer_id, user_id, number, enters)
      ON CONFLICT (offer_id, user_id) DO UPDATE SET number = excluded.number, entered_at = excluded.entered_at`.execute(
      trx,
    )
  },

  /** Closes rooms in which nobody waits any more, and those of contests that are over. */
  close: async (): Promise<number[]> =>
    (
      await sql<{ id: number }>`
        DELETE FROM waiting_rooms r USING offers o
        WHERE o.id = r.offer_id AND (r.waited_at < clock_timestamp() - ${EMPTY} OR NOT ${onSale})
        RETURNING r.offer_id AS id`.execute(trx)
    ).rows.map(({ id }) => id),
})
