import * as z from 'zod'
import { key } from '#i18n/keys.ts'
import { EMAIL_MAX } from '#shared/email-address.ts'
import { emailField } from '#shared/fields.ts'

/** An email address of an account or a payer, or the id that PayPal gives a payer. */
export const EXCLUSION_KINDS = ['email', 'payer_id'] as const

export const EXCLUSION_REASONS = ['household', 'self', 'other'] as const

/** So many rows may be listed: each purchase looks there. */
export const EXCLUSIONS_MAX = 1_000

const required = z
  .string(key('errors.field.required'))
  .trim()
  .min(1, key('errors.field.required'))
  .max(EMAIL_MAX, key('errors.field.tooLong'))

const reason = z.enum(EXCLUSION_REASONS, key('errors.field.required'))

/** POST /api/staff/exclusions/ */
export const ExclusionBody = z.discriminatedUnion(
  'kind',
  [
    z.object({
      kind: z.literal('email'),
      value: emailField('errors.field.required'),
      reason,
    }),
    z.object({
      kind: z.literal('payer_id'),
      value: required.regex(/^[A-Za-z0-9]{13}$/, key('consoleStaff.exclusions.faults.payerId')),
      reason,
    }),
  ],
  key('errors.field.required'),
)
export type ExclusionBody = z.infer<typeof ExclusionBody>

export const ExclusionParams = z.object({ id: z.coerce.number().int().min(1).max(Number.MAX_SAFE_INTEGER) })

export const ListedExclusion = z.object({
  id: z.int(),
  kind: z.enum(EXCLUSION_KINDS),
  /** Null once the account of the address was erased; it still excludes. */
  value: z.nullable(z.string()),
  reason: z.enum(EXCLUSION_REASONS),
  added_by: z.string(),
  /** ISO 8601 in UTC. */
  added_at: z.string(),
})
export type ListedExclusion = z.infer<typeof ListedExclusion>

/** GET /api/staff/exclusions/: the newest first. */
export const Exclusions = z.array(ListedExclusion)
