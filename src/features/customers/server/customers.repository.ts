import { type RawBuilder, sql } from 'kysely'
import type { ReadDatabase } from '#platform/database.ts'
import { exclusionOf } from '#features/accounts/server/index.ts'
import type { EmailState } from '#features/emails/server/index.ts'
import { AWAITING_PROVIDER, HOLDING, RELEASED } from '#features/purchase/orders/order-machine.rules.ts'
import { stateIn } from '#features/purchase/orders/server/index.ts'
import { ERASED_EMAIL } from '#shared/email-address.ts'
import type { Language } from '#shared/languages.ts'
import type { AccountStanding, CustomerSearch } from '../customers.rules.ts'
import type { LocalizedText } from '#shared/localized-text.ts'

export interface CustomerRow {
  id: number
  username: string
  email: string
  phone: string
  state: AccountStanding
  is_staff: boolean
  email_confirmed: boolean
  created_at: Date
}

type OtherStanding = Exclude<AccountStanding, 'active'>

export interface CustomersAsked {
  state: OtherStanding | undefined
  /** The last customer of the page before. */
  after: number | undefined
  limit: number
}

const SUMMARY = sql`
  u.id, u.username, u.email, u.phone, u.is_staff, u.email_confirmed_at IS NOT NULL AS email_confirmed, u.created_at,
  CASE WHEN u.closed_at IS NOT NULL THEN 'closed' WHEN u.is_active THEN 'active' ELSE 'suspended' END AS state`

const STANDING: Record<OtherStanding, RawBuilder<unknown>> = {
  suspended: sql`AND NOT u.is_active AND u.closed_at IS NULL`,
  closed: sql`AND u.closed_at IS NOT NULL`,
}

/** Not the shared account of the orders that retention made nameless, which is nobody's. */
const isSomebody = sql`u.email <> ${ERASED_EMAIL}`

type Key = 'email' | 'username' | 'phone'
const KEYS: Record<Key, RawBuilder<unknown>> = {
  email: sql`(lower(u.email) COLLATE "C")`,
  username: sql`(lower(u.username) COLLATE "C")`,
  phone: sql`(u.phone COLLATE "C")`,
}

/** Above every text that begins like another one, in the order of bytes. */
const HIGHEST = '\u{10FFFF}'
const begins = (name: Key, text: RawBuilder<unknown>) =>
  sql`(${KEYS[name]} >= ${text} AND ${KEYS[name]} < ${text} || ${HIGHEST})`

/** Customers who are sorted for a word of their names: of more the list is not complete, and another word helps. */
const MOST_WITH_WORD = 5_000

/** Each customer once, in the order of what was found: e-mail addresses, usernames and numbers as one list. */
async function searchByText(
  db: ReadDatabase,
  { text, phones }: Extract<CustomerSearch, { by: 'text' }>,
  { state, after, limit }: CustomersAsked,
): Promise<CustomerRow[]> {
  const typed = sql`lower(${text}::text)`
  const isEmail = begins('email', typed)
  const isUsername = begins('username', typed)
  // Any word of a name, without its accents: an index has them. Null for too few letters.
  const hasWords = sql`(name_search(u.username) @@ name_query(${text}::text))`
  const isName = sql`(${isUsername} OR coalesce(${hasWords}, false))`
  const lastKey = sql`(
    SELECT CASE WHEN ${isEmail} THEN ${KEYS.email} WHEN ${isName} THEN ${KEYS.username} ELSE ${KEYS.phone} END
    FROM users u WHERE u.id = ${after ?? 0})`
  const part = (name: Key, condition: RawBuilder<unknown>, from = sql`users u`) => sql`(
    SELECT u.id, ${KEYS[name]} AS key FROM ${from}
    WHERE ${condition} AND ${isSomebody} ${state ? STANDING[state] : sql``}
      ${after === undefined ? sql`` : sql`AND (${KEYS[name]}, u.id) > (${lastKey}, ${after}::bigint)`}
    ORDER BY 2, 1 LIMIT ${limit})`
  const parts = [
    part('email', isEmail),
    part('username', sql`${isUsername} AND NOT ${isEmail}`),
    part(
      'username',
      sql`NOT ${isUsername} AND NOT ${isEmail}`,
      sql`(SELECT * FROM users u WHERE ${hasWords} LIMIT ${MOST_WITH_WORD}) AS u`,
    ),
    ...phones.map((phone) =>
      part(
        'phone',
        sql`${begins('phone', sql`${phone}::text`)} AND u.phone <> '' AND NOT ${isEmail} AND NOT ${isName}`,
      ),
    ),
  ]
  const { rows } = await sql<CustomerRow>`
    SELECT ${SUMMARY} FROM (${sql.join(parts, sql` UNION ALL `)}) AS found JOIN users u ON u.id = found.id
    ORDER BY found.key, found.id LIMIT ${limit}`.execute(db)
  return rows
}

/** Orders of which money may still arrive although their hold has ended. */
const isUnreconciled = sql`(${stateIn(RELEASED, 'o.state')} AND o.capture_started_at IS NOT NULL AND o.reconciled_at IS NULL)`

export interface CustomerOrderRow {
  id: string
  number: string
  state: string
  total_cents: number
  tickets: number
  created_at: Date
}

export interface CustomerEmailRow {
  id: string
  kind: string
  subject: string
  language: Language
  state: EmailState
  queued_at: Date
  closed_at: Date | null
  erased_at: Date | null
}

export const customersRepository = (db: ReadDatabase) => ({
  /** Without a search the newest first. */
  async list(search: CustomerSearch | undefined, asked: CustomersAsked): Promise<CustomerRow[]> {
    if (search?.by === 'text') return searchByText(db, search, asked)
    const { state, after, limit } = asked
    const { rows } = await sql<CustomerRow>`
      SELECT ${SUMMARY} FROM users u
      WHERE ${isSomebody} ${state ? STANDING[state] : sql``}
        ${search ? sql`AND u.id = ${search.id}` : sql``}
        ${after === undefined ? sql`` : sql`AND u.id < ${after}`}
      ORDER BY u.id DESC LIMIT ${limit}`.execute(db)
    return rows
  },

  async find(id: number) {
    const { rows } = await sql<
      CustomerRow & {
        language: Language
        partner_code: string | null
        pending_email: string | null
        /** Times in JSON are texts. */
        correction: { by: string; note: string; asked_at: string; expires_at: string } | null
        closed_at: Date | null
      }
    >`
      SELECT ${SUMMARY}, u.language, u.partner_code, u.closed_at, waiting.email AS pending_email, waiting.correction
      FROM users u LEFT JOIN LATERAL (
        SELECT l.email, CASE WHEN l.purpose = 'correct' THEN json_build_object(
          'by', staff.username, 'note', l.note, 'asked_at', l.created_at, 'expires_at', l.expires_at
        ) END AS correction
        FROM email_links l LEFT JOIN users staff ON staff.id = l.asked_by
        WHERE l.user_id = u.id AND l.purpose IN ('allow', 'change', 'correct') AND l.ended_at IS NULL
          AND l.expires_at > clock_timestamp()
      ) AS waiting ON true
      WHERE u.id = ${id} AND ${isSomebody}`.execute(db)
    return rows[0]
  },

  /** The newest first. */
  async suspensions(id: number, after: number | undefined, limit: number) {
    const { rows } = await sql<{
      id: number
      reason: string
      note: string
      by: string
      at: Date
      lifted_by: string | null
      lifted_at: Date | null
      lifted_note: string | null
    }>`
      SELECT s.id, s.reason, s.note, staff.username AS by, s.suspended_at AS at, lifter.username AS lifted_by, s.lifted_at,
             s.lifted_note
      FROM account_suspensions s JOIN users staff ON staff.id = s.suspended_by
      LEFT JOIN users lifter ON lifter.id = s.lifted_by
      WHERE s.user_id = ${id} ${after === undefined ? sql`` : sql`AND s.id < ${after}`}
      ORDER BY s.id DESC LIMIT ${limit}`.execute(db)
    return rows
  },

  /** The newest first. */
  async orders(id: number, after: string | undefined, limit: number): Promise<CustomerOrderRow[]> {
    const { rows } = await sql<CustomerOrderRow>`
      SELECT o.id, o.number, o.state, o.total_cents, o.created_at,
             (SELECT coalesce(sum(l.quantity), 0)::int FROM order_lines l WHERE l.order_id = o.id) AS tickets
      FROM orders o
      WHERE o.user_id = ${id} ${after === undefined ? sql`` : sql`AND o.id < ${after}::uuid`}
      ORDER BY o.id DESC LIMIT ${limit}`.execute(db)
    return rows
  },

  async tickets(id: number) {
    const { rows } = await sql<{
      offer_id: number
      slug: string
      titles: LocalizedText
      end_date: Date
      valid: number
      void: number
      given_up: number
    }>`
      SELECT o.id AS offer_id, o.slug, o.titles, o.end_date,
             count(*) FILTER (WHERE t.status = 'valid')::int AS valid,
             count(*) FILTER (WHERE t.status <> 'valid' AND t.given_up_at IS NULL)::int AS void,
             count(t.given_up_at)::int AS given_up
      FROM tickets t JOIN offers o ON o.id = t.offer_id
      WHERE t.user_id = ${id}
      GROUP BY o.id ORDER BY o.end_date DESC, o.id DESC`.execute(db)
    return rows
  },

  /** Those that work, the last used first. */
  async sessions(id: number) {
    const { rows } = await sql<{
      id: string
      browser: string | null
      system: string | null
      created_at: Date
      last_used_at: Date
    }>`
      SELECT id, browser, system, created_at, last_used_at FROM sessions
      WHERE user_id = ${id} AND revoked_at IS NULL AND expires_at > now() AND last_used_at > now() - interval '7 days'
      ORDER BY last_used_at DESC, id LIMIT 100`.execute(db)
    return rows
  },

  /** The newest first. */
  async emails(
    id: number,
    hidden: readonly string[],
    after: string | undefined,
    limit: number,
  ): Promise<CustomerEmailRow[]> {
    const { rows } = await sql<CustomerEmailRow>`
      SELECT id, kind, subject, language, state, queued_at, closed_at, erased_at FROM emails
      WHERE user_id = ${id} AND kind <> ALL(${hidden}::text[])
        ${after === undefined ? sql`` : sql`AND id < ${after}::uuid`}
      ORDER BY id DESC LIMIT ${limit}`.execute(db)
    return rows
  },

  /** Orders and refunds that are not over. */
  async openMatters(id: number) {
    const { rows } = await sql<{ kind: 'order' | 'refund'; number: string; state: string }>`
      SELECT CASE WHEN ${stateIn(['completed'], 'o.state')} THEN 'refund' ELSE 'order' END AS kind, o.number, o.state
      FROM orders o
      WHERE o.user_id = ${id} AND (
        ${stateIn([...new Set([...HOLDING, ...AWAITING_PROVIDER, 'review'])], 'o.state')}
        OR ${isUnreconciled}
        OR (o.state = 'completed' AND (
          EXISTS (SELECT FROM refunds r WHERE r.order_id = o.id AND r.status IN ('requested', 'pending'))
          -- Two people are deciding on one.
          OR EXISTS (
            SELECT FROM approvals a
            WHERE a.permission = 'orders.refund' AND a.subject_kind = 'order' AND a.subject = o.id::text
              AND (a.decision IS NULL
                   OR (a.decision IN ('approved', 'alone') AND a.done_at IS NULL AND a.failure IS NULL)))
          -- The share of a cancelled contest that is still to be requested.
          OR EXISTS (
            SELECT FROM order_lines l JOIN offers f ON f.id = l.offer_id
            WHERE l.order_id = o.id AND l.refund_requested_at IS NULL
              AND f.cancelled_at IS NOT NULL AND f.refunds_completed_at IS NULL)))
      )
      ORDER BY o.id`.execute(db)
    return rows
  },

  /** A customer's tickets of a contest, by their numbers. */
  async numbers(id: number, offerId: number, after: number | undefined, limit: number) {
    const { rows } = await sql<{
      number: number
      total: number
      status: 'valid' | 'void'
      source: string
      issued_at: Date
      given_up: boolean
      order_number: string | null
    }>`
      SELECT t.number, o.total_tickets AS total, t.status, t.source, t.issued_at, t.given_up_at IS NOT NULL AS given_up,
             r.number AS order_number
      FROM tickets t JOIN offers o ON o.id = t.offer_id LEFT JOIN orders r ON r.id = t.order_id
      WHERE t.user_id = ${id} AND t.offer_id = ${offerId} ${after === undefined ? sql`` : sql`AND t.number > ${after}`}
      ORDER BY t.number LIMIT ${limit}`.execute(db)
    return rows
  },

  /** Whether the account can take part in contests, and what it holds without having paid, by contest. */
  async standing(id: number) {
    const { rows } = await sql<{
      exclusion: 'staff' | 'excluded' | null
      holds: {
        offer_id: number
        slug: string
        titles: LocalizedText
        total_tickets: number
        tickets: number
      }[]
    }>`
      SELECT ${exclusionOf('u')} AS exclusion, (
        SELECT coalesce(json_agg(json_build_object(
                 'offer_id', f.id, 'slug', f.slug, 'titles', f.titles,
                 'total_tickets', f.total_tickets, 'tickets', held.tickets) ORDER BY f.id), '[]')
        FROM (
          SELECT l.offer_id, sum(l.quantity) AS tickets FROM orders o JOIN order_lines l ON l.order_id = o.id
          WHERE o.user_id = u.id AND ${stateIn(HOLDING, 'o.state')} GROUP BY l.offer_id
        ) AS held JOIN offers f ON f.id = held.offer_id
      ) AS holds
      FROM users u WHERE u.id = ${id}`.execute(db)
    return rows[0]
  },

  async countTickets(id: number): Promise<{ valid: number; all: number }> {
    const { rows } = await sql<{ valid: number; all: number }>`
      SELECT count(*) FILTER (WHERE status = 'valid')::int AS valid, count(*)::int AS all
      FROM tickets WHERE user_id = ${id}`.execute(db)
    return rows[0] ?? { valid: 0, all: 0 }
  },
})
