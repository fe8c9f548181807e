/**
 * What the shop writes to somebody who has entered by post. Letter and email say the same, in the entrant's language;
 * the sentences are `src/i18n/<language>/postal.json`.
 */
import { type Block, type EmailShop, type NewEmail, composeEmail } from '#features/emails/server/index.ts'
import { padTicketNumber } from '#features/offers/offers.rules.ts'
import { DECIDED_REASONS } from '#features/draws/claims.rules.ts'
import { ticketCommitment } from '#features/draws/server/index.ts'
import { formatDuration } from '#i18n/duration.ts'
import { formatDateTime, formatDay } from '#i18n/format.ts'
import { translate } from '#i18n/server-translator.ts'
import { countryName } from '#shared/countries.ts'
import type { Language } from '#shared/languages.ts'
import { textIn } from '#shared/localized-text.ts'
import { type PostalRefusal, shownPostalNumber } from '../postal.rules.ts'
import { type EntryRow, correctionKey, entryKeys } from './postal.repository.ts'

export interface PostalShop extends EmailShop {
  timeZone: string
  companyName: string
  /** The time for the claim of a contest whose terms are not published yet. */
  drawClaimMinutes: number
  companyAddress: string
  /** Of the page with the rules. */
  rulesUrl: (language: Language) => string
}

export interface EntrantMessage {
  language: Language
  subject: string
  greeting: string
  /** Before the number. */
  before: readonly string[]
  /** Padded; undefined when there is none, or none that counts. */
  number: string | undefined
  /** After it. */
  after: readonly string[]
  facts: readonly { name: string; text: string }[]
  proof: Proof | undefined
}

/** By which an entrant can show that the number was given before the draw. */
export interface Proof {
  heading: string
  text: string
  values: readonly { name: string; text: string }[]
  scan: string
  /** The contest's draw, with the secret in the fragment, which browsers send to no server. */
  url: string
}

/** After these refusals the same person may write again. */
const MAY_REPEAT: ReadonlySet<PostalRefusal> = new Set(['illegible', 'incomplete', 'wrong_answer'])

/** A reason for which two people void an entry before the seal. */
const isDecided = (reason: string | null): boolean => DECIDED_REASONS.some((one) => one === reason)

export function entrantMessage(entry: EntryRow, shop: PostalShop): EntrantMessage {
  const { language } = entry
  const say = (key: string, values: Record<string, string | number> = {}): string =>
    translate(language, `postal.${key}`, values)
  const title = textIn(entry.titles, language).text
  const number =
    entry.ticket_number === null ? undefined : padTicketNumber(entry.ticket_number, entry.total_tickets)
  const received = formatDay(entry.received_on)
  const closes = formatDateTime(entry.end_date, shop.timeZone)
  const entryNumber = shownPostalNumber(entry.number)
  const email = shop.contactEmail
  const claimTime = formatDuration(entry.claim_seconds ?? shop.drawClaimMinutes * 60, language)
  const isVoid = entry.ticket_status === 'void'
  const ground = entry.void_ground
  const facts = [
    { name: say('contest'), text: title },
    { name: say('closes'), text: closes },
    { name: say('entry'), text: entryNumber },
    { name: say('received'), text: received },
    { name: say('registered'), text: formatDateTime(entry.registered_at, shop.timeZone) },
  ]
  const common = {
    language,
    greeting: entry.name === null ? say('helloUnnamed') : say('hello', { name: entry.name }),
    facts,
  }
  if (number === undefined) {
    const refusal = entry.refusal ?? 'illegible'
    const country = entry.country === null ? '' : countryName(entry.country, language)
    const again = MAY_REPEAT.has(refusal) && entry.registered_at < entry.end_date && !entry.cancelled_at
    return {
      ...common,
      subject: say('refusedSubject', { title }),
      before: [say('refused', { received }), say(`reasons.${refusal}`, { closes, country })],
      number: undefined,
      after: [
        ...(again ? [say('again', { closes })] : []),
        // A mistake of ours is one.
        say(refusal === 'registered_late' ? 'question' : 'wrong', { email, entry: entryNumber }),
      ],
      proof: undefined,
    }
  }
  if (isVoid && ground !== null)
    return {
      ...common,
      subject: say('voidedSubject', { title, number }),
      before: [say('voided', { title, number }), say(`grounds.${ground}`, { closes })],
      number: undefined,
      after: [say(ground === 'mistake' ? 'question' : 'wrong', { email, entry: entryNumber })],
      proof: undefined,
    }
  if (isVoid && entry.cancelled_at === null && isDecided(entry.void_reason))
    return {
      ...common,
      subject: say('voidedSubject', { title, number }),
      before: [
        say('voided', { title, number }),
        translate(language, `emails.voidReasons.${entry.void_reason}`),
      ],
      number: undefined,
      after: [say('wrong', { email, entry: entryNumber })],
      proof: undefined,
    }
  if (isVoid)
    return {
      ...common,
      subject: say('cancelledSubject', { title }),
      before: [say('cancelled', { title, number })],
      number: undefined,
      after: [say('question', { email, entry: entryNumber })],
      proof: undefined,
    }
  return {
    ...common,
    subject: say('enteredSubject', { title, number }),
    before: [say('entered', { received })],
    number,
    after: [say('chance'), say(entry.email === null ? 'claimByLetter' : 'claim', { email, claimTime })],
    proof: proofOf(entry, say, shop),
  }
}

function proofOf(
  { salt, ticket_id: id, ticket_number, slug, terms_hash: terms }: EntryRow,
  say: (key: string) => string,
  { publicUrl }: PostalShop,
): Proof | undefined {
  if (!salt || id === null) return undefined
  const secret = salt.toString('base64url')
  return {
    heading: say('proof.heading'),
    text: say('proof.text'),
    values: [
      { name: say('proof.commitment'), text: ticketCommitment(salt, id) },
      { name: say('proof.secret'), text: secret },
      { name: say('proof.ticket'), text: id },
      ...(terms ? [{ name: say('proof.terms'), text: terms.toString('hex') }] : []),
    ],
    scan: say('proof.scan'),
    // Without terms there is nothing that the address could be checked against.
    url: `${publicUrl}/draws/${slug}${terms ? `#${ticket_number}.${secret}.${id}.${terms.toString('base64url')}` : ''}`,
  }
}

const isVoidEntry = ({ ticket_status }: EntryRow): boolean => ticket_status === 'void'

export type PostalEmails = ReturnType<typeof postalEmails>

/** The emails to entrants who have given an address. */
export const postalEmails = (shop: PostalShop) => {
  const make = (
    entry: EntryRow,
    key: string,
    kind: 'postal-entry' | 'postal-voided' | 'postal-cancelled',
  ): NewEmail | undefined => {
    if (entry.email === null) return undefined
    const message = entrantMessage(entry, shop)
    const { language, subject, before, after, number, facts, proof } = message
    const text = (words: string): Block => ({ kind: 'text', text: words })
    const account = translate(language, 'postal.account')
    const content = composeEmail(shop, {
      language,
      subject,
      preview: before[0] ?? subject,
      blocks: [
        text(message.greeting),
        ...before.map(text),
        ...(number === undefined ? [] : [{ kind: 'plates' as const, numbers: [number] }]),
        ...after.map(text),
        { kind: 'facts', facts: [...facts] },
        ...(proof
          ? [
              { kind: 'heading' as const, text: proof.heading },
              text(proof.text),
              { kind: 'facts' as const, facts: [...proof.values] },
              { kind: 'button' as const, label: proof.scan, url: proof.url },
            ]
          : []),
        ...(number === undefined ? [] : [{ kind: 'note' as const, text: account }]),
        {
          kind: 'note',
          text: translate(language, 'postal.rules', { url: shop.rulesUrl(language) }),
        },
      ],
    })
    const { user_id: userId } = entry
    return { key, kind, to: entry.email, ...(userId !== null && { userId }), language, ...content }
  }
  return {
    /** A number, or why there is none. */
    registered: (entry: EntryRow) => make(entry, entryKeys(entry.id).registered, 'postal-entry'),
    /** To the address that staff have corrected. */
    corrected: (entry: EntryRow, correction: number) =>
      make(entry, correctionKey(entry.id, correction), isVoidEntry(entry) ? 'postal-voided' : 'postal-entry'),
    /** Once the ticket is void. */
    voided: (entry: EntryRow) =>
      make(
        entry,
        entryKeys(entry.id).voided,
        entry.void_ground === null && entry.cancelled_at !== null ? 'postal-cancelled' : 'postal-voided',
      ),
  }
}
