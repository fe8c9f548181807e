import * as z from 'zod/mini'

export const MailboxEntry = z.object({
  id: z.string(),
  kind: z.string(),
  to: z.string(),
  subject: z.string(),
  language: z.enum(['fr', 'nl', 'en']),
  /** ISO 8601 in UTC. */
  queued_at: z.string(),
})
export type MailboxEntry = z.infer<typeof MailboxEntry>

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
