import * as z from 'zod'
import { ListedEmail } from '#features/emails/emails.contract.ts'
import { key } from '#i18n/keys.ts'

/** ISO 8601 in UTC. */
const Time = z.string()

export const QUEUES = [
  'emails',
  'notifications',
  'payments',
  'refunds',
  'cancelledRefunds',
  'approvals',
  'drawEmails',
  'pictures',
] as const

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
  /** All of them: "I1". */
  invariant_names: z.array(z.string()),
  /** The last check; null when there was none yet. */
  invariants: z.nullable(
    z.object({
      checked_at: Time,
      broken: z.array(
        z.object({
          name: z.string(),
          rows: z.int(),
          /** Whether there are more than were counted. */
          more: z.boolean(),
          /** The ids in the first rows. */
          first: z.array(z.string()),
        }),
      ),
      unknown: z.array(z.string()),
    }),
  ),
  /** The last email with the end of the audit log. */
  checkpoint: z.nullable(z.object({ queued_at: Time, state: ListedEmail.shape.state })),
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

/** What the doctor looks at, in the order in which it tells. */
export const CHECKS = [
  'demoValues',
  'dataDir',
  'database',
  'databaseDisk',
  'standby',
  'readReplica',
  'pooler',
  'connections',
  'clock',
  'secretKey',
  'logKey',
  'witnesses',
  'stamps',
  'mailServer',
  'provider',
  'webhook',
  'certificate',
  'proxy',
  'backup',
  'alerts',
] as const
export type CheckName = (typeof CHECKS)[number]

/** POST /api/staff/system/doctor/: some checks, or all when left out. */
export const DoctorBody = z.object({ checks: z.optional(z.array(z.enum(CHECKS)).min(1)) })

/** What the checks found, in the language of the request. `skipped` does not concern this shop, or could not be known. */
export const Findings = z.object({
  findings: z.array(
    z.object({
      check: z.enum(CHECKS),
      state: z.enum(['ok', 'warning', 'fault', 'skipped']),
      title: z.string(),
      text: z.string(),
    }),
  ),
})
export type Findings = z.infer<typeof Findings>

/** POST /api/staff/system/test-email/: what became of an email to whoever asked. */
export const TestEmail = z.object({
  to: z.string(),
  state: ListedEmail.shape.state,
  /** Of the last attempt. */
  error: z.nullable(z.string()),
})
export type TestEmail = z.infer<typeof TestEmail>

/** POST /api/staff/system/test-alert/: whether a message reached ALERT_WEBHOOK_URL, and what its receiver said otherwise. */
export const TestAlert = z.object({ is_sent: z.boolean(), error: z.nullable(z.string()) })
export type TestAlert = z.infer<typeof TestAlert>

/** Of pages of failed emails; `after` is `next` of the page before. */
export const FailedEmailsQuery = z.object({
  after: z.optional(z.uuid(key('errors.field.invalid'))),
  limit: z.optional(z.coerce.number(key('errors.field.wholeNumber')).int().min(1).max(100)),
})

const FailedEmail = z.object({
  id: z.string(),
  kind: z.string(),
  /** Null once it was erased, like the recipient. */
  subject: z.nullable(z.string()),
  recipient: z.nullable(z.string()),
  failed_at: Time,
  error: z.nullable(z.string()),
  can_resend: z.boolean(),
  /** What it is about. */
  customer_id: z.nullable(z.int()),
  order_id: z.nullable(z.string()),
  entry_id: z.nullable(z.string()),
  message_id: z.nullable(z.string()),
})
export type FailedEmail = z.infer<typeof FailedEmail>

/** GET /api/staff/system/emails/: the newest first. */
export const FailedEmails = z.object({
  items: z.array(FailedEmail),
  next: z.nullable(z.string()),
  /** How many of all can be sent again. */
  resendable: z.int(),
})
export type FailedEmails = z.infer<typeof FailedEmails>

/** POST /api/staff/system/emails/resend/: how many are queued again. */
export const ResentEmails = z.object({ emails: z.int() })

export const EmailParams = z.object({ id: z.string().max(64) })
export const CheckedInvariants = z.object({ broken: z.array(z.string()), unknown: z.array(z.string()) })
