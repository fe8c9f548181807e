import * as z from 'zod'
import { key } from '#i18n/keys.ts'

const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/
const LINE_MAX = 300
const base64 = (length: number) =>
  z
    .string(key('errors.field.required'))
    .trim()
    .regex(BASE64, key('errors.field.invalid'))
    .length(length, key('errors.field.invalid'))

/** GET /api/staff/draws/{id}/witness/ */
export const WitnessDraw = z.object({
  slug: z.string(),
  host: z.string(),
  origin: z.string(),
  /** `NAME+KEYID+KEY` of the log. */
  log_key: z.string(),
  /** The caller's key. */
  key: z.nullable(z.object({ name: z.string(), verifier_key: z.string() })),
  /** The latest checkpoint, and the first one that contains the seal. */
  checkpoints: z.array(
    z.object({
      id: z.int(),
      of: z.enum(['latest', 'seal']),
      size: z.int(),
      /** With the signature of the shop alone. */
      note: z.string(),
      at: z.string(),
      /** By the caller. */
      is_signed: z.boolean(),
    }),
  ),
})
export type WitnessDraw = z.infer<typeof WitnessDraw>

/** POST /api/staff/draws/{id}/witness/ */
export const WitnessBody = z.object({
  checkpoint: z.int(),
  line: z
    .string(key('errors.field.required'))
    .trim()
    .min(1, key('errors.field.required'))
    .max(LINE_MAX, key('errors.field.tooLong')),
})
export type WitnessBody = z.infer<typeof WitnessBody>

/** POST /api/staff/witness/key/ */
export const WitnessKeyBody = z.object({
  name: z
    .string(key('errors.field.required'))
    .trim()
    .regex(/^[!-*,-~]{1,60}$/, key('errors.field.invalid')),
  /** 32 bytes. */
  public_key: base64(44),
  /** The key's signature, 64 bytes, over `volant-witness-key-v1`, the host and the name, each with a line feed. */
  proof: base64(88),
})
export type WitnessKeyBody = z.infer<typeof WitnessKeyBody>
export const WitnessKey = z.object({ name: z.string(), verifier_key: z.string() })
