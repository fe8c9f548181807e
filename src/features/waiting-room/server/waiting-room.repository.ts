import { type RawBuilder, sql } from 'kysely'
import type { Sql, Trx } from '#platform/database.ts'
import type { Room } from '../waiting-room.rules.ts'

export interface RoomRow extends Room {
  offerId: number
  slug: string
  /** Changes with each step. */
  version: string
  /** When it was read, by the clock of the database. */
  readAt: string
}

export interface Buyer {
  userId: number
  offerId: number
}

export interface PlaceRow extends Buyer {
  number: number
  enters: boolean
  frontier: number
  rate: number
}

/** For how long a buyer who has entered puts tickets into the cart and orders them. */
const STAY = sql`interval '10 minutes'`
/** A room closes when nobody has waited for so long. */
const EMPTY = sql`interval '30 seconds'`

const age = (since: RawBuilder<unknown>): RawBuilder<number> =>
  sql`greatest(0, extract(epoch FROM clock_timestamp() - ${since}))::float8`

const onSale = sql`(o.active AND o.end_date > clock_timestamp() AND o.tickets_sold < o.total_tickets)`

/** Each of these is one statement, so that no lock lasts for as long as a busy process takes for a response. */
export const roomsRepository = (db: Sql) => ({
  /** Opens the room of a contest that is on sale, unless it is open. */
  open: async (offerId: number, rate: number): Promise<void> => {
    await sql`
      INSERT INTO waiting_rooms (offer_id, frontier, rate)
      SELECT o.id, ${rate}, ${rate} FROM offers o WHERE o.id = ${offerId} AND ${onSale}
      ON CONFLICT (offer_id) DO NOTHING`.execute(db)
  },

  all: async (): Promise<RoomRow[]> =>
    (
      await sql<RoomRow>`
        SELECT r.offer_id AS "offerId", o.slug, r.arrived, r.frontier, r.rate, r.stepped_at::text AS version,
               clock_timestamp()::text AS "readAt", ${age(sql`r.stepped_at`)} AS "sinceStep",
               ${age(sql`r.slowed_at`)} AS "sinceSlowed"
        FROM waiting_rooms r JOIN offers o ON o.id = r.offer_id`.execute(db)
    ).rows,

  /** Stores steps, except of rooms that another process has stepped since they were read. */
  step: async (rooms: readonly (RoomRow & { isSlowed: boolean })[]): Promise<void> => {
    await sql`
      UPDATE waiting_rooms r
      SET frontier = n.frontier, rate = n.rate, stepped_at = n.read_at,
          slowed_at = CASE WHEN n.is_slowed THEN n.read_at ELSE r.slowed_at END,
          waited_at = CASE WHEN r.arrived > n.frontier THEN n.read_at ELSE r.waited_at END
      FROM unnest(${rooms.map((one) => one.offerId)}::int[], ${rooms.map((one) => one.version)}::timestamptz[],
        ${rooms.map((one) => one.readAt)}::timestamptz[], ${rooms.map((one) => one.frontier)}::float8[],
        ${rooms.map((one) => one.rate)}::float8[], ${rooms.map((one) => one.isSlowed)}::boolean[])
        AS n (offer_id, version, read_at, frontier, rate, is_slowed)
      WHERE r.offer_id = n.offer_id AND r.stepped_at = n.version`.execute(db)
  },

  /** Closes rooms in which nobody waits any more, and those of contests that are over. */
  close: async (): Promise<number[]> =>
    (
      await sql<{ id: number }>`
        DELETE FROM waiting_rooms r USING offers o
        WHERE o.id = r.offer_id AND (r.waited_at < clock_timestamp() - ${EMPTY} OR NOT ${onSale})
        RETURNING r.offer_id AS id`.execute(db)
    ).rows.map(({ id }) => id),

  /**
   * The places of buyers: the one they have, or the next at the end of the line. A place whose turn has come is used from
   * then on. Buyers of contests without a room are left out.
   * @param buyers in order of arrival, each once
   */
  take: async (buyers: readonly Buyer[]): Promise<PlaceRow[]> =>
    (
      await sql<PlaceRow>`
        WITH w AS (
          SELECT * FROM unnest(${buyers.map((one) => one.offerId)}::int[], ${buyers.map((one) => one.userId)}::bigint[])
            WITH ORDINALITY AS w (offer_id, user_id, turn)
        ),
        known AS (
          SELECT p.offer_id, p.user_id, p.number, p.entered_at IS NOT NULL AS inside
          FROM waiting_places p JOIN w ON w.offer_id = p.offer_id AND w.user_id = p.user_id
          WHERE p.entered_at IS NULL OR p.entered_at > clock_timestamp() - ${STAY}
        ),
        fresh AS (
          SELECT offer_id, user_id, row_number() OVER (PARTITION BY offer_id ORDER BY turn)::int AS nth
          FROM w WHERE NOT EXISTS (SELECT FROM known k WHERE k.offer_id = w.offer_id AND k.user_id = w.user_id)
        ),
        room AS (
          UPDATE waiting_rooms r
          SET arrived = r.arrived + c.count,
              waited_at = CASE WHEN r.arrived + c.count > r.frontier THEN clock_timestamp() ELSE r.waited_at END
          FROM (SELECT offer_id, count(*)::int AS count FROM fresh GROUP BY offer_id) c
          WHERE r.offer_id = c.offer_id
          RETURNING r.offer_id, r.arrived - c.count AS before, r.frontier, r.rate
        ),
        placed AS (
          INSERT INTO waiting_places AS p (offer_id, user_id, number, entered_at)
          SELECT f.offer_id, f.user_id, room.before + f.nth,
                 CASE WHEN room.before + f.nth <= room.frontier THEN clock_timestamp() END
          FROM fresh f JOIN room ON room.offer_id = f.offer_id
          -- Used up, or given by another process at the same moment: that one counts.
          ON CONFLICT (offer_id, user_id) DO UPDATE
          SET number = CASE WHEN p.entered_at <= clock_timestamp() - ${STAY} THEN excluded.number ELSE p.number END,
              entered_at = CASE WHEN p.entered_at <= clock_timestamp() - ${STAY} THEN excluded.entered_at
                                ELSE p.entered_at END
          RETURNING p.offer_id, p.user_id, p.number, p.entered_at IS NOT NULL AS enters
        ),
        turned AS (
          UPDATE waiting_places p SET entered_at = clock_timestamp()
          FROM known k JOIN waiting_rooms r ON r.offer_id = k.offer_id
          WHERE p.offer_id = k.offer_id AND p.user_id = k.user_id AND NOT k.inside AND k.number <= r.frontier
        )
        SELECT p.offer_id AS "offerId", p.user_id AS "userId", p.number, p.enters, room.frontier, room.rate
        FROM placed p JOIN room ON room.offer_id = p.offer_id
        UNION ALL
        SELECT k.offer_id, k.user_id, k.number, k.inside OR k.number <= r.frontier, r.frontier, r.rate
        FROM known k JOIN waiting_rooms r ON r.offer_id = k.offer_id`.execute(db)
    ).rows,
})

/** Gives up all places of an account. */
export const leaveLines = (trx: Trx, userId: number) =>
  trx.deleteFrom('waiting_places').where('user_id', '=', userId).execute()
