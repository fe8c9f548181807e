import { type NotNull, type RawBuilder, sql } from 'kysely'
import { padTicketNumber } from '#features/offers/offers.rules.ts'
import { anyOf } from '#platform/any-of.ts'
import type { Sql, Trx } from '#platform/database.ts'
import { CLAIM_DAYS } from '#shared/promises.ts'
import type { Ticket } from '../tickets.contract.ts'
import { proofLink } from './proof-link.ts'
import type { LocalizedText } from '#shared/localized-text.ts'
import { textFields } from '#shared/text-fields.ts'

/** An entry of a contest. */
export interface EntryTicket {
  number: number
  source: 'paid' | 'postal' | 'demo'
  status: 'valid' | 'void'
  order_id: string | null
  user_id: number | null
}

export const entryTicket = (db: Sql, offerId: number, number: number): Promise<EntryTicket | undefined> =>
  db
    .selectFrom('tickets')
    .select(['number', 'source', 'status', 'order_id', 'user_id'])
    .where('offer_id', '=', offerId)
    .where('number', '=', number)
    .$castTo<EntryTicket>()
    .executeTakeFirst()

/** The valid numbers of an order in a contest, in order. */
export async function validNumbersOf(db: Sql, offerId: number, orderId: string): Promise<number[]> {
  const rows = await db
    .selectFrom('tickets')
    .select('number')
    .where('offer_id', '=', offerId)
    .where('order_id', '=', orderId)
    .where('status', '=', 'valid')
    .orderBy('number')
    .execute()
  return rows.map(({ number }) => number)
}

/** Voids entries for a reason of docs/draw-v1.md, section 4. @returns how many of them were valid */
export async function voidEntries(
  trx: Trx,
  offerId: number,
  numbers: readonly number[],
  reason: string,
): Promise<number> {
  const { numUpdatedRows } = await trx
    .updateTable('tickets')
    .set({ status: 'void', void_reason: reason })
    .where('offer_id', '=', offerId)
    .where('number', '=', anyOf(numbers, 'int'))
    .where('status', '=', 'valid')
    .executeTakeFirst()
  return Number(numUpdatedRows)
}

/** Of those of docs/draw-v1.md, section 4: that the shop gives by itself, and `postal-rule`, for which two people decide. */
export type VoidReason = 'refunded' | 'disputed' | 'withdrawn' | 'postal-rule'

type ListedRow = Awaited<ReturnType<ReturnType<typeof ticketsRepository>['ofUser']>>[number]
/** `winner`, the number that has won its contest, and `prize` are in the list of an owner. */
export type TicketRow = Omit<ListedRow, 'winner' | 'prize'> & Partial<Pick<ListedRow, 'winner' | 'prize'>>

export const ticketsRepository = (db: Sql) => {
  const tickets = db
    .selectFrom('tickets')
    .innerJoin('offers', 'offers.id', 'tickets.offer_id')
    .leftJoin('draw_entries as e', (join) =>
      join.onRef('e.offer_id', '=', 'tickets.offer_id').onRef('e.number', '=', 'tickets.number'),
    )
    .leftJoin('draws', 'draws.offer_id', 'tickets.offer_id')
    .leftJoin('draw_logs as log', 'log.id', 'tickets.offer_id')
    .select([
      'draws.claim_seconds',
      'tickets.id',
      'tickets.number',
      'tickets.status',
      'tickets.source',
      'tickets.issued_at',
      'tickets.order_id',
      'tickets.offer_id',
      'offers.slug',
      'offers.titles',
      'offers.end_date',
      'offers.total_tickets',
      'e.leaf_index',
      // base64url without padding, as proof links have it (docs/draw-v1.md, section 2).
      sql<string | null>`translate(encode(e.salt, 'base64'), '+/=', '-_')`.as('proof_salt'),
      'draws.terms_hash',
      // Of the log: its id and its bytes, without the name.
      sql<string | null>`substring(log.key FROM '^[^+]+\\+(.+)$')`.as('log_key'),
    ])
    // What drafts may lack.
    .$narrowType<{ slug: NotNull; end_date: NotNull; total_tickets: NotNull }>()

  const withHolder = () =>
    tickets
      .innerJoin('users', 'users.id', 'tickets.user_id')
      .leftJoin('orders', 'orders.id', 'tickets.order_id')
      .select(['users.username as holder', 'users.email as holder_email', 'orders.number as order_number'])

  return {
    /** The newest first; those issued together by contest and number. */
    ofUser: (userId: number) =>
      tickets
        .select([
          // Of the last attempt: null while an alternate is waited for.
          sql<number | null>`CASE WHEN offers.state IN ('drawn', 'awarded') THEN (
            SELECT a.number FROM draw_attempts a WHERE a.offer_id = offers.id ORDER BY a.attempt DESC LIMIT 1
          ) END`.as('winner'),
          sql<{ is: NonNullable<Ticket['prize']>; until: string } | null>`(
            SELECT json_build_object('until', c.until, 'is', CASE
              WHEN c.forfeited_at IS NOT NULL THEN 'forfeited'
              WHEN offers.state = 'awarded' THEN 'awarded'
              WHEN c.submitted_at IS NOT NULL THEN 'claimed'
              ELSE 'toClaim' END)
            FROM draw_attempts a JOIN draw_claims c USING (offer_id, attempt)
            WHERE a.offer_id = tickets.offer_id AND a.number = tickets.number
          )`.as('prize'),
        ])
        .where('tickets.user_id', '=', userId)
        .orderBy('tickets.issued_at', 'desc')
        .orderBy('tickets.offer_id')
        .orderBy('tickets.number')
        .execute(),

    /** By contest and number. */
    ofOrders: (orderIds: readonly string[]) =>
      tickets
        .where('tickets.order_id', '=', anyOf(orderIds, 'uuid'))
        .orderBy('tickets.offer_id')
        .orderBy('tickets.number')
        .execute(),

    /** Without void ones. */
    heldOfOrder: (orderId: string, limit: number) =>
      withHolder()
        .where('tickets.order_id', '=', orderId)
        .where('tickets.status', '=', 'valid')
        .orderBy('tickets.offer_id')
        .orderBy('tickets.number')
        .limit(limit)
        .execute(),

    /** By number. */
    validOfUserInOffer: (userId: number, slug: string) =>
      withHolder()
        .where('tickets.user_id', '=', userId)
        .where('offers.slug', '=', slug)
        .where('tickets.status', '=', 'valid')
        .orderBy('tickets.number')
        .execute(),

    ofUserById: (userId: number, id: string) =>
      withHolder().where('tickets.id', '=', id).where('tickets.user_id', '=', userId).executeTakeFirst(),
  }
}

export const toWire = ({ winner = null, prize, ...row }: Omit<TicketRow, 'order_id'>): Ticket => ({
  id: row.id,
  ticket_number: padTicketNumber(row.number, row.total_tickets),
  ...textFields('title', row.titles),
  end_date: row.end_date.toISOString(),
  offer_id: row.offer_id,
  offer_slug: row.slug,
  // The tables' constraints allow no other values.
  status: row.status as Ticket['status'],
  source: row.source as Ticket['source'],
  issued_at: row.issued_at.toISOString(),
  ...(winner !== null &&
    row.status === 'valid' && { outcome: row.number === winner ? ('won' as const) : ('notWon' as const) }),
  ...(prize && { prize: prize.is }),
  ...(prize?.is === 'toClaim' && { claim_until: new Date(prize.until).toISOString() }),
  leaf_index: row.leaf_index,
  proof_link: proofLink(row),
})

/** By contest and number. */
export async function ticketsOfOrders(db: Sql, orderIds: readonly string[]): Promise<Ticket[][]> {
  const rows = await ticketsRepository(db).ofOrders(orderIds)
  const byOrder = Map.groupBy(rows, (row) => row.order_id)
  return orderIds.map((id) => (byOrder.get(id) ?? []).map(toWire))
}

/** A paid ticket names its order. */
export interface NewTicket {
  id: string
  offerId: number
  number: number
  /** Null of an entry by post without an account. */
  userId: number | null
  source: 'paid' | 'postal' | 'demo'
  orderId: string | null
}

/** `tickets_number_once` refuses a number that is in use. @returns when the tickets were issued */
export async function insertTickets(trx: Trx, tickets: readonly NewTicket[]): Promise<Date | undefined> {
  const { rows } = await sql<{ issued_at: Date }>`
    WITH made AS (
    INSERT INTO tickets (id, offer_id, number, user_id, source, order_id)
    SELECT * FROM unnest(
      ${tickets.map((one) => one.id)}::uuid[], ${tickets.map((one) => one.offerId)}::int[],
      ${tickets.map((one) => one.number)}::int[], ${tickets.map((one) => one.userId)}::bigint[],
      ${tickets.map((one) => one.source)}::text[], ${tickets.map((one) => one.orderId)}::uuid[]
    )
    RETURNING issued_at
    )
    SELECT issued_at FROM made LIMIT 1`.execute(trx)
  return rows[0]?.issued_at
}

/** The numbers stay issued. @returns how many tickets were valid */
export async function voidTickets(
  trx: Trx,
  orderIds: readonly string[],
  reason: VoidReason,
): Promise<number> {
  const { numUpdatedRows } = await trx
    .updateTable('tickets')
    .set({ status: 'void', void_reason: reason })
    .where('order_id', 'in', [...orderIds])
    .where('status', '=', 'valid')
    .executeTakeFirst()
  return Number(numUpdatedRows)
}

/** A ticket of an order. */
export interface OrderTicket {
  offer_id: number
  /** As people see it. */
  number: string
}

interface PartOfOrder {
  offer_id: number
  quantity: number
}

/**
 * Of each offer so many tickets that are not returned: those that were issued last, of one purchase those with the highest
 * numbers. Tickets that their owner gave up come last, since they are void already.
 */
const lastTickets = (orderId: string, parts: readonly PartOfOrder[]) => sql`
  SELECT t.offer_id, t.number, t.was_valid
  FROM unnest(
    ${parts.map((one) => one.offer_id)}::int[], ${parts.map((one) => one.quantity)}::int[]
  ) AS p (offer_id, quantity)
  CROSS JOIN LATERAL (
    SELECT offer_id, number, status = 'valid' AS was_valid FROM tickets
    WHERE order_id = ${orderId} AND offer_id = p.offer_id AND (status = 'valid' OR given_up_at IS NOT NULL)
    ORDER BY status = 'valid' DESC, issued_at DESC, number DESC LIMIT p.quantity
  ) AS t`

async function shownTickets(db: Sql, numbers: RawBuilder<unknown>): Promise<OrderTicket[]> {
  const { rows } = await sql<{ offer_id: number; number: number; total: number }>`
    WITH those AS (${numbers})
    SELECT those.offer_id, those.number, o.total_tickets AS total
    FROM those JOIN offers o ON o.id = those.offer_id WHERE those.was_valid ORDER BY those.offer_id, those.number`.execute(
    db,
  )
  return rows.map(({ offer_id, number, total }) => ({ offer_id, number: padTicketNumber(number, total) }))
}

/** The valid tickets of an order that a refund would void. @param parts undefined: all */
export const ticketsToVoid = (
  db: Sql,
  orderId: string,
  parts: readonly PartOfOrder[] | undefined,
): Promise<OrderTicket[]> =>
  shownTickets(
    db,
    parts
      ? lastTickets(orderId, parts)
      : sql`SELECT offer_id, number, true AS was_valid FROM tickets WHERE order_id = ${orderId} AND status = 'valid'`,
  )

/** @returns the tickets that are void now */
export const voidLastTickets = (
  trx: Trx,
  orderId: string,
  parts: readonly PartOfOrder[],
): Promise<OrderTicket[]> =>
  shownTickets(
    trx,
    sql`
      UPDATE tickets t
      SET status = 'void', given_up_at = NULL, void_reason = coalesce(t.void_reason, ${'refunded' satisfies VoidReason})
      FROM (${lastTickets(orderId, parts)}) AS last
      WHERE t.offer_id = last.offer_id AND t.number = last.number
      RETURNING t.offer_id, t.number, last.was_valid`,
  )

export async function voidTicketsOfOffers(
  trx: Trx,
  orderId: string,
  offerIds: readonly number[],
): Promise<void> {
  await sql`
    UPDATE tickets SET status = 'void', void_reason = ${'refunded' satisfies VoidReason}
    WHERE order_id = ${orderId} AND offer_id = ANY(${[...offerIds]}::int[]) AND status = 'valid'`.execute(trx)
}

/** Voids an offer's tickets that nobody paid for. */
export async function voidTicketsWithoutOrder(trx: Trx, offerId: number): Promise<void> {
  await sql`
    UPDATE tickets SET status = 'void', void_reason = ${'refunded' satisfies VoidReason}
    WHERE offer_id = ${offerId} AND order_id IS NULL AND status = 'valid'`.execute(trx)
}

/** Voids the ticket of a card for which the rules were not kept. */
export async function voidPostalTicket(trx: Trx, offerId: number, number: number): Promise<void> {
  await sql`
    UPDATE tickets SET status = 'void', void_reason = ${'postal-rule' satisfies VoidReason}
    WHERE offer_id = ${offerId} AND number = ${number} AND source = 'postal' AND status = 'valid'`.execute(
    trx,
  )
}

/** How many valid tickets of offers a user has. */
export async function validTicketsOf(
  db: Sql,
  userId: number,
  offerIds: readonly number[],
): Promise<{ offer_id: number; tickets: number }[]> {
  const { rows } = await sql<{ offer_id: number; tickets: number }>`
    SELECT offer_id, count(*)::int AS tickets FROM tickets
    WHERE user_id = ${userId} AND offer_id = ANY(${[...offerIds]}::int[]) AND status = 'valid'
    GROUP BY offer_id`.execute(db)
  return rows
}

/** @param numbers a query of `offer_id, number` @param userId null for nobody @param onlyFree those of nobody yet */
export async function giveNumbersTo(
  trx: Trx,
  numbers: RawBuilder<unknown>,
  userId: number | null,
  { onlyFree = false } = {},
): Promise<void> {
  await sql`
    UPDATE tickets t SET user_id = ${userId} FROM (${numbers}) AS given (offer_id, number)
    WHERE t.offer_id = given.offer_id AND t.number = given.number
      ${onlyFree ? sql`AND t.user_id IS NULL` : sql``}`.execute(trx)
}

export async function giveTicketsTo(trx: Trx, orderIds: readonly string[], userId: number): Promise<void> {
  await sql`UPDATE tickets SET user_id = ${userId} WHERE order_id = ANY(${[...orderIds]}::uuid[])`.execute(
    trx,
  )
}

/** Until there is a table of draws: a draw without a date has been held so many days after the end of its contest. */
const DRAWN_AFTER_DAYS = 31

export interface TicketsAtStake {
  offer_id: number
  slug: string
  titles: LocalizedText
  end_date: Date
  tickets: number
  /** False when only the draw or the claim of its prize is still to come. */
  is_running: boolean
}

/**
 * The contests in which somebody may still win or claim the prize, so that the tickets need an owner who can be reached, with the number of valid tickets in each.
 */
export async function ticketsAtStake(db: Sql, userId: number): Promise<TicketsAtStake[]> {
  const { rows } = await sql<TicketsAtStake>`
    SELECT o.id AS offer_id, o.slug, o.titles, o.end_date, count(*)::int AS tickets,
           o.active AND o.end_date > clock_timestamp() AS is_running
    FROM tickets t JOIN offers o ON o.id = t.offer_id LEFT JOIN draws d ON d.offer_id = o.id
    WHERE t.user_id = ${userId} AND t.status = 'valid' AND o.cancelled_at IS NULL
      AND coalesce(o.draw_at, o.end_date + make_interval(days => ${DRAWN_AFTER_DAYS}))
          + make_interval(secs => coalesce(d.claim_seconds, ${CLAIM_DAYS * 86_400})) > clock_timestamp()
    GROUP BY o.id ORDER BY o.end_date, o.id`.execute(db)
  return rows
}

/** Voids an owner's tickets of contests that still run; those of a contest that has ended stay in its draw. @returns how many */
export async function giveUpTickets(trx: Trx, userId: number): Promise<number> {
  const { numAffectedRows } = await sql`
    UPDATE tickets t
    SET status = 'void', given_up_at = clock_timestamp(), void_reason = ${'withdrawn' satisfies VoidReason}
    FROM offers o
    WHERE o.id = t.offer_id AND t.user_id = ${userId} AND t.status = 'valid'
      AND o.active AND o.end_date > clock_timestamp()`.execute(trx)
  return Number(numAffectedRows)
}

export interface CountedOffer {
  id: number
  slug: string
  key: Buffer
  total: number
  sold: number
}

export async function countedOffers(db: Sql): Promise<CountedOffer[]> {
  const { rows } = await sql<CountedOffer>`
    SELECT id, slug, number_key AS key, total_tickets AS total, tickets_sold AS sold
    FROM offers WHERE tickets_sold > 0 ORDER BY id`.execute(db)
  return rows
}

/** Ascending, four big-endian bytes each: a tenth of the time of rows. @param above undefined: from the first */
export async function packedNumbers(
  db: Sql,
  offerId: number,
  above: number | undefined,
  most: number,
): Promise<Buffer | undefined> {
  const { rows } = await sql<{ numbers: Buffer | null }>`
    SELECT string_agg(int4send(number), '' ORDER BY number) AS numbers
    FROM (
      SELECT number FROM tickets
      WHERE offer_id = ${offerId} AND number > coalesce(${above ?? null}::int, -2147483648)
      ORDER BY number LIMIT ${most}
    ) AS next`.execute(db)
  return rows[0]?.numbers ?? undefined
}

/** All tickets of an account, for an export. */
export async function keptTicketsOf(db: Sql, userId: number) {
  const { rows } = await sql<{
    slug: string
    titles: LocalizedText
    total_tickets: number
    number: number
    status: string
    source: string
    issued_at: Date
    given_up_at: Date | null
    order_number: string | null
  }>`
    SELECT o.slug, o.titles, o.total_tickets, t.number, t.status, t.source, t.issued_at,
           t.given_up_at, r.number AS order_number
    FROM tickets t JOIN offers o ON o.id = t.offer_id LEFT JOIN orders r ON r.id = t.order_id
    WHERE t.user_id = ${userId} ORDER BY t.issued_at, t.offer_id, t.number`.execute(db)
  return rows
}
