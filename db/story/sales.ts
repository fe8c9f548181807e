/** Invented orders: what becomes of one, and the rows that the shop would have left of it. */
import type { NewEmail } from '#features/emails/server/index.ts'
import type {
  OrderEvent,
  OrderState,
  ReasonFor,
  RefundReason,
  StaffRefundReason,
} from '#features/purchase/orders/order-machine.rules.ts'
import { receiptEnvelope } from '#features/purchase/orders/server/index.ts'
import { numberPermutation } from '#features/tickets/server/index.ts'
import type { AuditEntry } from '#platform/audit-log.ts'
import { findCountry, vatPercent, withTax } from '#shared/countries.ts'
import type { Language } from '#shared/languages.ts'
import { type LocalizedText, textIn } from '#shared/localized-text.ts'
import { cents, shareOf, toDecimal } from '#shared/money.ts'
import { shownOrderNumber } from '#shared/order-number.ts'
import type { Row, Rows } from './rows.ts'

export const MINUTE_MS = 60_000
export const HOUR_MS = 60 * MINUTE_MS
export const DAY_MS = 24 * HOUR_MS
const HOLD_MS = 20 * MINUTE_MS

export type Outcome =
  | 'completed'
  | 'held'
  /** Paid with money that the provider still examines. */
  | 'pending'
  | 'expired'
  | 'cancelled'
  | 'superseded'
  /** Refunded whole by staff; the same on its way. */
  | 'refunded'
  | 'refunding'
  /** Refunded in part: some of its tickets, and an amount. */
  | 'lines'
  | 'amount'
  /** Paid after its hold, when too few tickets were left; the provider has refused the refund. */
  | 'review'
  | 'offerCancelled'

const UNPAID: ReadonlySet<Outcome> = new Set<Outcome>(['held', 'expired', 'cancelled', 'superseded'])
/** Whether an order of that outcome was given numbers. */
export const hasTickets = (outcome: Outcome): boolean =>
  !UNPAID.has(outcome) && outcome !== 'review' && outcome !== 'pending'

export interface Buyer {
  id: number
  username: string
  email: string
  country: string
  language: Language
}

/** A contest with the numbers that it has given. */
export interface StoryContest {
  id: number
  slug: string
  titles: LocalizedText
  priceCents: number
  total: number
  key: Buffer
  end: Date
  correct: string | null
  given: number
}

const permutations = new WeakMap<StoryContest, (count: number) => number>()

/** The next numbers of a contest. @throws RangeError when it is sold out */
export function nextNumbers(contest: StoryContest, quantity: number): number[] {
  const numberOf = permutations.get(contest) ?? numberPermutation(contest.key, contest.total)
  permutations.set(contest, numberOf)
  contest.given += quantity
  return Array.from({ length: quantity }, (_, index) => numberOf(contest.given - quantity + index))
}

/** Characters of order numbers. */
const CHARACTERS = '23456789ABCDEFGHJKMNPQRSTVWXYZ'
const NUMBER_LENGTH = 8
/** As many as are enough: the tables of a permutation grow with the root of its length. */
const NUMBERS = CHARACTERS.length ** 6
/** Spreads them over all characters. */
const NUMBER_STEP = 881

/** Numbers of orders and cards that look random and never repeat. @param key 32 bytes */
export function numbersFrom(key: Buffer): (index: number) => string {
  const numberOf = numberPermutation(key, NUMBERS)
  return (index) => {
    let [text, rest] = ['', (numberOf(index) - 1) * NUMBER_STEP]
    for (let place = 0; place < NUMBER_LENGTH; place += 1) {
      text += CHARACTERS[rest % CHARACTERS.length]
      rest = Math.floor(rest / CHARACTERS.length)
    }
    return text
  }
}

export interface SaleLine {
  contest: StoryContest
  quantity: number
  /** Tickets that go back. */
  returned: number
}

/** What is decided of an order. */
export interface PlannedSale {
  id: string
  number: string
  /** Its place among all orders. */
  index: number
  outcome: Outcome
  at: Date
  buyer: Buyer
  lines: SaleLine[]
  /** How long the buyer took, from 0 to 1. */
  pace: number
  newcomer: boolean
  holdMs?: number
  /** Until then no job asks the provider about it. */
  checkedAt?: Date
  /** Of the provider's account, when it is another one. */
  payerCountry?: string
  refund?: PlannedRefund
}

export interface PlannedRefund {
  at: Date
  /** How much of the order's total, of an outcome `amount`. */
  centsOf?: (total: number) => number
  by?: { id: number; reason: StaffRefundReason; note: string }
}

interface Move {
  from: OrderState | null
  to: OrderState
  reason: ReasonFor<OrderEvent>
  note: string | null
  at: Date
}

export interface Sale extends PlannedSale {
  providerId: string
  percent: number
  subtotal: number
  tax: number
  total: number
  moves: Move[]
  state: OrderState
  changedAt: Date
  paid: { captureId: string; requestedAt: Date; at: Date; country: string } | undefined
  back: PastRefund | undefined
}

interface PastRefund {
  /** The provider's. */
  refundId: string | null
  cents: number
  reason: RefundReason
  status: 'pending' | 'completed' | 'failed'
  at: Date
  part: 'lines' | 'amount' | null
}

/** What the provider keeps of a payment. */
export const feeOf = (total: number): number => shareOf(cents(total), 29, 1_000) + 35

/** In the form of PayPal's ids: 17 letters and digits. */
const idAtProvider = (kind: string, { number, index }: Pick<PlannedSale, 'number' | 'index'>): string =>
  `${kind}${number}${index.toString(36).toUpperCase().padStart(7, '0')}`

const later = (at: Date, ms: number): Date => new Date(+at + Math.trunc(ms))

/** An order with its prices, its payment and its way through the states. */
export function saleOf(planned: PlannedSale, pricesIncludeVat: boolean): Sale {
  const { at, buyer, lines } = planned
  const country = findCountry(buyer.country)
  if (!country) throw new Error(`no country ${buyer.country}`)
  const percent = vatPercent(country, at)
  const prices = lines.reduce((sum, { contest, quantity }) => sum + contest.priceCents * quantity, 0)
  const sale: Sale = {
    ...planned,
    providerId: idAtProvider('4V', planned),
    percent,
    ...withTax(cents(prices), percent, pricesIncludeVat),
    moves: [],
    state: 'held',
    changedAt: at,
    paid: undefined,
    back: undefined,
  }
  goThrough(sale, prices)
  return sale
}

function goThrough(sale: Sale, prices: number): void {
  const { outcome, at, pace, refund } = sale
  const move = (to: OrderState, reason: Move['reason'], when: Date, note: string | null = null): void => {
    sale.moves.push({ from: sale.moves.at(-1)?.to ?? null, to, reason, note, at: when })
    sale.state = to
    sale.changedAt = when
  }
  const after = (ms: number): Date => later(at, ms)
  move('held', 'created', at)
  if (outcome === 'held') return
  if (outcome === 'expired') return move('expired', 'hold_expired', after(HOLD_MS + pace * 2_000))
  const soon = after((0.5 + pace * 6) * MINUTE_MS)
  if (outcome === 'cancelled') return move('cancelled', 'buyer_cancelled', soon)
  if (outcome === 'superseded') return move('superseded', 'hold_replaced', soon)

  const asked = after((0.6 + pace * 2) * MINUTE_MS)
  const isLate = outcome === 'review'
  const paidAt = isLate ? after(HOLD_MS + 90_000) : later(asked, 900 + pace * 2_500)
  const payer = sale.payerCountry ?? sale.buyer.country
  sale.paid = { captureId: idAtProvider('8C', sale), requestedAt: asked, at: paidAt, country: payer }
  move('capturing', 'capture_requested', asked)
  if (isLate) {
    move('held', 'provider_unavailable', after(4 * MINUTE_MS))
    move('expired', 'hold_expired', after(HOLD_MS + 1_000))
    move('refunding', 'tickets_gone', after(HOLD_MS + 95_000))
    move('review', 'refund_refused', after(HOLD_MS + 97_000), 'REFUND_NOT_ALLOWED')
    sale.back = {
      refundId: null,
      cents: sale.total,
      reason: 'tickets_gone',
      status: 'failed',
      at: sale.changedAt,
      part: null,
    }
    return
  }
  if (outcome === 'pending') return move('pending', 'capture_pending', paidAt)
  move('completed', 'captured', paidAt)
  if (!refund) return

  const returned = sale.lines.reduce((sum, line) => sum + line.contest.priceCents * line.returned, 0)
  const part = outcome === 'lines' || outcome === 'amount' ? outcome : null
  const reason = outcome === 'offerCancelled' ? 'offer_cancelled' : 'staff_request'
  sale.back = {
    refundId: idAtProvider('2R', sale),
    cents:
      part === 'lines'
        ? shareOf(cents(sale.total), returned, prices)
        : part === 'amount'
          ? (refund.centsOf?.(sale.total) ?? 0)
          : sale.total,
    reason,
    status: outcome === 'refunding' ? 'pending' : 'completed',
    at: refund.at,
    part,
  }
  if (part) return
  move('refunding', reason, refund.at, refund.by ? `staff ${refund.by.id}: ${refund.by.reason}` : null)
  if (outcome !== 'refunding') move('refunded', reason, later(refund.at, 1_800))
}

/** What the provider has given back. */
const refundedOf = ({ back }: Sale): number => (back && back.status !== 'failed' ? back.cents : 0)

export interface RowsOfSale {
  ids: (at: Date) => string
  /** Of the refund that it has. */
  refundId: () => number
  /** By which two people have refunded it. */
  approval?: number | undefined
  /** Whether the provider's fee is known. */
  hasFee: boolean
}

/** Adds an order with its payment, refund and tickets. @returns the numbers of each line that are void */
export function addSale(rows: Rows, sale: Sale, { ids, refundId, approval, hasFee }: RowsOfSale): number[][] {
  const { id, buyer, lines, paid, back, refund, at, state, changedAt } = sale
  const end = new Date(Math.min(...lines.map(({ contest }) => +contest.end)))
  rows.add('orders', {
    id,
    number: sale.number,
    user_id: buyer.id,
    cart_version: sale.index + 1,
    state,
    country: buyer.country,
    payer_country: paid?.country ?? null,
    funding_country: paid?.country ?? null,
    language: buyer.language,
    subtotal_cents: sale.subtotal,
    tax_percent: sale.percent,
    tax_cents: sale.tax,
    total_cents: sale.total,
    provider_order_id: sale.providerId,
    capture_started_at: paid?.requestedAt ?? null,
    approved_at: paid?.requestedAt ?? null,
    hold_until: new Date(Math.min(+at + (sale.holdMs ?? HOLD_MS), +end)),
    contests_end_at: end,
    newcomer: sale.newcomer,
    created_at: at,
    state_changed_at: changedAt,
    checked_at: sale.checkedAt ?? changedAt,
  })
  for (const { contest, quantity, returned } of lines)
    rows.add('order_lines', {
      order_id: id,
      offer_id: contest.id,
      quantity,
      unit_cents: contest.priceCents,
      title: textIn(contest.titles, buyer.language).text,
      answer: contest.correct,
      returned_quantity: returned,
      refund_requested_at: refund && returned === quantity ? refund.at : null,
    })
  for (const move of sale.moves)
    rows.add('order_events', {
      order_id: id,
      from_state: move.from,
      to_state: move.to,
      reason: move.reason,
      note: move.note,
      at: move.at,
    })
  if (!paid) return []
  const refunded = refundedOf(sale)
  rows.add('captures', {
    capture_id: paid.captureId,
    order_id: id,
    status:
      state === 'pending'
        ? 'pending'
        : refunded === 0
          ? 'completed'
          : refunded === sale.total
            ? 'refunded'
            : 'partially_refunded',
    amount_cents: sale.total,
    currency: 'EUR',
    refunded_cents: refunded,
    recorded_at: paid.at,
    changed_at: back?.at ?? paid.at,
    fee_cents: hasFee ? feeOf(sale.total) : null,
  })
  if (back) addRefund(rows, sale, back, refundId(), approval ?? null)
  if (!hasTickets(sale.outcome)) return []
  return lines.map(({ contest, quantity, returned }) => {
    const numbers = nextNumbers(contest, quantity).toSorted((one, other) => one - other)
    // Of a purchase those with the highest numbers go back.
    const left = state === 'refunded' ? 0 : quantity - returned
    for (const [index, number] of numbers.entries())
      addTicket(rows, {
        id: ids(paid.at),
        contest,
        number,
        userId: buyer.id,
        orderId: id,
        source: 'paid',
        at: paid.at,
        isVoid: index >= left,
      })
    return numbers.slice(left)
  })
}

interface Ticket {
  id: string
  contest: Pick<StoryContest, 'id'>
  number: number
  userId: number | null
  orderId: string | null
  source: 'paid' | 'postal' | 'demo'
  at: Date
  isVoid: boolean
}

/** Adds a ticket of any source. */
export const addTicket = (rows: Rows, { contest, isVoid, ...ticket }: Ticket): void =>
  rows.add('tickets', {
    id: ticket.id,
    offer_id: contest.id,
    number: ticket.number,
    user_id: ticket.userId,
    order_id: ticket.orderId,
    source: ticket.source,
    status: isVoid ? 'void' : 'valid',
    issued_at: ticket.at,
    void_reason: isVoid ? 'refunded' : null,
  })

function addRefund(
  rows: Rows,
  { id, refund, paid, lines }: Sale,
  { status, at, part, ...back }: PastRefund,
  refundId: number,
  approval: number | null,
): void {
  const changedAt = later(at, 1_500)
  rows.add('refunds', {
    id: refundId,
    capture_id: paid?.captureId ?? null,
    order_id: id,
    amount_cents: back.cents,
    reason: back.reason,
    note: refund?.by?.note ?? null,
    status,
    refund_id: back.refundId,
    created_at: at,
    changed_at: changedAt,
    completed_at: status === 'completed' ? changedAt : null,
    requested_by: refund?.by?.id ?? null,
    staff_reason: refund?.by?.reason ?? null,
    approval_id: approval,
    part,
  })
  if (part === 'lines')
    for (const { contest, returned } of lines)
      if (returned > 0)
        rows.add('refund_lines', { refund_id: refundId, offer_id: contest.id, quantity: returned })
}

// Staff -------------------------------------------------------------------------------------------------------------------

interface Request {
  id: number
  reason: StaffRefundReason
  note: string
  by: number
  at: Date
  /** Who approved it, and when. */
  approved?: { by: number; at: Date } | undefined
}

/** What asks a second person for a refund of the whole order. */
export const refundRequest = (
  { id: orderId, number, total, lines }: Sale,
  { id, reason, note, by, at, approved }: Request,
) => ({
  id,
  permission: 'orders.refund',
  subject_kind: 'order' as const,
  subject: orderId,
  input: { orderId, refund: { wanted: { kind: 'whole' }, reason, note, seenLeft: total } },
  preview: {
    number: shownOrderNumber(number),
    kind: 'whole',
    amount: toDecimal(cents(total)),
    left_after: '0.00',
    tickets: lines.reduce((sum, { quantity }) => sum + quantity, 0),
    reason,
  },
  reason: note,
  requested_by: by,
  requested_at: at,
  ...decision(approved),
})

/** How a request was decided; not at all when left out. */
export const decision = (approved: Request['approved']) => ({
  decided_by: approved?.by ?? null,
  decided_at: approved?.at ?? null,
  decision: approved ? 'approved' : null,
  done_at: approved ? later(approved.at, 1_000) : null,
})

/** What the audit log says of a refund by staff. */
export const refundAudit = (
  { id, total, lines, refund, back }: Sale,
  approval?: number,
): Omit<AuditEntry, 'actor'> & { after: object } => {
  const amount = back?.cents ?? 0
  return {
    action: 'orders.refund',
    subject: { kind: 'order', id },
    before: { state: 'completed', left: toDecimal(cents(total)) },
    after: {
      kind: back?.part ?? 'whole',
      amount: toDecimal(cents(amount)),
      left: toDecimal(cents(total - amount)),
      reason: refund?.by?.reason,
      ...(back?.part === 'lines' && {
        tickets: lines
          .filter(({ returned }) => returned > 0)
          .map(({ contest, returned }) => ({ offer_id: contest.id, quantity: returned })),
      }),
      ...(approval !== undefined && { approval, requested_by: refund?.by?.id }),
    },
  }
}

// Emails ------------------------------------------------------------------------------------------------------------------

/** The receipt of an order, whose text is made when it is shown. */
export const receiptOf = ({ id, buyer, lines }: Sale): NewEmail =>
  receiptEnvelope({
    order: { id, language: buyer.language },
    to: buyer,
    count: lines.reduce((sum, { quantity }) => sum + quantity, 0),
  })

/** An email that was sent, or that a shop without a mail server has kept. */
export const emailRow = (id: string, email: NewEmail, at: Date, state: 'sent' | 'kept'): Row<'emails'> => ({
  id,
  key: email.key,
  kind: email.kind,
  recipient: email.to,
  reply_to: email.replyTo ?? null,
  language: email.language,
  subject: email.subject,
  body_text: email.text ?? '',
  body_html: email.html ?? '',
  body_ref: email.bodyRef ?? null,
  attachments: email.attachments ?? [],
  state,
  attempts: state === 'sent' ? 1 : 0,
  due_at: at,
  queued_at: at,
  closed_at: later(at, 1_000),
  user_id: email.userId ?? null,
  erased_at: null,
})
