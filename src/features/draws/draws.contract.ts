import * as z from 'zod'
import { State } from '#features/offers/staff-offers.contract.ts'
import { DRAW_TIMES } from './draws.rules.ts'

const Instant = z.nullable(z.string())

export const DrawRow = z.object({
  offer_id: z.int(),
  title: z.string(),
  title_nl: z.string(),
  title_en: z.string(),
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
