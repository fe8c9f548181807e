import * as z from 'zod'
import { key } from '#i18n/keys.ts'
import { CHECKPOINT_OUTCOMES } from '#shared/audit-actions.ts'
import { STAFF_PERMISSIONS, STAFF_ROLES, type StaffPermission } from '#shared/staff-permissions.ts'
import { SECOND_FACTORS } from '#shared/staff-session.ts'

/** ISO 8601 in UTC. */
const Time = z.string()
const PERMISSIONS = Object.keys(STAFF_PERMISSIONS) as [StaffPermission, ...StaffPermission[]]

const required = (max: number) =>
  z
    .string(key('errors.field.required'))
    .trim()
    .min(1, key('errors.field.required'))
    .max(max, key('errors.field.tooLong'))

/** A one-time code or a recovery code, as people type them. */
const Code = z
  .string()
  .transform((typed) => typed.replaceAll(/[\s-]/g, '').toUpperCase())
  .pipe(z.string().regex(/^[0-9A-Z]{6,20}$/, key('errors.field.invalid')))

/** POST /api/staff/session/ */
export const SignInBody = z.object({
  email: required(254),
  password: z.string(key('errors.field.required')).min(1, key('errors.field.required')).max(256),
  code: z.optional(Code),
})
export type SignInBody = z.infer<typeof SignInBody>

/** POST /api/staff/session/step-up/: a code, or the password of somebody without a second factor. */
export const StepUpBody = z.object({
  permission: z.enum(PERMISSIONS),
  code: z.optional(Code),
  password: z.optional(z.string().min(1).max(256)),
})

/** What a browser responds with about a passkey; the library checks it. */
const PasskeyResponse = z.any()
export const PasskeyBody = z.object({ response: PasskeyResponse })
export const PasskeyStepUpBody = z.object({ permission: z.enum(PERMISSIONS), response: PasskeyResponse })
export const NewPasskeyBody = z.object({ name: required(60), response: PasskeyResponse })
export const CodeBody = z.object({ code: Code })

export const Passkey = z.object({
  id: z.string(),
  name: z.string(),
  created_at: Time,
  last_used_at: z.nullable(Time),
})

/** GET /api/staff/self/ */
export const OwnSecurity = z.object({
  passkeys: z.array(Passkey),
  has_authenticator: z.boolean(),
  recovery_codes_left: z.int(),
  sessions: z.array(
    z.object({
      id: z.string(),
      browser: z.nullable(z.string()),
      system: z.nullable(z.string()),
      created_at: Time,
      last_used_at: Time,
      is_current: z.boolean(),
    }),
  ),
})
export type OwnSecurity = z.infer<typeof OwnSecurity>

/** A new authenticator, until its first code confirms it. */
export const NewAuthenticator = z.object({
  secret: z.string(),
  uri: z.string(),
  /** The address as a QR code: the modules of each row, "1" for black. */
  qr: z.array(z.string()),
})
export type NewAuthenticator = z.infer<typeof NewAuthenticator>

/** Shown once; empty when the account has some already. */
export const RecoveryCodes = z.object({ recovery_codes: z.array(z.string()) })
export type RecoveryCodes = z.infer<typeof RecoveryCodes>

export const Person = z.object({
  id: z.int(),
  name: z.string(),
  email: z.string(),
  role: z.enum(STAFF_ROLES),
  is_active: z.boolean(),
  methods: z.array(z.enum(SECOND_FACTORS)),
  last_seen_at: z.nullable(Time),
  open_sessions: z.int(),
})
export const People = z.array(Person)
export type Person = z.infer<typeof Person>

export const PersonParams = z.object({ id: z.coerce.number().int().min(1).max(Number.MAX_SAFE_INTEGER) })
export const ReasonBody = z.object({ reason: required(200) })

/** POST /api/staff/people/: asks for a role for the account of an address; a second person approves. */
export const RoleBody = z.object({ email: required(254), role: z.enum(STAFF_ROLES), reason: required(200) })

/** POST /api/staff/approvals/{id}/approve/: the sum that the person was shown, where it may have grown since the request. */
export const ApproveQuery = z.object({
  seen: z.optional(z.string().regex(/^\d{1,12}\.\d\d$/, key('errors.field.amount'))),
})

export const APPROVAL_DECISIONS = ['approved', 'refused', 'withdrawn', 'alone', 'expired'] as const
export const Approval = z.object({
  id: z.int(),
  permission: z.enum(PERMISSIONS),
  subject_kind: z.string(),
  subject: z.string(),
  preview: z.record(z.string(), z.unknown()),
  reason: z.string(),
  requested_by: z.object({ id: z.int(), name: z.string() }),
  requested_at: Time,
  /** Nobody else could approve it: from this time on it needs no second person. */
  alone_from: z.nullable(Time),
  decided_by: z.nullable(z.object({ id: z.int(), name: z.string() })),
  decided_at: z.nullable(Time),
  decision: z.nullable(z.enum(APPROVAL_DECISIONS)),
  answer: z.nullable(z.string()),
  done_at: z.nullable(Time),
  failure: z.nullable(z.string()),
  /** What the caller may do with it now. */
  can: z.array(z.enum(['approve', 'refuse', 'withdraw'])),
})
export type Approval = z.infer<typeof Approval>
export const Approvals = z.array(Approval)
/** 202: the action waits for a second person. */
export const AwaitingApproval = z.object({ approval: Approval })

export const AuditRow = z.object({
  id: z.int(),
  at: Time,
  actor_id: z.nullable(z.int()),
  actor: z.string(),
  role: z.nullable(z.string()),
  action: z.string(),
  subject_kind: z.nullable(z.string()),
  subject: z.nullable(z.string()),
  /** What people call it, where it has such a name: the number of an order. */
  subject_name: z.nullable(z.string()),
  /** Who asked for what the shop then did, and who approved it: two names, or one who acted alone. */
  people: z.array(z.string()),
  before: z.unknown(),
  after: z.unknown(),
  reason: z.nullable(z.string()),
  /** Keyed hash of the network; null for the shop and the command line. */
  network: z.nullable(z.string()),
  /** Of the session, as long as the shop keeps it. */
  browser: z.nullable(z.string()),
  system: z.nullable(z.string()),
  /** Hexadecimal. */
  hash: z.string(),
})
export type AuditRow = z.infer<typeof AuditRow>
export const AuditPage = z.object({ items: z.array(AuditRow), next: z.nullable(z.string()) })
export type AuditPage = z.infer<typeof AuditPage>

const Id = z.coerce.number().int().min(1).max(Number.MAX_SAFE_INTEGER)
const Day = z.iso
  .date(key('errors.field.invalid'))
  // PostgreSQL has no year 0.
  .regex(/^(?!0000)/, key('errors.field.invalid'))
/** GET /api/staff/audit/: the newest first. */
export const AuditQuery = z.object({
  actor: z.optional(Id),
  subject_kind: z.optional(z.string().max(40)),
  /** Its id; of an order its number, too. */
  subject: z.optional(z.string().max(80)),
  action: z.optional(z.string().max(60)),
  /** Days in the shop's zone, both included. */
  from: z.optional(Day),
  to: z.optional(Day),
  after: z.optional(Id),
  limit: z.coerce.number().int().min(1).max(200).default(50),
})
export type AuditQuery = z.infer<typeof AuditQuery>

/** GET /api/staff/audit/actors/: everybody who has an entry, by name. */
export const AuditActors = z.array(z.object({ id: z.int(), name: z.string() }))
export type AuditActors = z.infer<typeof AuditActors>

/** POST /api/staff/audit/verify/: compares with what a checkpoint email says, too. */
export const AuditVerifyBody = z.nullish(
  z.object({
    entries: z.int(key('errors.field.wholeNumber')).min(1, key('errors.field.wholeNumber')),
    hash: z
      .string(key('errors.field.required'))
      .trim()
      .toLowerCase()
      .regex(/^[0-9a-f]{64}$/, key('errors.field.invalid')),
  }),
)

export const AuditCheck = z.object({
  entries: z.int(),
  /** The first entry that does not follow from the one before; null when all do. */
  broken_at: z.nullable(z.int()),
  hash: z.string(),
  /** Whether the log still has the entry of the email, with its hash; null when none was given. */
  checkpoint: z.nullable(z.enum(CHECKPOINT_OUTCOMES)),
})
export type AuditCheck = z.infer<typeof AuditCheck>
