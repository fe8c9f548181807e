import * as z from 'zod'

/** A buyer's place, in the refusal. */
export const Place = z.object({
  /** Stays the same while the buyer waits. */
  number: z.int(),
  /** The buyer's position in line, 1 for the next one. */
  position: z.int(),
  /** How long it takes at the present rate. */
  seconds: z.int(),
})
export type Place = z.infer<typeof Place>

export const LineParams = z.object({ slug: z.string().max(200) })

/** How far the line of a contest is, the same for everybody. */
export const WaitingRoomState = z.object({
  is_open: z.boolean(),
  /** Everybody with a number up to it may enter. */
  admitted: z.int(),
  /** Buyers who enter in a minute. */
  per_minute: z.int(),
})
export type WaitingRoomState = z.infer<typeof WaitingRoomState>
