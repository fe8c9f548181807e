import { type Insertable, type Selectable, type Updateable, sql } from 'kysely'
import { jsonArrayFrom } from 'kysely/helpers/postgres'
import type { ReadDatabase, Trx } from '#platform/database.ts'
import { likeText } from '#platform/like-text.ts'
import type { OfferPictures, Offers } from '#platform/database-types.ts'
import { RESERVED_SLUGS, SLUG_LENGTH } from '../offer-drafts.rules.ts'
import type { OfferState } from '../offer-states.rules.ts'
import type { StaffOfferQuery } from '../staff-offers.contract.ts'
import { anyTextLike } from '#platform/localized-columns.ts'
import { cancelUntil, isCancellable } from './offers.repository.ts'

type PictureRow = Pick<Selectable<OfferPictures>, 'src' | 'widths' | 'width' | 'height' | 'color' | 'alts'>

const LISTED = [
  'id',
  'slug',
  'titles',
  'state',
  'price_cents',
  'total_tickets',
  'tickets_sold',
  'tickets_held',
  'opens_at',
  'end_date',
  'draw_at',
  'published_at',
] as const

/** All but the key of its numbers. */
const COLUMNS = [
  ...LISTED,
  'version',
  'descriptions',
  'max_per_person',
  'prize_value_cents',
  'prize_power_kw',
  'prize_zero_to_100',
  'prize_year',
  'prize_range_km',
  'draw_terms_texts',
  'questions',
  'choices',
  'correct_choice',
  'postal_reserve',
  'postal_reserve_percent',
  'postal_reserve_used',
  'created_at',
  'entered_at',
  'cancelled_at',
  'cancelled_why',
] as const

const isActive = sql<boolean>`(offers.active AND offers.end_date > now())`.as('is_active')

/** Numbers of the sold ones that went to entries by post. */
const byPost = sql<number>`(
  SELECT count(*)::int FROM tickets t
  WHERE t.offer_id = offers.id AND t.order_id IS NULL AND t.source = 'postal')`.as('by_post')

export type StaffOfferRow = Omit<Pick<Selectable<Offers>, (typeof COLUMNS)[number]>, 'state'> & {
  state: OfferState
  is_active: boolean
  by_post: number
  is_cancellable: boolean
  cancel_until: Date | null
  pictures: PictureRow[]
}

export type ListedOfferRow = Pick<StaffOfferRow, (typeof LISTED)[number] | 'is_active' | 'by_post'>

export const staffOffersRepository = (db: ReadDatabase) => ({
  /** The newest first. */
  list: (
    { state, q, after, limit }: StaffOfferQuery,
    hidden: readonly OfferState[],
  ): Promise<ListedOfferRow[]> =>
    db
      .selectFrom('offers')
      .select([...LISTED, isActive, byPost])
      .$if(state !== undefined, (all) => all.where('state', 'in', state!))
      .$if(hidden.length > 0, (all) => all.where('state', 'not in', hidden))
      .$if(q !== undefined && q !== '', (all) =>
        all.where((eb) =>
          eb.or([eb('slug', 'ilike', likeText(q!)), anyTextLike('offers.titles', likeText(q!))]),
        ),
      )
      .$if(after !== undefined, (all) => all.where('id', '<', after!))
      .orderBy('id', 'desc')
      .limit(limit)
      .$castTo<ListedOfferRow>()
      .execute(),

  byId: (id: number): Promise<StaffOfferRow | undefined> => offerQuery(db, id).executeTakeFirst(),

  moves: (id: number) =>
    db
      .selectFrom('offer_events')
      .leftJoin('users', 'users.id', 'offer_events.user_id')
      .select(['event', 'to_state', 'actor', 'users.username', 'at'])
      // What two people decided, the shop carries out.
      .select(
        sql<string[]>`CASE WHEN event = 'cancel' AND actor = 'system' THEN coalesce((
          SELECT array_remove(ARRAY[trim(m.username), CASE WHEN a.decided_by <> a.requested_by THEN trim(d.username) END], NULL)
          FROM approvals a JOIN users m ON m.id = a.requested_by LEFT JOIN users d ON d.id = a.decided_by
          WHERE a.permission = 'offers.cancel' AND a.subject_kind = 'offer' AND a.subject = offer_events.offer_id::text
            AND a.decision IN ('approved', 'alone')
          ORDER BY a.id DESC LIMIT 1
        ), '{}') ELSE '{}' END`.as('people'),
      )
      .where('offer_id', '=', id)
      .orderBy('offer_events.id')
      .execute(),

  /** The given address, or the first free one with a number behind it. */
  async freeSlug(slug: string): Promise<string> {
    const start = slug.slice(0, SLUG_LENGTH - 4).replace(/-+$/, '')
    const { rows } = await sql<{ slug: string }>`
      SELECT slug FROM offers WHERE slug LIKE ${`${start}%`}`.execute(db)
    const taken = new Set([...RESERVED_SLUGS, ...rows.map((row) => row.slug)])
    let free = slug
    for (let number = 2; taken.has(free); number += 1) free = `${start}-${number}`
    return free
  },

  /** Tickets issued by day in the zone, the first day first; and today. */
  async sales(
    id: number,
    timeZone: string,
  ): Promise<{ days: { day: string; tickets: number }[]; today: string }> {
    const [days, today] = await Promise.all([
      // Day by day in the index: grouping all tickets of a contest takes six times as long.
      sql<{ day: string; tickets: number }>`
        SELECT d.day::date::text AS day, t.tickets
        FROM (
          SELECT generate_series(date_trunc('day', min(issued_at) AT TIME ZONE ${timeZone}),
                                 max(issued_at) AT TIME ZONE ${timeZone}, interval '1 day') AS day
          FROM tickets WHERE offer_id = ${id}
        ) AS d
        CROSS JOIN LATERAL (
          SELECT count(*)::int AS tickets FROM tickets
          WHERE offer_id = ${id} AND issued_at >= d.day AT TIME ZONE ${timeZone}
            AND issued_at < (d.day + interval '1 day') AT TIME ZONE ${timeZone}
        ) AS t
        WHERE t.tickets > 0 ORDER BY d.day`.execute(db),
      sql<{
        today: string
      }>`SELECT (clock_timestamp() AT TIME ZONE ${timeZone})::date::text AS today`.execute(db),
    ])
    return { days: days.rows, today: today.rows[0]?.today ?? '' }
  },

  async now(): Promise<Date> {
    const { rows } = await sql<{ now: Date }>`SELECT clock_timestamp() AS now`.execute(db)
    return rows[0]?.now ?? new Date(0)
  },
})

const offerQuery = (db: ReadDatabase, id: number) =>
  db
    .selectFrom('offers')
    .select((eb) => [
      ...COLUMNS,
      isActive,
      byPost,
      isCancellable(sql`offers`).as('is_cancellable'),
      cancelUntil(sql`offers`).as('cancel_until'),
      jsonArrayFrom(
        eb
          .selectFrom('offer_pictures as p')
          .select(['p.src', 'p.widths', 'p.width', 'p.height', 'p.color', 'p.alts'])
          .whereRef('p.offer_id', '=', 'offers.id')
          .orderBy('p.position'),
      ).as('pictures'),
    ])
    .where('offers.id', '=', id)
    .$castTo<StaffOfferRow>()

export const staffOfferWrites = (trx: Trx) => ({
  /** Locks the row as a purchase does. */
  lock: (id: number): Promise<StaffOfferRow | undefined> =>
    offerQuery(trx, id).forNoKeyUpdate('offers').executeTakeFirst(),

  async insert(values: Insertable<Offers>): Promise<number> {
    const { id } = await trx.insertInto('offers').values(values).returning('id').executeTakeFirstOrThrow()
    return id
  },

  update: (id: number, values: Updateable<Offers>) =>
    trx
      .updateTable('offers')
      .set({ ...values, version: sql<number>`version + 1` })
      .where('id', '=', id)
      .execute(),

  remove: (id: number) => trx.deleteFrom('offers').where('id', '=', id).execute(),
})
