/**
 * Emails about refunds, and the note that the provider shows with one. An email is composed in the transaction that
 * enqueues it. The sentences are `src/i18n/<language>/emails.json`, `refund` and `refundNote`.
 */
import type { FastifyBaseLogger } from 'fastify'
import { type Addressee, addresseeOf, greeting } from '#features/accounts/server/index.ts'
import { type Block, type EmailShop, type NewEmail, composeEmail } from '#features/emails/server/index.ts'
import type { Trx } from '#platform/database.ts'
import { formatEur } from '#i18n/format.ts'
import { translate } from '#i18n/server-translator.ts'
import type { Language } from '#shared/languages.ts'
import type { Cents } from '#shared/money.ts'
import type { RefundReason } from '../order-machine.rules.ts'
import { shownOrderNumber } from '#shared/order-number.ts'
import type { OrderRow } from './orders.repository.ts'
import { enqueueOrderEmails } from './receipt-email.ts'

/** Reasons as keys of `emails.refund`, and whether the email has a subject of its own. */
const HAS_OWN_SUBJECT = {
  refundedThere: false,
  wrongAmount: false,
  ticketsGone: false,
  paidLate: false,
  payerExcluded: false,
  takenBack: true,
  partTakenBack: true,
  paidTwice: true,
  sentAgain: true,
  contestCancelled: true,
  partRefunded: true,
  ticketsRefunded: true,
  ticketsVoided: true,
} as const
export type RefundNotice = keyof typeof HAS_OWN_SUBJECT

interface Refund {
  order: OrderRow
  to: Addressee
  amount: Cents
  why: RefundNotice
  /** Distinguishes the emails of several refunds of an order. */
  part?: string | undefined
  contests?: readonly string[]
  /** What staff wrote. */
  note?: string | null | undefined
  /** Why two people have voided them. */
  voidReason?: string | undefined
  /** Those that are void now, by contest. */
  tickets?: readonly { title: string; numbers: readonly string[] }[]
}

export type RefundEmails = ReturnType<typeof refundEmails>

/** In the order's language. */
export const refundEmails = (shop: EmailShop, provider: string) => ({
  /** What the provider shows with a refund: the note of staff, or the reason. */
  refundNote: (language: Language, reason: RefundReason, note: string | null): string =>
    note ?? translate(language, `emails.refundNote.${reason}`),

  refund({ order, to, amount, why, part, contests = [], note, tickets = [], voidReason }: Refund): NewEmail {
    const language = order.language as Language
    const values = {
      amount: formatEur(amount, language),
      provider,
      ...(voidReason !== undefined && { reason: translate(language, `emails.voidReasons.${voidReason}`) }),
      count: contests.length || tickets.reduce((sum, { numbers }) => sum + numbers.length, 0),
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
        ...(note ? noteBlocks(say('note'), note) : []),
        { kind: 'text', text: say(hasOwnSubject ? 'delay' : 'text') },
        ...tickets.flatMap(({ title, numbers }) => ticketBlocks(language, title, numbers)),
        {
          kind: 'facts',
          facts: [
            { name: translate(language, 'emails.receipt.order'), text: shownOrderNumber(order.number) },
            { name: say('amount'), text: values.amount, isStrong: true },
          ],
        },
        { kind: 'note', text: translate(language, 'emails.refund.unsure', { email: shop.contactEmail }) },
      ],
    })
    const key = part === undefined ? `refund:${order.id}` : `refund:${order.id}:${part}`
    return { key, kind: 'refund', to: to.email, userId: to.id, language, ...content }
  },
})

const noteBlocks = (heading: string, note: string): Block[] => [
  { kind: 'text', text: heading },
  { kind: 'quote', text: note },
]

/** Most numbers of a contest: mail programs truncate long emails. */
const NUMBERS_SHOWN = 100

function ticketBlocks(language: Language, title: string, numbers: readonly string[]): Block[] {
  const more = numbers.length - NUMBERS_SHOWN
  return [
    { kind: 'text', text: translate(language, 'emails.refund.void', { title, count: numbers.length }) },
    { kind: 'plates', numbers: numbers.slice(0, NUMBERS_SHOWN) },
    ...(more > 0
      ? [{ kind: 'note' as const, text: translate(language, 'emails.receipt.more', { count: more }) }]
      : []),
  ]
}

export async function enqueueRefundEmail(
  deps: { log: FastifyBaseLogger; emails: RefundEmails },
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
