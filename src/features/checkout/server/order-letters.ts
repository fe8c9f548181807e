import { type Addressee, greeting } from '#features/accounts/server/index.ts'
import { type Block, type MailShop, type NewMail, composeMail } from '#features/mails/server/index.ts'
import { padTicketNumber } from '#features/offers/offers.rules.ts'
import { TICKETS_PER_FILE } from '#features/tickets/server/index.ts'
import { formatDateTime, formatEur, formatPercent } from '#i18n/format.ts'
import { translate } from '#i18n/server-translator.ts'
import { findCountry } from '#shared/countries.ts'
import type { Language } from '#shared/languages.ts'
import { type Cents, cents, timesCents } from '#shared/money.ts'
import type { OrderLineRow, OrderRow } from './orders.repository.ts'

/** What letters about orders say of the shop. */
export interface OrderLetterShop extends MailShop {
  timeZone: string
  companyName: string
  companyNumber: string
  companyAddress: string
  vatNumber?: string | undefined
}

/** Why money goes back to a buyer. */
export type RefundReason =
  | 'refundedThere'
  | 'wrongAmount'
  | 'ticketsGone'
  | 'paidLate'
  | 'takenBack'
  | 'partTakenBack'
  | 'paidTwice'
  | 'sentAgain'
  | 'contestCancelled'

/** Reasons whose letters have a subject of their own. */
const OWN_SUBJECT: readonly RefundReason[] = [
  'takenBack',
  'partTakenBack',
  'paidTwice',
  'sentAgain',
  'contestCancelled',
]

/** A line of an order with the numbers it brought. */
export interface PaidLine extends OrderLineRow {
  numbers: readonly number[]
  /** Tickets of the whole contest, which say how wide a number is. */
  total: number
}

interface Receipt {
  order: OrderRow
  to: Addressee
  /** Tickets that it is about. */
  count: number
}

/** What a receipt says; none of it changes once the order is paid. */
export interface ReceiptFacts {
  order: OrderRow
  username: string
  contests: readonly PaidLine[]
  captureId: string
  at: Date
}

interface Refund {
  order: OrderRow
  to: Addressee
  amount: Cents
  why: RefundReason
  /** Which refund, when it is one of several: each has its letter. */
  part?: string | undefined
  /** The cancelled contests, by title. */
  contests?: readonly string[]
}

/** Most numbers in a letter, so that mail programs show it whole; the rest stands in the participations. */
const NUMBERS_SHOWN = 100

const PROVIDER = 'PayPal'

export type OrderLetters = ReturnType<typeof orderLetters>

/**
 * The mails about an order, in the language in which it was placed.
 * @param participations path of the buyer's tickets in a language
 */
export function orderLetters(shop: OrderLetterShop, participations: (language: Language) => string) {
  const toParticipations = (language: Language): Block => ({
    kind: 'button',
    label: translate(language, 'mail.participations'),
    url: shop.publicUrl + participations(language),
  })

  return {
    /**
     * The numbers, what was paid, and the tickets as a file: one for each order (reliability, I8). What it says is
     * written when it is sent, as the file is made then: everything it tells of lies in the database.
     */
    receipt({ order, to, count }: Receipt): NewMail {
      const language = order.language as Language
      return {
        key: `receipt:${order.id}`,
        kind: 'receipt',
        to: to.email,
        language,
        subject: translate(language, 'mail.receipt.subject', { count }),
        letter: { kind: 'receipt', ref: order.id },
        attachments: [{ kind: 'order-tickets', ref: order.id }],
      }
    },

    /** Both bodies of a receipt. */
    writeReceipt({ order, username, contests, captureId, at }: ReceiptFacts): { text: string; html: string } {
      const language = order.language as Language
      const say = (key: string, values: Record<string, string | number> = {}): string =>
        translate(language, `mail.receipt.${key}`, values)
      const count = contests.reduce((sum, { numbers }) => sum + numbers.length, 0)
      return composeMail(shop, {
        language,
        subject: say('subject', { count }),
        preview: say('preview', { total: formatEur(cents(order.total_cents), language) }),
        title: say('title', { count }),
        blocks: [
          { kind: 'text', text: greeting(language, username) },
          { kind: 'text', text: say('thanks', { count }) },
          ...contests.flatMap((line) => contestBlocks(language, line, NUMBERS_SHOWN / contests.length)),
          {
            kind: 'note',
            text: say(count > TICKETS_PER_FILE ? 'attachedSome' : 'attached', {
              count,
              most: TICKETS_PER_FILE,
            }),
          },
          toParticipations(language),
          { kind: 'heading', text: say('heading') },
          {
            kind: 'facts',
            facts: [
              { name: say('order'), text: order.id },
              { name: say('date'), text: formatDateTime(at, shop.timeZone) },
              { name: say('country'), text: countryName(order.country, language) },
              { name: say('payment'), text: `${PROVIDER} ${captureId}` },
            ],
          },
          {
            kind: 'facts',
            facts: [...contests.map((line) => amountOf(language, line)), ...sums(language, order)],
          },
          { kind: 'note', text: seller(language, shop) },
        ],
      })
    },

    /** That money of an order goes back, and what becomes of its tickets. */
    refund({ order, to, amount, why, part, contests = [] }: Refund): NewMail {
      const language = order.language as Language
      const values = {
        amount: formatEur(amount, language),
        provider: PROVIDER,
        count: contests.length,
        contests: new Intl.ListFormat(language).format(
          contests.map((title) => translate(language, 'mail.refund.contest', { title })),
        ),
      }
      const say = (key: string): string => translate(language, `mail.refund.${key}`, values)
      const isToldApart = OWN_SUBJECT.includes(why)
      const letter = composeMail(shop, {
        language,
        subject: say(isToldApart ? `${why}Subject` : 'subject'),
        preview: say(why),
        blocks: [
          { kind: 'text', text: greeting(language, to.username) },
          { kind: 'text', text: say(why) },
          { kind: 'text', text: say(isToldApart ? 'delay' : 'text') },
          {
            kind: 'facts',
            facts: [
              { name: translate(language, 'mail.receipt.order'), text: order.id },
              { name: say('amount'), text: values.amount, isStrong: true },
            ],
          },
          { kind: 'note', text: translate(language, 'mail.refund.unsure', { email: shop.contactEmail }) },
        ],
      })
      const key = part === undefined ? `refund:${order.id}` : `refund:${order.id}:${part}`
      return { key, kind: 'refund', to: to.email, language, ...letter }
    },
  }
}

function contestBlocks(language: Language, { title, numbers, total }: PaidLine, most: number): Block[] {
  const shown = numbers.toSorted((a, b) => a - b).slice(0, Math.ceil(most))
  const more = numbers.length - shown.length
  const blocks: Block[] = [
    { kind: 'heading', text: title },
    { kind: 'plates', numbers: shown.map((number) => padTicketNumber(number, total)) },
  ]
  if (more > 0) blocks.push({ kind: 'note', text: translate(language, 'mail.receipt.more', { count: more }) })
  return blocks
}

const amountOf = (language: Language, { title, quantity, unit_cents }: PaidLine) => ({
  name: translate(language, 'mail.receipt.line', {
    title,
    quantity,
    price: formatEur(cents(unit_cents), language),
  }),
  text: formatEur(timesCents(cents(unit_cents), quantity), language),
})

const sums = (language: Language, order: OrderRow) => [
  {
    name: translate(language, 'mail.receipt.subtotal'),
    text: formatEur(cents(order.subtotal_cents), language),
  },
  {
    name: translate(language, 'mail.receipt.vat', {
      rate: formatPercent(Number(order.tax_percent), language),
    }),
    text: formatEur(cents(order.tax_cents), language),
  },
  {
    name: translate(language, 'mail.receipt.total'),
    text: formatEur(cents(order.total_cents), language),
    isStrong: true,
  },
]

const countryName = (code: string, language: Language): string => findCountry(code)?.name[language] ?? code

function seller(
  language: Language,
  { companyName, companyAddress, companyNumber, vatNumber }: OrderLetterShop,
) {
  const who = { name: companyName, address: companyAddress, number: companyNumber }
  return vatNumber === undefined
    ? translate(language, 'mail.receipt.seller', who)
    : translate(language, 'mail.receipt.sellerWithVat', { ...who, vat: vatNumber })
}
