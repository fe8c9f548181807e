import * as z from 'zod'
import { key } from '#i18n/keys.ts'

const NOTE_MAX = 200

const NamedBeacon = z.object({
  /** Of a public network; null of another chain. */
  name: z.nullable(z.string()),
  chain: z.string(),
  round: z.int(),
  /** ISO 8601 in UTC. */
  round_at: z.string(),
})
export type NamedBeacon = z.infer<typeof NamedBeacon>

/** GET /api/staff/draws/{id}/beacon/: the beacon in force, and those that may take its place. */
export const DrawBeacon = z.object({
  in_force: NamedBeacon,
  /** Whether a leaf has replaced that of the terms. */
  is_replaced: z.boolean(),
  /** Whether it can still be replaced: until the contest closes. */
  can_replace: z.boolean(),
  /** Chains that this shop knows, without the one in force. */
  candidates: z.array(NamedBeacon),
})
export type DrawBeacon = z.infer<typeof DrawBeacon>

/** POST /api/staff/draws/{id}/beacon/ */
export const ReplaceBeaconBody = z.object({
  chain: z.string(key('errors.field.required')).regex(/^[0-9a-f]{64}$/, key('errors.field.invalid')),
  note: z
    .string(key('errors.field.required'))
    .trim()
    .min(1, key('errors.field.required'))
    .max(NOTE_MAX, key('errors.field.tooLong')),
})
export type ReplaceBeaconBody = z.infer<typeof ReplaceBeaconBody>
