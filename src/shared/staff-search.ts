/** What the search box of the console finds: each slice searches its own records. */
import type { Language } from './languages.ts'
import type { StaffRole } from './staff-permissions.ts'

export const SEARCH_KINDS = [
  'order',
  'customer',
  'ticket',
  'offer',
  'message',
  'entry',
  'staff',
  'alert',
  'statement',
] as const
/** What was typed: a customer's `buyer` are orders of that customer. */
export const SEARCH_MATCHES = [
  'number',
  'id',
  'provider',
  'capture',
  'refund',
  'ticket',
  'email',
  'username',
  'phone',
  'buyer',
  'title',
  'message',
  'entry',
  'alert',
  'day',
] as const

export interface SearchHit {
  kind: (typeof SEARCH_KINDS)[number]
  /** Of the order, account, ticket, contest, message, postal entry, alert or statement. */
  id: string
  /** Order number, username, ticket number, title of a contest or alert, number of a postal entry, who wrote, or days. */
  title: string
  matched: (typeof SEARCH_MATCHES)[number]
  /** State of an order or contest, status of a ticket. */
  state: string | null
  /** Decimal euro text. */
  total: string | null
  at: string | null
  contest: { slug: string; title: string } | null
  order: { id: string; number: string } | null
  customer: { id: number; name: string; email: string } | null
}

/** Searches the records of a slice, those that the role may see. */
export type RecordSearch = (asked: {
  text: string
  role: StaffRole
  language: Language
}) => Promise<SearchHit[]>

const TICKET = /^(?<before>[^#]*)#\s*0*(?<number>[1-9]\d{0,7})(?<after>\s[^#]*)?$/

/** A ticket as people write it, with words of its contest or without: "#123", "Alpine A110 #123". */
export function readTicket(typed: string): { number: number; contest?: string } | undefined {
  const ticket = TICKET.exec(typed.trim())?.groups
  if (!ticket) return undefined
  const contest = `${ticket['before'] ?? ''} ${ticket['after'] ?? ''}`.trim()
  return { number: Number(ticket['number']), ...(contest !== '' && { contest }) }
}

/** Results of one slice, for a text that fits many. */
export const MOST_OF_A_KIND = 5

/** Enough of an address to tell people apart; the page of the record has all of it, and logs who read it. */
export function maskedEmail(email: string): string {
  const at = email.lastIndexOf('@')
  const name = Array.from(email.slice(0, at))
  return `${name.slice(0, Math.min(3, name.length - 1)).join('')}…${email.slice(at)}`
}

/** Enough of a name to tell people apart. */
export const maskedName = (name: string): string =>
  name
    .split(/\s+/)
    .filter((word) => word !== '')
    .map((word) => {
      const letters = Array.from(word)
      return letters.length <= 3 ? `${letters[0]}…` : `${letters.slice(0, 3).join('')}…`
    })
    .join(' ')
