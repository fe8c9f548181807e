import * as z from 'zod'

/** ISO 8601 in UTC. */
const Time = z.string()

export const QUEUES = ['emails', 'notifications', 'refunds'] as const

/** GET /api/staff/system/ */
export const SystemStatus = z.object({
  versions: z.object({
    shop: z.string(),
    node: z.string(),
    postgres: z.string(),
    migration: z.int(),
    mode: z.enum(['demo', 'live']),
  }),
  jobs: z.array(
    z.object({
      name: z.string(),
      /** Since the last run that ended well; null when none ever did. */
      seconds: z.nullable(z.int()),
      is_missing: z.boolean(),
    }),
  ),
  queues: z.array(z.object({ name: z.enum(QUEUES), waiting: z.int(), oldest_at: z.nullable(Time) })),
  /** The daily mail with the checkpoints of draws: whether there is a recipient, and the last one. */
  checkpoints: z.object({
    has_recipient: z.boolean(),
    last: z.nullable(
      z.object({
        /** "2026-11-26" in UTC. */
        day: z.string(),
        /** Of its email; null once that is gone. */
        state: z.nullable(z.enum(['queued', 'sending', 'sent', 'kept', 'failed'])),
        sent_at: z.nullable(Time),
      }),
    ),
  }),
  invariants: z.nullable(
    z.object({ checked_at: Time, broken: z.array(z.string()), unknown: z.array(z.string()) }),
  ),
  failed_emails: z.array(
    z.object({
      id: z.string(),
      kind: z.string(),
      subject: z.string(),
      failed_at: Time,
      error: z.nullable(z.string()),
      can_resend: z.boolean(),
    }),
  ),
  settings: z.array(
    z.object({
      name: z.string(),
      /** Null: not set, or a secret. */
      value: z.nullable(z.string()),
      is_secret: z.boolean(),
      is_set: z.boolean(),
    }),
  ),
})
export type SystemStatus = z.infer<typeof SystemStatus>

export const EmailParams = z.object({ id: z.string().max(64) })
export const CheckedInvariants = z.object({ broken: z.array(z.string()), unknown: z.array(z.string()) })
