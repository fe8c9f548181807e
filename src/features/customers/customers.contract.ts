import * as z from 'zod'
import { EndSessionsBody } from '#features/accounts/accounts.contract.ts'
import { ListedEmail } from '#features/emails/emails.contract.ts'
import { key } from '#i18n/keys.ts'
import { LANGUAGES } from '#shared/languages.ts'
import { ERASURE_REASONS, SUSPENSION_REASONS } from './customers.rules.ts'

/** ISO 8601 in UTC. */
const Time = z.string()
/** Decimal euro text. */
const Amount = z.string()
const Standing = z.enum(['active', 'suspended', 'closed'])

export const CustomerParams = z.object({
  id: z.coerce.number(key('errors.field.wholeNumber')).int().positive().max(Number.MAX_SAFE_INTEGER),
})

/** Most rows of one response. */
const LIMIT = z.optional(z.coerce.number(key('errors.field.wholeNumber')).int().min(1).max(100))

/** GET /api/staff/customers/: `q` is the beginning of an e-mail address, a username or a telephone number, or "#12". */
export const CustomersQuery = z.object({
  q: z.optional(z.string().max(254, key('errors.field.tooLong'))),
  state: z.optional(z.enum(['suspended', 'closed'])),
  /** `next` of the response before. */
  after: z.optional(CustomerParams.shape.id),
  limit: LIMIT,
})

const CustomerSummary = z.object({
  id: z.int(),
  username: z.string(),
  email: z.string(),
  /** With the country code; empty without one. */
  phone: z.string(),
  state: Standing,
  is_staff: z.boolean(),
  email_confirmed: z.boolean(),
  created_at: Time,
})
export type CustomerSummary = z.infer<typeof CustomerSummary>

/** The newest first; with `q` in the order of what was found. */
export const CustomerList = z.object({ items: z.array(CustomerSummary), next: z.nullable(z.string()) })
export type CustomerList = z.infer<typeof CustomerList>

export const CustomerEmailParams = CustomerParams.extend({ email: z.string().max(64) })
export const CustomerTicketsParams = CustomerParams.extend({ offer: CustomerParams.shape.id })

/** Calls of further pages of what counts its rows; `after` is `next` of the page before. */
export const CustomerRowsQuery = z.object({ after: z.optional(CustomerParams.shape.id), limit: LIMIT })

/** Calls of further pages; `after` is an id of the page before. */
export const CustomerPartQuery = z.object({
  after: z.optional(z.uuid(key('errors.field.invalid'))),
  limit: LIMIT,
})

const CustomerOrder = z.object({
  id: z.string(),
  /** "K7QM-2F9P" */
  number: z.string(),
  state: z.string(),
  total: Amount,
  tickets: z.int(),
  created_at: Time,
})
/** GET /api/staff/customers/{id}/orders/: the newest first. */
export const CustomerOrders = z.object({ items: z.array(CustomerOrder), next: z.nullable(z.string()) })
export type CustomerOrders = z.infer<typeof CustomerOrders>

/** GET /api/staff/customers/{id}/emails/: the newest first. */
export const CustomerEmails = z.object({ items: z.array(ListedEmail), next: z.nullable(z.string()) })
export type CustomerEmails = z.infer<typeof CustomerEmails>

const Suspension = z.object({
  id: z.int(),
  reason: z.string(),
  note: z.string(),
  by: z.string(),
  at: Time,
  lifted_by: z.nullable(z.string()),
  lifted_at: z.nullable(Time),
  lifted_note: z.nullable(z.string()),
})

/** GET /api/staff/customers/{id}/suspensions/: the newest first; the first one runs while the account is suspended. */
export const CustomerSuspensions = z.object({ items: z.array(Suspension), next: z.nullable(z.string()) })
export type CustomerSuspensions = z.infer<typeof CustomerSuspensions>

/** GET /api/staff/customers/{id}/messages/: the newest first. */
export const CustomerMessages = z.object({
  items: z.array(z.object({ id: z.string(), state: z.string(), received_at: Time, beginning: z.string() })),
  next: z.nullable(z.string()),
})
export type CustomerMessages = z.infer<typeof CustomerMessages>

const StaffAction = z.object({
  id: z.int(),
  at: Time,
  by: z.string(),
  action: z.string(),
  reason: z.nullable(z.string()),
  /** What it was about; null for a list that showed something of the customer. */
  subject_kind: z.nullable(z.string()),
  subject: z.nullable(z.string()),
})
/**
 * GET /api/staff/customers/{id}/history/: what staff read and did of the account, its orders, messages, entries by post,
 * emails and prizes; the newest first.
 */
export const CustomerHistory = z.object({ items: z.array(StaffAction), next: z.nullable(z.string()) })
export type CustomerHistory = z.infer<typeof CustomerHistory>

const CustomerTicket = z.object({
  number: z.int(),
  /** "0042" */
  text: z.string(),
  state: z.enum(['valid', 'void', 'given_up']),
  source: z.string(),
  /** "K7QM-2F9P"; null without an order. */
  order: z.nullable(z.string()),
  issued_at: Time,
})
/** GET /api/staff/customers/{id}/tickets/{offer}/: by number; `after` is the number of the page before. */
export const CustomerTickets = z.object({ items: z.array(CustomerTicket), next: z.nullable(z.string()) })
export type CustomerTickets = z.infer<typeof CustomerTickets>

/** What an account may still do, by the rules that its purchases and logins are held to. */
const CustomerLimits = z.object({
  /** Why it cannot buy; null when it can. */
  cannot_buy: z.nullable(z.enum(['suspended', 'closed', 'staff', 'excluded'])),
  /** Unpaid tickets now, and how many of the contest it may hold. */
  holds: z.array(z.object({ offer_id: z.int(), title: z.string(), tickets: z.int(), most: z.int() })),
  /** The settings: so many tickets of a contest, or so many percent of it. */
  hold_most: z.object({ tickets: z.number(), percent: z.number() }),
  /** Tickets that it may hold of all contests while its address is not confirmed; null when it is. */
  unconfirmed_most: z.nullable(z.number()),
  /** For which it held tickets without paying within a day. */
  unpaid_minutes: z.object({ used: z.number(), most: z.number() }),
  /** Within an hour, from networks that are not its own. */
  failed_logins: z.object({ used: z.int(), most: z.int(), wait_seconds: z.int() }),
})
export type CustomerLimits = z.infer<typeof CustomerLimits>

const Record = z.object({
  at: z.nullable(Time),
  title: z.string(),
  facts: z.array(z.tuple([z.string(), z.string()])),
  path: z.nullable(z.string()),
})

/** GET /api/staff/customers/{id}/ */
export const Customer = CustomerSummary.extend({
  language: z.enum(LANGUAGES),
  partner_code: z.nullable(z.string()),
  /** The address of a change that waits. */
  pending_email: z.nullable(z.string()),
  /** Set when the change that waits is a correction by staff. */
  correction: z.nullable(z.object({ by: z.string(), note: z.string(), asked_at: Time, expires_at: Time })),
  closed_at: z.nullable(Time),
  suspensions: CustomerSuspensions,
  orders: CustomerOrders,
  tickets: z.array(
    z.object({
      offer_id: z.int(),
      slug: z.string(),
      title: z.string(),
      end_date: Time,
      valid: z.int(),
      void: z.int(),
      given_up: z.int(),
    }),
  ),
  sessions: z.array(
    z.object({
      id: z.string(),
      browser: z.nullable(z.string()),
      system: z.nullable(z.string()),
      started_at: Time,
      last_used_at: Time,
    }),
  ),
  messages: CustomerMessages,
  emails: CustomerEmails,
  /** What other parts of the shop keep, such as entries by post. */
  others: z.array(z.object({ name: z.string(), title: z.string(), records: z.array(Record) })),
  history: CustomerHistory,
  limits: CustomerLimits,
})
export type Customer = z.infer<typeof Customer>

const Note = z
  .string(key('errors.field.required'))
  .trim()
  .min(1, key('errors.field.required'))
  .max(1_000, key('errors.field.tooLong'))

/** POST /api/staff/customers/{id}/suspend/ */
export const SuspendBody = z
  .object({
    reason: z.enum(SUSPENSION_REASONS, key('errors.field.required')),
    /** For staff. */
    note: Note,
    /** For the customer, in the customer's language, below the sentence of the reason; needed with `other`. */
    message: z.optional(z.string().trim().max(2_000, key('errors.field.tooLong'))),
  })
  .refine((body) => body.reason !== 'other' || (body.message ?? '') !== '', {
    path: ['message'],
    message: key('errors.field.required'),
  })
export type SuspendBody = z.infer<typeof SuspendBody>

/** POST /api/staff/customers/{id}/suspend/ and GET …/suspend/preview/: what a suspension does. */
export const SuspensionEffects = z.object({
  /** Orders that held tickets without a payment, by their numbers: their tickets become free. */
  released_orders: z.array(z.string()),
  released_tickets: z.int(),
  /** These stay in their draws. */
  valid_tickets: z.int(),
  open_sessions: z.int(),
})
export type SuspensionEffects = z.infer<typeof SuspensionEffects>

/** POST /api/staff/customers/{id}/restore/ */
export const RestoreBody = z.object({ note: Note })

const BlockerShape = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('order'), number: z.string(), state: z.string() }),
  z.object({ kind: z.literal('refund'), number: z.string() }),
  z.object({
    kind: z.literal('tickets'),
    slug: z.string(),
    title: z.string(),
    tickets: z.int(),
    ends_at: Time,
    is_running: z.boolean(),
  }),
])

const flag = z.optional(z.stringbool())

/** GET /api/staff/customers/{id}/erase/preview/ and GET /api/user/close/ */
export const ClosingQuery = z.object({ give_up_tickets: flag })

/** What closing an account erases and what it leaves, nameless. */
export const ClosingEffects = z.object({
  sessions: z.int(),
  security_events: z.int(),
  emails: z.int(),
  messages: z.int(),
  /** By the names of other parts of the shop. */
  others: z.record(z.string(), z.int()),
  orders_kept: z.int(),
  tickets_given_up: z.int(),
  tickets_kept: z.int(),
})
export type ClosingEffects = z.infer<typeof ClosingEffects>

export const ClosingPreview = z.object({
  /** What must end first; tickets may be given up instead. */
  blockers: z.array(BlockerShape),
  /** Whether it could be closed now. */
  may_close: z.boolean(),
  effects: ClosingEffects,
})
export type ClosingPreview = z.infer<typeof ClosingPreview>

/** POST /api/staff/customers/{id}/erase/ */
export const EraseBody = z.object({
  reason: z.enum(ERASURE_REASONS, key('errors.field.required')),
  give_up_tickets: z.optional(z.boolean()),
})

/** POST /api/user/export/: responds with a ZIP with one JSON file and one page to read. */
export const ExportBody = z.object({ current_password: EndSessionsBody.shape.current_password })

/** POST /api/user/close/ */
export const CloseBody = ExportBody.extend({
  /** Tickets of contests that run become void, without a refund. */
  give_up_tickets: z.optional(z.boolean(key('errors.field.invalid'))),
})
export type CloseBody = z.infer<typeof CloseBody>
