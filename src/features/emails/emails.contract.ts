import * as z from 'zod/mini'
import { LANGUAGES } from '#shared/languages.ts'

/** An email as staff see it in a list. */
export const ListedEmail = z.object({
  id: z.string(),
  kind: z.string(),
  /** Null once the text was erased. */
  subject: z.nullable(z.string()),
  language: z.enum(LANGUAGES),
  /** `kept`: not sent, since the shop has no mail server or the account was closed. */
  state: z.enum(['queued', 'sending', 'sent', 'kept', 'failed']),
  /** ISO 8601 in UTC. */
  queued_at: z.string(),
  closed_at: z.nullable(z.string()),
})
export type ListedEmail = z.infer<typeof ListedEmail>

/** GET /api/staff/customers/{id}/emails/{email}/ and GET /api/staff/post/entries/{id}/emails/{email}/ */
export const SentEmail = z.object({
  ...ListedEmail.shape,
  /** Null once it was erased. */
  to: z.nullable(z.string()),
  /** Without the secret of its link; null once it was erased. */
  text: z.nullable(z.string()),
  /** What the mail server said last. */
  error: z.nullable(z.string()),
})
export type SentEmail = z.infer<typeof SentEmail>

export const MailboxEntry = z.object({
  id: z.string(),
  kind: z.string(),
  to: z.string(),
  subject: z.string(),
  language: z.enum(LANGUAGES),
  /** ISO 8601 in UTC. */
  queued_at: z.string(),
})
export type MailboxEntry = z.infer<typeof MailboxEntry>

/** What the mailbox's address says. Another topic than those of EMAIL_TOPICS is none. */
export const MailboxFilters = z.object({
  topic: z.optional(z.string()),
  /** In the subject, the address or the text: a person, a contest, a number. */
  q: z.optional(z.string()),
})
export type MailboxFilters = z.infer<typeof MailboxFilters>

/** GET /api/demo/emails/: the newest first. */
export const Mailbox = z.array(MailboxEntry)
export type Mailbox = z.infer<typeof Mailbox>

/** GET /api/demo/emails/{id}/ */
export const MailboxEmail = z.object({
  ...MailboxEntry.shape,
  from: z.string(),
  reply_to: z.string(),
  text: z.string(),
  /** The HTML body as a document of its own. */
  html_url: z.string(),
  files: z.array(z.object({ name: z.string(), bytes: z.int(), url: z.string() })),
})
export type MailboxEmail = z.infer<typeof MailboxEmail>
