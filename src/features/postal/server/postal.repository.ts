import { type NotNull, type Insertable, type RawBuilder, type Selectable, sql } from 'kysely'
import { entrantClaimKeys, entrantKeys } from '#features/draws/server/index.ts'
import { linkEmails } from '#features/emails/server/index.ts'
import { eraseApprovalWords } from '#features/staff/server/index.ts'
import { giveNumbersTo } from '#features/tickets/server/index.ts'
import { anyOf } from '#platform/any-of.ts'
import type { Database, ReadDatabase, Sql, Trx } from '#platform/database.ts'
import { isUuid } from '#platform/ids.ts'
import { updateAddresses } from '#platform/respell-addresses.ts'
import { likeText } from '#platform/like-text.ts'
import type { PostalEntries } from '#platform/database-types.ts'
import type { Language } from '#shared/languages.ts'
import type { LocalizedText } from '#shared/localized-text.ts'
import { CLAIM_DAYS } from '#shared/promises.ts'
import { readTicket } from '#shared/staff-search.ts'
import { asAddress } from '#shared/email-address.ts'
import type { EntriesQuery } from '../postal.contract.ts'
import {
  type CorrectableField,
  type Day,
  type PostalRefusal,
  type VoidGround,
  REGISTER_DAYS,
  readPostalNumber,
  wordsOf,
} from '../postal.rules.ts'
import { anyTextLike } from '#platform/localized-columns.ts'

export interface DeskOffer {
  id: number
  slug: string
  titles: LocalizedText
  published_at: Date | null
  end_date: Date
  cancelled_at: Date | null
  is_open: boolean
  is_over: boolean
  /** Whether its cards may still be registered. */
  is_late: boolean
  questions: LocalizedText | null
  choices: string[]
  correct_choice: string | null
  reserve_left: number
  left: number
}

/** Until when a contest's cards may be registered: its draw, at most so many days after its end. */
const registerUntil = sql`least(o.draw_at, o.end_date + make_interval(days => ${REGISTER_DAYS}))`

export interface ClosingDesk {
  offer_id: number
  titles: LocalizedText
  until: Date
}

const deskOffers = (db: ReadDatabase) =>
  db
    .selectFrom('offers as o')
    .select([
      'o.id',
      'o.slug',
      'o.titles',
      'o.published_at',
      'o.end_date',
      'o.cancelled_at',
      'o.questions',
      'o.choices',
      'o.correct_choice',
      sql<boolean>`o.active AND o.end_date > now()`.as('is_open'),
      sql<boolean>`o.published_at IS NOT NULL AND o.end_date <= now()`.as('is_over'),
      sql<boolean>`${registerUntil} <= clock_timestamp()`.as('is_late'),
      sql<number>`o.postal_reserve - o.postal_reserve_used`.as('reserve_left'),
      sql<number>`o.total_tickets - o.tickets_sold`.as('left'),
    ])
    // Only drafts lack something.
    .where('o.published_at', 'is not', null)
    .$narrowType<{ slug: NotNull; end_date: NotNull }>()

type Stored = Selectable<PostalEntries>

/** An entry with its contest and its ticket. */
export type EntryRow = Omit<
  Stored,
  'search' | 'status' | 'refusal' | 'language' | 'date_of_birth' | 'void_ground'
> & {
  status: 'entered' | 'refused'
  refusal: PostalRefusal | null
  language: Language
  date_of_birth: Day | null
  slug: string
  titles: LocalizedText
  total_tickets: number
  end_date: Date
  cancelled_at: Date | null
  offer_state: string
  ticket_id: string | null
  ticket_status: 'valid' | 'void' | null
  void_reason: string | null
  void_ground: VoidGround | null
  /** Of the published terms. */
  claim_seconds: number | null
  terms_hash: Buffer | null
  /** Microseconds since 1970, for cursors. */
  at_us: number
}

const SELECTED = sql`
  e.id, e.number, e.offer_id, e.bag, e.status, e.refusal, e.duplicate_of, e.other_than, e.name, e.address, e.postcode,
  e.city, e.country, e.date_of_birth, e.email, e.answer, e.language, e.received_on, e.registered_at, e.registered_by,
  e.letter_at, e.voided_at, e.void_ground, e.void_letter_at, e.void_told_at, e.erased_at, e.ticket_number, e.salt, e.person_key, e.postcode_key, e.words,
  (extract(epoch FROM e.registered_at) * 1000000)::bigint AS at_us,
  o.slug, o.titles, o.total_tickets, o.end_date, o.cancelled_at, o.state AS offer_state,
  coalesce(e.user_id, t.user_id) AS user_id, t.id AS ticket_id, t.status AS ticket_status, t.void_reason,
  d.claim_seconds, d.terms_hash`

/** @param which entries, with their order */
async function read(db: ReadDatabase, which: RawBuilder<unknown>): Promise<EntryRow[]> {
  const { rows } = await sql<EntryRow>`
    SELECT ${SELECTED}
    FROM postal_entries e
    JOIN offers o ON o.id = e.offer_id
    LEFT JOIN draws d ON d.offer_id = e.offer_id
    LEFT JOIN tickets t ON t.offer_id = e.offer_id AND t.number = e.ticket_number
    WHERE ${which}`.execute(db)
  return rows
}

/** Whether a letter can be sent. */
const HAS_ADDRESS = sql`e.name IS NOT NULL AND e.address IS NOT NULL AND e.city IS NOT NULL`

/** Nobody has printed the answer, or the letter about a number that became void; and there is no email instead. */
const LETTER_WAITS = sql`
  (e.letter_at IS NULL OR (e.voided_at IS NOT NULL AND e.void_letter_at IS NULL)) AND e.email IS NULL AND ${HAS_ADDRESS}`

interface Cursor {
  us: number
  id: string
}

export interface EntryFilter extends Pick<EntriesQuery, 'offer' | 'status' | 'bag' | 'letter' | 'search'> {
  after: Cursor | undefined
  limit: number
}

const ofContest = (words: string | undefined): RawBuilder<unknown> => {
  if (words === undefined) return sql`true`
  const like = likeText(words)
  return sql`(o.slug ILIKE ${like} OR ${anyTextLike('o.titles', like)})`
}

/** What somebody typed, as a condition that an index answers. */
function found(typed: string): RawBuilder<unknown> {
  const number = readPostalNumber(typed)
  if (number !== undefined) return sql`e.number = ${number}`
  if (isUuid(typed)) return sql`t.id = ${typed}::uuid`
  const ticket = readTicket(typed)
  if (ticket) return sql`e.ticket_number = ${ticket.number} AND ${ofContest(ticket.contest)}`
  if (typed.includes('@')) return sql`e.email IS NOT NULL AND lower(e.email) = lower(${asAddress(typed)})`
  const words = wordsOf(typed)
  if (words.length === 0) return sql`false`
  const query = words.map((word) => `${word}:*`).join(' & ')
  const matches = sql`e.search @@ to_tsquery('simple', ${query})`
  return /^\d{1,8}$/.test(typed) ? sql`(${matches} OR e.ticket_number = ${Number(typed)})` : matches
}

/**
 * Ids of the entries that belong to an account: those that were given to it, whatever its address is now; of erased ones
 * those with its tickets; and those that nobody has and that name its confirmed address.
 */
const entriesOf = (userId: number) => sql`
  SELECT e.id FROM postal_entries e WHERE e.user_id = ${userId}
  UNION
  SELECT e.id FROM tickets t JOIN postal_entries e ON e.offer_id = t.offer_id AND e.ticket_number = t.number
  WHERE t.user_id = ${userId} AND t.source = 'postal'
  UNION
  SELECT e.id FROM users u JOIN postal_entries e ON lower(e.email) = lower(u.email)
  WHERE u.id = ${userId} AND u.email_confirmed_at IS NOT NULL AND e.email IS NOT NULL AND e.user_id IS NULL`

interface CorrectionRow {
  id: number
  entry_id: string
  fields: CorrectableField[]
  reason: string | null
  by: string
  at: Date
}

export const postalRepository = (db: ReadDatabase) => ({
  /** Contests whose cards can be registered or were until lately, the next to end on top. */
  desk: (): Promise<DeskOffer[]> =>
    deskOffers(db)
      .where(sql<boolean>`o.end_date + make_interval(days => ${REGISTER_DAYS}) >= now()`)
      .where(
        sql<boolean>`(o.active OR o.cancelled_at IS NOT NULL OR (o.published_at IS NOT NULL AND o.end_date <= now()))`,
      )
      .orderBy(sql`o.cancelled_at IS NOT NULL`)
      .orderBy(sql`o.end_date <= now()`)
      .orderBy('o.end_date')
      .orderBy('o.id')
      .execute(),

  offer: (id: number): Promise<DeskOffer | undefined> =>
    deskOffers(db).where('o.id', '=', id).executeTakeFirst(),

  byId: async (id: string): Promise<EntryRow | undefined> => (await read(db, sql`e.id = ${id}`))[0],

  byIds: (ids: readonly string[]): Promise<EntryRow[]> => read(db, sql`e.id = ${anyOf(ids, 'uuid')}`),

  /** Letters to people who get no email, in the order of registration. @param again those printed before, too: of a bag only */
  toPrint(bag: string | undefined, again: boolean, limit: number): Promise<EntryRow[]> {
    const which =
      bag === undefined
        ? LETTER_WAITS
        : again
          ? sql`e.bag = ${bag} AND e.email IS NULL AND ${HAS_ADDRESS}`
          : sql`e.bag = ${bag} AND ${LETTER_WAITS}`
    return read(db, sql`${which} ORDER BY e.registered_at, e.id LIMIT ${limit}`)
  },

  /** Those of an account, the newest first. */
  ofCustomer: (userId: number): Promise<EntryRow[]> =>
    read(db, sql`e.id IN (${entriesOf(userId)}) ORDER BY e.registered_at DESC, e.id DESC`),

  /** The newest first. */
  page({ offer, status, bag, letter, search, after, limit }: EntryFilter): Promise<EntryRow[]> {
    const conditions = [
      offer !== undefined && sql`e.offer_id = ${offer}`,
      status !== undefined && sql`e.status = ${sql.lit(status)}`,
      bag !== undefined && sql`e.bag = ${bag}`,
      letter === 'waiting' && LETTER_WAITS,
      search !== undefined && search !== '' && found(search),
      after !== undefined &&
        sql`(e.registered_at, e.id) < ('epoch'::timestamptz + ${after.us}::bigint * interval '1 microsecond', ${after.id}::uuid)`,
    ].filter((one) => one !== false)
    const where = conditions.length > 0 ? sql.join(conditions, sql` AND `) : sql`true`
    return read(db, sql`${where} ORDER BY e.registered_at DESC, e.id DESC LIMIT ${limit}`)
  },

  /** The entry of a person in a contest. */
  ofPerson: async (offerId: number, personKey: Buffer): Promise<EntryRow | undefined> =>
    (
      await read(
        db,
        sql`e.offer_id = ${offerId} AND e.person_key = ${personKey} AND e.status = 'entered' AND e.voided_at IS NULL LIMIT 1`,
      )
    )[0],

  /** Entries of a contest with this birthday or postcode. */
  neighbours: (offerId: number, dateOfBirth: Day, postcodeKey: string): Promise<EntryRow[]> =>
    read(
      db,
      sql`e.offer_id = ${offerId} AND e.status = 'entered' AND e.voided_at IS NULL
        AND (e.date_of_birth = ${dateOfBirth} OR e.postcode_key = ${postcodeKey})
        ORDER BY e.registered_at, e.id`,
    ),

  /** What was corrected in these entries, the newest first. */
  corrections: async (ids: readonly string[]): Promise<CorrectionRow[]> =>
    (
      await sql<CorrectionRow>`
        SELECT c.id, c.entry_id, c.fields, c.reason, u.username AS by, c.made_at AS at
        FROM postal_corrections c JOIN users u ON u.id = c.made_by
        WHERE c.entry_id = ${anyOf(ids, 'uuid')} ORDER BY c.id DESC`.execute(db)
    ).rows,

  /** The request to void an entry that waits for a second person. */
  voidAsked: async (id: string): Promise<{ id: number; by: string; at: Date } | undefined> =>
    (
      await sql<{ id: number; by: string; at: Date }>`
        SELECT a.id, u.username AS by, a.requested_at AS at FROM approvals a JOIN users u ON u.id = a.requested_by
        WHERE a.permission = 'post.void' AND a.subject_kind = 'postalEntry' AND a.subject = ${id}
          AND a.decision IS NULL`.execute(db)
    ).rows[0],

  namesOfStaff: async (ids: readonly number[]): Promise<Map<number, string>> =>
    new Map(
      (
        await db
          .selectFrom('users')
          .select(['id', 'username'])
          .where('id', '=', anyOf(ids, 'bigint'))
          .execute()
      ).map(({ id, username }) => [id, username]),
    ),

  /** Cards of a contest that came in time and were registered after its draw. */
  countLate: async (offerId: number): Promise<number> =>
    (
      await sql<{ cards: number }>`
        SELECT count(*)::int AS cards FROM postal_entries
        WHERE offer_id = ${offerId} AND refusal = 'registered_late'`.execute(db)
    ).rows[0]?.cards ?? 0,

  /** Letters that nobody has printed. @param most counts no further */
  async lettersToPrint(most: number): Promise<number> {
    const { rows } = await sql<{ letters: number }>`
      SELECT count(*)::int AS letters FROM (
        SELECT FROM postal_entries e WHERE e.letter_at IS NULL AND e.email IS NULL AND ${HAS_ADDRESS} LIMIT ${most}
      ) AS waiting`.execute(db)
    return rows[0]?.letters ?? 0
  },

  /** Contests whose cards can be registered for so many days at most: their list is sealed then. The next one first. */
  async closingDesk(days: number): Promise<ClosingDesk[]> {
    const { rows } = await sql<ClosingDesk>`
      SELECT * FROM (
        SELECT o.id AS offer_id, o.titles,
               least(${registerUntil}, o.draw_at - make_interval(secs => coalesce(d.seal_margin_seconds, 0))) AS until
        FROM offers o LEFT JOIN draws d ON d.offer_id = o.id
        WHERE o.state IN ('open', 'closed', 'listed')
      ) AS desk
      WHERE until > now() AND until <= now() + make_interval(days => ${days}) ORDER BY until, offer_id`.execute(
      db,
    )
    return rows
  },

  /**
   * How long the last entries and the last payments waited for their numbers, in seconds, and how many cards of the last
   * year have missed their draw.
   */
  async waits(last: number, timeZone: string) {
    interface Wait {
      count: number
      median_s: number | null
      p95_s: number | null
    }
    const figures = sql`count(*)::int AS count,
      percentile_cont(0.5) WITHIN GROUP (ORDER BY waited) AS median_s,
      percentile_cont(0.95) WITHIN GROUP (ORDER BY waited) AS p95_s`
    const [post, payment, missed] = await Promise.all([
      sql<Wait>`
        SELECT ${figures} FROM (
          SELECT extract(epoch FROM registered_at - received_on::timestamp AT TIME ZONE ${timeZone})::float8 AS waited
          FROM postal_entries WHERE status = 'entered' OR refusal = 'registered_late'
          ORDER BY registered_at DESC, id DESC LIMIT ${last}
        ) AS waits`.execute(db),
      // From the request for the money, which follows the buyer's last click.
      sql<Wait>`
        SELECT ${figures} FROM (
          SELECT extract(epoch FROM e.at - o.capture_started_at)::float8 AS waited
          FROM (
            SELECT id, capture_started_at FROM orders
            WHERE state = 'completed' AND capture_started_at IS NOT NULL ORDER BY id DESC LIMIT ${last}
          ) AS o
          CROSS JOIN LATERAL (
            SELECT min(at) AS at FROM order_events WHERE order_id = o.id AND to_state = 'completed'
          ) AS e
        ) AS waits`.execute(db),
      sql<{ cards: number }>`
        SELECT count(*)::int AS cards FROM postal_entries
        WHERE status = 'refused' AND refusal = 'registered_late' AND registered_at > now() - interval '1 year'`.execute(
        db,
      ),
    ])
    const none = { count: 0, median_s: null, p95_s: null }
    return {
      post: post.rows[0] ?? none,
      payment: payment.rows[0] ?? none,
      missed: missed.rows[0]?.cards ?? 0,
    }
  },

  /** The card whose number this is. */
  async byNumber(offerId: number, number: number): Promise<EntryRow | undefined> {
    return (await read(db, sql`e.offer_id = ${offerId} AND e.ticket_number = ${number}`))[0]
  },

  /** Entries with a number that became void, whose entrants have not been told and can be by email. */
  toTell: (limit: number): Promise<EntryRow[]> =>
    read(
      db,
      sql`e.voided_at IS NOT NULL AND e.email IS NOT NULL AND e.void_told_at IS NULL ORDER BY e.id LIMIT ${limit} FOR NO KEY UPDATE OF e SKIP LOCKED`,
    ),
})

/** Of an entry what a correction may change, with what follows from it. */
interface CorrectedEntry {
  name: string
  address: readonly string[]
  postcode: string
  city: string
  country: string
  email: string | null
  postcode_key: string
  person_key: Buffer | null
  words: string
  user_id: number | null
  other_than: readonly string[]
}

type NewEntry = Omit<Insertable<PostalEntries>, 'number' | 'search' | 'registered_at'>

export const postalWrites = (trx: Trx) => ({
  /** Lets one registration of a contest follow the other, so that each sees who has entered. */
  lockDesk: (offerId: number) =>
    sql`SELECT pg_advisory_xact_lock(hashtext('postal_entries'), ${offerId})`.execute(trx),

  insert: (entry: NewEntry) => trx.insertInto('postal_entries').values(entry).execute(),

  /** Those that were printed before keep their time. @param voids those whose letter said that the number is void */
  markPrinted: (ids: readonly string[], voids: readonly string[]) =>
    sql`
      UPDATE postal_entries SET
        letter_at = coalesce(letter_at, clock_timestamp()),
        void_letter_at = CASE WHEN id = ${anyOf(voids, 'uuid')} THEN coalesce(void_letter_at, clock_timestamp())
                              ELSE void_letter_at END
      WHERE id = ${anyOf(ids, 'uuid')}`.execute(trx),

  lockOffer: (offerId: number) =>
    sql`SELECT FROM offers WHERE id = ${offerId} FOR NO KEY UPDATE`.execute(trx),

  /**
   * Stores how a card is read now; the letter to somebody without an address for email waits again.
   * @returns the number of the correction
   */
  async correct(
    id: string,
    { address, other_than, ...values }: CorrectedEntry,
    { fields, reason, by }: { fields: readonly string[]; reason: string; by: number },
  ): Promise<number> {
    await trx
      .updateTable('postal_entries')
      .set({
        ...values,
        address: [...address],
        other_than: [...other_than],
        letter_at: null,
        void_letter_at: null,
      })
      .where('id', '=', id)
      .execute()
    const { id: correction } = await trx
      .insertInto('postal_corrections')
      .values({ entry_id: id, fields: [...fields], reason, made_by: by })
      .returning('id')
      .executeTakeFirstOrThrow()
    return Number(correction)
  },

  giveTicketTo: (id: string, userId: number | null) =>
    giveNumbersTo(trx, sql`SELECT offer_id, ticket_number FROM postal_entries WHERE id = ${id}`, userId),

  noteGround: (id: string, ground: VoidGround) =>
    trx.updateTable('postal_entries').set({ void_ground: ground }).where('id', '=', id).execute(),

  markTold: (ids: readonly string[]) =>
    sql`
      UPDATE postal_entries SET void_told_at = clock_timestamp() WHERE id = ${anyOf(ids, 'uuid')}`.execute(
      trx,
    ),

  /**
   * The account whose confirmed address is this one. The lock makes a confirmation that is under way wait for this
   * transaction, or this one for it.
   */
  async accountOf(email: string): Promise<number | null> {
    const { rows } = await sql<{ id: number; is_confirmed: boolean }>`
      SELECT id, email_confirmed_at IS NOT NULL AS is_confirmed FROM users WHERE lower(email) = lower(${email})
      FOR SHARE`.execute(trx)
    return rows[0]?.is_confirmed ? rows[0].id : null
  },
})

/** Keys of the emails about an entry; besides these its entrant has those about the draw. */
export const entryKeys = (id: string) => ({
  registered: `postal-entry:${id}`,
  voided: `postal-cancelled:${id}`,
})

/** Of the email to the corrected address. */
export const correctionKey = (id: string, correction: number): string => `postal-entry:${id}:${correction}`

/**
 * Gives an account the entries that name its address with their tickets and emails, unless they have an account. Called
 * when the address is confirmed, in the same transaction.
 */
export async function linkEntries(trx: Trx, userId: number, email: string): Promise<void> {
  const { rows } = await sql<{ id: string }>`
    UPDATE postal_entries e SET user_id = ${userId}
    WHERE e.email IS NOT NULL AND lower(e.email) = lower(${email}) AND e.user_id IS NULL RETURNING e.id`.execute(
    trx,
  )
  if (rows.length === 0) return
  const ids = rows.map(({ id }) => id)
  const entered = sql`
    SELECT offer_id, ticket_number FROM postal_entries WHERE id = ${anyOf(ids, 'uuid')} AND status = 'entered'`
  await giveNumbersTo(trx, entered, userId, { onlyFree: true })
  await linkEmails(trx, userId, await emailKeysOf(trx, ids))
}

/** The keys of all emails about entries. */
export async function emailKeysOf(db: Sql, ids: readonly string[]): Promise<string[]> {
  const { rows } = await sql<{ id: number; entry_id: string }>`
    SELECT id, entry_id FROM postal_corrections WHERE entry_id = ${anyOf(ids, 'uuid')}`.execute(db)
  return [
    ...ids.flatMap((id) => [...Object.values(entryKeys(id)), ...entrantKeys(id)]),
    ...rows.map((row) => correctionKey(row.entry_id, row.id)),
    ...(await entrantClaimKeys(db, ids)),
  ]
}

/**
 * Erases what staff wrote about entrants: why they corrected a card, or wanted it void; a request that still waits
 * needs its words. @param entries a query of their ids
 */
async function eraseWords(db: Sql, entries: RawBuilder<unknown>): Promise<void> {
  await sql`
    UPDATE postal_corrections SET reason = NULL WHERE reason IS NOT NULL AND entry_id IN (${entries})`.execute(
    db,
  )
  await eraseApprovalWords(db, 'postalEntry', sql`SELECT id::text FROM (${entries}) AS entries (id)`)
}

const ERASED = sql`
  name = NULL, address = NULL, postcode = NULL, city = NULL, country = NULL, date_of_birth = NULL, email = NULL,
  answer = NULL, person_key = NULL, postcode_key = NULL, words = '', user_id = NULL, erased_at = clock_timestamp()`

/** Erases the personal data of the entries of an account. @returns how many, and the keys of their emails */
export async function eraseEntriesOf(
  trx: Trx,
  userId: number,
): Promise<{ rows: number; emailKeys: string[] }> {
  const { rows: mine } = await sql<{ id: string }>`${entriesOf(userId)}`.execute(trx)
  const ids = mine.map(({ id }) => id)
  const { numAffectedRows } = await sql`
    UPDATE postal_entries SET ${ERASED} WHERE erased_at IS NULL AND id = ${anyOf(ids, 'uuid')}`.execute(trx)
  await eraseWords(trx, sql`SELECT unnest(${[...ids]}::uuid[])`)
  return { rows: Number(numAffectedRows ?? 0), emailKeys: await emailKeysOf(trx, ids) }
}

/** Erases the personal data of old entries. @returns how many entries */
export async function eraseOldEntries(db: Sql, days: number, limit: number): Promise<number> {
  const { rows } = await sql<{ id: string }>`
    UPDATE postal_entries SET ${ERASED}
    WHERE id IN (
      SELECT e.id FROM postal_entries e JOIN offers o ON o.id = e.offer_id LEFT JOIN draws d ON d.offer_id = e.offer_id
      WHERE e.erased_at IS NULL
        -- A winner's letter goes to the address of the card.
        AND NOT EXISTS (
          SELECT FROM draw_attempts a JOIN draw_claims c ON c.offer_id = a.offer_id AND c.attempt = a.attempt
          WHERE a.offer_id = e.offer_id AND a.number = e.ticket_number AND c.awarded_at IS NULL AND c.forfeited_at IS NULL
        )
        AND coalesce(
              o.cancelled_at,
              greatest(o.draw_at, o.end_date + make_interval(days => ${REGISTER_DAYS}))
                + make_interval(secs => coalesce(d.claim_seconds, ${CLAIM_DAYS * 86_400}))
            ) < now() - make_interval(days => ${days})
      LIMIT ${limit}
    ) RETURNING id`.execute(db)
  if (rows.length > 0) await eraseWords(db, sql`SELECT unnest(${rows.map(({ id }) => id)}::uuid[])`)
  return rows.length
}

/** Gives the addresses of entries the one spelling. */
export const respellEntries = (db: Database): Promise<void> => updateAddresses(db, 'postal_entries')
