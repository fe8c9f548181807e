/** What staff read of orders: lists, search, one order with all that belongs to it. */
import { type RawBuilder, sql } from 'kysely'
import { padTicketNumber } from '#features/offers/offers.rules.ts'
import type { ReadDatabase, Trx } from '#platform/database.ts'
import { firstIdAt, isUuid } from '#platform/ids.ts'
import { likeText } from '#platform/like-text.ts'
import type { Language } from '#shared/languages.ts'
import { readOrderNumber } from '#shared/order-number.ts'
import {
  HOLDING,
  type OrderState,
  type RefundReason,
  type StaffRefundReason,
} from '../order-machine.rules.ts'
import type { SearchTerm } from '../order-search.rules.ts'
import type { StaffOrdersFilters } from '../staff-orders.contract.ts'
import { type OrderRow, orderRows, stateIn } from './orders.repository.ts'
import { isSurplus } from './paying-capture.repository.ts'
import { anyTextLike, textOf } from '#platform/localized-columns.ts'

type HoldingRow = Pick<
  OrderRow,
  'id' | 'user_id' | 'state' | 'created_at' | 'hold_until' | 'newcomer' | 'network'
> & { tickets: { slug: string; quantity: number }[] }

/** Most orders in the list of those that hold tickets. */
const MOST_HOLDING = 1_000
/** Most numbers of an order's tickets. */
const NUMBERS_SHOWN = 200
/** Most results of a kind. */
const MOST_FOUND = 10

export interface ListedOrder {
  id: string
  number: string
  state: OrderState
  total_cents: number
  refunded_cents: number
  country: string
  created_at: Date
  user_id: number
  username: string
  tickets: number
  contests: { slug: string; title: string }[]
}

/** Filters with the days as moments. */
export type OrderFilters = Omit<StaffOrdersFilters, 'from' | 'to' | 'offer'> & {
  offerId?: number | undefined
  from?: Date | undefined
  /** The end of the last day: it is not included. */
  until?: Date | undefined
}

/** The ids of orders are made by the clock of a process; the time of an order is the database's. */
const CLOCKS_DIFFER_MS = 3_600_000

/**
 * Ids of the newest orders that may fit, by one index: that of a customer, a contest, a state, or of all. @param after
 * only older ones
 */
function candidates(filters: OrderFilters, after: string | undefined, most: number): RawBuilder<unknown> {
  const { customer, offerId, state, from, until } = filters
  const bounds = (id: string): RawBuilder<unknown> => {
    const column = sql.ref(id)
    const conditions = [
      ...(after === undefined ? [] : [sql`${column} < ${after}::uuid`]),
      ...(from ? [sql`${column} >= ${firstIdAt(from.getTime() - CLOCKS_DIFFER_MS)}::uuid`] : []),
      ...(until ? [sql`${column} < ${firstIdAt(until.getTime() + CLOCKS_DIFFER_MS)}::uuid`] : []),
    ]
    return conditions.length > 0 ? sql.join(conditions, sql` AND `) : sql`true`
  }
  const newest = sql`ORDER BY id DESC LIMIT ${most}`
  if (customer !== undefined)
    return sql`SELECT id FROM orders WHERE user_id = ${customer} AND ${bounds('id')} ${newest}`
  if (offerId !== undefined)
    return sql`
      SELECT order_id AS id FROM order_lines
      WHERE offer_id = ${offerId} AND ${bounds('order_id')} ORDER BY order_id DESC LIMIT ${most}`
  if (state === undefined) return sql`SELECT id FROM orders WHERE ${bounds('id')} ${newest}`
  // Few are open: a partial index has all of them, in another order.
  if ([...HOLDING].some((one) => one === state))
    return sql`
      SELECT id FROM (SELECT id FROM orders WHERE ${stateIn([state])} OFFSET 0) AS open WHERE ${bounds('id')} ${newest}`
  return sql`SELECT id FROM orders WHERE ${stateIn([state])} AND ${bounds('id')} ${newest}`
}

/** Conditions that no index serves: on the candidates only. */
function fits({ state, country, min, max, from, until }: OrderFilters): RawBuilder<unknown> {
  const conditions = [
    ...(state === undefined ? [] : [stateIn([state], 'o.state')]),
    ...(country === undefined ? [] : [sql`o.country = ${country}`]),
    ...(min === undefined ? [] : [sql`o.total_cents >= ${min}`]),
    ...(max === undefined ? [] : [sql`o.total_cents <= ${max}`]),
    ...(from ? [sql`o.created_at >= ${from}`] : []),
    ...(until ? [sql`o.created_at < ${until}`] : []),
  ]
  return conditions.length > 0 ? sql.join(conditions, sql` AND `) : sql`true`
}

export interface Found {
  /** Newest first. */
  ids: string[]
  /** The oldest candidate, with its time, when there may be older ones. */
  last: { id: string; at: Date } | undefined
}

const REFUNDED = sql`(SELECT coalesce(sum(c.refunded_cents), 0)::int FROM captures c WHERE c.order_id = o.id)`

export interface FoundOrder {
  id: string
  number: string
  state: OrderState
  total_cents: number
  created_at: Date
  user_id: number
  username: string
}

export interface FoundTicket {
  id: string
  number: string
  status: string
  issued_at: Date
  slug: string
  title: string
  order_id: string | null
  order_number: string | null
  user_id: number
  username: string
}

export interface FoundCustomer {
  id: number
  username: string
  email: string
  created_at: Date
}

/** Orders by the condition, which an index must serve. */
const foundOrders = async (db: ReadDatabase, which: RawBuilder<unknown>): Promise<FoundOrder[]> =>
  (
    await sql<FoundOrder>`
      SELECT o.id, o.number, o.state, o.total_cents, o.created_at, o.user_id, u.username
      FROM orders o JOIN users u ON u.id = o.user_id
      WHERE ${which} ORDER BY o.id DESC LIMIT ${MOST_FOUND}`.execute(db)
  ).rows

/** The bounds of texts that begin like this one, for an index in the order of bytes. */
const begins = (column: RawBuilder<unknown>, beginning: string): RawBuilder<boolean> =>
  sql<boolean>`${column} >= ${beginning} AND ${column} < ${`${beginning}\u{10FFFF}`}`

export const orderSearch = (db: ReadDatabase) => ({
  byId: (id: string): Promise<FoundOrder[]> => foundOrders(db, sql`o.id = ${id}::uuid`),
  byNumber: (number: string): Promise<FoundOrder[]> => foundOrders(db, sql`o.number = ${number}`),
  byProviderOrder: (ids: readonly string[]): Promise<FoundOrder[]> =>
    foundOrders(db, sql`o.provider_order_id = ANY(${[...ids]}::text[])`),
  byCapture: (ids: readonly string[]): Promise<FoundOrder[]> =>
    foundOrders(db, sql`o.id IN (SELECT order_id FROM captures WHERE capture_id = ANY(${[...ids]}::text[]))`),
  byRefund: (ids: readonly string[]): Promise<FoundOrder[]> =>
    foundOrders(db, sql`o.id IN (SELECT order_id FROM refunds WHERE refund_id = ANY(${[...ids]}::text[]))`),

  /** The newest orders of customers. */
  ofCustomers: async (userIds: readonly number[], each: number): Promise<FoundOrder[]> =>
    (
      await sql<FoundOrder>`
        SELECT o.id, o.number, o.state, o.total_cents, o.created_at, o.user_id, u.username
        FROM users u CROSS JOIN LATERAL (
          SELECT * FROM orders WHERE user_id = u.id ORDER BY id DESC LIMIT ${each}
        ) AS o
        WHERE u.id = ANY(${[...userIds]}::bigint[]) ORDER BY o.id DESC LIMIT ${MOST_FOUND}`.execute(db)
    ).rows,

  customers: async (
    term: Extract<SearchTerm, { by: 'email' | 'username' | 'phone' }>,
  ): Promise<FoundCustomer[]> => {
    const key =
      term.by === 'phone' ? sql`(reverse(phone) COLLATE "C")` : sql`(lower(${sql.ref(term.by)}) COLLATE "C")`
    const which =
      term.by === 'phone'
        ? sql`phone <> '' AND ${begins(key, term.digits.split('').toReversed().join(''))}`
        : begins(key, term.begins)
    const customers = async (condition: RawBuilder<unknown>, rest: RawBuilder<unknown>, most: number) =>
      (
        await sql<FoundCustomer>`
          SELECT id, username, email, created_at FROM users WHERE ${condition} ${rest} LIMIT ${most}`.execute(
          db,
        )
      ).rows
    const found = await customers(which, sql`ORDER BY ${key}`, MOST_FOUND)
    if (term.by !== 'username' || found.length === MOST_FOUND) return found
    // Of many in no order, so that a frequent name need not be sorted.
    const others = await customers(
      sql`name_search(username) @@ name_query(${term.begins}) AND NOT (${which})`,
      sql``,
      MOST_FOUND - found.length,
    )
    return [...found, ...others]
  },

  ticketById: (id: string, language: Language): Promise<FoundTicket[]> =>
    foundTickets(db, language, sql`t.id = ${id}::uuid`, sql`true`),

  /** A number in each contest, or in those whose title or address has the words. */
  tickets: (number: number, contest: string | undefined, language: Language): Promise<FoundTicket[]> => {
    const words = contest === undefined ? undefined : likeText(contest)
    return foundTickets(
      db,
      language,
      sql`t.number = ${number}`,
      words === undefined ? sql`true` : sql`(f.slug ILIKE ${words} OR ${anyTextLike('f.titles', words)})`,
    )
  },
})

async function foundTickets(
  db: ReadDatabase,
  language: Language,
  which: RawBuilder<unknown>,
  ofOffer: RawBuilder<unknown>,
): Promise<FoundTicket[]> {
  type Row = Omit<FoundTicket, 'number'> & { number: number; total_tickets: number }
  // The contests first: each has the number once, by its primary key. Of a number by post the card is found
  // (`entrySearch`).
  const { rows } = await sql<Row>`
    SELECT t.id, t.number, t.status, t.issued_at, f.slug, ${textOf('f.titles', language)} AS title, f.total_tickets, t.order_id, o.number AS order_number,
           t.user_id, u.username
    FROM offers f
    JOIN tickets t ON t.offer_id = f.id AND t.source <> 'postal' AND ${which}
    JOIN users u ON u.id = t.user_id
    LEFT JOIN orders o ON o.id = t.order_id
    WHERE ${ofOffer}
    ORDER BY t.issued_at DESC LIMIT ${MOST_FOUND}`.execute(db)
  return rows.map(({ number, total_tickets, ...row }) => ({
    ...row,
    number: padTicketNumber(number, total_tickets),
  }))
}

export interface StaffOrderParts {
  lines: {
    offer_id: number
    slug: string
    title: string
    quantity: number
    unit_cents: number
    returned_quantity: number
    is_cancelled: boolean
  }[]
  tickets: { valid: number; void: number }
  numbers: { offer_id: number; number: string; status: string }[]
  captures: {
    capture_id: string
    status: string
    amount_cents: number
    refunded_cents: number
    currency: string
    recorded_at: Date
  }[]
  disputes: {
    id: string
    reason: string | null
    amount_cents: number | null
    due_at: Date | null
    is_resolved: boolean
    changed_at: Date
    page: string
  }[]
  refunds: {
    refund_id: string | null
    capture_id: string
    status: string
    amount_cents: number
    reason: RefundReason
    note: string | null
    origin: string
    created_at: Date
    changed_at: Date
    by: string | null
    staff_reason: StaffRefundReason | null
    part: 'lines' | 'amount' | null
    approval_id: number | null
    is_surplus: boolean
    /** A RefusalReason, with the provider's code. */
    refusal: string | null
    refusal_code: string | null
  }[]
  events: {
    from_state: OrderState | null
    to_state: OrderState
    reason: string
    note: string | null
    at: Date
    by: string | null
  }[]
  emails: {
    id: string
    kind: string
    subject: string
    state: string
    queued_at: Date
    closed_at: Date | null
    last_error: string | null
  }[]
  notifications: { event_id: string; event_type: string; received_at: Date; handled_at: Date | null }[]
  notes: { id: number; by: string; text: string; at: Date; erased_at: Date | null }[]
  staff: { id: number; action: string; actor: string; at: Date; reason: string | null }[]
  reads: { actor: string; at: Date }[]
  approval: { id: number; by: string; at: Date } | undefined
  /** Emails, notifications or entries of the audit log were left out. */
  hasMore: boolean
}

/** Emails about an order have keys with its id, such as `refund:<id>:…`. */
const EMAIL_KEYS = ['receipt:', 'receipt-copy:', 'refund:', 'unfinished:'] as const

const emailsOf = (orderId: string): RawBuilder<unknown> =>
  sql.join(
    EMAIL_KEYS.map((head) => {
      const key = head + orderId
      // ";" follows ":" in ASCII.
      return sql`(key ~>=~ ${key} AND key ~<~ ${`${key};`})`
    }),
    sql` OR `,
  )

export const staffOrdersRepository = (db: ReadDatabase) => ({
  buyer: (userId: number) =>
    db
      .selectFrom('users')
      .select(['id', 'username', 'email', 'is_active', 'email_confirmed_at'])
      .where('id', '=', userId)
      .executeTakeFirstOrThrow(),

  /** Orders that hold tickets, of one contest or of all, the newest first. */
  holding: async (slug?: string): Promise<HoldingRow[]> =>
    (
      await sql<HoldingRow>`
        SELECT o.id, o.user_id, o.state, o.created_at, o.hold_until, o.newcomer, o.network,
               json_agg(json_build_object('slug', f.slug, 'quantity', l.quantity) ORDER BY f.slug) AS tickets
        FROM orders o JOIN order_lines l ON l.order_id = o.id JOIN offers f ON f.id = l.offer_id
        WHERE ${stateIn(HOLDING, 'o.state')}
        GROUP BY o.id
        HAVING ${slug ?? null}::text IS NULL OR bool_or(f.slug = ${slug ?? null}::text)
        ORDER BY o.created_at DESC, o.id DESC LIMIT ${MOST_HOLDING}`.execute(db)
    ).rows,

  /** @param id ours, the provider's, or the order number */
  find: (id: string): Promise<OrderRow | undefined> => {
    const number = readOrderNumber(id)
    const column = isUuid(id) ? 'id' : number ? 'number' : 'provider_order_id'
    return orderRows(db)
      .where(column, '=', number ?? id)
      .executeTakeFirst()
  },

  offerId: async (slug: string): Promise<number | undefined> =>
    (await db.selectFrom('offers').select('id').where('slug', '=', slug).executeTakeFirst())?.id,

  /** The beginning of a day in a zone, and that of the day after another one. */
  async days(
    from: string | undefined,
    to: string | undefined,
    zone: string,
  ): Promise<{ from: Date | undefined; until: Date | undefined }> {
    if (from === undefined && to === undefined) return { from: undefined, until: undefined }
    const { rows } = await sql<{ from: Date | null; until: Date | null }>`
      SELECT ${from ?? null}::date::timestamp AT TIME ZONE ${zone} AS "from",
             (${to ?? null}::date + 1)::timestamp AT TIME ZONE ${zone} AS until`.execute(db)
    return { from: rows[0]?.from ?? undefined, until: rows[0]?.until ?? undefined }
  },

  /** Orders that fit among the next `window` candidates, at most `limit`. */
  async search(
    filters: OrderFilters,
    after: string | undefined,
    window: number,
    limit: number,
  ): Promise<Found> {
    const { rows } = await sql<{ ids: string[] | null; last: string | null; at: Date | null; seen: number }>`
      WITH candidates AS MATERIALIZED (${candidates(filters, after, window)}),
      page AS (
        SELECT o.id FROM candidates c JOIN orders o ON o.id = c.id
        WHERE ${fits(filters)} ORDER BY o.id DESC LIMIT ${limit}
      ),
      last AS (SELECT id FROM candidates ORDER BY id LIMIT 1)
      SELECT (SELECT array_agg(id ORDER BY id DESC) FROM page) AS ids, (SELECT count(*)::int FROM candidates) AS seen,
             o.id AS last, o.created_at AS at
      FROM (SELECT 1) AS one LEFT JOIN last ON true LEFT JOIN orders o ON o.id = last.id`.execute(db)
    const [row] = rows
    const isMore = row !== undefined && row.seen === window
    return {
      ids: row?.ids ?? [],
      last: isMore && row.last && row.at ? { id: row.last, at: row.at } : undefined,
    }
  },

  /** What a list shows of orders, the newest first. */
  listed: async (ids: readonly string[], language: Language): Promise<ListedOrder[]> =>
    (
      await sql<ListedOrder>`
        SELECT o.id, o.number, o.state, o.total_cents, ${REFUNDED} AS refunded_cents, o.country, o.created_at, o.user_id,
               u.username, l.tickets, l.contests
        FROM orders o
        JOIN users u ON u.id = o.user_id
        CROSS JOIN LATERAL (
          SELECT coalesce(sum(l.quantity), 0)::int AS tickets,
                 coalesce(json_agg(json_build_object('slug', f.slug, 'title', ${textOf('f.titles', language)}) ORDER BY l.offer_id), '[]') AS contests
          FROM order_lines l JOIN offers f ON f.id = l.offer_id WHERE l.order_id = o.id
        ) AS l
        WHERE o.id = ANY(${[...ids]}::uuid[]) ORDER BY o.id DESC`.execute(db)
    ).rows,

  /** What an export has of orders besides. */
  exported: async (ids: readonly string[]) =>
    (
      await sql<{
        id: string
        email: string
        subtotal_cents: number
        tax_percent: string
        tax_cents: number
        provider_order_id: string | null
        captures: string[] | null
      }>`
        SELECT o.id, u.email, o.subtotal_cents, o.tax_percent, o.tax_cents, o.provider_order_id,
               (SELECT array_agg(c.capture_id ORDER BY c.recorded_at) FROM captures c WHERE c.order_id = o.id) AS captures
        FROM orders o JOIN users u ON u.id = o.user_id
        WHERE o.id = ANY(${[...ids]}::uuid[])`.execute(db)
    ).rows,

  /** What was ordered, with titles in the language of the staff. */
  lines: async (orderId: string, language: Language): Promise<StaffOrderParts['lines']> =>
    (
      await sql<StaffOrderParts['lines'][number]>`
        SELECT l.offer_id, f.slug, ${textOf('f.titles', language)} AS title, l.quantity, l.unit_cents, l.returned_quantity,
               f.cancelled_at IS NOT NULL AS is_cancelled
        FROM order_lines l JOIN offers f ON f.id = l.offer_id
        WHERE l.order_id = ${orderId} ORDER BY l.offer_id`.execute(db)
    ).rows,

  /** All that belongs to an order. @param most emails, notifications and acts of staff */
  async parts(orderId: string, most: number, language: Language): Promise<StaffOrderParts> {
    const rows = async <Row>(query: RawBuilder<Row>): Promise<Row[]> => (await query.execute(db)).rows
    const [
      lines,
      counts,
      numbers,
      captures,
      refunds,
      events,
      emails,
      notifications,
      notes,
      staff,
      reads,
      approvals,
      disputes,
    ] = await Promise.all([
      staffOrdersRepository(db).lines(orderId, language),
      rows(sql<StaffOrderParts['tickets']>`
          SELECT count(*) FILTER (WHERE status = 'valid')::int AS valid,
                 count(*) FILTER (WHERE status <> 'valid')::int AS void
          FROM tickets WHERE order_id = ${orderId}`),
      rows(sql<{ offer_id: number; number: number; status: string; total: number }>`
          SELECT t.offer_id, t.number, t.status, f.total_tickets AS total
          FROM tickets t JOIN offers f ON f.id = t.offer_id
          WHERE t.order_id = ${orderId} ORDER BY t.offer_id, t.number LIMIT ${NUMBERS_SHOWN}`),
      rows(sql<StaffOrderParts['captures'][number]>`
          SELECT capture_id, status, amount_cents, refunded_cents, currency, recorded_at
          FROM captures WHERE order_id = ${orderId} ORDER BY recorded_at`),
      rows(sql<StaffOrderParts['refunds'][number]>`
          SELECT r.refund_id, r.capture_id, r.status, r.amount_cents, r.reason, r.note, r.origin, r.created_at,
                 coalesce(r.completed_at, r.changed_at) AS changed_at, u.username AS by, r.staff_reason, r.part, r.approval_id,
                 r.refusal, r.refusal_code,
                 ${isSurplus('r')} AS is_surplus
          FROM refunds r LEFT JOIN users u ON u.id = r.requested_by
          WHERE r.order_id = ${orderId} ORDER BY r.id`),
      rows(sql<StaffOrderParts['events'][number]>`
          SELECT e.from_state, e.to_state, e.reason, e.note, e.at, u.username AS by
          FROM order_events e
          LEFT JOIN users u ON u.id = substring(e.note FROM '^staff ([0-9]{1,15}): ')::bigint
          WHERE e.order_id = ${orderId} ORDER BY e.id`),
      rows(sql<StaffOrderParts['emails'][number]>`
          SELECT id, kind, subject, state, queued_at, closed_at, last_error FROM emails
          WHERE ${emailsOf(orderId)} ORDER BY queued_at DESC LIMIT ${most + 1}`),
      rows(sql<StaffOrderParts['notifications'][number]>`
          SELECT event_id, event_type, received_at, handled_at FROM webhook_inbox
          WHERE order_id = ${orderId} ORDER BY received_at DESC LIMIT ${most + 1}`),
      rows(sql<StaffOrderParts['notes'][number]>`
          SELECT n.id, u.username AS by, n.text, n.at, n.erased_at
          FROM order_notes n JOIN users u ON u.id = n.author_id WHERE n.order_id = ${orderId} ORDER BY n.id`),
      rows(sql<StaffOrderParts['staff'][number]>`
          SELECT l.id, l.action, l.entry::jsonb ->> 'actor' AS actor, l.at,
                 CASE WHEN l.action = 'approvals.ask' THEN nullif(a.reason, '-') ELSE a.answer END AS reason
          FROM audit_log l
          LEFT JOIN approvals a
            ON l.action LIKE 'approvals.%' AND a.id = (l.entry::jsonb #>> '{after,approval}')::bigint
          WHERE l.subject_kind = 'order' AND l.subject = ${orderId} AND l.action <> 'orders.read'
          ORDER BY l.id DESC LIMIT ${most + 1}`),
      rows(sql<StaffOrderParts['reads'][number]>`
          SELECT entry::jsonb ->> 'actor' AS actor, at FROM audit_log
          WHERE subject_kind = 'order' AND subject = ${orderId} AND action = 'orders.read'
          ORDER BY id DESC LIMIT 10`),
      rows(sql<{ id: number; by: string; at: Date }>`
          SELECT a.id, u.username AS by, a.requested_at AS at FROM approvals a JOIN users u ON u.id = a.requested_by
          WHERE a.permission = 'orders.refund' AND a.subject_kind = 'order' AND a.subject = ${orderId}
            AND a.decision IS NULL`),
      rows(sql<StaffOrderParts['disputes'][number]>`
          SELECT id, reason, CASE WHEN currency = 'EUR' THEN amount_cents END AS amount_cents, due_at,
                 is_resolved, changed_at, page
          FROM disputes WHERE order_id = ${orderId} ORDER BY is_resolved, due_at, id`),
    ])
    return {
      disputes,
      lines,
      tickets: counts[0] ?? { valid: 0, void: 0 },
      numbers: numbers.map(({ offer_id, number, status, total }) => ({
        offer_id,
        number: padTicketNumber(number, total),
        status,
      })),
      captures,
      refunds,
      events,
      emails: emails.slice(0, most),
      notifications: notifications.slice(0, most),
      notes,
      staff: staff.slice(0, most),
      reads,
      approval: approvals[0],
      hasMore: [emails, notifications, staff].some((list) => list.length > most),
    }
  },

  /** Copies of the receipt, and the seconds since the last one. */
  hasEmail: async (key: string): Promise<boolean> =>
    (await sql`SELECT FROM emails WHERE key = ${key}`.execute(db)).rows.length > 0,

  async receiptCopies(orderId: string): Promise<{ count: number; seconds: number | null }> {
    const key = `receipt-copy:${orderId}:`
    const { rows } = await sql<{ count: number; seconds: number | null }>`
      SELECT count(*)::int AS count, extract(epoch FROM clock_timestamp() - max(queued_at))::float8 AS seconds
      FROM emails WHERE key ~>=~ ${key} AND key ~<~ ${`${key.slice(0, -1)};`}`.execute(db)
    return rows[0] ?? { count: 0, seconds: null }
  },
})

export const staffOrderWrites = (trx: Trx) => ({
  addNote: async (orderId: string, authorId: number, text: string): Promise<number> =>
    (
      await trx
        .insertInto('order_notes')
        .values({ order_id: orderId, author_id: authorId, text })
        .returning('id')
        .executeTakeFirstOrThrow()
    ).id,
})
