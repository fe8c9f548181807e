import * as z from 'zod'
import { key } from '#i18n/keys.ts'
import { DECIDED_REASONS } from '#features/draws/claims.rules.ts'

const TEXT_MAX = 2_000
const NOTE_MAX = 200
const NUMBER_MAX = 10_000_000

/** ISO 8601 in UTC. */
const Instant = z.string()

export const OfferParams = z.object({ id: z.coerce.number().int().min(1).max(2_147_483_647) })
export const ObjectionParams = OfferParams.extend({ objection: z.coerce.number().int().min(1) })

const text = (max: number) =>
  z
    .string(key('errors.field.required'))
    .trim()
    .min(1, key('errors.field.required'))
    .max(max, key('errors.field.tooLong'))
const number = z
  .int(key('errors.field.wholeNumber'))
  .min(1, key('errors.field.tooSmall'))
  .max(NUMBER_MAX, key('errors.field.tooLarge'))

export const OUTCOMES = ['upheld', 'dismissed'] as const

const Objection = z.object({
  id: z.int(),
  /** As on the ticket; null when it is about no single entry. */
  number: z.nullable(z.string()),
  /** Of the contact form, while it is kept. */
  message_id: z.nullable(z.string()),
  /** Empty once it is erased. */
  text: z.string(),
  noted_by: z.string(),
  noted_at: Instant,
  outcome: z.nullable(z.enum(OUTCOMES)),
  answer: z.nullable(z.string()),
  answered_by: z.nullable(z.string()),
  answered_at: z.nullable(Instant),
  is_erased: z.boolean(),
})
export type Objection = z.infer<typeof Objection>

/** GET /api/staff/draws/{id}/objections/: open ones first. */
export const Objections = z.object({
  items: z.array(Objection),
  open: z.int(),
  /** Entries that two people have voided. */
  voids: z.array(z.object({ number: z.string(), reason: z.enum(DECIDED_REASONS), at: Instant })),
  /** Whether entries can be voided: from the publication of the terms until the seal. */
  can_void: z.boolean(),
})
export type Objections = z.infer<typeof Objections>

/** POST /api/staff/draws/{id}/objections/ */
export const ObjectionBody = z.object({
  number: z.nullable(number),
  message_id: z.nullable(z.uuid(key('errors.field.invalid'))),
  text: text(TEXT_MAX),
})
export type ObjectionBody = z.infer<typeof ObjectionBody>

/** POST /api/staff/draws/{id}/objections/{objection}/answer/ */
export const ObjectionAnswerBody = z.object({
  outcome: z.enum(OUTCOMES, key('errors.field.required')),
  answer: text(TEXT_MAX),
})
export type ObjectionAnswerBody = z.infer<typeof ObjectionAnswerBody>

/** POST /api/staff/draws/{id}/void/preview/ */
export const VoidPreviewBody = z.object({
  number,
  /** All valid numbers of the same order in this contest. */
  whole_order: z.boolean(),
  reason: z.enum(DECIDED_REASONS, key('errors.field.required')),
})
export type VoidPreviewBody = z.infer<typeof VoidPreviewBody>

/** POST /api/staff/draws/{id}/void/: the note is for the second person. */
export const VoidBody = VoidPreviewBody.extend({ note: text(NOTE_MAX) })
export type VoidBody = z.infer<typeof VoidBody>

/** Most numbers in a response. */
export const NUMBERS_SHOWN = 100

/** What voiding would do, computed by the function that does it. */
export const VoidPreview = z.object({
  source: z.enum(['paid', 'postal', 'demo']),
  count: z.int(),
  /** The first hundred. */
  numbers: z.array(z.string()),
  /** The leaf of the first one, as the public log gets it. */
  leaf: z.string(),
  /** Decimal euro text; null of an entry that nobody paid for. */
  refund: z.nullable(z.string()),
  /** How the holder is told. */
  told_by: z.enum(['email', 'letter', 'nobody']),
})
export type VoidPreview = z.infer<typeof VoidPreview>
