import type { FastifyBaseLogger } from 'fastify'
import { type Addressee, addresseeOf, greeting } from '#features/accounts/server/index.ts'
import {
  type Block,
  type EmailShop,
  type NewEmail,
  checkEmail,
  composeEmail,
  enqueueEmails,
} from '#features/emails/server/index.ts'
import { padTicketNumber } from '#features/offers/offers.rules.ts'
import { TICKETS_PER_FILE } from '#features/tickets/server/index.ts'
import type { Sql, Trx } from '#platform/database.ts'
import { formatDateTime, formatEur, formatPercent } from '#i18n/format.ts'
import { translate } from '#i18n/server-translator.ts'
import { findCountry } from '#shared/countries.ts'
import type { Language } from '#shared/languages.ts'
import { type Cents, cents, timesCents } from '#shared/money.ts'
import type { RefundReason } from '../order-machine.rules.ts'
import { type OrderRow, type PaidLine, type ReceiptFacts, receiptFacts } from './orders.repository.ts'

/** What emails about orders say of the shop. */
export interface OrderEmailShop extends EmailShop {
  timeZone: string
  companyName: string
  companyNumber: string
  companyAddress: string
  vatNumber?: string | undefined
}

/** What a buyer is told about money that goes back; keys of `emails.refund`. */
export type RefundNotice =
  | 'refundedThere'
  | 'wrongAmount'
  | 'ticketsGone'
  | 'paidLate'
  | 'takenBack'
  | 'partTakenBack'
  | 'paidTwice'
  | 'sentAgain'
  | 'contestCancelled'

/** Notices with a subject of their own. */
const OWN_SUBJECT: readonly RefundNotice[] = [
  'takenBack',
  'partTakenBack',
  'paidTwice',
  'sentAgain',
  'contestCancelled',
]

interface Receipt {
  order: OrderRow
  to: Addressee
  /** Tickets that it covers. */
  count: number
}

interface Refund {
  order: OrderRow
  to: Addressee
  amount: Cents
  why: RefundNotice
  /** Which refund, when it is one of several: each has its e-mail. */
  part?: string | undefined
  /** The cancelled contests, by title. */
  contests?: readonly string[]
}

/** Most numbers in an e-mail, so that mail programs show it whole; the participations list the rest. */
const NUMBERS_SHOWN = 100

export type OrderEmails = ReturnType<typeof orderEmails>

/**
 * The emails about an order, in the language in which it was placed.
 * @param provider name of the payment provider
 * @param participations path of the buyer's tickets in a language
 */
export function orderEmails(
  shop: OrderEmailShop,
  provider: string,
  participations: (language: Language) => string,
) {
  const toParticipations = (language: Language): Block => ({
    kind: 'button',
    label: translate(language, 'emails.participations'),
    url: shop.publicUrl + participations(language),
  })

  return {
    /**
     * The numbers, what was paid, and the tickets as a file: one for each order (reliability, I8). What it says is
     * written when it is sent, as the file is made then: everything it tells of lies in the database.
     */
    receipt({ order, to, count }: Receipt): NewEmail {
      const language = order.language as Language
      return {
        key: `receipt:${order.id}`,
        kind: 'receipt',
        to: to.email,
        language,
        subject: translate(language, 'emails.receipt.subject', { count }),
        bodyRef: { kind: 'receipt', ref: order.id },
        attachments: [{ kind: 'order-tickets', ref: order.id }],
      }
    },

    /** Both bodies of a receipt. */
    writeReceipt({ order, username, contests, captureId, at }: ReceiptFacts): { text: string; html: string } {
      const language = order.language as Language
      const say = (key: string, values: Record<string, string | number> = {}): string =>
        translate(language, `emails.receipt.${key}`, values)
      const count = contests.reduce((sum, { numbers }) => sum + numbers.length, 0)
      return composeEmail(shop, {
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
              { name: say('payment'), text: `${provider} ${captureId}` },
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

    /** The sentence that the provider shows to a buyer beside a refund: what staff wrote, or why it is made. */
    refundNote: (language: Language, reason: RefundReason, note: string | null): string =>
      note ?? translate(language, `emails.refundNote.${reason}`),

    /** That money of an order goes back, and what becomes of its tickets. */
    refund({ order, to, amount, why, part, contests = [] }: Refund): NewEmail {
      const language = order.language as Language
      const values = {
        amount: formatEur(amount, language),
        provider,
        count: contests.length,
        contests: new Intl.ListFormat(language).format(
          contests.map((title) => translate(language, 'emails.refund.contest', { title })),
        ),
      }
      const say = (key: string): string => translate(language, `emails.refund.${key}`, values)
      const hasOwnSubject = OWN_SUBJECT.includes(why)
      const content = composeEmail(shop, {
        language,
        subject: say(hasOwnSubject ? `${why}Subject` : 'subject'),
        preview: say(why),
        blocks: [
          { kind: 'text', text: greeting(language, to.username) },
          { kind: 'text', text: say(why) },
          { kind: 'text', text: say(hasOwnSubject ? 'delay' : 'text') },
          {
            kind: 'facts',
            facts: [
              { name: translate(language, 'emails.receipt.order'), text: order.id },
              { name: say('amount'), text: values.amount, isStrong: true },
            ],
          },
          { kind: 'note', text: translate(language, 'emails.refund.unsure', { email: shop.contactEmail }) },
        ],
      })
      const key = part === undefined ? `refund:${order.id}` : `refund:${order.id}:${part}`
      return { key, kind: 'refund', to: to.email, language, ...content }
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
  if (more > 0)
    blocks.push({ kind: 'note', text: translate(language, 'emails.receipt.more', { count: more }) })
  return blocks
}

const amountOf = (language: Language, { title, quantity, unit_cents }: PaidLine) => ({
  name: translate(language, 'emails.receipt.line', {
    title,
    quantity,
    price: formatEur(cents(unit_cents), language),
  }),
  text: formatEur(timesCents(cents(unit_cents), quantity), language),
})

const sums = (language: Language, order: OrderRow) => [
  {
    name: translate(language, 'emails.receipt.subtotal'),
    text: formatEur(cents(order.subtotal_cents), language),
  },
  {
    name: translate(language, 'emails.receipt.vat', {
      rate: formatPercent(Number(order.tax_percent), language),
    }),
    text: formatEur(cents(order.tax_cents), language),
  },
  {
    name: translate(language, 'emails.receipt.total'),
    text: formatEur(cents(order.total_cents), language),
    isStrong: true,
  },
]

const countryName = (code: string, language: Language): string => findCountry(code)?.name[language] ?? code

function seller(
  language: Language,
  { companyName, companyAddress, companyNumber, vatNumber }: OrderEmailShop,
) {
  const who = { name: companyName, address: companyAddress, number: companyNumber }
  return vatNumber === undefined
    ? translate(language, 'emails.receipt.seller', who)
    : translate(language, 'emails.receipt.sellerWithVat', { ...who, vat: vatNumber })
}

/**
 * Enqueues emails about orders in the caller's transaction. One that cannot be written must not undo what it is about:
 * the tickets are paid, the money goes back.
 */
export async function enqueueOrderEmails(
  deps: { log: FastifyBaseLogger },
  trx: Trx,
  emails: readonly (() => NewEmail)[],
): Promise<void> {
  const written = emails.flatMap((write) => {
    try {
      const email = write()
      checkEmail(email)
      return [email]
    } catch (error) {
      deps.log.error({ err: error }, 'an e-mail about an order could not be written')
      return []
    }
  })
  if (written.length > 0) await enqueueEmails(trx, written)
}

/** Tells the buyer of an order about money that goes back. */
export async function enqueueRefundEmail(
  deps: { log: FastifyBaseLogger; emails: OrderEmails },
  trx: Trx,
  refund: Omit<Refund, 'to'>,
): Promise<void> {
  const to = requireBuyer(await addresseeOf(trx, refund.order.user_id))
  await enqueueOrderEmails(deps, trx, [() => deps.emails.refund({ ...refund, to })])
}

/** The buyer of an order, who must exist. */
export function requireBuyer(buyer: Addressee | undefined): Addressee {
  if (!buyer) throw new Error('an order without an account')
  return buyer
}

/** Writes the receipt of a paid order. @throws Error when it was never paid */
export async function writtenReceipt(
  db: Sql,
  emails: OrderEmails,
  orderId: string,
): Promise<{ text: string; html: string }> {
  const facts = await receiptFacts(db, orderId)
  if (!facts) throw new Error('a receipt of an order that was never paid')
  return emails.writeReceipt(facts)
}
