/**
 * Emails about orders. A refund email is composed in the transaction that enqueues it. For a receipt that transaction
 * stores only the envelope: address, language, subject and the order's id (`receiptEnvelope`). The words are decided when
 * the email is sent (`loadAndRenderReceipt`), from facts of the order that never change; only the username and the names
 * of shop and provider are those of that moment (ADR 0027).
 */
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

export interface OrderEmailShop extends EmailShop {
  timeZone: string
  companyName: string
  companyNumber: string
  companyAddress: string
  vatNumber?: string | undefined
}

/** Reasons as keys of `emails.refund`, and whether the email has a subject of its own. */
const HAS_OWN_SUBJECT = {
  refundedThere: false,
  wrongAmount: false,
  ticketsGone: false,
  paidLate: false,
  takenBack: true,
  partTakenBack: true,
  paidTwice: true,
  sentAgain: true,
  contestCancelled: true,
} as const
export type RefundNotice = keyof typeof HAS_OWN_SUBJECT

interface Receipt {
  order: OrderRow
  to: Addressee
  count: number
}

interface Refund {
  order: OrderRow
  to: Addressee
  amount: Cents
  why: RefundNotice
  /** Distinguishes the emails of several refunds of an order. */
  part?: string | undefined
  contests?: readonly string[]
}

/** Most numbers in an email: mail programs truncate long emails. */
const NUMBERS_SHOWN = 100

export type OrderEmails = ReturnType<typeof orderEmails>

/** In the order's language. @param participations path of the buyer's tickets */
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
    /** One for each order (invariant I8); `renderReceipt` composes its text when it is sent. */
    receiptEnvelope({ order, to, count }: Receipt): NewEmail {
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

    renderReceipt({ order, username, contests, captureId, at }: ReceiptFacts): {
      text: string
      html: string
    } {
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

    /** What the provider shows with a refund: the note of staff, or the reason. */
    refundNote: (language: Language, reason: RefundReason, note: string | null): string =>
      note ?? translate(language, `emails.refundNote.${reason}`),

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
      const hasOwnSubject = HAS_OWN_SUBJECT[why]
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

function sums(language: Language, order: OrderRow) {
  const rate = formatPercent(Number(order.tax_percent), language)
  const sum = (name: string, amount: number) => ({
    name: translate(language, `emails.receipt.${name}`, { rate }),
    text: formatEur(cents(amount), language),
  })
  return [
    sum('subtotal', order.subtotal_cents),
    sum('vat', order.tax_cents),
    { ...sum('total', order.total_cents), isStrong: true },
  ]
}

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

/** Enqueues emails in the caller's transaction, which must not fail when one cannot be composed. */
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

export async function enqueueRefundEmail(
  deps: { log: FastifyBaseLogger; emails: OrderEmails },
  trx: Trx,
  refund: Omit<Refund, 'to'>,
): Promise<void> {
  const to = requireBuyer(await addresseeOf(trx, refund.order.user_id))
  await enqueueOrderEmails(deps, trx, [() => deps.emails.refund({ ...refund, to })])
}

export function requireBuyer(buyer: Addressee | undefined): Addressee {
  if (!buyer) throw new Error('an order without an account')
  return buyer
}

/** @throws Error when the order was never paid */
export async function loadAndRenderReceipt(
  db: Sql,
  emails: OrderEmails,
  orderId: string,
): Promise<{ text: string; html: string }> {
  const facts = await receiptFacts(db, orderId)
  if (!facts) throw new Error('a receipt of an order that was never paid')
  return emails.renderReceipt(facts)
}
