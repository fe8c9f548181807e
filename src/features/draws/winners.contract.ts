import * as z from 'zod/mini'
import { Offer } from '#features/offers/offers.contract.ts'
import { forFields } from '#shared/text-fields.ts'
import { PublicWinner } from './claims.contract.ts'

/** A drawn contest, as the wall of winners shows it. */
export const Winner = z.object({
  /** With its first picture. */
  contest: z.pick(Offer, {
    id: true,
    slug: true,
    ...forFields('title', () => true as const),
    pictures: true,
    total_tickets: true,
  }),
  /** Decimal euro text. */
  prize_value: z.nullable(z.string()),
  number: z.int(),
  /** ISO 8601 in UTC. */
  drawn_at: z.string(),
  is_awarded: z.boolean(),
  /** First name and place, with the winner's consent. */
  winner: PublicWinner,
})
export type Winner = z.infer<typeof Winner>

/** GET /api/winners/: the latest draw first. A number that has forfeited the prize is not among them. */
export const WinnerPage = z.object({
  items: z.array(Winner),
  /** Slug that the next page follows; null at the end. */
  next: z.nullable(z.string()),
})
export type WinnerPage = z.infer<typeof WinnerPage>
