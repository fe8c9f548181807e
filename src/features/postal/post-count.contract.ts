import * as z from 'zod'
import { key } from '#i18n/keys.ts'

/** ISO 8601 in UTC. */
const Time = z.string()

export const CountParams = z.object({ id: z.coerce.number().int().min(1).max(2_147_483_647) })
export const ConfirmParams = CountParams.extend({ count: z.coerce.number().int().min(1) })

/** POST /api/staff/draws/{id}/post-count/, and to confirm one: cards counted by hand. */
export const CountBody = z.object({
  cards: z
    .int(key('errors.field.wholeNumber'))
    .min(0, key('errors.field.tooSmall'))
    .max(10_000_000, key('errors.field.tooLarge')),
})
export type CountBody = z.infer<typeof CountBody>

/** GET /api/staff/draws/{id}/post-count/: whether the cards of a contest are registered, counted by two people. */
export const PostCount = z.object({
  /** From the closing until the seal. */
  can_count: z.boolean(),
  /** Two people counted as many cards as there are registered now. */
  is_counted: z.boolean(),
  /** The latest instant of the seal; null without published terms. */
  seal_by: z.nullable(Time),
  last: z.nullable(
    z.object({
      id: z.int(),
      /** Null for whoever may still confirm it: the second count is blind. */
      cards: z.nullable(z.int()),
      counted_by: z.string(),
      counted_at: Time,
      confirmed_by: z.nullable(z.string()),
      confirmed_at: z.nullable(Time),
      /** More cards were registered since. */
      is_outdated: z.boolean(),
      is_own: z.boolean(),
    }),
  ),
})
export type PostCount = z.infer<typeof PostCount>
