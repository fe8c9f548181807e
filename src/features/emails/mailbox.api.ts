import type { ApiCall } from '#client/api-call.ts'
import type { Mailbox, MailboxEmail, MailboxFilters } from './emails.contract.ts'

/** The demonstration's mailbox. */
export const mailboxApi = (call: ApiCall) => ({
  mailbox: (filters: MailboxFilters, signal?: AbortSignal) =>
    call<Mailbox>('GET', `/api/demo/emails/${queryOf(filters)}`, signal && { signal }),
  mailboxEmail: (id: string, signal?: AbortSignal) =>
    call<MailboxEmail>('GET', `/api/demo/emails/${encodeURIComponent(id)}/`, signal && { signal }),
})

const queryOf = (filters: MailboxFilters): string => {
  const given = Object.entries(filters).filter(([, value]) => value !== undefined && value !== '')
  return given.length === 0 ? '' : `?${new URLSearchParams(given).toString()}`
}
