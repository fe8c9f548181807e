import { nowMs } from '#shared/clock.ts'
import { type Insertable, type RawBuilder, sql } from 'kysely'
import type { FastifyBaseLogger } from 'fastify'
import { type AuditActor, audit } from '#platform/audit-log.ts'
import type { Database, Sql, Trx } from '#platform/database.ts'
import type { OfferPictures, Offers } from '#platform/database-types.ts'
import { transact } from '#platform/transaction.ts'
import { addOfferPictures } from '#features/pictures/server/index.ts'
import type { StaffCaller } from '#platform/http/request.ts'
import { Refusal } from '#shared/refusal.ts'
import {
  OFFER_EVENTS,
  type OfferActor,
  type OfferEvent,
  type OfferGuard,
  type OfferState,
} from '../offer-states.rules.ts'
import { storedText } from '#shared/localized-text.ts'
import { isCancellable } from './offers.repository.ts'

export interface MovedOffer {
  id: number
  slug: string | null
  state: OfferState
  version: number
}

/** Staff by their account, or what acts without them. */
type Mover = Pick<StaffCaller, 'userId'> | Exclude<AuditActor, object>

interface Move {
  /** Condition besides state and guard. */
  which: RawBuilder<unknown>
  actor: Mover
  /** Leaves rows that another transaction has locked to the next run. */
  skipLocked?: boolean
  /** Further assignments. */
  set?: RawBuilder<unknown>
}

/** As the terms of a draw say it, in whole seconds. */
const DRAW_INSTANT = sql`date_trunc('second', draw_at)`

/** `complete` and `neverEntered` are checked by the transaction, and by triggers. */
const GUARDS: Partial<Record<OfferGuard, RawBuilder<unknown>>> = {
  opensLater: sql`AND opens_at > clock_timestamp()`,
  openingDue: sql`AND opens_at <= clock_timestamp() AND end_date > clock_timestamp()`,
  endPassed: sql`AND end_date <= clock_timestamp()`,
  endAhead: sql`AND end_date > clock_timestamp()`,
  drawAhead: sql`AND ${DRAW_INSTANT} > clock_timestamp()`,
  noticeAhead: sql`AND ${isCancellable(sql`offers`)}`,
}

function actorOf(actor: Mover): { actor: OfferActor; userId: number | null } {
  return typeof actor === 'object' ? { actor: 'staff', userId: actor.userId } : { actor, userId: null }
}

/**
 * Moves contests and writes an event for each: the one writer of `state`. PostgreSQL checks the condition again once it
 * has locked a row, so of two processes that open a contest one finds it opened.
 */
export async function moveOffers(
  trx: Trx,
  event: Exclude<OfferEvent, 'create' | 'remove'>,
  { which, actor, skipLocked = false, set = sql`` }: Move,
): Promise<MovedOffer[]> {
  const { from, to, ...transition }: { from: readonly string[]; to: OfferState; guard?: OfferGuard } =
    OFFER_EVENTS[event]
  // Literal states, so that the partial indexes apply.
  const states = sql.raw(from.map((state) => `'${state}'`).join(', '))
  const by = actorOf(actor)
  const { rows } = await sql<MovedOffer>`
    WITH old AS (
      SELECT id, state FROM offers
      WHERE state IN (${states}) AND ${which} ${(transition.guard && GUARDS[transition.guard]) ?? sql``}
      ORDER BY id FOR NO KEY UPDATE ${skipLocked ? sql`SKIP LOCKED` : sql``}
    ),
    moved AS (
      UPDATE offers o
      SET state = ${to}, version = o.version + 1,
          published_at = CASE WHEN ${to} = 'open' THEN coalesce(o.published_at, clock_timestamp()) ELSE o.published_at END
          ${set}
      FROM old WHERE o.id = old.id
      RETURNING o.id, o.slug, o.state, o.version
    ),
    noted AS (
      INSERT INTO offer_events (offer_id, event, from_state, to_state, actor, user_id)
      SELECT moved.id, ${event}, old.state, moved.state, ${by.actor}, ${by.userId}
      FROM moved JOIN old ON old.id = moved.id
    )
    SELECT id, slug, state, version FROM moved ORDER BY id`.execute(trx)
  return rows
}

/** Moves one contest. @returns whether it was in a state that the event leaves */
export const moveOffer = async (
  trx: Trx,
  event: 'unschedule' | 'resume' | 'list' | 'seal' | 'draw' | 'award',
  id: number,
  actor: Mover,
): Promise<boolean> => (await moveOffers(trx, event, { which: sql`id = ${id}`, actor })).length > 0

/** Opens a contest now, or schedules it. @returns whether it was a draft, or a scheduled one that opens now */
export async function publishOffer(
  trx: Trx,
  id: number,
  publication: { actor: AuditActor; when: 'now' | 'scheduled' },
): Promise<boolean> {
  const { actor, when } = publication
  const which = sql`id = ${id}`
  const moved =
    when === 'now'
      ? await moveOffers(trx, 'publish', { which, actor, set: sql`, opens_at = NULL` })
      : await moveOffers(trx, 'schedule', { which, actor })
  return moved.length > 0
}

/**
 * Notes that all money of a cancelled contest is back.
 * @param isOpen whether something still waits for it
 * @returns whether it did, for the first time
 */
export async function noteRefunded(trx: Trx, id: number, isOpen: RawBuilder<unknown>): Promise<boolean> {
  const { numAffectedRows } = await sql`
    UPDATE offers SET refunds_completed_at = clock_timestamp()
    WHERE id = ${id} AND cancelled_at IS NOT NULL AND refunds_completed_at IS NULL AND NOT ${isOpen}`.execute(
    trx,
  )
  return Number(numAffectedRows ?? 0) > 0
}

/** Writes the event of a contest that was inserted or deleted in this transaction. */
export async function noteOffer(
  trx: Trx,
  offerId: number,
  event: 'create' | 'remove',
  actor: AuditActor,
): Promise<void> {
  const { from, to } = OFFER_EVENTS[event]
  const by = actorOf(actor)
  const from_state = from[0] === 'new' ? null : from[0]
  await trx
    .insertInto('offer_events')
    .values({ offer_id: offerId, event, from_state, to_state: to, actor: by.actor, user_id: by.userId })
    .execute()
}

/** Publishes the terms of a draw in the transaction that opens its contest; what it refuses keeps the contest closed. */
export type PublishTerms = (trx: Trx, offerId: number) => Promise<void>

interface MovesDeps {
  db: Database
  log: Pick<FastifyBaseLogger, 'info' | 'warn'>
  publishTerms: PublishTerms
}

/**
 * Background job: opens contests whose time has come and closes those that are over, by the database's clock. Any number
 * of workers may run it: each contest is moved once, with its event, and a killed run leaves the rest to the next.
 */
export async function moveDueOffers(
  { db, log, publishTerms }: MovesDeps,
  beforeCommit: () => Promise<void> = async () => {},
): Promise<MovedOffer[]> {
  const moved: MovedOffer[] = []
  const move = async (
    event: 'open' | 'missOpening' | 'close',
    which = sql`true`,
    alongside: PublishTerms = async () => {},
  ): Promise<void> => {
    const offers = await transact(db, async (trx) => {
      const rows = await moveOffers(trx, event, { which, actor: 'system', skipLocked: true })
      for (const { id } of rows) await alongside(trx, id)
      if (rows.length > 0) await beforeCommit()
      return rows
    })
    for (const { slug, state } of offers) log.info({ slug, state }, 'a contest has changed its state')
    moved.push(...offers)
  }
  const faults: unknown[] = []
  for (const id of await dueToOpen(db))
    try {
      await move('open', sql`id = ${id}`, publishTerms)
    } catch (error) {
      log.warn({ err: error, offerId: id }, 'a contest cannot open')
      // Of a refusal an alert of the job that publishes terms tells.
      if (!(error instanceof Refusal)) faults.push(error)
    }
  await move('missOpening')
  await move('close')
  if (faults.length > 0) throw faults[0]
  return moved
}

async function dueToOpen(db: Database): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    SELECT id FROM offers WHERE state = 'scheduled' ${GUARDS.openingDue} ORDER BY id`.execute(db)
  return rows.map(({ id }) => id)
}

/**
 * Ends the sale of every contest, and withdraws those that would open: for a database that lacks its last sales, which would
 * issue their numbers again. @returns the slugs of the stopped contests
 */
export async function stopSelling(trx: Trx, reason: string): Promise<string[]> {
  const unscheduled = await moveOffers(trx, 'unschedule', EVERY)
  const stopped = await moveOffers(trx, 'stop', EVERY)
  await auditEach(trx, 'offers.unschedule', unscheduled, reason)
  await auditEach(trx, 'offers.stop', stopped, reason)
  return slugsOf(stopped)
}

/** Sells again what `stopSelling` has stopped and what has not ended since. @returns the slugs of these contests */
export async function sellAgain(trx: Trx, reason: string): Promise<string[]> {
  // They were open, and so have the terms of their draws.
  const resumed = await moveOffers(trx, 'resume', EVERY)
  await auditEach(trx, 'offers.resume', resumed, reason)
  return slugsOf(resumed)
}

const EVERY = { which: sql`true`, actor: 'command line' } as const

const slugsOf = (moved: readonly MovedOffer[]): string[] => moved.map(({ slug }) => slug ?? '').toSorted()

async function auditEach(
  trx: Trx,
  action: 'offers.stop' | 'offers.unschedule' | 'offers.resume',
  moved: readonly MovedOffer[],
  reason: string,
): Promise<void> {
  for (const { id } of moved)
    await audit(trx, { actor: 'command line', action, subject: { kind: 'offer', id }, reason })
}

export interface SaleState {
  slug: string
  /** `unscheduled`: a draft that would have opened by itself. */
  is: 'open' | 'stopped' | 'unscheduled'
  /** Since when, and why, if somebody has said. */
  at: Date
  reason: string | null
}

/** The contests that are for sale, and those that `stopSelling` keeps from it. */
export async function saleStates(db: Sql): Promise<SaleState[]> {
  const { rows } = await sql<SaleState>`
    SELECT o.slug, last.at, CASE o.state WHEN 'open' THEN 'open' WHEN 'closed' THEN 'stopped' ELSE 'unscheduled' END AS is,
           CASE WHEN o.state <> 'open' THEN (
             SELECT entry::jsonb ->> 'reason' FROM audit_log
             WHERE subject_kind = 'offer' AND subject = o.id::text AND action IN ('offers.stop', 'offers.unschedule')
             ORDER BY id DESC LIMIT 1
           ) END AS reason
    FROM offers o, LATERAL (
      SELECT event, actor, at FROM offer_events WHERE offer_id = o.id ORDER BY id DESC LIMIT 1
    ) AS last
    WHERE o.end_date > clock_timestamp() AND (
      o.state = 'open' OR o.state = 'closed' AND last.event = 'stop'
      OR o.state = 'draft' AND last.event = 'unschedule' AND last.actor = 'command line'
    )
    ORDER BY o.slug`.execute(db)
  return rows
}

const cancelled = (reason: string): RawBuilder<unknown> =>
  sql`, cancelled_at = clock_timestamp(), cancelled_why = ${reason}`

/** Ends a contest that has no winner, so that all money goes back. @throws when it is not about to be drawn */
export async function endDraw(
  trx: Trx,
  event: 'endWithoutEntries' | 'endWithoutBeacon',
  id: number,
  reason: string,
): Promise<void> {
  const which = sql`id = ${id}`
  const moved = await moveOffers(trx, event, { which, actor: 'system', set: cancelled(reason) })
  if (moved.length === 0) throw new Error(`contest ${id} cannot make the move "${event}"`)
}

/**
 * @returns the offer's id; undefined when there is none that was published, it was cancelled before, or its notice has
 * begun
 */
export async function cancelOffer(
  trx: Trx,
  slug: string,
  reason: string,
  actor: AuditActor = 'system',
): Promise<number | undefined> {
  const [moved] = await moveOffers(trx, 'cancel', {
    which: sql`slug = ${slug}`,
    actor,
    set: cancelled(reason),
  })
  return moved?.id
}

/** Whoever knows the winner could reject them. */
export const cancellationTooLate = (): Refusal =>
  new Refusal('offer.beingDrawn', 409, 'errors.offer.beingDrawn')

interface NewOffer {
  /** Without a state it is open. */
  offer: Omit<Insertable<Offers>, 'state'> & { state?: InsertedState }
  pictures: readonly Omit<Insertable<OfferPictures>, 'offer_id' | 'position'>[]
}

/** States after `closed` need a log and files, which jobs make. */
type InsertedState = Exclude<OfferState, 'listed' | 'sealed' | 'drawn' | 'awarded'>

/** The events that lead to a state. */
const HISTORIES: Record<InsertedState, readonly OfferEvent[]> = {
  draft: ['create'],
  scheduled: ['create', 'schedule'],
  open: ['create', 'publish'],
  closed: ['create', 'publish', 'close'],
  cancelled: ['create', 'publish', 'cancel'],
}

/** For the demonstration and for tests: a contest in any state, with the history that leads there. @returns its id */
export async function insertOffer(trx: Trx, { offer, pictures }: NewOffer): Promise<number> {
  const { state = 'open', tickets_sold, tickets_held, entered_at, ...given } = offer
  const isPublished = HISTORIES[state].includes('publish')
  const { titles, descriptions, questions } = given
  const values = {
    ...given,
    titles: storedText(titles),
    ...(descriptions && { descriptions: storedText(descriptions) }),
    ...(questions && { questions: storedText(questions) }),
    state,
    ...(isPublished && { published_at: given.created_at ?? sql<Date>`now()` }),
  }
  const { id } = await trx.insertInto('offers').values(values).returning('id').executeTakeFirstOrThrow()
  await addOfferPictures(
    trx,
    id,
    pictures.map((picture) => ({ ...picture, ...(picture.alts && { alts: storedText(picture.alts) }) })),
  )
  // Last, because the pictures of a contest with entries change with a consent only.
  const entries = Object.entries({ tickets_sold, tickets_held, entered_at }).filter(
    ([, value]) => value !== undefined,
  )
  if (entries.length > 0)
    await trx.updateTable('offers').set(Object.fromEntries(entries)).where('id', '=', id).execute()
  let from: string | null = null
  // Stopped by hand: what is closed before its end.
  const isStopped = state === 'closed' && new Date(given.end_date as Date) > new Date(nowMs())
  const events = HISTORIES[state].map((event) => (event === 'close' && isStopped ? 'stop' : event))
  const times: Partial<Record<OfferEvent, unknown>> = {
    create: given.created_at,
    publish: given.created_at,
    close: given.created_at && given.end_date,
    cancel: given.cancelled_at,
  }
  const history = events.map((event) => {
    const at = (times[event] ?? sql<Date>`clock_timestamp()`) as Date
    const to_state = OFFER_EVENTS[event].to
    const row = { offer_id: id, event, from_state: from, to_state, actor: 'system', at }
    from = to_state
    return row
  })
  await trx.insertInto('offer_events').values(history).execute()
  return id
}
