import * as z from 'zod/mini'
import { Offer } from '#features/offers/offers.contract.ts'
import { forFields } from '#shared/text-fields.ts'
import { REMINDER_KINDS, type ReminderKind } from './favourites.rules.ts'

export { REMINDER_KINDS, type ReminderKind }

/** Contests of one account, marked or with reminders. */
export const FAVOURITES_MAX = 200

/** A contest that somebody marked, or wants to be reminded of. */
export const Favourite = z.object({
  offer: Offer,
  isFavourite: z.boolean(),
  /** Those still to come. */
  reminders: z.array(z.enum(REMINDER_KINDS)),
})
export type Favourite = z.infer<typeof Favourite>

/** GET /api/favourites: the newest first. */
export const Favourites = z.object({ favourites: z.array(Favourite) })
export type Favourites = z.infer<typeof Favourites>

export const OfferIdParams = z.object({
  offerId: z.coerce.number().check(z.int(), z.positive(), z.maximum(2 ** 31 - 1)),
})

/** PUT /api/reminders/{offerId}: those wanted from now on. */
export const ReminderForm = z.object({
  kinds: z.array(z.enum(REMINDER_KINDS)).check(z.maxLength(REMINDER_KINDS.length)),
})
export type ReminderForm = z.infer<typeof ReminderForm>

export const Reminders = z.object({ reminders: z.array(z.enum(REMINDER_KINDS)) })
export type Reminders = z.infer<typeof Reminders>

/** Longer than any token of a reminder. */
const TOKEN_MAX = 200

/** Of the link in a reminder. */
export const UnsubscribeToken = z.object({ token: z.string().check(z.maxLength(TOKEN_MAX)) })

/** Which reminder a link came with. It ends all of the account. */
export const Unsubscribing = z.object({
  ...forFields('title', () => z.string()),
  slug: z.string(),
  kind: z.enum(REMINDER_KINDS),
})
export type Unsubscribing = z.infer<typeof Unsubscribing>
