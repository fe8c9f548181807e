/**
 * The fortnight before the first visit: orders, refunds, a cancelled contest, messages, cards by post and what staff did.
 * Rows are written as the shop would have left them, dated back; `PAYMENTS_FILE` holds the provider's part of it, which
 * the starter gives to the emulator (ADR 0052).
 */
import { randomBytes, randomInt } from 'node:crypto'
import { type MessageShop, staffEmail } from '#features/contact/server/index.ts'
import type { NewEmail } from '#features/emails/server/index.ts'
import { receiptEnvelope, refundEmails } from '#features/orders/server/index.ts'
import type { OrderRow } from '#features/orders/server/index.ts'
import type {
  OrderEvent,
  OrderState,
  ReasonFor,
  StaffRefundReason,
} from '#features/orders/order-machine.rules.ts'
import { padTicketNumber } from '#features/offers/offers.rules.ts'
import { dayOf, postcodeKey, searchWords } from '#features/postal/postal.rules.ts'
import { personKey } from '#features/postal/server/index.ts'
import { assignNumbers } from '#features/tickets/server/index.ts'
import { type AuditEntry, audit } from '#platform/audit-log.ts'
import type { Trx } from '#platform/database.ts'
import { newId } from '#platform/ids.ts'
import { findCountry, vatPercent, withTax } from '#shared/countries.ts'
import type { Language } from '#shared/languages.ts'
import { cents, shareOf, toDecimal } from '#shared/money.ts'
import { shownOrderNumber } from '#shared/order-number.ts'
import { PROVIDER_NAME } from '#shared/public-settings.ts'
import type { StaffRole } from '#shared/staff-permissions.ts'
import { type DemoContest, cancelledContest } from '../../../../db/demo/contests.ts'
import { CARDS, type DemoCard, MESSAGES, NOTES } from '../../../../db/demo/letters.ts'
import { REGIONS, type Region } from '../../../../db/demo/people.ts'
import {
  type DatedTicket,
  insertDatedTickets,
  insertRows,
  postponeReconciliation,
  countReservesUsed,
} from './demo.repository.ts'
import { BUYERS, DAY_MS, type PlannedOrder, planSales, seeded } from './sales-plan.ts'
import { NO_TEXT } from '#shared/localized-text.ts'
import { textFields } from '#shared/text-fields.ts'

export interface HistoryShop extends MessageShop {
  pricesIncludeVat: boolean
  /** Notes it in the register of draws. */
  noteCancellation: (trx: Trx, offerId: number) => Promise<void>
}

/** What the orders of the planned fortnight become, and those that are chosen by hand. */
type Outcome =
  | PlannedOrder['outcome']
  /** Refunded whole by staff: alone, and by two people. */
  | 'takenBack'
  | 'approved'
  /** Refunded in part: some of its tickets, and an amount. */
  | 'lines'
  | 'amount'
  /** Paid; a refund waits for a second person. */
  | 'waiting'
  /** Paid with an account of another country. */
  | 'abroad'
  /** Paid after its hold, when too few tickets were left; the provider has refused the refund. */
  | 'review'
  | 'offerCancelled'

type StoryOrder = Omit<PlannedOrder, 'outcome'> & { outcome: Outcome }

const HOUR_MS = 3_600_000
const MINUTE_MS = 60_000
const HOLD_MS = 20 * MINUTE_MS
/** Tickets that go back, of an order in part. */
const TICKETS_BACK = 4
const GOODWILL_CENTS = 500
const CANCELLED_DAYS_AGO = 8
const CANCELLED_ORDERS = 14
const RECONCILE_AFTER_MINUTES = 10
const SUSPENDED_DAYS_AGO = 3.4

/** Contests by their part of the orders. Those that are not named here sold before. */
const SHARES: Readonly<Record<string, number>> = {
  'corvane-s4-rouge-rubis': 15,
  'lumo-e-electrique-avec-borne': 14,
  'ignara-v8-a-moins-d-un-euro': 13,
  'karst-4-expedition-avec-tente-de-toit': 13,
  'sylvane-break-avec-remorque-et-velos': 9,
  'solane-spider-bronze-et-capote-noire': 10,
  'meridane-gt-gris-argent': 8,
  'corvane-s4-endurance-a-boite-manuelle': 7,
  'un-week-end-a-la-mer-en-solane-spider': 5,
  'sevrane-3-0-bleu-nuit': 4,
}

const special = (outcome: Outcome, slug: string, quantity: number, [hoursAgo, buyer]: [number, number]) => ({
  outcome,
  slug,
  quantity,
  hoursAgo,
  buyer,
})
const SPECIAL = [
  special('takenBack', 'corvane-s4-rouge-rubis', 3, [147, 21]),
  special('approved', 'meridane-gt-gris-argent', 5, [109, 34]),
  special('lines', 'corvane-s4-rouge-rubis', 10, [75, 8]),
  special('amount', 'karst-4-expedition-avec-tente-de-toit', 5, [53, 15]),
  special('abroad', 'solane-spider-bronze-et-capote-noire', 5, [50, 2]),
  special('waiting', 'meridane-gt-gris-argent', 6, [37, 27]),
  special('review', 'sevrane-3-0-bleu-nuit', 4, [26, 11]),
]

const WITHOUT_TICKETS: ReadonlySet<Outcome> = new Set<Outcome>(['expired', 'cancelled', 'review'])

export interface HistoryPlan {
  orders: StoryOrder[]
  /** Numbers that the fortnight gave, by contest. */
  issued: ReadonlyMap<string, number>
  /** The buyer whose account is suspended. */
  suspended: number
}

export function planHistory(contests: readonly DemoContest[], now: Date, timeZone: string): HistoryPlan {
  const sold = contests.flatMap(({ slug, ticketPriceCents: priceCents, publishedAt, endDate }) => {
    const share = SHARES[slug]
    return share === undefined ? [] : [{ slug, priceCents, publishedAt, endDate, share }]
  })
  const cancelled = cancelledContest(now)
  const until = +now - CANCELLED_DAYS_AGO * DAY_MS
  const orders: StoryOrder[] = [
    ...planSales(sold, now, timeZone),
    ...SPECIAL.map(({ outcome, slug, quantity, hoursAgo, buyer }) => ({
      outcome,
      at: new Date(+now - hoursAgo * HOUR_MS),
      buyer,
      lines: [{ slug, quantity }],
    })),
    ...Array.from({ length: CANCELLED_ORDERS }, (_, index) => ({
      outcome: 'offerCancelled' as const,
      at: new Date(
        +cancelled.opensAt + ((until - +cancelled.opensAt) * (index + 1) ** 2) / (CANCELLED_ORDERS + 1) ** 2,
      ),
      buyer: index * 9 + 4,
      lines: [{ slug: cancelled.slug, quantity: 1 + ((index * 3) % 7) }],
    })),
  ].toSorted((one, other) => +one.at - +other.at)
  const issued = new Map<string, number>()
  const count = (slug: string, quantity: number): void =>
    void issued.set(slug, (issued.get(slug) ?? 0) + quantity)
  for (const { outcome, lines } of orders)
    if (!WITHOUT_TICKETS.has(outcome)) for (const { slug, quantity } of lines) count(slug, quantity)
  for (const one of CARDS) if (isEntered(one)) count(one.contest, 1)
  return { orders, issued, suspended: suspendedBuyer(orders, now) }
}

/** A buyer who has ordered, the last time before the suspension. */
function suspendedBuyer(orders: readonly StoryOrder[], now: Date): number {
  const lastOrders = new Map(orders.map(({ buyer, at }) => [buyer, at]))
  const until = +now - SUSPENDED_DAYS_AGO * DAY_MS - HOUR_MS
  return Math.max(...[...lastOrders].flatMap(([buyer, at]) => (+at < until ? [buyer] : [])))
}

const isEntered = ({ wrong, duplicateOf }: DemoCard): boolean => !wrong && duplicateOf === undefined

/** A stored contest, and how many of its numbers are given. */
export interface StoredContest {
  id: number
  slug: string
  titles: Record<Language, string>
  priceCents: number
  total: number
  key: Buffer
  endDate: Date
  question: string | null
  choices: readonly string[]
  correct: string | null
  given: number
}

export interface DemoStaff {
  id: number
  username: string
  role: StaffRole
}

interface HistoryOptions {
  shop: HistoryShop
  now: Date
  plan: HistoryPlan
  contests: ReadonlyMap<string, StoredContest>
  staff: Record<'owner' | 'support' | 'postal', DemoStaff>
}

/** The provider's part, as the emulator reads it. */
export interface PastPayments {
  orders: object[]
}

/** @returns the provider's part of the payments */
export async function loadHistory(trx: Trx, options: HistoryOptions): Promise<PastPayments> {
  const { now, contests, plan } = options
  const buyers = await insertBuyers(trx, plan, now)
  const sales = salesOf(options, buyers)
  const numbers = await insertRows(trx, 'orders', sales.map(orderRow), ['id', 'number'])
  const numberOf = new Map(numbers.map(({ id, number }) => [String(id), String(number)]))
  for (const sale of sales) sale.number = numberOf.get(sale.id) ?? ''
  const cards = cardsOf(options)
  const tickets = ticketsOf(sales, cards, contests)
  await insertRows(trx, 'order_lines', sales.flatMap(lineRows))
  const events = sales.flatMap(({ id, events: own }) => own.map((event) => ({ order_id: id, ...event })))
  await insertRows(
    trx,
    'order_events',
    events.toSorted((one, other) => one.at.localeCompare(other.at)),
  )
  await insertDatedTickets(trx, tickets)
  const booked = bookedPayments(options, sales)
  await insertRows(
    trx,
    'captures',
    sales.flatMap((sale) => captureRow(sale, booked.payments.includes(sale))),
  )
  const approvals = await insertApprovals(trx, options, sales)
  const refunds = await insertRefunds(trx, sales, approvals)
  const statement = await insertStatement(trx, options, booked)
  await insertRows(trx, 'postal_entries', cards.map(cardRow))
  await countReservesUsed(trx)
  const letters = await insertMessages(trx, options, buyers)
  await insertRows(trx, 'emails', [
    ...receiptRows(sales),
    ...refundEmailRows(options, sales, refunds, tickets),
    ...letters,
  ])
  await insertOffice(trx, options, sales, buyers)
  await insertAuditEntries(trx, options, { sales, cards, approvals, buyers, tickets, statement })
  await postponeReconciliation(trx, RECONCILE_AFTER_MINUTES)
  return { orders: sales.map((sale) => paymentOf(sale, options.shop)) }
}

/** The cancelled contest of the history. */
export const cancelledOffer = (now: Date) => {
  const {
    opensAt,
    endDate,
    ticketPriceCents,
    totalTickets,
    maxPerPerson,
    prizeValueCents,
    why,
    pictures,
    ...texts
  } = cancelledContest(now)
  const cancelledAt = new Date(+now - CANCELLED_DAYS_AGO * DAY_MS)
  return {
    pictures,
    offer: {
      ...texts,
      state: 'cancelled' as const,
      price_cents: ticketPriceCents,
      total_tickets: totalTickets,
      max_per_person: maxPerPerson,
      prize_value_cents: prizeValueCents,
      created_at: opensAt,
      entered_at: opensAt,
      end_date: endDate,
      cancelled_at: cancelledAt,
      cancelled_why: why,
      refunds_completed_at: new Date(+cancelledAt + 2 * MINUTE_MS),
    },
  }
}

// Buyers ------------------------------------------------------------------------------------------------------------------

interface Buyer {
  id: number
  username: string
  email: string
  country: Region['country']
  language: Language
}

/** Of each country its part, in an order that mixes them. */
function peopleOf(plan: HistoryPlan, now: Date) {
  const random = seeded(7)
  const known = new Set<string>()
  const pick = (words: readonly string[]): string => words[Math.floor(random() * words.length)] ?? ''
  const firstOrders = new Map<number, Date>()
  for (const { buyer, at } of plan.orders) if (!firstOrders.has(buyer)) firstOrders.set(buyer, at)
  const isFrench = (country: string): boolean => country === 'FR'
  return Array.from({ length: BUYERS }, (_, index) => {
    let left = random() * 100
    const region = REGIONS.find(({ share }) => (left -= share) < 0) ?? REGIONS[0]
    if (!region) throw new Error('the demonstration has no buyers')
    let username = ''
    do username = `${pick(region.given)}.${pick(region.surnames)}`
    while (known.has(username))
    known.add(username)
    const first = firstOrders.get(index)
    // A third of those who bought registered to buy, the others before.
    const isToBuy = random() < 0.3 && first !== undefined
    const created = new Date(+(first ?? now) - (isToBuy ? 9 * MINUTE_MS : (1 + random() * 120) * DAY_MS))
    return {
      username,
      email: `${username}@courriel.example`,
      password_hash: 'none',
      // Numbers that France keeps for fiction.
      phone: isFrench(region.country) ? `+33639980${String(100 + index).padStart(3, '0')}` : '',
      language: region.language,
      country: region.country,
      created_at: created.toISOString(),
      is_active: index !== plan.suspended,
      email_confirmed_at: index % 13 === 12 ? null : new Date(+created + 3 * MINUTE_MS).toISOString(),
    }
  })
}

async function insertBuyers(trx: Trx, plan: HistoryPlan, now: Date): Promise<Buyer[]> {
  const people = peopleOf(plan, now)
  const rows = people.map((person) => {
    const { country: _, ...row } = person
    return row
  })
  // The console lists customers by their number, the newest first.
  const registered = rows.toSorted((one, other) => one.created_at.localeCompare(other.created_at))
  const made = await insertRows(trx, 'users', registered, ['id', 'email'])
  const ids = new Map(made.map(({ id, email }) => [String(email), Number(id)]))
  return people.map(({ username, email, country, language }) => ({
    id: ids.get(email) ?? 0,
    username,
    email,
    country,
    language,
  }))
}

// Orders ------------------------------------------------------------------------------------------------------------------

type OrderReason = ReasonFor<OrderEvent>

interface SaleLine {
  contest: StoredContest
  quantity: number
  returned: number
}

interface PastRefund {
  refundId: string | null
  amount: number
  reason: 'staff_request' | 'offer_cancelled' | 'tickets_gone'
  status: 'completed' | 'failed'
  at: Date
  by?: { staff: DemoStaff; reason: StaffRefundReason; note: string }
  part?: 'lines' | 'amount'
}

interface Sale {
  outcome: Outcome
  id: string
  number: string
  providerId: string
  buyer: Buyer
  cartVersion: number
  newcomer: boolean
  at: Date
  /** The last move. */
  changedAt: Date
  state: OrderState
  payerCountry: string | null
  percent: number
  subtotal: number
  tax: number
  total: number
  lines: SaleLine[]
  events: {
    from_state: OrderState | null
    to_state: OrderState
    reason: OrderReason
    note: string | null
    at: string
  }[]
  paid: { captureId: string; requestedAt: Date; at: Date } | undefined
  refund: PastRefund | undefined
}

const SYMBOLS = '0123456789ABCDEFGHJKLMNPRSTUVWXY'
/** In the form of PayPal's ids. */
const providerId = (): string => Array.from({ length: 17 }, () => SYMBOLS[randomInt(32)]).join('')

function salesOf({ plan, contests, shop, staff, now }: HistoryOptions, buyers: readonly Buyer[]): Sale[] {
  const random = seeded(99)
  const versions = new Map<number, number>()
  const haveBought = new Set<number>()
  return plan.orders.map(({ outcome, at, buyer: place, lines: wanted }) => {
    const buyer = buyers[place]
    if (!buyer) throw new Error(`no buyer ${place}`)
    const version = (versions.get(place) ?? 0) + 1
    versions.set(place, version)
    const lines = wanted.map(({ slug, quantity }): SaleLine => {
      const contest = contests.get(slug)
      if (!contest) throw new Error(`no contest ${slug}`)
      const returned =
        outcome === 'offerCancelled' ? quantity : outcome === 'lines' ? Math.min(TICKETS_BACK, quantity) : 0
      return { contest, quantity, returned }
    })
    const country = findCountry(buyer.country)
    if (!country) throw new Error(`no country ${buyer.country}`)
    const percent = vatPercent(country, at)
    const prices = lines.reduce((sum, { contest, quantity }) => sum + contest.priceCents * quantity, 0)
    const taxed = withTax(cents(prices), percent, shop.pricesIncludeVat)
    const sale: Sale = {
      outcome,
      id: newId(+at),
      number: '',
      providerId: providerId(),
      buyer,
      cartVersion: version,
      newcomer: !haveBought.has(place),
      at,
      changedAt: at,
      state: 'held',
      payerCountry: null,
      percent,
      ...taxed,
      lines,
      events: [],
      paid: undefined,
      refund: undefined,
    }
    applyOutcome(sale, { random: random(), staff, now })
    if (sale.state === 'completed') haveBought.add(place)
    return sale
  })
}

/** Moves an order to its outcome, with its payment and refund. */
function applyOutcome(
  sale: Sale,
  { random, staff, now }: Pick<HistoryOptions, 'staff' | 'now'> & { random: number },
): void {
  let state: OrderState | null = null
  const move = (to: OrderState, reason: OrderReason, at: Date, note: string | null = null): void => {
    sale.events.push({ from_state: state, to_state: to, reason, note, at: at.toISOString() })
    state = to
    sale.state = to
    sale.changedAt = at
  }
  const after = (ms: number): Date => new Date(+sale.at + Math.trunc(ms))
  const pay = (requestedAt: Date, at: Date): void => {
    sale.paid = { captureId: providerId(), requestedAt, at }
    sale.payerCountry =
      sale.outcome === 'abroad' ? (sale.buyer.country === 'LU' ? 'BE' : 'LU') : sale.buyer.country
  }
  const { outcome, total } = sale
  move('held', 'created', sale.at)
  if (outcome === 'expired') return move('expired', 'hold_expired', after(HOLD_MS + random * 2_000))
  if (outcome === 'cancelled')
    return move('cancelled', 'buyer_cancelled', after((0.5 + random * 6) * MINUTE_MS))
  const asked = after((0.6 + random * 2) * MINUTE_MS)
  move('capturing', 'capture_requested', asked)
  if (outcome === 'review') {
    pay(asked, after(HOLD_MS + 90_000))
    move('held', 'provider_unavailable', after(4 * MINUTE_MS))
    move('expired', 'hold_expired', after(HOLD_MS + 1_000))
    move('refunding', 'tickets_gone', after(HOLD_MS + 95_000))
    move('review', 'refund_refused', after(HOLD_MS + 97_000), 'REFUND_NOT_ALLOWED')
    sale.refund = {
      refundId: null,
      amount: total,
      reason: 'tickets_gone',
      status: 'failed',
      at: sale.changedAt,
    }
    return
  }
  const paidAt = new Date(+asked + 900 + Math.trunc(random * 2_500))
  pay(asked, paidAt)
  move('completed', 'captured', paidAt)
  const done = (reason: PastRefund['reason'], hoursLater: number, more: Partial<PastRefund> = {}): void => {
    const at = new Date(+paidAt + hoursLater * HOUR_MS)
    sale.refund = { refundId: providerId(), amount: total, reason, status: 'completed', at, ...more }
  }
  const back = (reason: 'staff_request' | 'offer_cancelled', note: string | null = null): void => {
    const at = sale.refund?.at ?? paidAt
    move('refunding', reason, at, note)
    move('refunded', reason, new Date(+at + 1_800))
  }
  switch (outcome) {
    case 'takenBack': {
      const note = NOTES.asked
      done('staff_request', 13, { by: { staff: staff.support, reason: 'customer_request', note } })
      return back('staff_request', `staff ${staff.support.id}: customer_request`)
    }
    case 'approved': {
      const note = NOTES.twice
      done('staff_request', 16, { by: { staff: staff.support, reason: 'duplicate', note } })
      return back('staff_request', `staff ${staff.support.id}: duplicate`)
    }
    case 'lines': {
      const note = NOTES.tooMany
      const [line] = sale.lines
      const part = (line?.returned ?? 0) * (line?.contest.priceCents ?? 0)
      const whole = (line?.quantity ?? 1) * (line?.contest.priceCents ?? 1)
      return done('staff_request', 5, {
        amount: shareOf(cents(total), part, whole),
        part: 'lines',
        by: { staff: staff.support, reason: 'customer_request', note },
      })
    }
    case 'amount':
      return done('staff_request', 20, {
        amount: GOODWILL_CENTS,
        part: 'amount',
        by: {
          staff: staff.owner,
          reason: 'goodwill',
          note: NOTES.goodwill,
        },
      })
    case 'offerCancelled': {
      const cancelledAt = +now - CANCELLED_DAYS_AGO * DAY_MS
      done('offer_cancelled', (cancelledAt + 20_000 + random * 70_000 - +paidAt) / HOUR_MS)
      return back('offer_cancelled')
    }
    default:
  }
}

const iso = (at: Date): string => at.toISOString()

function orderRow(sale: Sale) {
  const ends = sale.lines.map(({ contest }) => +contest.endDate)
  const end = Math.min(...ends)
  return {
    id: sale.id,
    user_id: sale.buyer.id,
    cart_version: sale.cartVersion,
    state: sale.state,
    country: sale.buyer.country,
    payer_country: sale.payerCountry,
    funding_country: sale.payerCountry,
    language: sale.buyer.language,
    subtotal_cents: sale.subtotal,
    tax_percent: sale.percent,
    tax_cents: sale.tax,
    total_cents: sale.total,
    provider_order_id: sale.providerId,
    capture_started_at: sale.paid ? iso(sale.paid.requestedAt) : null,
    approved_at: sale.paid ? iso(sale.paid.requestedAt) : null,
    hold_until: iso(new Date(Math.min(+sale.at + HOLD_MS, end))),
    contests_end_at: iso(new Date(end)),
    newcomer: sale.newcomer,
    created_at: iso(sale.at),
    state_changed_at: iso(sale.changedAt),
    checked_at: iso(sale.changedAt),
  }
}

const lineRows = ({ id, buyer, lines, refund }: Sale) =>
  lines.map(({ contest, quantity, returned }) => ({
    order_id: id,
    offer_id: contest.id,
    quantity,
    unit_cents: contest.priceCents,
    title: contest.titles[buyer.language],
    answer: contest.correct,
    returned_quantity: returned,
    refund_requested_at: refund && returned === quantity ? iso(refund.at) : null,
  }))

const refundedOf = ({ refund }: Sale): number => (refund?.status === 'completed' ? refund.amount : 0)

/** What the provider keeps of a payment. */
const feeOf = (total: number): number => shareOf(cents(total), 29, 1_000) + 35

/** @param isBooked whether a statement names its fee */
const captureRow = (sale: Sale, isBooked: boolean) => {
  const refunded = refundedOf(sale)
  const { paid, refund, total, id } = sale
  if (!paid) return []
  return {
    capture_id: paid.captureId,
    order_id: id,
    status: refunded === 0 ? 'completed' : refunded === total ? 'refunded' : 'partially_refunded',
    amount_cents: total,
    currency: 'EUR',
    refunded_cents: refunded,
    recorded_at: iso(paid.at),
    changed_at: iso(refund?.at ?? paid.at),
    fee_cents: isBooked ? feeOf(total) : null,
  }
}

/** An order as the emulator knows it. */
function paymentOf(sale: Sale, { brand }: HistoryShop): object {
  const { paid, refund, buyer } = sale
  const number = shownOrderNumber(sale.number)
  const refunds =
    refund?.status === 'completed'
      ? [{ id: refund.refundId, cents: refund.amount, at: iso(refund.at), note: refund.by?.note }]
      : undefined
  return {
    id: sale.providerId,
    reference: sale.id,
    invoice: number,
    description: `${brand} ${number}`,
    cents: sale.total,
    at: iso(sale.at),
    ...(paid && {
      payer: { email: buyer.email, country: sale.payerCountry },
      captures: [{ id: paid.captureId, cents: sale.total, at: iso(paid.at), refunds }],
    }),
  }
}

// Numbers -----------------------------------------------------------------------------------------------------------------

/** Gives the numbers in the order of time, as they were sold and registered. */
function ticketsOf(
  sales: readonly Sale[],
  cards: readonly StoredCard[],
  contests: ReadonlyMap<string, StoredContest>,
): DatedTicket[] {
  const given = new Map([...contests.values()].map(({ id, given: count }) => [id, count]))
  const next = (contest: StoredContest, quantity: number) => {
    const sold = (given.get(contest.id) ?? 0) + quantity
    given.set(contest.id, sold)
    return { offerId: contest.id, sold, quantity, total: contest.total, key: contest.key }
  }
  const numbersOf = (contest: StoredContest, quantity: number): number[] => {
    const [issue] = assignNumbers([
      { sales: [next(contest, quantity)], userId: null, source: 'demo', atMs: 0 },
    ])
    return [...(issue?.numbers.get(contest.id) ?? [])].toSorted((one, other) => one - other)
  }
  const bought = sales.flatMap((sale) => {
    const { paid, outcome, lines, buyer, id, state } = sale
    if (!paid || WITHOUT_TICKETS.has(outcome)) return []
    const issue = (): DatedTicket[] =>
      lines.flatMap(({ contest, quantity, returned }) =>
        numbersOf(contest, quantity).map((number, index) => ({
          id: newId(+paid.at),
          offer_id: contest.id,
          number,
          user_id: buyer.id,
          order_id: id,
          source: 'paid' as const,
          // Of a purchase those with the highest numbers go back.
          status:
            state === 'refunded' || index >= quantity - returned ? ('void' as const) : ('valid' as const),
          issued_at: paid.at,
        })),
      )
    return [{ at: +paid.at, issue }]
  })
  const posted = cards.flatMap((one) => {
    if (one.refusal !== null) return []
    const issue = (): DatedTicket[] =>
      numbersOf(one.contest, 1).map((number) => {
        one.ticketNumber = number
        return {
          id: newId(+one.registeredAt),
          offer_id: one.contest.id,
          number,
          user_id: null,
          order_id: null,
          source: 'postal' as const,
          status: 'valid' as const,
          issued_at: one.registeredAt,
        }
      })
    return [{ at: +one.registeredAt, issue }]
  })
  return [...bought, ...posted].toSorted((one, other) => one.at - other.at).flatMap(({ issue }) => issue())
}

// Refunds and decisions of two people -------------------------------------------------------------------------------------

interface StoredApprovals {
  all: readonly { id: number; row: ReturnType<typeof approvalRows>[number] }[]
  /** The decision by which a refund was approved. */
  approved: number
}

const requireOne = <Item>(items: readonly Item[], is: (item: Item) => boolean): Item => {
  const found = items.find(is)
  if (found === undefined) throw new Error('the history lacks something')
  return found
}

function approvalRows({ staff, now }: HistoryOptions, sales: readonly Sale[]) {
  const { owner, support } = staff
  const refundOf = (sale: Sale, reason: string, note: string) => ({
    permission: 'orders.refund',
    subject_kind: 'order' as const,
    subject: sale.id,
    input: {
      orderId: sale.id,
      refund: { wanted: { kind: 'whole' }, reason, note, seenLeft: sale.total },
    },
    preview: {
      number: shownOrderNumber(sale.number),
      kind: 'whole',
      amount: toDecimal(cents(sale.total)),
      left_after: '0.00',
      tickets: sale.lines.reduce((sum, { quantity }) => sum + quantity, 0),
      reason,
    },
    reason: note,
  })
  const approved = requireOne(sales, ({ outcome }) => outcome === 'approved')
  const waiting = requireOne(sales, ({ outcome }) => outcome === 'waiting')
  const ofContest = sales.filter(({ outcome }) => outcome === 'offerCancelled')
  const contest = requireOne(ofContest, () => true).lines[0]?.contest
  const cancelledAt = new Date(+now - CANCELLED_DAYS_AGO * DAY_MS)
  const decided = (at: Date) => ({
    requested_at: iso(new Date(+at - 25 * MINUTE_MS)),
    decided_by: owner.id,
    decided_at: iso(at),
    decision: 'approved',
    done_at: iso(new Date(+at + 1_000)),
  })
  const why = NOTES.partnerGone
  return [
    {
      permission: 'offers.cancel',
      subject_kind: 'offer' as const,
      subject: String(contest?.id ?? 0),
      input: { slug: contest?.slug, reason: why },
      preview: {
        slug: contest?.slug,
        ...textFields('title', contest?.titles ?? NO_TEXT),
        orders: ofContest.length,
        amount: toDecimal(cents(ofContest.reduce((sum, { total }) => sum + total, 0))),
        emails: ofContest.length,
        tickets: ofContest.reduce((sum, { lines }) => sum + (lines[0]?.quantity ?? 0), 0),
        letters: 0,
        tickets_without_order: 0,
        in_review: 0,
        payments_in_progress: 0,
      },
      reason: why,
      requested_by: support.id,
      ...decided(cancelledAt),
    },
    {
      ...refundOf(approved, 'duplicate', approved.refund?.by?.note ?? ''),
      requested_by: support.id,
      ...decided(approved.refund?.at ?? now),
    },
    {
      ...refundOf(waiting, 'customer_request', NOTES.wrongCar),
      requested_by: support.id,
      requested_at: iso(new Date(+now - 3 * HOUR_MS)),
      decided_by: null,
      decided_at: null,
      decision: null,
      done_at: null,
    },
  ]
}

async function insertApprovals(
  trx: Trx,
  options: HistoryOptions,
  sales: readonly Sale[],
): Promise<StoredApprovals> {
  const rows = approvalRows(options, sales)
  const made = await insertRows(trx, 'approvals', rows, ['id', 'subject'])
  const all = rows.map((row) => ({
    row,
    id: Number(requireOne(made, ({ subject }) => String(subject) === row.subject).id),
  }))
  return {
    all,
    approved: requireOne(
      all,
      ({ row }) => row.subject === requireOne(sales, ({ outcome }) => outcome === 'approved').id,
    ).id,
  }
}

/** @returns the refunds' ids by order */
async function insertRefunds(
  trx: Trx,
  sales: readonly Sale[],
  { approved }: StoredApprovals,
): Promise<Map<string, number>> {
  const refunded = sales.flatMap((sale) => (sale.refund ? [{ sale, refund: sale.refund }] : []))
  const rows = refunded.map(({ sale, refund }) => ({
    capture_id: sale.paid?.captureId,
    order_id: sale.id,
    amount_cents: refund.amount,
    reason: refund.reason,
    note: refund.by?.note ?? null,
    status: refund.status,
    refund_id: refund.refundId,
    created_at: iso(refund.at),
    changed_at: iso(new Date(+refund.at + 1_500)),
    origin: 'shop',
    attempt: 1,
    requested_by: refund.by?.staff.id ?? null,
    staff_reason: refund.by?.reason ?? null,
    approval_id: sale.outcome === 'approved' ? approved : null,
    part: refund.part ?? null,
  }))
  const made = await insertRows(trx, 'refunds', rows, ['id', 'order_id'])
  const ids = new Map(made.map(({ id, order_id }) => [String(order_id), Number(id)]))
  const lines = refunded
    .filter(({ refund }) => refund.part === 'lines')
    .flatMap(({ sale }) =>
      sale.lines.map(({ contest, returned }) => ({
        refund_id: ids.get(sale.id),
        offer_id: contest.id,
        quantity: returned,
      })),
    )
  await insertRows(trx, 'refund_lines', lines)
  return ids
}

// The provider's statement ------------------------------------------------------------------------------------------------

const STATEMENT = { fromDaysAgo: 10, toDaysAgo: 4, importedDaysAgo: 3 }

/** What the provider's statement of a week has: all but the last payment, which it books a day later. */
function bookedPayments({ shop, now }: HistoryOptions, sales: readonly Sale[]) {
  const day = (at: Date): string => dayOf(at, shop.timeZone)
  const ago = (days: number): string => day(new Date(+now - days * DAY_MS))
  const [from, to] = [ago(STATEMENT.fromDaysAgo), ago(STATEMENT.toDaysAgo)]
  const isWithin = (at: Date): boolean => day(at) >= from && day(at) <= to
  const paid = sales
    .flatMap((sale) => (sale.paid && isWithin(sale.paid.at) ? [{ sale, at: sale.paid.at }] : []))
    .toSorted((one, other) => +one.at - +other.at)
  const last = requireOne(paid.slice(-1), () => true)
  const refunds = sales.flatMap(({ refund }) =>
    refund?.status === 'completed' && isWithin(refund.at) ? [refund] : [],
  )
  return {
    from,
    to,
    payments: paid.slice(0, -1).map(({ sale }) => sale),
    refunds,
    last: { ...last, day: day(last.at) },
  }
}

type Booked = ReturnType<typeof bookedPayments>

/** @returns the audit entry of its import, and when that was */
async function insertStatement(
  trx: Trx,
  { now, staff }: HistoryOptions,
  { from, to, payments, refunds, last }: Booked,
): Promise<StoredStatement> {
  const at = new Date(+now - STATEMENT.importedDaysAgo * DAY_MS)
  const hash = randomBytes(32)
  const sumOf = (amounts: readonly number[]): number => amounts.reduce((sum, amount) => sum + amount, 0)
  const [gross, fee] = [
    sumOf(payments.map(({ total }) => total)),
    sumOf(payments.map(({ total }) => feeOf(total))),
  ]
  const back = -sumOf(refunds.map(({ amount }) => amount))
  const rows = payments.length + refunds.length
  const currency = 'EUR'
  const [made] = await insertRows(
    trx,
    'statements',
    [
      {
        file_hash: hex(hash),
        imported_by: staff.owner.id,
        imported_at: iso(at),
        from_day: from,
        to_day: to,
        rows,
        unbooked: 0,
        agreed: rows,
        sums: [
          {
            kind: 'payment',
            type: 'T0006',
            currency,
            count: payments.length,
            gross,
            fee: -fee,
            net: gross - fee,
          },
          {
            kind: 'refund',
            type: 'T1107',
            currency,
            count: refunds.length,
            gross: back,
            fee: 0,
            net: back,
          },
        ],
        found: [{ difference: 'missing_there', at_edge: true, count: 1, cents: last.sale.total }],
      },
    ],
    ['id'],
  )
  const id = Number(made?.id)
  const difference = {
    statement_id: id,
    position: 1,
    difference: 'missing_there',
    entry: 'payment',
    transaction_id: last.sale.paid?.captureId,
    order_id: last.sale.id,
    ours_cents: last.sale.total,
    theirs_cents: null,
    day: last.day,
    at_edge: true,
  }
  await insertRows(trx, 'statement_differences', [difference])
  const after = { from, to, rows, agreed: rows, differences: 1, sha256: hash.toString('hex') }
  return { id, at, after }
}

interface StoredStatement {
  id: number
  at: Date
  after: object
}

// Emails ------------------------------------------------------------------------------------------------------------------

/** An email that the shop kept, because a demonstration has no mail server. */
const emailRow = (email: NewEmail, at: Date) => ({
  id: newId(+at),
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
  state: 'kept',
  due_at: iso(at),
  queued_at: iso(at),
  closed_at: iso(new Date(+at + 1_000)),
  user_id: email.userId ?? null,
})

const receiptRows = (sales: readonly Sale[]) =>
  sales.flatMap(({ id, buyer, lines, paid, outcome }) => {
    if (!paid || WITHOUT_TICKETS.has(outcome)) return []
    const count = lines.reduce((sum, { quantity }) => sum + quantity, 0)
    return [emailRow(receiptEnvelope({ order: { id, language: buyer.language }, to: buyer, count }), paid.at)]
  })

function refundEmailRows(
  { shop }: HistoryOptions,
  sales: readonly Sale[],
  refunds: ReadonlyMap<string, number>,
  tickets: readonly DatedTicket[],
) {
  const emails = refundEmails(shop, PROVIDER_NAME)
  const voided = ({ id, lines, buyer: { language } }: Sale) =>
    lines.map(({ contest }) => ({
      title: contest.titles[language],
      numbers: tickets
        .filter(
          (ticket) => ticket.order_id === id && ticket.offer_id === contest.id && ticket.status === 'void',
        )
        .map(({ number }) => padTicketNumber(number, contest.total)),
    }))
  return sales.flatMap((sale) => {
    const { id, number, buyer, lines, refund, outcome } = sale
    if (!refund || refund.status !== 'completed') return []
    const order = { id, number, language: buyer.language } as OrderRow
    const { id: userId, username, email } = buyer
    const to = { id: userId, username, email, language: buyer.language }
    const titles = lines.map(({ contest }) => contest.titles[buyer.language])
    const part = refund.part && `part:${refunds.get(id)}`
    const notice =
      outcome === 'offerCancelled'
        ? {
            why: 'contestCancelled' as const,
            contests: titles,
            part: `cancelled-${lines.map(({ contest }) => contest.id).join('-')}`,
          }
        : refund.part === 'lines'
          ? { why: 'ticketsRefunded' as const, part, note: refund.by?.note, tickets: voided(sale) }
          : refund.part === 'amount'
            ? { why: 'partRefunded' as const, part, note: refund.by?.note }
            : { why: 'takenBack' as const, note: refund.by?.note }
    return [emailRow(emails.refund({ order, to, amount: cents(refund.amount), ...notice }), refund.at)]
  })
}

// Messages and cards ------------------------------------------------------------------------------------------------------

/** @returns the emails of the answers */
async function insertMessages(trx: Trx, { shop, staff, now }: HistoryOptions, buyers: readonly Buyer[]) {
  const { support } = staff
  const messages = MESSAGES.map((message) => {
    const at = new Date(+now - message.hoursAgo * HOUR_MS)
    const { answer, closedAs } = message
    const buyer =
      message.buyer === null
        ? undefined
        : buyers.filter(({ language }) => language === message.language)[message.buyer]
    const handledAt = answer
      ? new Date(+at + answer.afterHours * HOUR_MS)
      : closedAs && new Date(+at + 2 * HOUR_MS)
    const name = buyer ? (buyer.username.split('.')[0] ?? '') : message.name
    return {
      ...message,
      at,
      handledAt,
      buyer,
      id: newId(+at),
      name: name.charAt(0).toUpperCase() + name.slice(1),
    }
  }).toReversed()
  const addressOf = ({ buyer, name }: (typeof messages)[number]): string =>
    buyer?.email ?? `${name.toLowerCase().replaceAll(' ', '.')}@courriel.example`
  const rows = messages.map((message) => ({
    id: message.id,
    name: message.name,
    email: addressOf(message),
    message: message.text,
    language: message.language,
    user_id: message.buyer?.id ?? null,
    received_at: iso(message.at),
    due_at: iso(new Date(+message.at + DAY_MS)),
    state: message.answer ? 'answered' : message.closedAs ? 'closed' : 'open',
    closed_as: message.closedAs ?? null,
    handled_by: message.handledAt ? support.id : null,
    handled_at: message.handledAt ? iso(message.handledAt) : null,
    version: message.handledAt ? 2 : 1,
  }))
  await insertRows(trx, 'messages', rows)
  const answers = messages.flatMap((message) => {
    const { answer, handledAt, language } = message
    if (!answer || !handledAt) return []
    const { template, subject } = answer
    const text = answer.text.replace('{name}', message.name)
    const id = newId(+handledAt)
    const email = staffEmail(shop, {
      key: `message-answer:${id}`,
      kind: 'message-answer',
      to: addressOf(message),
      userId: message.buyer?.id,
      language,
      subject,
      text,
      quoted: { text: message.text, at: message.at },
    })
    const row = {
      id,
      message_id: message.id,
      template,
      language,
      subject,
      text,
      answered_by: support.id,
      answered_at: iso(handledAt),
    }
    return [{ row, email: emailRow(email, handledAt) }]
  })
  await insertRows(
    trx,
    'message_answers',
    answers.map(({ row }) => row),
  )
  return answers.map(({ email }) => email)
}

interface StoredCard {
  id: string
  card: DemoCard
  contest: StoredContest
  bag: string
  receivedOn: string
  registeredAt: Date
  registeredBy: number
  refusal: 'wrong_answer' | 'duplicate' | null
  duplicateOf: string | null
  otherThan: string[]
  ticketNumber: number | null
  /** Letters of the last days wait for the printer. */
  letterAt: Date | null
}

const LETTERS_WAIT_DAYS = 2

function cardsOf({ contests, now, shop, staff }: HistoryOptions): StoredCard[] {
  const bags = new Map<number, string>()
  const stored: StoredCard[] = []
  for (const [index, card] of CARDS.entries()) {
    const contest = contests.get(card.contest)
    if (!contest) throw new Error(`no contest ${card.contest}`)
    const { daysAgo } = card
    const receivedOn = dayOf(new Date(+now - daysAgo * DAY_MS), shop.timeZone)
    // In the morning.
    const registeredAt = new Date(Date.parse(`${receivedOn}T08:40:00Z`) + index * 2 * MINUTE_MS)
    const bag = bags.get(daysAgo) ?? newId(+registeredAt)
    bags.set(daysAgo, bag)
    const like = card.otherThan === undefined ? undefined : stored[card.otherThan]
    const same = card.duplicateOf === undefined ? undefined : stored[card.duplicateOf]
    stored.push({
      id: newId(+registeredAt),
      card,
      contest,
      bag,
      receivedOn,
      registeredAt,
      registeredBy: staff.postal.id,
      refusal: same ? 'duplicate' : card.wrong ? 'wrong_answer' : null,
      duplicateOf: same?.id ?? null,
      otherThan: like ? [like.id] : [],
      ticketNumber: null,
      letterAt: daysAgo > LETTERS_WAIT_DAYS ? new Date(+registeredAt + 5 * HOUR_MS) : null,
    })
  }
  return stored
}

const SALT_BYTES = 32
const hex = (bytes: Uint8Array): string => `\\x${Buffer.from(bytes).toString('hex')}`

function cardRow({ card, contest, ...stored }: StoredCard) {
  const { name, postcode, city, country, born } = card
  const wrong = contest.choices.find((choice) => choice !== contest.correct)
  return {
    id: stored.id,
    offer_id: contest.id,
    bag: stored.bag,
    status: stored.refusal === null ? 'entered' : 'refused',
    refusal: stored.refusal,
    duplicate_of: stored.duplicateOf,
    other_than: stored.otherThan,
    name,
    address: [card.address],
    postcode,
    city,
    country,
    date_of_birth: born,
    answer: card.wrong ? wrong : contest.correct,
    language: card.language,
    received_on: stored.receivedOn,
    registered_at: iso(stored.registeredAt),
    registered_by: stored.registeredBy,
    letter_at: stored.letterAt && iso(stored.letterAt),
    ticket_number: stored.ticketNumber,
    salt: stored.refusal === null ? hex(randomBytes(SALT_BYTES)) : null,
    person_key: hex(personKey({ name, address: [card.address], postcode, country, dateOfBirth: born })),
    postcode_key: postcodeKey(postcode),
    words: searchWords(name, postcode, city),
  }
}

// What staff did ----------------------------------------------------------------------------------------------------------

/** Notes, a suspended account, and the alerts that the shop has raised: one is over. */
async function insertOffice(
  trx: Trx,
  { staff, now, plan }: HistoryOptions,
  sales: readonly Sale[],
  buyers: readonly Buyer[],
): Promise<void> {
  const review = requireOne(sales, ({ outcome }) => outcome === 'review')
  const lines = requireOne(sales, ({ outcome }) => outcome === 'lines')
  const note = (sale: Sale, by: DemoStaff, text: string, at: Date) => ({
    order_id: sale.id,
    author_id: by.id,
    text,
    at: iso(at),
  })
  await insertRows(trx, 'order_notes', [
    note(lines, staff.support, NOTES.phoned, lines.refund?.at ?? now),
    note(review, staff.support, NOTES.toRepeat, new Date(+review.changedAt + 2 * HOUR_MS)),
  ])
  const suspended = buyers[plan.suspended]
  if (suspended) {
    await insertRows(trx, 'account_suspensions', [
      {
        user_id: suspended.id,
        reason: 'multiple_accounts',
        note: NOTES.threeAccounts,
        suspended_by: staff.owner.id,
        suspended_at: iso(new Date(+now - SUSPENDED_DAYS_AGO * DAY_MS)),
      },
    ])
  }
  const abroad = requireOne(sales, ({ outcome }) => outcome === 'abroad')
  const late = MESSAGES.filter(({ answer, closedAs, hoursAgo }) => !answer && !closedAs && hoursAgo > 24)
  const oldest = Math.max(
    ...MESSAGES.filter(({ answer, closedAs }) => !answer && !closedAs).map((m) => m.hoursAgo),
  )
  const dueSince = new Date(+now - oldest * HOUR_MS + DAY_MS)
  const alert = (kind: string, subject: string, details: object, since: Date, resolved?: Date) => ({
    kind,
    subject,
    details,
    since: iso(new Date(+since + MINUTE_MS)),
    last_seen: iso(resolved ?? now),
    times: 1,
    resolved_at: resolved ? iso(new Date(+resolved + MINUTE_MS)) : null,
  })
  const waited = new Date(+now - 9.3 * DAY_MS)
  await insertRows(trx, 'alerts', [
    alert(
      'notificationsWaiting',
      '',
      { waiting: 4, oldest: iso(new Date(+waited - 10 * MINUTE_MS)) },
      waited,
      new Date(+waited + 12 * MINUTE_MS),
    ),
    alert(
      'vatCountryDiffers',
      abroad.id,
      {
        country: abroad.buyer.country,
        payer_country: abroad.payerCountry,
        funding_country: abroad.payerCountry,
      },
      abroad.changedAt,
    ),
    alert(
      'orderInReview',
      review.id,
      { cents: review.total, since: iso(review.changedAt), reason: 'refund_refused' },
      review.changedAt,
    ),
    alert('messageLate', '', { messages: late.length, due_since: iso(dueSince) }, dueSince),
  ])
}

interface Story {
  sales: readonly Sale[]
  cards: readonly StoredCard[]
  approvals: StoredApprovals
  buyers: readonly Buyer[]
  tickets: readonly DatedTicket[]
  statement: StoredStatement
}

/**
 * What staff did, as their calls write it into the audit log. An entry says when it was written, which is now; `story_at`
 * says when that was done in the story.
 */
async function insertAuditEntries(
  trx: Trx,
  { plan, staff, now }: HistoryOptions,
  { sales, cards, approvals, buyers, tickets, statement }: Story,
): Promise<void> {
  const story: { at: Date; entry: AuditEntry }[] = []
  const add = (
    at: Date,
    by: DemoStaff | 'system',
    entry: Omit<AuditEntry, 'actor' | 'after'>,
    after: object,
  ) => {
    const actor =
      by === 'system'
        ? by
        : { userId: by.id, name: by.username, role: by.role, sessionId: 'demonstration', network: '' }
    story.push({ at, entry: { ...entry, actor, after: { ...after, story_at: iso(at) } } })
  }
  for (const { id, contest, registeredAt, receivedOn, ticketNumber, refusal, ...card } of cards)
    add(
      registeredAt,
      staff.postal,
      { action: 'post.register', subject: { kind: 'postalEntry', id } },
      {
        offer: contest.id,
        received_on: receivedOn,
        ...(refusal === null
          ? { number: ticketNumber, other_than: card.otherThan }
          : { refusal, duplicate_of: card.duplicateOf }),
      },
    )
  for (const { id, row } of approvals.all) {
    const { permission, preview, reason, requested_by } = row
    const subject = { kind: row.subject_kind, id: row.subject }
    // Words about an order may tell of its buyer: they stay in the request (ADR 0047).
    const why = subject.kind === 'order' ? {} : { reason }
    const after = { approval: id, permission }
    add(
      new Date(row.requested_at),
      staff.support,
      { action: 'approvals.ask', subject, ...why },
      { ...after, preview },
    )
    if (row.decided_at !== null)
      add(
        new Date(row.decided_at),
        staff.owner,
        { action: 'approvals.approved', subject },
        { ...after, requested_by },
      )
    if (permission === 'offers.cancel' && row.done_at !== null)
      add(
        new Date(row.done_at),
        'system',
        { action: 'offers.cancel', subject, reason },
        { approval: id, requested_by },
      )
  }
  for (const { id, total, refund, outcome, lines } of sales) {
    if (!refund?.by) continue
    const isApproved = outcome === 'approved'
    add(
      refund.at,
      isApproved ? 'system' : refund.by.staff,
      {
        action: 'orders.refund',
        subject: { kind: 'order', id },
        before: { state: 'completed', left: toDecimal(cents(total)) },
      },
      {
        kind: refund.part ?? 'whole',
        amount: toDecimal(cents(refund.amount)),
        left: toDecimal(cents(total - refund.amount)),
        reason: refund.by.reason,
        ...(refund.part === 'lines' && {
          tickets: lines.map(({ contest, returned }) => ({ offer_id: contest.id, quantity: returned })),
        }),
        ...(isApproved && { approval: approvals.approved, requested_by: refund.by.staff.id }),
      },
    )
  }
  add(
    statement.at,
    staff.owner,
    { action: 'reports.import', subject: { kind: 'statement', id: statement.id } },
    statement.after,
  )
  const suspended = buyers[plan.suspended]
  if (suspended)
    add(
      new Date(+now - SUSPENDED_DAYS_AGO * DAY_MS),
      staff.owner,
      {
        action: 'customers.suspend',
        subject: { kind: 'customer', id: suspended.id },
        before: { state: 'active' },
      },
      {
        state: 'suspended',
        reason: 'multiple_accounts',
        released_orders: [],
        released_tickets: 0,
        valid_tickets: tickets.filter(({ user_id, status }) => user_id === suspended.id && status === 'valid')
          .length,
        open_sessions: 0,
      },
    )
  await audit(trx, {
    actor: 'system',
    action: 'demo.load',
    after: { orders: sales.length, entries_by_post: cards.length },
  })
  for (const { entry } of story.toSorted((one, other) => +one.at - +other.at)) await audit(trx, entry)
}
