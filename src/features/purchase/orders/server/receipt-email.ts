/**
 * The receipt. The transaction that settles an order enqueues only its envelope (`receiptEnvelope`): address, language,
 * subject and the order's id. The words are decided here, in `renderReceipt`, each time the email is sent or shown
 * (ADR 0014), from facts of the order that never change (`receiptFacts`); only the username and the names of shop and
 * provider are those of that moment. An erased buyer is greeted without a name. The sentences are
 * `src/i18n/<language>/emails.json`, `receipt`.
 */
import type { FastifyBaseLogger } from 'fastify'
import { type Addressee, greeting } from '#features/accounts/server/index.ts'
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
import { countryName } from '#shared/countries.ts'
import type { Language } from '#shared/languages.ts'
import { cents, taxesInParts, timesCents } from '#shared/money.ts'
import { shownOrderNumber } from '#shared/order-number.ts'
import {
  type OrderRow,
  type PaidLine,
  type ReceiptCredit,
  type ReceiptFacts,
  type receiptCredits,
  receiptFacts,
} from './orders.repository.ts'
import { type SellingCompany, logLines, seller } from './receipt-lines.ts'

export interface OrderEmailShop extends EmailShop, SellingCompany {
  timeZone: string
}

/** @param copy its number, or the key of a sending to several */
export const receiptCopyKey = (orderId: string, copy: number | string): string =>
  `receipt-copy:${orderId}:${copy}`

interface Receipt {
  order: Pick<OrderRow, 'id' | 'language'>
  to: Pick<Addressee, 'id' | 'email'>
  count: number
}

/** Most numbers in an email: mail programs truncate long emails. */
const NUMBERS_SHOWN = 100

/** One for each order (invariant I8); `renderReceipt` composes its text when it is sent. */
export function receiptEnvelope({ order, to, count }: Receipt): NewEmail {
  const language = order.language as Language
  return {
    key: `receipt:${order.id}`,
    kind: 'receipt',
    to: to.email,
    userId: to.id,
    language,
    subject: translate(language, 'emails.receipt.subject', { count }),
    bodyRef: { kind: 'receipt', ref: order.id },
    attachments: [{ kind: 'order-tickets', ref: order.id }],
  }
}

export type ReceiptEmails = ReturnType<typeof receiptEmails>

export interface ReceiptEmailShop extends OrderEmailShop {
  provider: string
  /** Of the page with the buyer's tickets. */
  participationsUrl: (language: Language) => string
}

/** In the order's language. */
export const receiptEmails = (shop: ReceiptEmailShop) => {
  return {
    receiptEnvelope,

    /** Another one, which staff send. Void tickets are not attached. */
    receiptCopy(receipt: Receipt, copy: number | string): NewEmail {
      return {
        ...receiptEnvelope(receipt),
        key: receiptCopyKey(receipt.order.id, copy),
        kind: 'receipt-copy',
      } as NewEmail
    },

    /**
     * One that staff send once money went back: with its credits, and the numbers that still count. Its words are those of
     * this moment, since more money may go back.
     */
    creditedCopy(
      facts: ReceiptFacts,
      { to, ...rest }: Pick<Receipt, 'to'> & Awaited<ReturnType<typeof receiptCredits>>,
      copy: number | string,
    ): NewEmail {
      const { order } = facts
      const language = order.language as Language
      const say = (key: string, values: Record<string, string | number> = {}): string =>
        translate(language, `emails.receipt.${key}`, values)
      const number = shownOrderNumber(order.number)
      const title = say('creditedSubject', { number })
      const isAnyValid = rest.valid.size > 0
      return {
        key: receiptCopyKey(order.id, copy),
        kind: 'receipt-copy',
        to: to.email,
        userId: to.id,
        language,
        ...(isAnyValid && { attachments: [{ kind: 'order-tickets', ref: order.id }] }),
        ...composeEmail(shop, {
          language,
          subject: title,
          preview: say('creditedThanks'),
          title,
          blocks: [
            { kind: 'text', text: greeting(language, facts.username) },
            { kind: 'text', text: say('creditedThanks') },
            ...facts.contests.flatMap((line): Block[] => {
              const numbers = rest.valid.get(line.offer_id) ?? []
              const gone = line.numbers.length - numbers.length
              return [
                ...contestBlocks(language, { ...line, numbers }, NUMBERS_SHOWN / facts.contests.length),
                ...(gone > 0 ? [{ kind: 'note' as const, text: say('voided', { count: gone }) }] : []),
              ]
            }),
            ...receiptBlocks(facts, rest),
          ],
        }),
      }
    },

    renderReceipt(facts: ReceiptFacts): { text: string; html: string } {
      const { order, username, contests } = facts
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
          {
            kind: 'button',
            label: translate(language, 'emails.participations'),
            url: shop.participationsUrl(language),
          },
          ...receiptBlocks(facts),
        ],
      })
    },
  }

  /** The receipt proper: order, payment, lines, sums, and what went back. */
  function receiptBlocks(
    { order, contests, captureId, at }: ReceiptFacts,
    gone?: { credits: readonly ReceiptCredit[]; paid_cents: number },
  ): Block[] {
    const language = order.language as Language
    const say = (key: string): string => translate(language, `emails.receipt.${key}`)
    return [
      { kind: 'heading', text: say('heading') },
      {
        kind: 'facts',
        facts: [
          { name: say('order'), text: shownOrderNumber(order.number) },
          { name: say('date'), text: formatDateTime(at, shop.timeZone) },
          { name: say('country'), text: countryName(order.country, language) },
          { name: say('payment'), text: `${shop.provider} ${captureId}` },
        ],
      },
      {
        kind: 'facts',
        facts: [...contests.map((line) => amountOf(language, line)), ...sums(language, order)],
      },
      ...(gone ? [{ kind: 'facts' as const, facts: creditFacts(order, gone) }] : []),
      { kind: 'note', text: seller(language, shop) },
    ]
  }

  /** As on the receipt as a PDF. */
  function creditFacts(
    order: OrderRow,
    { credits, paid_cents }: { credits: readonly ReceiptCredit[]; paid_cents: number },
  ) {
    const language = order.language as Language
    const eur = (amount: number): string => formatEur(cents(amount), language)
    const say = (key: string, date = ''): string => translate(language, `emails.receiptPdf.${key}`, { date })
    const taxes = taxesInParts(
      { total: order.total_cents, tax: order.tax_cents },
      credits.map((one) => ({ amount: one.amount_cents, isTaxed: !one.is_surplus })),
    )
    const back = credits.reduce((sum, { done, amount_cents }) => sum + (done ? amount_cents : 0), 0)
    return [
      ...credits.flatMap(({ amount_cents: amount, done, is_surplus, at }, index) => {
        const date = formatDateTime(at, shop.timeZone)
        if (!done) return [{ name: say('asked', date), text: eur(amount) }]
        const tax = { name: say('creditVat'), text: `−${eur(taxes[index] ?? 0)}` }
        return [{ name: say('credit', date), text: `−${eur(amount)}` }, ...(is_surplus ? [] : [tax])]
      }),
      { name: say('remaining'), text: eur(Math.max(0, paid_cents - back)), isStrong: true },
    ]
  }
}

/** @throws Error when the order was never paid */
export async function loadAndRenderReceipt(
  db: Sql,
  emails: ReceiptEmails,
  orderId: string,
): Promise<{ text: string; html: string }> {
  const facts = await receiptFacts(db, orderId)
  if (!facts) throw new Error('a receipt of an order that was never paid')
  return emails.renderReceipt(facts)
}

function contestBlocks(
  language: Language,
  { title, numbers, log_lines: lines, draw_terms: terms, total }: PaidLine,
  most: number,
): Block[] {
  const shown = numbers.toSorted((a, b) => a - b).slice(0, Math.ceil(most))
  const more = numbers.length - shown.length
  const blocks: Block[] = [{ kind: 'heading', text: title }]
  if (shown.length > 0)
    blocks.push({ kind: 'plates', numbers: shown.map((number) => padTicketNumber(number, total)) })
  if (more > 0)
    blocks.push({ kind: 'note', text: translate(language, 'emails.receipt.more', { count: more }) })
  if (lines.length > 0) blocks.push({ kind: 'note', text: logLines(language, lines) })
  if (terms) {
    const text = translate(language, 'emails.receipt.drawTerms', { ...terms })
    blocks.push({ kind: 'plain', blocks: [{ kind: 'note', text }] })
  }
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
