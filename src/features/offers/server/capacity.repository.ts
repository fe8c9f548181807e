import { type RawBuilder, sql } from 'kysely'
import type { Sql, Trx } from '#platform/database.ts'
import type { LocalizedText } from '#shared/localized-text.ts'

export interface Wanted {
  offerId: number
  quantity: number
}

export interface SoldOffer {
  offerId: number
  /** Running count of issued numbers, this sale included. */
  sold: number
  quantity: number
  total: number
  key: Buffer
  contest: { slug: string; titles: LocalizedText; end_date: Date }
}

/**
 * Locks offers in the order of ids, which prevents deadlocks, and as the following UPDATE does: a stronger lock would
 * block rows that refer to the offer, such as cart lines.
 */
const wantedRows = (wanted: readonly Wanted[]) => sql`
  wanted AS (
    SELECT w.offer_id, w.quantity
    FROM unnest(${wanted.map((one) => one.offerId)}::int[], ${wanted.map((one) => one.quantity)}::int[])
      AS w (offer_id, quantity)
  ),
  locked AS (
    SELECT o.id FROM offers o JOIN wanted w ON w.offer_id = o.id ORDER BY o.id FOR NO KEY UPDATE OF o
  )`

/** What cannot be bought: issued, held, and kept for entries by post. */
const TAKEN = sql`o.tickets_sold + o.tickets_held + o.postal_reserve - o.postal_reserve_used`

/**
 * Parts `wanted`, `locked`, `holding` of a statement. `holding` has the `id` of each offer with enough tickets; when
 * one is missing, the caller must roll back.
 */
export const holding = (wanted: readonly Wanted[]): RawBuilder<unknown> => sql`
  ${wantedRows(wanted)},
  holding AS (
    UPDATE offers o
    SET tickets_held = o.tickets_held + w.quantity
    FROM wanted w JOIN locked l ON l.id = w.offer_id
    WHERE o.id = w.offer_id
      AND o.active AND o.end_date > clock_timestamp()
      AND ${TAKEN} + w.quantity <= o.total_tickets
    RETURNING o.id
  )`

/** @returns whether every offer had enough tickets; when not, the caller must roll back */
export async function holdTickets(trx: Trx, wanted: readonly Wanted[]): Promise<boolean> {
  const { rows } = await sql<{ id: number }>`WITH ${holding(wanted)} SELECT id FROM holding`.execute(trx)
  return rows.length === wanted.length
}

/** What must wait: a change of the counters, a row that refers to the offer, or what the expiry of holds does. */
const BLOCKED = {
  counters: sql`SHARE`,
  references: sql`KEY SHARE`,
  expiry: sql`NO KEY UPDATE`,
}
type Blocked = keyof typeof BLOCKED

/** The offers that another transaction has locked. */
export async function lockedElsewhere(
  db: Sql,
  offerIds: readonly number[],
  blocked: Blocked,
): Promise<number[]> {
  if (offerIds.length === 0) return []
  const { rows } = await sql<{ id: number }>`
    WITH free AS (
      SELECT id FROM offers WHERE id = ANY(${[...offerIds]}::int[]) FOR ${BLOCKED[blocked]} SKIP LOCKED
    )
    SELECT id FROM offers WHERE id = ANY(${[...offerIds]}::int[]) AND id NOT IN (SELECT id FROM free)`.execute(
    db,
  )
  return rows.map(({ id }) => id)
}

/** @returns for each list of offers whether another transaction has locked one of them */
export async function anyLocked(
  db: Sql,
  lists: readonly (readonly number[])[],
  blocked: Blocked = 'counters',
): Promise<boolean[]> {
  const locked = new Set(await lockedElsewhere(db, [...new Set(lists.flat())], blocked))
  return lists.map((ids) => ids.some((id) => locked.has(id)))
}

export async function releaseTickets(trx: Trx, held: readonly Wanted[]): Promise<void> {
  await sql`
    WITH ${wantedRows(held)}
    UPDATE offers o
    SET tickets_held = o.tickets_held - w.quantity
    FROM wanted w JOIN locked l ON l.id = w.offer_id
    WHERE o.id = w.offer_id`.execute(trx)
}

type SoldRow = Omit<SoldOffer, 'contest'> & SoldOffer['contest']

const SOLD = sql`o.id AS "offerId", o.tickets_sold AS sold, w.quantity, o.total_tickets AS total,
  o.number_key AS key, o.slug, o.titles, o.end_date`

const toSold = ({ offerId, sold, quantity, total, key, ...contest }: SoldRow): SoldOffer => ({
  offerId,
  sold,
  quantity,
  total,
  key,
  contest,
})

/**
 * Once the list of a contest's entries is published nobody buys one.
 * @throws ListIsPublished: roll back
 */
export async function sellHeld(trx: Trx, held: readonly Wanted[]): Promise<SoldOffer[]> {
  const { rows } = await sql<SoldRow>`
    WITH ${wantedRows(held)}
    UPDATE offers o
    SET tickets_held = o.tickets_held - w.quantity, tickets_sold = o.tickets_sold + w.quantity
    FROM wanted w JOIN locked l ON l.id = w.offer_id
    WHERE o.id = w.offer_id AND o.state NOT IN ('listed', 'sealed', 'drawn', 'awarded')
    RETURNING ${SOLD}`.execute(trx)
  if (rows.length < held.length) throw new ListIsPublished()
  return rows.map(toSold)
}

/** A payment that came too late for the list of a contest's entries. */
export class ListIsPublished extends Error {
  override readonly name = 'ListIsPublished'
}

/** For a payment after the hold. @returns undefined when an offer has too few left or has ended: roll back */
export async function sellFree(trx: Trx, wanted: readonly Wanted[]): Promise<SoldOffer[] | undefined> {
  const { rows } = await sql<SoldRow>`
    WITH ${wantedRows(wanted)}
    UPDATE offers o
    SET tickets_sold = o.tickets_sold + w.quantity
    FROM wanted w JOIN locked l ON l.id = w.offer_id
    WHERE o.id = w.offer_id
      AND o.active AND o.end_date > clock_timestamp()
      AND ${TAKEN} + w.quantity <= o.total_tickets
    RETURNING ${SOLD}`.execute(trx)
  return rows.length === wanted.length ? rows.map(toSold) : undefined
}

/** One ticket for an entry by post, from the reserve first, also after the contest's end, until its list is sealed. */
export async function sellToPost(
  trx: Trx,
  offerId: number,
): Promise<SoldOffer | 'allHeld' | 'soldOut' | 'sealed'> {
  const used = sql`least(o.postal_reserve, o.postal_reserve_used + 1)`
  const { rows } = await sql<SoldRow>`
    WITH ${wantedRows([{ offerId, quantity: 1 }])}
    UPDATE offers o
    SET tickets_sold = o.tickets_sold + 1, postal_reserve_used = ${used}
    FROM wanted w JOIN locked l ON l.id = w.offer_id
    WHERE o.id = w.offer_id AND o.state NOT IN ('sealed', 'drawn', 'awarded', 'cancelled')
      AND o.tickets_sold + o.tickets_held + 1 + o.postal_reserve - ${used} <= o.total_tickets
    RETURNING ${SOLD}`.execute(trx)
  const [row] = rows
  if (row) return toSold(row)
  const { isAllIssued, isSealed } = await trx
    .selectFrom('offers')
    .select([
      sql<boolean>`tickets_sold >= total_tickets`.as('isAllIssued'),
      sql<boolean>`state IN ('sealed', 'drawn', 'awarded')`.as('isSealed'),
    ])
    .where('id', '=', offerId)
    .executeTakeFirstOrThrow()
  if (isSealed) return 'sealed'
  return isAllIssued ? 'soldOut' : 'allHeld'
}
