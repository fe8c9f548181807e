import { type NotNull, type RawBuilder, sql } from 'kysely'
import { jsonArrayFrom } from 'kysely/helpers/postgres'
import { anyOf } from '#platform/any-of.ts'
import { byIds } from '#platform/by-ids.ts'
import type { ReadDatabase, Trx } from '#platform/database.ts'
import { UNPUBLISHED } from '../offer-states.rules.ts'
import type { OfferStop } from '../offers.contract.ts'

/** True of a contest that everybody sees. */
const isPublished = sql<boolean>`offers.state NOT IN (${sql.raw(UNPUBLISHED.map((state) => `'${state}'`).join(', '))})`

/**
 * True of a cancelled contest whose list could no longer be sealed in time, so that the job cancelled it (ADR 0071).
 * @param o the table of contests, as the query names it
 */
export const wasUnsealed = (o: RawBuilder<unknown>): RawBuilder<boolean> => sql`EXISTS (
  SELECT FROM offer_events e JOIN draws d ON d.offer_id = e.offer_id
  WHERE e.offer_id = ${o}.id AND e.event = 'cancel' AND e.actor = 'system' AND e.from_state IN ('closed', 'listed')
    AND ${o}.cancelled_at >= ${o}.draw_at - make_interval(secs =>
      (d.seal_margin_seconds + CASE e.from_state WHEN 'closed' THEN d.objections_seconds ELSE 0 END) / 2.0)
)`

/**
 * Until when a sealed contest can be cancelled (docs/draw-v1.md, section 11); null before the seal, and of terms that an
 * older version has published.
 * @param o the table of contests, as the query names it
 */
export const cancelUntil = (o: RawBuilder<unknown>): RawBuilder<Date | null> => sql`(
  SELECT a.round_at - make_interval(secs => d.notice_seconds) FROM draws d JOIN draw_attempts a ON a.offer_id = d.offer_id
  WHERE d.offer_id = ${o}.id AND a.attempt = 0 AND d.terms_version = 3
)`

/** True of a published contest that can be cancelled now; of a sealed one with older terms always, for it is not drawn. */
export const isCancellable = (o: RawBuilder<unknown>): RawBuilder<boolean> => sql`(
  ${o}.state IN ('open', 'closed', 'listed')
  OR ${o}.state = 'sealed' AND coalesce(date_trunc('second', clock_timestamp()) <= ${cancelUntil(o)}, true)
)`

const anyOffers = (db: ReadDatabase) =>
  db.selectFrom('offers').select((eb) => [
    'offers.id',
    'slug',
    'titles',
    'descriptions',
    'price_cents',
    'total_tickets',
    'tickets_sold',
    'tickets_held',
    'end_date',
    'draw_at',
    'published_at',
    'questions',
    'choices',
    'correct_choice',
    // What a job writes is in one language; the page of the draw says it in three.
    sql<string | null>`CASE WHEN cancelled_at IS NOT NULL AND NOT ${wasUnsealed(sql`offers`)} AND NOT EXISTS (
      SELECT FROM offer_events e WHERE e.offer_id = offers.id AND e.to_state = 'cancelled' AND e.event <> 'cancel'
    ) THEN cancelled_why END`.as('cancelled_why'),
    sql<number>`offers.postal_reserve - offers.postal_reserve_used`.as('tickets_reserved'),
    'max_per_person',
    'prize_value_cents',
    'prize_power_kw',
    'prize_zero_to_100',
    'prize_year',
    'prize_range_km',
    sql<boolean>`(offers.active AND offers.end_date > now())`.as('is_active'),
    sql<OfferStop | null>`CASE WHEN cancelled_at IS NOT NULL THEN 'cancelled'
        WHEN NOT offers.active AND offers.end_date > now() THEN 'stopped' END`.as('stopped_as'),
    jsonArrayFrom(
      eb
        .selectFrom('offer_pictures as p')
        .select(['p.src', 'p.widths', 'p.width', 'p.height', 'p.color', 'p.alts'])
        .whereRef('p.offer_id', '=', 'offers.id')
        // Without widths: nothing of it can be shown yet (ADR 0045).
        .where(sql<boolean>`p.widths <> '{}'`)
        .orderBy('p.position'),
    ).as('pictures'),
  ])

/** Those that everybody sees. */
const offers = (db: ReadDatabase) =>
  anyOffers(db)
    .where(isPublished)
    .$narrowType<{ slug: NotNull; price_cents: NotNull; total_tickets: NotNull; end_date: NotNull }>()

export type OfferRow = Awaited<ReturnType<ReturnType<typeof offers>['execute']>>[number]
/** A draft may lack what a published offer has. */
export type AnyOfferRow = Awaited<ReturnType<ReturnType<typeof anyOffers>['execute']>>[number]

const offersByIds = byIds((db, ids: readonly number[]) =>
  offers(db).where('offers.id', '=', anyOf(ids, 'int')),
)

export const offersRepository = (db: ReadDatabase) => ({
  /** Running offers first, the next to end on top; then ended ones, the latest on top. */
  list: (): Promise<OfferRow[]> =>
    offers(db)
      .orderBy(sql`offers.active AND offers.end_date > now()`, 'desc')
      .orderBy(sql`CASE WHEN offers.active AND offers.end_date > now() THEN offers.end_date END`)
      .orderBy('end_date', 'desc')
      .orderBy('offers.id')
      .execute(),

  /** In any state; nobody outside may see a draft. */
  any: (id: number): Promise<AnyOfferRow | undefined> =>
    anyOffers(db).where('offers.id', '=', id).executeTakeFirst(),

  bySlug: (slug: string): Promise<OfferRow | undefined> =>
    offers(db).where('slug', '=', slug).executeTakeFirst(),

  /** When an offer was last published, ended or cancelled. */
  changedAt: async (): Promise<Date | undefined> => {
    const { changed } = await db
      .selectFrom('offers')
      .select(
        sql<Date | null>`greatest(max(published_at), max(cancelled_at), max(end_date) FILTER (WHERE end_date <= now() AND published_at IS NOT NULL))`.as(
          'changed',
        ),
      )
      .executeTakeFirstOrThrow()
    return changed ?? undefined
  },

  /** In no order. */
  byIds: (ids: readonly number[]): Promise<OfferRow[]> =>
    ids.length === 0 ? Promise.resolve([]) : offersByIds(db, ids),
})

/**
 * Locks offers in the order of ids, which prevents deadlocks; rows that refer to them do not wait.
 * @param offersOf a query for their ids, by those of users
 */
export const lockedOffersOf = (
  offersOf: (userIds: readonly number[]) => RawBuilder<{ offer_id: number }>,
): ((trx: Trx, userIds: readonly number[]) => Promise<OfferRow[]>) =>
  byIds((db, userIds: readonly number[]) =>
    offers(db)
      .where('offers.id', 'in', sql<number>`(${offersOf(userIds)})`)
      .orderBy('offers.id')
      .forNoKeyUpdate('offers'),
  )
