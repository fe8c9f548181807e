/**
 * The fortnight before the first visit: orders, refunds, a cancelled contest, messages, cards by post and what staff did.
 * Rows are written as the shop would have left them, dated back; `PAYMENTS_FILE` holds the provider's part of it, which
 * the starter gives to the emulator (ADR 0052).
 */
import { randomBytes } from 'node:crypto'
import { type MessageShop, staffEmail } from '#features/contact/server/index.ts'
import { padTicketNumber } from '#features/offers/offers.rules.ts'
import type { StaffRefundReason } from '#features/purchase/orders/order-machine.rules.ts'
import { type OrderRow, refundEmails } from '#features/purchase/orders/server/index.ts'
import { dayOf } from '#features/postal/postal.rules.ts'
import { type AuditEntry, audit } from '#platform/audit-log.ts'
import type { Trx } from '#platform/database.ts'
import { newId } from '#platform/ids.ts'
import { textIn } from '#shared/localized-text.ts'
import { cents, toDecimal } from '#shared/money.ts'
import { shownOrderNumber } from '#shared/order-number.ts'
import { PROVIDER_NAME } from '#shared/public-settings.ts'
import type { StaffRole } from '#shared/staff-permissions.ts'
import { textFields } from '#shared/text-fields.ts'
import { type StoryCard, addCard, addMessage, cardAudit } from '../story/letters.ts'
import { personOf } from '../story/people.ts'
import { seededRandom } from '../story/random.ts'
import { type Row, Rows } from '../story/rows.ts'
import {
  type Buyer,
  DAY_MS,
  HOUR_MS,
  MINUTE_MS,
  type Outcome,
  type PlannedRefund,
  type Sale,
  type StoryContest,
  addSale,
  decision,
  emailRow,
  feeOf,
  hasTickets,
  numbersFrom,
  receiptOf,
  refundAudit,
  refundRequest,
  saleOf,
} from '../story/sales.ts'
import { type Booked, addStatement } from '../story/statements.ts'
import { type DemoContest, cancelledContest } from './contests.ts'
import {
  countReservesUsed,
  fillCart,
  insertRows,
  postponeReconciliation,
  reserveIds,
} from './demo.repository.ts'
import { CARDS, type DemoCard, MESSAGES, NOTES } from './letters.ts'
import { BUYERS, type PlannedOrder, planSales } from './sales-plan.ts'

export interface HistoryShop extends MessageShop {
  pricesIncludeVat: boolean
  /** Notes it in the register of draws. */
  noteCancellation: (trx: Trx, offerId: number) => Promise<void>
}

/** Orders that are chosen by hand. */
type Special =
  /** Refunded whole by staff: alone, and by two people. */
  | 'takenBack'
  | 'approved'
  | 'lines'
  | 'amount'
  /** Paid; a refund waits for a second person. */
  | 'waiting'
  /** Paid with an account of another country. */
  | 'abroad'
  | 'review'
  /** Of the customer whose login a demonstration shows: paid, refunded, and being confirmed. */
  | 'own'
  | 'ownRefunded'
  | 'ownPending'

type StoryOrder = Omit<PlannedOrder, 'outcome'> & { outcome: Outcome; special?: Special }
type StorySale = Sale & { special: Special | undefined }

/** Tickets that go back, of an order in part. */
const TICKETS_BACK = 4
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

const chosen = (
  special: Special,
  outcome: Outcome,
  slug: string,
  quantity: number,
  [hoursAgo, buyer]: [number, number],
) => ({ special, outcome, slug, quantity, hoursAgo, buyer })
const CHOSEN = [
  chosen('takenBack', 'refunded', 'corvane-s4-rouge-rubis', 3, [147, 21]),
  chosen('approved', 'refunded', 'meridane-gt-gris-argent', 5, [109, 34]),
  chosen('lines', 'lines', 'corvane-s4-rouge-rubis', 10, [75, 8]),
  chosen('amount', 'amount', 'karst-4-expedition-avec-tente-de-toit', 5, [53, 15]),
  chosen('abroad', 'completed', 'solane-spider-bronze-et-capote-noire', 5, [50, 2]),
  chosen('waiting', 'completed', 'meridane-gt-gris-argent', 6, [37, 27]),
  chosen('review', 'review', 'sevrane-3-0-bleu-nuit', 4, [26, 11]),
  chosen('ownRefunded', 'refunded', 'karst-4-expedition-avec-tente-de-toit', 3, [45, BUYERS]),
  chosen('own', 'completed', 'corvane-s4-rouge-rubis', 5, [22, BUYERS]),
  chosen('ownPending', 'pending', 'lumo-e-electrique-avec-borne', 2, [2, BUYERS]),
]
/** What waits in the customer's cart. */
const WANTED = { slug: 'un-week-end-a-la-mer-en-solane-spider', quantity: 2 }

/** What staff refunded, by whom and so many hours after the order. */
const REFUNDS: Partial<
  Record<
    Special,
    { hours: number; by: 'owner' | 'support'; reason: StaffRefundReason; note: string; cents?: number }
  >
> = {
  takenBack: { hours: 13, by: 'support', reason: 'customer_request', note: NOTES.asked },
  approved: { hours: 16, by: 'support', reason: 'duplicate', note: NOTES.twice },
  lines: { hours: 5, by: 'support', reason: 'customer_request', note: NOTES.tooMany },
  amount: { hours: 20, by: 'owner', reason: 'goodwill', note: NOTES.goodwill, cents: 500 },
  ownRefunded: { hours: 3, by: 'owner', reason: 'customer_request', note: NOTES.customer },
}

export interface HistoryPlan {
  orders: StoryOrder[]
  /** Numbers that the fortnight gave, by contest. */
  issued: ReadonlyMap<string, number>
  /** Tickets that wait for a payment, by contest. */
  held: ReadonlyMap<string, number>
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
    ...CHOSEN.map(({ special, outcome, slug, quantity, hoursAgo, buyer }) => ({
      special,
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
  const [issued, held] = [new Map<string, number>(), new Map<string, number>()]
  const count = (counts: Map<string, number>, slug: string, quantity: number): void =>
    void counts.set(slug, (counts.get(slug) ?? 0) + quantity)
  for (const { outcome, lines } of orders)
    for (const { slug, quantity } of lines) {
      if (hasTickets(outcome)) count(issued, slug, quantity)
      if (outcome === 'pending') count(held, slug, quantity)
    }
  for (const one of CARDS) if (isEntered(one)) count(issued, one.contest, 1)
  return { orders, issued, held, suspended: suspendedBuyer(orders, now) }
}

/** A buyer who has ordered, the last time before the suspension. */
function suspendedBuyer(orders: readonly StoryOrder[], now: Date): number {
  const lastOrders = new Map(orders.map(({ buyer, at }) => [buyer, at]))
  const until = +now - SUSPENDED_DAYS_AGO * DAY_MS - HOUR_MS
  return Math.max(...[...lastOrders].flatMap(([buyer, at]) => (+at < until ? [buyer] : [])))
}

const isEntered = ({ wrong, duplicateOf }: DemoCard): boolean => !wrong && duplicateOf === undefined

/** A stored contest, and how many of its numbers are given. */
export interface StoredContest extends StoryContest {
  choices: readonly string[]
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
  customer: Buyer
  staff: Record<'owner' | 'support' | 'postal', DemoStaff>
}

/** The provider's part, as the emulator reads it. */
export interface PastPayments {
  orders: object[]
}

/** Writes the fortnight. @returns the provider's part of the payments */
export async function loadHistory(trx: Trx, options: HistoryOptions): Promise<PastPayments> {
  const { now, plan } = options
  const rows = new Rows()
  const strangers = addBuyers(rows, await reserveIds(trx, 'users', BUYERS), plan, now)
  const buyers = [...strangers, options.customer]
  // An emulator that is kept may know the orders of an earlier demonstration.
  const numbers = numbersFrom(randomBytes(32))
  const sales = salesOf(options, buyers, numbers)
  const [statementId = 0] = await reserveIds(trx, 'statements', 1)
  const story: Story = {
    sales,
    cards: cardsOf(options, (index) => numbers(sales.length + index)),
    buyers,
    refundIds: new Map(),
    approvals: approvalRows(options, sales, await reserveIds(trx, 'approvals', 3)),
    booked: bookedPayments(options, sales),
    statementId,
  }
  rows.add('approvals', ...story.approvals)
  const refunded = sales.filter(({ back }) => back)
  const refundIds = await reserveIds(trx, 'refunds', refunded.length)
  for (const [index, { id }] of refunded.entries()) story.refundIds.set(id, refundIds[index] ?? 0)

  // In the order of time, as numbers are given.
  const given = new Map<StoryCard, number | null>()
  const acts = [
    ...sales.map((sale) => ({
      at: sale.paid?.at ?? sale.at,
      write: () => addSaleWithEmails(rows, options, sale, story),
    })),
    ...story.cards.map((card) => ({
      at: card.registeredAt,
      write: () => void given.set(card, addCard(rows, card)),
    })),
  ]
  for (const { write } of acts.toSorted((one, other) => +one.at - +other.at)) write()
  const statement = addWeek(rows, options, story)
  addMessages(rows, options, buyers)
  addOffice(rows, options, sales, buyers)
  await insertRows(trx, rows)
  await countReservesUsed(trx)
  await fillCustomersCart(trx, options)
  await insertAuditEntries(trx, options, story, { given, statement })
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

interface Story {
  sales: readonly StorySale[]
  cards: readonly StoryCard[]
  buyers: readonly Buyer[]
  /** By order. */
  refundIds: Map<string, number>
  approvals: readonly Request[]
  booked: Week
  statementId: number
}

const requireOne = <Item>(items: readonly Item[], is: (item: Item) => boolean): Item => {
  const found = items.find(is)
  if (found === undefined) throw new Error('the history lacks something')
  return found
}

// Buyers and their orders -------------------------------------------------------------------------------------------------

function addBuyers(rows: Rows, ids: readonly number[], plan: HistoryPlan, now: Date): Buyer[] {
  const random = seededRandom(7)
  const firstOrders = new Map<number, Date>()
  for (const { buyer, at } of plan.orders) if (!firstOrders.has(buyer)) firstOrders.set(buyer, at)
  const people = Array.from({ length: BUYERS }, (_, index) => {
    const { username, phone, language, country } = personOf(index)
    const first = firstOrders.get(index)
    // A third of those who bought registered to buy, the others before.
    const isToBuy = random.chance(0.3) && first !== undefined
    const created = new Date(+(first ?? now) - (isToBuy ? 9 * MINUTE_MS : (1 + random.next() * 120) * DAY_MS))
    return { index, username, phone, language, country, created, email: `${username}@courriel.example` }
  })
  // The console lists customers by their number, the newest first.
  const registered = people.toSorted((one, other) => +one.created - +other.created)
  const idOf = new Map(registered.map(({ index }, place) => [index, ids[place] ?? 0]))
  for (const { index, created, country: _, ...person } of registered)
    rows.add('users', {
      ...person,
      id: idOf.get(index) ?? 0,
      password_hash: 'none',
      created_at: created,
      is_active: index !== plan.suspended,
      email_confirmed_at: index % 13 === 12 ? null : new Date(+created + 3 * MINUTE_MS),
    })
  return people.map((person) => ({ ...person, id: idOf.get(person.index) ?? 0 }))
}

function salesOf(
  { plan, contests, shop, staff, now }: HistoryOptions,
  buyers: readonly Buyer[],
  numberOf: (index: number) => string,
): StorySale[] {
  const random = seededRandom(99)
  // The emulator has them by then.
  const checkedAt = new Date(+now + RECONCILE_AFTER_MINUTES * MINUTE_MS)
  const haveBought = new Set<number>()
  return plan.orders.map(({ outcome, special, at, buyer: place, lines: wanted }, index) => {
    const buyer = buyers[place]
    if (!buyer) throw new Error(`no buyer ${place}`)
    const pace = random.next()
    const lines = wanted.map(({ slug, quantity }) => {
      const contest = contests.get(slug)
      if (!contest) throw new Error(`no contest ${slug}`)
      const returned =
        outcome === 'offerCancelled' ? quantity : outcome === 'lines' ? Math.min(TICKETS_BACK, quantity) : 0
      return { contest, quantity, returned }
    })
    const refund = refundOf({ outcome, special, at }, staff, +now + 20_000 + pace * 70_000)
    const sale = saleOf(
      {
        id: newId(+at),
        number: numberOf(index),
        index,
        outcome,
        at,
        buyer,
        lines,
        pace,
        newcomer: !haveBought.has(place),
        ...(special === 'abroad' && { payerCountry: buyer.country === 'LU' ? 'BE' : 'LU' }),
        ...(refund && { refund }),
        ...(outcome === 'pending' && { checkedAt }),
      },
      shop.pricesIncludeVat,
    )
    if (sale.state === 'completed') haveBought.add(place)
    return { ...sale, special }
  })
}

/** @param cancelledMs when the money of a cancelled contest would go back today */
function refundOf(
  { outcome, special, at }: Pick<StoryOrder, 'outcome' | 'at'> & { special: Special | undefined },
  staff: HistoryOptions['staff'],
  cancelledMs: number,
): PlannedRefund | undefined {
  if (outcome === 'offerCancelled') return { at: new Date(cancelledMs - CANCELLED_DAYS_AGO * DAY_MS) }
  const wanted = special && REFUNDS[special]
  if (!wanted) return undefined
  const { hours, by, reason, note, cents: amount } = wanted
  return {
    at: new Date(+at + hours * HOUR_MS),
    by: { id: staff[by].id, reason, note },
    ...(amount !== undefined && { centsOf: () => amount }),
  }
}

function addSaleWithEmails(
  rows: Rows,
  options: HistoryOptions,
  sale: StorySale,
  { refundIds, approvals, booked }: Story,
): void {
  const refundId = refundIds.get(sale.id) ?? 0
  const voided = addSale(rows, sale, {
    ids: (at) => newId(+at),
    refundId: () => refundId,
    approval: approvalOf(sale, approvals),
    hasFee: booked.paid.includes(sale),
  })
  const send = (email: Parameters<typeof emailRow>[1], at: Date): void =>
    rows.add('emails', emailRow(newId(+at), email, at, 'kept'))
  if (sale.paid && hasTickets(sale.outcome)) send(receiptOf(sale), sale.paid.at)
  if (sale.back?.status === 'completed') send(refundEmail(options, sale, refundId, voided), sale.back.at)
}

function refundEmail({ shop }: HistoryOptions, sale: Sale, refundId: number, voided: readonly number[][]) {
  const { id, number, buyer, lines, refund, back, outcome } = sale
  const { language } = buyer
  const titleOf = (contest: StoryContest): string => textIn(contest.titles, language).text
  const note = refund?.by?.note
  const part = `part:${refundId}`
  const notice =
    outcome === 'offerCancelled'
      ? {
          why: 'contestCancelled' as const,
          contests: lines.map(({ contest }) => titleOf(contest)),
          part: `cancelled-${lines.map(({ contest }) => contest.id).join('-')}`,
        }
      : outcome === 'lines'
        ? {
            why: 'ticketsRefunded' as const,
            part,
            note,
            tickets: lines.map(({ contest }, line) => ({
              title: titleOf(contest),
              numbers: (voided[line] ?? []).map((one) => padTicketNumber(one, contest.total)),
            })),
          }
        : outcome === 'amount'
          ? { why: 'partRefunded' as const, part, note }
          : { why: 'takenBack' as const, note }
  return refundEmails(shop, PROVIDER_NAME).refund({
    order: { id, number, language } as OrderRow,
    to: buyer,
    amount: cents(back?.cents ?? 0),
    ...notice,
  })
}

/** An order as the emulator knows it. */
function paymentOf({ paid, refund, back, ...sale }: Sale, { brand }: HistoryShop): object {
  const number = shownOrderNumber(sale.number)
  const refunds =
    back?.status === 'completed'
      ? [{ id: back.refundId, cents: back.cents, at: back.at, note: refund?.by?.note }]
      : undefined
  return {
    id: sale.providerId,
    reference: sale.id,
    invoice: number,
    description: `${brand} ${number}`,
    cents: sale.total,
    at: sale.at,
    ...(paid && {
      payer: { email: sale.buyer.email, country: paid.country },
      captures: [
        { id: paid.captureId, cents: sale.total, at: paid.at, refunds, pending: sale.state === 'pending' },
      ],
    }),
  }
}

async function fillCustomersCart(trx: Trx, { contests, customer, plan }: HistoryOptions): Promise<void> {
  const contest = contests.get(WANTED.slug)
  if (!contest) throw new Error(`no contest ${WANTED.slug}`)
  const { id: offerId, correct: answer } = contest
  const version = plan.orders.length + 1
  await fillCart(trx, customer.id, { version, offerId, quantity: WANTED.quantity, answer })
}

const validTickets = (sales: readonly Sale[], buyer: Buyer): number =>
  sales
    .filter((sale) => sale.buyer === buyer && sale.state === 'completed')
    .flatMap(({ lines }) => lines)
    .reduce((sum, { quantity, returned }) => sum + quantity - returned, 0)

// Decisions of two people -------------------------------------------------------------------------------------------------

/** By which two people have refunded an order. */
const approvalOf = ({ id, refund }: Sale, approvals: readonly Request[]): number | undefined =>
  refund && approvals.find(({ subject }) => subject === id)?.id

type Request = ReturnType<typeof approvalRows>[number]

function approvalRows(
  { staff, now }: HistoryOptions,
  sales: readonly StorySale[],
  [first = 0, second = 0, third = 0]: readonly number[],
) {
  const { owner, support } = staff
  const approved = requireOne(sales, ({ special }) => special === 'approved')
  const waiting = requireOne(sales, ({ special }) => special === 'waiting')
  const ofContest = sales.filter(({ outcome }) => outcome === 'offerCancelled')
  const { contest } = requireOne(requireOne(ofContest, () => true).lines, () => true)
  const cancelledAt = new Date(+now - CANCELLED_DAYS_AGO * DAY_MS)
  const asked = (at: Date): Date => new Date(+at - 25 * MINUTE_MS)
  const approvedAt = approved.refund?.at ?? now
  const cancellation = {
    id: first,
    permission: 'offers.cancel',
    subject_kind: 'offer' as const,
    subject: String(contest.id),
    input: { slug: contest.slug, reason: NOTES.partnerGone },
    preview: {
      slug: contest.slug,
      ...textFields('title', contest.titles),
      orders: ofContest.length,
      amount: toDecimal(cents(ofContest.reduce((sum, { total }) => sum + total, 0))),
      emails: ofContest.length,
      tickets: ofContest.reduce((sum, { lines }) => sum + (lines[0]?.quantity ?? 0), 0),
      letters: 0,
      tickets_without_order: 0,
      in_review: 0,
      payments_in_progress: 0,
    },
    reason: NOTES.partnerGone,
    requested_by: support.id,
    requested_at: asked(cancelledAt),
    ...decision({ by: owner.id, at: cancelledAt }),
  }
  return [
    cancellation,
    refundRequest(approved, {
      id: second,
      reason: 'duplicate',
      note: approved.refund?.by?.note ?? '',
      by: support.id,
      at: asked(approvedAt),
      approved: { by: owner.id, at: approvedAt },
    }),
    refundRequest(waiting, {
      id: third,
      reason: 'customer_request',
      note: NOTES.wrongCar,
      by: support.id,
      at: new Date(+now - 3 * HOUR_MS),
    }),
  ]
}

// The provider's statement ------------------------------------------------------------------------------------------------

const STATEMENT = { fromDaysAgo: 10, toDaysAgo: 4, importedDaysAgo: 3 }

interface Week {
  from: string
  to: string
  paid: readonly Sale[]
  refunds: readonly NonNullable<Sale['back']>[]
  last: Sale
}

/** What the provider's statement of a week has: all but the last payment, which it books a day later. */
function bookedPayments({ shop, now }: HistoryOptions, sales: readonly Sale[]): Week {
  const day = (at: Date): string => dayOf(at, shop.timeZone)
  const ago = (days: number): string => day(new Date(+now - days * DAY_MS))
  const [from, to] = [ago(STATEMENT.fromDaysAgo), ago(STATEMENT.toDaysAgo)]
  const isWithin = (at: Date): boolean => day(at) >= from && day(at) <= to
  const paid = sales
    .filter((sale) => sale.paid && isWithin(sale.paid.at))
    .toSorted((one, other) => +(one.paid?.at ?? 0) - +(other.paid?.at ?? 0))
  const refunds = sales.flatMap(({ back }) =>
    back?.status === 'completed' && isWithin(back.at) ? [back] : [],
  )
  return { from, to, paid: paid.slice(0, -1), refunds, last: requireOne(paid.slice(-1), () => true) }
}

/** @returns the audit entry of its import, and when that was */
function addWeek(rows: Rows, { now, staff, shop }: HistoryOptions, { booked, statementId }: Story) {
  const at = new Date(+now - STATEMENT.importedDaysAgo * DAY_MS)
  const hash = randomBytes(32)
  const { from, to, paid, refunds, last } = booked
  const sumOf = (amounts: readonly number[]): number => amounts.reduce((sum, amount) => sum + amount, 0)
  const payments: Booked = {
    count: paid.length,
    cents: sumOf(paid.map(({ total }) => total)),
    fees: sumOf(paid.map(({ total }) => feeOf(total))),
  }
  const agreed = paid.length + refunds.length
  addStatement(rows, {
    id: statementId,
    hash,
    importedBy: staff.owner.id,
    importedAt: at,
    from,
    to,
    payments,
    refunds: { count: refunds.length, cents: -sumOf(refunds.map((one) => one.cents)), fees: 0 },
    agreed,
    difference: {
      difference: 'missing_there',
      entry: 'payment',
      transaction_id: last.paid?.captureId ?? null,
      order_id: last.id,
      ours_cents: last.total,
      theirs_cents: null,
      day: dayOf(last.paid?.at ?? now, shop.timeZone),
      at_edge: true,
    },
    differs: last.total,
  })
  return { at, after: { from, to, rows: agreed, agreed, differences: 1, sha256: hash.toString('hex') } }
}

// Messages and cards ------------------------------------------------------------------------------------------------------

function addMessages(rows: Rows, { shop, staff, now }: HistoryOptions, buyers: readonly Buyer[]): void {
  for (const { answer: wanted, ...message } of MESSAGES.toReversed()) {
    const { language, text, closedAs } = message
    const at = new Date(+now - message.hoursAgo * HOUR_MS)
    const buyer =
      message.buyer === null ? undefined : buyers.filter((one) => one.language === language)[message.buyer]
    const handledAt = wanted
      ? new Date(+at + wanted.afterHours * HOUR_MS)
      : closedAs && new Date(+at + 2 * HOUR_MS)
    const given = buyer?.username.split('.')[0] ?? message.name
    const name = given.charAt(0).toUpperCase() + given.slice(1)
    const email = buyer?.email ?? `${name.toLowerCase().replaceAll(' ', '.')}@courriel.example`
    const answer = wanted &&
      handledAt && {
        id: newId(+handledAt),
        template: wanted.template,
        subject: wanted.subject,
        text: wanted.text.replace('{name}', name),
      }
    addMessage(rows, {
      id: newId(+at),
      name,
      email,
      text,
      language,
      userId: buyer?.id ?? null,
      at,
      closedAs,
      answer,
      handled: handledAt && { by: staff.support.id, at: handledAt },
    })
    if (!answer || !handledAt) continue
    const written = staffEmail(shop, {
      key: `message-answer:${answer.id}`,
      kind: 'message-answer',
      to: email,
      userId: buyer?.id,
      language,
      subject: answer.subject,
      text: answer.text,
      quoted: { text, at },
    })
    rows.add('emails', emailRow(newId(+handledAt), written, handledAt, 'kept'))
  }
}

const LETTERS_WAIT_DAYS = 2
const SALT_BYTES = 32

function cardsOf(
  { contests, now, shop, staff }: HistoryOptions,
  numberOf: (index: number) => string,
): StoryCard[] {
  const bags = new Map<number, string>()
  const stored: StoryCard[] = []
  for (const [index, card] of CARDS.entries()) {
    const contest = contests.get(card.contest)
    if (!contest) throw new Error(`no contest ${card.contest}`)
    const { daysAgo, name, postcode, city, country, language } = card
    const receivedOn = dayOf(new Date(+now - daysAgo * DAY_MS), shop.timeZone)
    // In the morning.
    const registeredAt = new Date(Date.parse(`${receivedOn}T08:40:00Z`) + index * 2 * MINUTE_MS)
    const bag = bags.get(daysAgo) ?? newId(+registeredAt)
    bags.set(daysAgo, bag)
    const like = card.otherThan === undefined ? undefined : stored[card.otherThan]
    const same = card.duplicateOf === undefined ? undefined : stored[card.duplicateOf]
    const wrong = contest.choices.find((choice) => choice !== contest.correct) ?? null
    stored.push({
      id: newId(+registeredAt),
      number: numberOf(index),
      contest,
      bag,
      name,
      street: card.address,
      postcode,
      city,
      country,
      dateOfBirth: card.born,
      language,
      answer: card.wrong ? wrong : contest.correct,
      receivedOn,
      registeredAt,
      registeredBy: staff.postal.id,
      refusal: same ? 'duplicate' : card.wrong ? 'wrong_answer' : null,
      duplicateOf: same?.id ?? null,
      otherThan: like ? [like.id] : [],
      letterAt: daysAgo > LETTERS_WAIT_DAYS ? new Date(+registeredAt + 5 * HOUR_MS) : null,
      ...(isEntered(card) && { ticket: { id: newId(+registeredAt), salt: randomBytes(SALT_BYTES) } }),
    })
  }
  return stored
}

// What staff did ----------------------------------------------------------------------------------------------------------

/** Notes, a suspended account, and the alerts that the shop has raised: one is over. */
function addOffice(
  rows: Rows,
  { staff, now, plan }: HistoryOptions,
  sales: readonly StorySale[],
  buyers: readonly Buyer[],
): void {
  const review = requireOne(sales, ({ special }) => special === 'review')
  const lines = requireOne(sales, ({ special }) => special === 'lines')
  const abroad = requireOne(sales, ({ special }) => special === 'abroad')
  const note = (sale: Sale, text: string, at: Date): Row<'order_notes'> => ({
    order_id: sale.id,
    author_id: staff.support.id,
    text,
    at,
  })
  rows.add(
    'order_notes',
    note(lines, NOTES.phoned, lines.refund?.at ?? now),
    note(review, NOTES.toRepeat, new Date(+review.changedAt + 2 * HOUR_MS)),
  )
  const suspended = buyers[plan.suspended]
  if (suspended)
    rows.add('account_suspensions', {
      user_id: suspended.id,
      reason: 'multiple_accounts',
      note: NOTES.threeAccounts,
      suspended_by: staff.owner.id,
      suspended_at: new Date(+now - SUSPENDED_DAYS_AGO * DAY_MS),
    })
  const open = MESSAGES.filter(({ answer, closedAs }) => !answer && !closedAs).map(({ hoursAgo }) => hoursAgo)
  const dueSince = new Date(+now - Math.max(...open) * HOUR_MS + DAY_MS)
  const alert = (kind: string, subject: string, details: object, since: Date, resolved?: Date) =>
    rows.add('alerts', {
      kind,
      subject,
      details,
      since: new Date(+since + MINUTE_MS),
      last_seen: resolved ?? now,
      times: 1,
      resolved_at: resolved ? new Date(+resolved + MINUTE_MS) : null,
    })
  const waited = new Date(+now - 9.3 * DAY_MS)
  alert(
    'notificationsWaiting',
    '',
    { waiting: 4, oldest: new Date(+waited - 10 * MINUTE_MS) },
    waited,
    new Date(+waited + 12 * MINUTE_MS),
  )
  const payer = abroad.paid?.country
  alert(
    'vatCountryDiffers',
    abroad.id,
    { country: abroad.buyer.country, payer_country: payer, funding_country: payer },
    abroad.changedAt,
  )
  alert(
    'orderInReview',
    review.id,
    { cents: review.total, since: review.changedAt, reason: 'refund_refused' },
    review.changedAt,
  )
  const late = open.filter((hours) => hours > 24)
  alert('messageLate', '', { messages: late.length, due_since: dueSince }, dueSince)
}

type AddEntry = (
  at: Date,
  by: DemoStaff | 'system',
  entry: Omit<AuditEntry, 'actor' | 'after'> & { after: object },
) => void

/** What the audit log says of a request for a second person. */
function addDecision(add: AddEntry, { owner, support }: HistoryOptions['staff'], request: Request): void {
  const { id: approval, permission, preview, reason, requested_by } = request
  const subject = { kind: request.subject_kind, id: request.subject }
  // Words about an order may tell of its buyer: they stay in the request (ADR 0047).
  const why = subject.kind === 'order' ? {} : { reason }
  add(request.requested_at, support, {
    action: 'approvals.ask',
    subject,
    ...why,
    after: { approval, permission, preview },
  })
  if (request.decided_at)
    add(request.decided_at, owner, {
      action: 'approvals.approved',
      subject,
      after: { approval, permission, requested_by },
    })
  if (permission === 'offers.cancel' && request.done_at)
    add(request.done_at, 'system', {
      action: 'offers.cancel',
      subject,
      reason,
      after: { approval, requested_by },
    })
}

interface Written {
  given: ReadonlyMap<StoryCard, number | null>
  statement: { at: Date; after: object }
}

/**
 * What staff did, as their calls write it into the audit log. An entry says when it was written, which is now; `story_at`
 * says when that was done in the story.
 */
async function insertAuditEntries(
  trx: Trx,
  { plan, staff, now }: HistoryOptions,
  { sales, cards, approvals, buyers, statementId }: Story,
  { given, statement }: Written,
): Promise<void> {
  const story: { at: Date; entry: AuditEntry }[] = []
  const add: AddEntry = (at, by, { after, ...entry }) => {
    const actor =
      by === 'system'
        ? by
        : { userId: by.id, name: by.username, role: by.role, sessionId: 'demonstration', network: '' }
    story.push({ at, entry: { ...entry, actor, after: { ...after, story_at: at.toISOString() } } })
  }
  for (const card of cards) add(card.registeredAt, staff.postal, cardAudit(card, given.get(card) ?? null))
  for (const row of approvals) addDecision(add, staff, row)
  for (const sale of sales) {
    const { refund } = sale
    if (!refund?.by) continue
    const approval = approvalOf(sale, approvals)
    const by = refund.by.id === staff.owner.id ? staff.owner : staff.support
    add(refund.at, approval === undefined ? by : 'system', refundAudit(sale, approval))
  }
  add(statement.at, staff.owner, {
    action: 'reports.import',
    subject: { kind: 'statement', id: statementId },
    after: statement.after,
  })
  const suspended = buyers[plan.suspended]
  if (suspended)
    add(new Date(+now - SUSPENDED_DAYS_AGO * DAY_MS), staff.owner, {
      action: 'customers.suspend',
      subject: { kind: 'customer', id: suspended.id },
      before: { state: 'active' },
      after: {
        state: 'suspended',
        reason: 'multiple_accounts',
        released_orders: [],
        released_tickets: 0,
        valid_tickets: validTickets(sales, suspended),
        open_sessions: 0,
      },
    })
  await audit(trx, {
    actor: 'system',
    action: 'demo.load',
    after: { orders: sales.length, entries_by_post: cards.length },
  })
  for (const { entry } of story.toSorted((one, other) => +one.at - +other.at)) await audit(trx, entry)
}
