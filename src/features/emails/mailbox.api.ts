import type { ApiCall } from '#client/api-call.ts'
import type { Mailbox, MailboxEmail } from './emails.contract.ts'

/** The demonstration's mailbox. */
export const mailboxApi = (call: ApiCall) => ({
  mailbox: (signal?: AbortSignal) => call<Mailbox>('GET', '/api/demo/emails/', signal && { signal }),
  mailboxEmail: (id: string, signal?: AbortSignal) =>
    call<MailboxEmail>('GET', `/api/demo/emails/${encodeURIComponent(id)}/`, signal && { signal }),
})
