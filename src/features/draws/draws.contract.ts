import * as z from 'zod'
import { forFields } from '#shared/text-fields.ts'
import { State } from '#features/offers/staff-offers.contract.ts'
import { ClaimSummary } from './claims.contract.ts'
import { FORFEIT_REASONS } from './claims.rules.ts'
import { REHEARSAL_SECONDS } from './rehearsals.rules.ts'
import { DRAW_TIMES, DRAW_WAITS } from './timeline.rules.ts'

const Instant = z.nullable(z.string())

export const DrawRow = z.object({
  offer_id: z.int(),
  ...forFields('title', () => z.string()),
  state: State,
  /** ISO 8601 in UTC. */
  closes_at: Instant,
  draw_at: Instant,
  /** Valid numbers, by how they were obtained; null of a cancelled contest. */
  entries_paid: z.nullable(z.int()),
  entries_postal: z.nullable(z.int()),
  /** From the first entry on, and once the contest is over. */
  terms_locked: z.boolean(),
})
export type DrawRow = z.infer<typeof DrawRow>

/** GET /api/staff/draws/?when=…: the next draw first of those to come, the latest first of the past. */
export const DrawList = z.object({
  items: z.array(DrawRow),
  /** Cursor of the next page; null at the end. */
  next: z.nullable(z.string()),
})
export type DrawList = z.infer<typeof DrawList>

export const DrawsQuery = z.object({
  when: z.enum(DRAW_TIMES).default('coming'),
  /** The contest that ended the page before. */
  after: z.optional(z.coerce.number().int().min(1).max(2_147_483_647)),
  limit: z.coerce.number().int().min(1).max(100).default(25),
})
export type DrawsQuery = z.infer<typeof DrawsQuery>

export const DrawParams = z.object({ id: z.coerce.number().int().min(1).max(2_147_483_647) })

/** A file of the evidence. */
const DrawFile = z.object({ name: z.string(), sha256: z.string(), bytes: z.int(), made_at: z.string() })

const DrawAttempt = z.object({
  attempt: z.int(),
  round: z.int(),
  round_at: z.string(),
  drawn_at: Instant,
  /** Where the round was read. */
  relay: z.nullable(z.string()),
  randomness: z.nullable(z.string()),
  /** As on the ticket; null before the draw. */
  number: z.nullable(z.string()),
  /** The entry was voided after the seal. */
  is_void: z.boolean(),
  /** Null until it is opened, seconds after the draw. */
  claim: z.nullable(ClaimSummary),
  forfeiture: z.nullable(
    z.object({ reason: z.enum(FORFEIT_REASONS), is_decided: z.boolean(), published_at: z.string() }),
  ),
  /** A forfeiture that waits for a second person. */
  asked: z.nullable(z.object({ by: z.string(), at: z.string(), reason: z.enum(FORFEIT_REASONS) })),
})
export type DrawAttempt = z.infer<typeof DrawAttempt>

/** A rehearsal of the draw, the last one that was made. */
export const DrawRehearsal = z.object({
  id: z.string(),
  /** In the addresses of its pages; a draft may have none of its own yet. */
  slug: z.string(),
  made_at: z.string(),
  made_by: z.string(),
  plays_at: z.string(),
  /** By the clock of the database. */
  is_played: z.boolean(),
  alternate: z.boolean(),
  /** The contest had no entries. */
  is_invented: z.boolean(),
  entries: z.int(),
  list_hash: z.string(),
  /** The winners of its attempts, as on tickets. */
  numbers: z.array(z.string()),
})
export type DrawRehearsal = z.infer<typeof DrawRehearsal>

const Seconds = z.int().min(REHEARSAL_SECONDS.least).max(REHEARSAL_SECONDS.most)

/** POST /api/staff/draws/{id}/rehearsal/ */
export const RehearseBody = z.strictObject({
  /** The first winner does not claim, and an alternate is drawn. */
  alternate: z.boolean(),
  seconds: Seconds,
})
export type RehearseBody = z.infer<typeof RehearseBody>

/** POST /api/staff/draws/{id}/rehearsal/play/ */
export const PlayBody = z.strictObject({ seconds: Seconds })
export type PlayBody = z.infer<typeof PlayBody>

/** Instants of a draw that the console shows, in their order. */
const DRAW_MOMENTS = ['publication', 'closing', 'list', 'seal', 'draw', 'award', 'cancellation'] as const
export type DrawMoment = (typeof DRAW_MOMENTS)[number]

/** GET /api/staff/draws/{id}/: where a draw stands. Hashes are hexadecimal. */
export const DrawPage = z.object({
  offer_id: z.int(),
  slug: z.string(),
  ...forFields('title', () => z.string()),
  state: State,
  /** What the draw waits for; `until` when that is known, `is_late` when it should have come. */
  waits: z.object({ for: z.enum(DRAW_WAITS), until: Instant, is_late: z.boolean() }),
  moments: z.array(z.object({ name: z.enum(DRAW_MOMENTS), planned_at: Instant, at: Instant })),
  /** Tickets whose payment is under way. */
  held: z.int(),
  terms: z.nullable(
    z.object({
      hash: z.string(),
      objections_seconds: z.int(),
      seal_margin_seconds: z.int(),
      beacon_patience_seconds: z.int(),
      claim_seconds: z.int(),
      alternate_delay_seconds: z.int(),
      notice_seconds: z.int(),
      /** Most forfeitures that the shop decides. */
      alternates_decided: z.int(),
    }),
  ),
  log: z.nullable(
    z.object({
      origin: z.string(),
      size: z.int(),
      entries: z.int(),
      /** Of the last checkpoint. */
      root: z.nullable(z.string()),
      checkpoint_at: Instant,
      /** Issued numbers and voids that are not in the log yet. */
      waiting: z.int(),
    }),
  ),
  lists: z.array(
    z.object({
      name: z.enum(['provisional.txt', 'list.txt']),
      hash: z.string(),
      root: z.nullable(z.string()),
      paid: z.int(),
      postal: z.int(),
      demo: z.int(),
      valid: z.int(),
    }),
  ),
  files: z.array(DrawFile),
  attempts: z.array(DrawAttempt),
  /** Forfeitures that the shop has decided. */
  decided: z.int(),
  rehearsal: z.nullable(DrawRehearsal),
})
export type DrawPage = z.infer<typeof DrawPage>

/** GET /api/staff/draw-calendar/?month=2026-11: what is planned in a month of the shop's time zone. */
export const CalendarQuery = z.object({ month: z.string().regex(/^20\d\d-(0[1-9]|1[0-2])$/) })
export const CALENDAR_EVENTS = ['closing', 'draw', 'claimEnd', 'alternate'] as const
export const DrawCalendar = z.object({
  items: z.array(
    z.object({
      offer_id: z.int(),
      ...forFields('title', () => z.string()),
      state: State,
      event: z.enum(CALENDAR_EVENTS),
      at: z.string(),
      /** In the shop's time zone: "2026-11-24". */
      day: z.string(),
    }),
  ),
})
export type DrawCalendar = z.infer<typeof DrawCalendar>
