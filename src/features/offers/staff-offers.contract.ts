import * as z from 'zod'
import { LANGUAGES } from '#shared/languages.ts'
import { forFields } from '#shared/text-fields.ts'
import { OFFER_STATES, type OfferState } from './offer-states.rules.ts'
import { ChangeReason } from '#features/pictures/pictures.contract.ts'
import { MadeChange, WaitingChange } from './descriptions.contract.ts'
import { OfferDetail, Picture } from './offers.contract.ts'
import { CHOICES_MAX } from './offers.rules.ts'

export const State = z.enum(Object.keys(OFFER_STATES) as [OfferState, ...OfferState[]])

const text = (most: number) => z.string().max(most, 'errors.field.tooLong')
/** As a clock in the shop's zone shows it: "2026-03-29T20:00"; empty when it is not decided. */
const wallClock = text(16)

/** What staff write. An empty text is missing; money is decimal euro text. */
export const OfferDraft = z.object({
  slug: text(80),
  ...forFields('title', () => text(120)),
  ...forFields('description', () => text(10_000)),
  ticket_price: text(30),
  total_tickets: z.nullable(z.int()),
  max_per_person: z.nullable(z.int()),
  /** Share of the numbers that are never sold and wait for entries by post, from the opening on. */
  postal_reserve_percent: z.nullable(z.int()),
  prize_value: text(30),
  prize_power_kw: z.nullable(z.int()),
  /** Seconds as decimal text. */
  prize_zero_to_100: text(10),
  prize_year: z.nullable(z.int()),
  prize_range_km: z.nullable(z.int()),
  opens_at: wallClock,
  end_date: wallClock,
  draw_at: wallClock,
  ...forFields('draw_terms', () => text(5_000)),
  ...forFields('question', () => text(300)),
  choices: z.array(text(100)).max(CHOICES_MAX, 'errors.field.tooLarge'),
  correct_choice: text(100),
})
export type OfferDraft = z.infer<typeof OfferDraft>
export type DraftField = keyof OfferDraft

const instant = z.nullable(z.string())

const listed = {
  id: z.int(),
  slug: z.nullable(z.string()),
  ...forFields('title', () => z.string()),
  state: State,
  /** Whether tickets are for sale. */
  is_active: z.boolean(),
  ticket_price: z.nullable(z.string()),
  total_tickets: z.nullable(z.int()),
  tickets_sold: z.int(),
  /** Of those, the numbers of entries by post; the others were paid. */
  by_post: z.int(),
  tickets_held: z.int(),
  /** ISO 8601 in UTC. */
  opens_at: instant,
  end_date: instant,
  draw_at: instant,
  published_at: instant,
}

export const ListedStaffOffer = z.object(listed)
export type ListedStaffOffer = z.infer<typeof ListedStaffOffer>

export const StaffOfferList = z.object({
  items: z.array(ListedStaffOffer),
  /** Cursor of the next page; null at the end. */
  next: z.nullable(z.string()),
})
export type StaffOfferList = z.infer<typeof StaffOfferList>

const Id = z.coerce.number().int().min(1).max(2_147_483_647)

/** GET /api/staff/offers/: the newest first. */
export const StaffOfferQuery = z.object({
  /** States, separated by commas. */
  state: z.optional(
    z
      .string()
      .transform((list) => list.split(','))
      .pipe(z.array(State)),
  ),
  /** Part of a title or of the address. */
  q: z.optional(z.string().trim().max(100)),
  after: z.optional(Id),
  limit: z.coerce.number().int().min(1).max(200).default(50),
})
export type StaffOfferQuery = z.infer<typeof StaffOfferQuery>

export const CHECKS = [
  'slug',
  'titles',
  'descriptions',
  'pictures',
  'altTexts',
  'sharing',
  'price',
  'total',
  'prize',
  'question',
  'choices',
  'opening',
  'end',
  'draw',
  'drawTerms',
  'legalTexts',
] as const
export type Check = (typeof CHECKS)[number]

export const ChecklistItem = z.object({
  check: z.enum(CHECKS),
  is_done: z.boolean(),
  /** Languages that lack a text. */
  languages: z.array(z.enum(LANGUAGES)),
  /** What is wrong with a time. */
  fault: z.nullable(z.enum(['past', 'afterEnd', 'tooEarly'])),
  /**
   * What is allowed and should be thought of: the desk can register no cards after the draw; a draw without further terms;
   * the company of the demonstration.
   */
  warning: z.nullable(z.enum(['littleTimeForPost', 'noFurtherTerms', 'demoCompany'])),
  /** How long after the closing the draw is at the earliest; null of other checks. */
  least_minutes: z.nullable(z.int()),
})
export type ChecklistItem = z.infer<typeof ChecklistItem>

export const Checklist = z.object({ is_complete: z.boolean(), items: z.array(ChecklistItem) })
export type Checklist = z.infer<typeof Checklist>

export const OfferMove = z.object({
  event: z.string(),
  to: z.string(),
  /** The name of whoever of staff did it, else `system` or `command line`. */
  by: z.string(),
  is_staff: z.boolean(),
  /** Who asked for what the shop then carried out, and who approved it. */
  people: z.array(z.string()),
  at: z.string(),
})
export type OfferMove = z.infer<typeof OfferMove>

export const StaffOffer = z.object({
  ...listed,
  version: z.int(),
  draft: OfferDraft,
  /** Fields that cannot change any more. */
  locked: z.array(z.string()),
  pictures: z.array(Picture),
  created_at: z.string(),
  /** When its first ticket was held or issued, which locked the terms. */
  entered_at: instant,
  /** By the clock of the database; `cancel_until` of a sealed contest alone. */
  is_cancellable: z.boolean(),
  cancel_until: instant,
  cancelled_at: instant,
  cancelled_why: z.nullable(z.string()),
  /** What a ticket costs with the VAT of a country, and the chance that it wins; null without a price or a total. */
  price_with_vat: z.nullable(z.object({ country: z.string(), percent: z.number(), total: z.string() })),
  odds: z.nullable(z.int()),
  /** Numbers kept for entries by post, and how many of them such entries have taken. */
  postal_reserve: z.object({ kept: z.int(), used: z.int() }),
  moves: z.array(OfferMove),
  /** Of titles, descriptions and pictures after the first entry, the newest first; and the one that waits. */
  changes: z.array(MadeChange),
  waiting: z.nullable(WaitingChange),
})
export type StaffOffer = z.infer<typeof StaffOffer>

/** Fields that a preview shows a stand-in for. */
export const STOOD_IN = ['title', 'ticket_price', 'total_tickets', 'end_date'] as const

/** GET /api/staff/offers/{id}/preview/: what is stored, as the shop would show it. */
export const OfferPreview = z.object({
  /** As GET /api/offers/{slug}/ responds to a signed-in caller. */
  offer: OfferDetail,
  /** What the page of its draw shows besides. */
  prize_value: z.nullable(z.string()),
  /** Numbers kept for entries by post. */
  postal_reserve: z.int(),
  draw_at: instant,
  published_at: z.string(),
  ...forFields('draw_terms', () => z.string()),
  /** What is not decided yet. */
  missing: z.array(z.enum(STOOD_IN)),
})
export type OfferPreview = z.infer<typeof OfferPreview>

export const StaffOfferId = z.object({ id: Id })

/** From nothing, or with the texts, pictures and terms of another contest. */
export const NewOfferBody = z.object({
  copy_of: z.optional(z.int()),
  /** Moves the dates of the other contest by so many days; without it they are empty. */
  shift_days: z.optional(z.int().min(1).max(3_650)),
})
export type NewOfferBody = z.infer<typeof NewOfferBody>

export const OfferVersionBody = z.object({ version: z.int() })

/** With a reason for a second person, once the contest has entries. */
export const ChangeOfferBody = z.object({ ...OfferDraft.shape, version: z.int(), reason: ChangeReason })
export type ChangeOfferBody = z.infer<typeof ChangeOfferBody>

export const PublishOfferBody = z.object({
  version: z.int(),
  /** `scheduled`: it opens by itself at `opens_at`. */
  when: z.enum(['now', 'scheduled']),
})

/** Body of the 409 `offers.changed`. */
export interface OfferChanged {
  current: StaffOffer
  /** Fields that differ from what was sent. */
  fields: DraftField[]
}

export const OfferSales = z.object({
  total: z.nullable(z.int()),
  sold: z.int(),
  /** Of those, the numbers of entries by post. */
  by_post: z.int(),
  /** From the first day in the shop's zone to the last, those without a ticket included. */
  days: z.array(z.object({ day: z.string(), tickets: z.int() })),
  /** Mean of a day of the last seven. */
  pace: z.number(),
  /** Tickets that would be sold at the end with that pace; null without an end ahead. */
  expected: z.nullable(z.int()),
})
export type OfferSales = z.infer<typeof OfferSales>
