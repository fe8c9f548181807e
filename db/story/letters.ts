/** Invented cards by post and messages to the shop, as the shop would have stored them. */
import { type PostalRefusal, postcodeKey, searchWords } from '#features/postal/postal.rules.ts'
import { personKey } from '#features/postal/server/index.ts'
import type { AuditEntry } from '#platform/audit-log.ts'
import type { Language } from '#shared/languages.ts'
import { DAY_MS, type StoryContest, addTicket, nextNumbers } from './sales.ts'
import type { Rows } from './rows.ts'

export interface StoryCard {
  id: string
  number: string
  contest: StoryContest
  bag: string
  name: string
  street: string
  postcode: string
  city: string
  country: string
  dateOfBirth: string
  language: Language
  answer: string | null
  receivedOn: string
  registeredAt: Date
  registeredBy: number
  refusal: PostalRefusal | null
  duplicateOf: string | null
  /** Similar cards that staff have judged to be of somebody else. */
  otherThan: readonly string[]
  /** Null while the letter waits for the printer. */
  letterAt: Date | null
  /** Of an accepted card. */
  ticket?: { id: string; salt: Buffer }
  email?: string | null
  /** When its contest was cancelled, and the entrant told of it by a letter or an email. */
  voided?: { at: Date; letterAt: Date | null; emailAt: Date | null } | undefined
  erasedAt?: Date | null
}

/** Adds a card, and the ticket of an accepted one. @returns the number that it was given */
export function addCard(rows: Rows, card: StoryCard): number | null {
  const { contest, registeredAt, ticket, voided, name, postcode, city, country, dateOfBirth } = card
  const [number = null] = ticket ? nextNumbers(contest, 1) : []
  if (ticket && number !== null)
    addTicket(rows, {
      id: ticket.id,
      contest,
      number,
      userId: null,
      orderId: null,
      source: 'postal',
      at: registeredAt,
      isVoid: voided !== undefined,
    })
  const erasedAt = card.erasedAt ?? null
  const known = <Value>(value: Value): Value | null => (erasedAt ? null : value)
  const address = [card.street]
  rows.add('postal_entries', {
    id: card.id,
    number: `P${card.number}`,
    offer_id: contest.id,
    bag: card.bag,
    status: ticket ? 'entered' : 'refused',
    refusal: card.refusal,
    duplicate_of: card.duplicateOf,
    other_than: card.otherThan,
    name: known(name),
    address: known(address),
    postcode: known(postcode),
    city: known(city),
    country: known(country),
    date_of_birth: known(dateOfBirth),
    email: known(card.email ?? null),
    answer: card.answer,
    language: card.language,
    received_on: card.receivedOn,
    registered_at: registeredAt,
    registered_by: card.registeredBy,
    letter_at: card.letterAt,
    ticket_number: number,
    salt: ticket?.salt ?? null,
    person_key: erasedAt ? null : personKey({ name, address, postcode, country, dateOfBirth }),
    postcode_key: known(postcodeKey(postcode)),
    words: erasedAt ? '' : searchWords(name, postcode, city),
    voided_at: voided?.at ?? null,
    void_letter_at: voided?.letterAt ?? null,
    void_told_at: voided?.emailAt ?? null,
    erased_at: erasedAt,
  })
  return number
}

/** What the audit log says of a card. */
export const cardAudit = (
  { id, contest, receivedOn, refusal, duplicateOf, otherThan }: StoryCard,
  number: number | null,
): Omit<AuditEntry, 'actor'> & { after: object } => ({
  action: 'post.register',
  subject: { kind: 'postalEntry', id },
  after: {
    offer: contest.id,
    received_on: receivedOn,
    ...(refusal === null ? { number, other_than: otherThan } : { refusal, duplicate_of: duplicateOf }),
  },
})

export interface StoryMessage {
  id: string
  name: string
  email: string
  text: string
  language: Language
  userId: number | null
  at: Date
  /** Closed without an answer. */
  closedAs?: 'spam' | undefined
  answer?: { id: string; template: string; subject: string; text: string } | undefined
  handled?: { by: number; at: Date } | undefined
}

/** Adds a message with its answer. */
export function addMessage(rows: Rows, { id, at, answer, handled, ...message }: StoryMessage): void {
  rows.add('messages', {
    id,
    name: message.name,
    email: message.email,
    message: message.text,
    language: message.language,
    user_id: message.userId,
    received_at: at,
    due_at: new Date(+at + DAY_MS),
    state: answer ? 'answered' : handled ? 'closed' : 'open',
    closed_as: message.closedAs ?? null,
    handled_by: handled?.by ?? null,
    handled_at: handled?.at ?? null,
    version: handled ? 2 : 1,
  })
  if (answer && handled)
    rows.add('message_answers', {
      id: answer.id,
      message_id: id,
      template: answer.template,
      language: message.language,
      subject: answer.subject,
      text: answer.text,
      answered_by: handled.by,
      answered_at: handled.at,
    })
}
