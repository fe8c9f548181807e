import { createHash } from 'node:crypto'
import { personOf } from '../../db/story/people.ts'
import { type StoryCard, addCard, addMessage, cardAudit } from '../../db/story/letters.ts'
import { hoursOf, momentsIn } from '../../db/story/hours.ts'
import { type Random, seededRandom } from '../../db/story/random.ts'
import { Rows } from '../../db/story/rows.ts'
import {
  type Buyer,
  DAY_MS,
  type Outcome,
  type PlannedRefund,
  type Sale,
  type StoryContest,
  addSale,
  emailRow,
  feeOf,
  hasTickets,
  numbersFrom,
  receiptOf,
  refundAudit,
  refundRequest,
  saleOf,
} from '../../db/story/sales.ts'
import { type Booked, addStatement } from '../../db/story/statements.ts'
import type { NewEmail } from '#features/emails/server/index.ts'
import type { AuditEntry } from '#platform/audit-log.ts'
import { ERASED_EMAIL } from '#shared/email-address.ts'
import { STAFF_ROLES, type StaffRole } from '#shared/staff-permissions.ts'

export interface FillOptions {
  orders: number
  /** At least twice as many as orders: paid ones, and one of a hundred by post. */
  tickets: number
  customers: number
  seed: number
  /** The moment up to which the shop has sold, for two years. */
  until: Date
  /** Of the staff. */
  passwordHash: string
}

const YEARS_MS = 730 * DAY_MS
const TIME_ZONE = 'Europe/Brussels'
const PRICES = [190, 290, 490, 990]
/** Orders of a contest that sells for a while. */
const ORDERS_OF_CONTEST = 16_000
/** How long it sells, in times that contests follow each other. */
const TURNS = 3
/** Of all orders, those of two contests that sell all the time. */
const LONG_RUN = { tenth: 0.1, hundredth: 0.01 }
const POSTAL_SHARE = 0.01
const RESERVE_PERCENT = 2
const DRAW_AFTER_DAYS = 3
/** A cancelled contest would have ended so much later. */
const CUT_SHORT_DAYS = 30
/** What the shop erases after more days than these by default. */
const KEEP = { emails: 30, post: 38 + 30, messages: 365, security: 170, alerts: 390 }
/** So that what is held is still held when a shop starts. */
const HOLD_MS = 360 * 60_000

/** The address of a member of staff that the fill makes. */
export const staffEmail = (role: StaffRole): string => `${role}@staff.test`
const staffId = (role: StaffRole): number => STAFF_ROLES.indexOf(role) + 1

interface Offer extends StoryContest {
  from: Date
  /** When it ended or was cancelled. */
  over: Date
  isCancelled: boolean
  held: number
  post: number
}

/** Bytes that follow from seed and name. */
const bytesOf = (seed: number, name: string): Buffer =>
  createHash('sha256').update(`${seed} ${name}`).digest()

/** Row by row the history of a shop of that size, in the order of time. @param each called after so many orders */
export async function fillHistory(
  rows: Rows,
  options: FillOptions,
  each: (orders: number) => Promise<void>,
): Promise<void> {
  const { orders, tickets, seed, until } = options
  const random = seededRandom(seed)
  const start = +until - YEARS_MS
  const numberOf = numbersFrom(bytesOf(seed, 'numbers'))
  const ids = idMaker(random.fork('ids'))
  const log = auditLog(rows, seed)
  const moments = momentsIn(hoursOf(start, +until, TIME_ZONE), orders, random.fork('moments'))
  const contests = makeOffers(options, start)
  const people = addCustomers(rows, options, start, ids)

  // What becomes of each order is decided first, so that the tickets can be shared out to the last.
  const outcomes = outcomesOf(orders, random.fork('outcomes'))
  const outcomeOf = (index: number): Outcome => OUTCOMES[outcomes[index] ?? 0] ?? 'completed'
  const paidOrders = outcomes.reduce((sum, place) => sum + (hasTickets(OUTCOMES[place]!) ? 1 : 0), 0)
  const postal = Math.floor(tickets * POSTAL_SHARE)
  const quantityOf = sharing(tickets - postal, paidOrders, random.fork('quantities'))

  const counts = { refunds: 0, approvals: 0, statements: 0, entries: 0 }
  const months = new Map<string, Booked & { first: Sale }>()
  const haveBought = new Set<number>()
  /** Those that staff read now. */
  const recent: string[] = []
  for (const role of STAFF_ROLES.slice(1)) {
    const subject = { kind: 'staff', id: staffId(role) } as const
    log.add(new Date(start), 'owner', {
      action: 'staff.change',
      subject,
      before: { role: null },
      after: { role },
    })
  }
  for (let index = 0; index < orders; index += 1) {
    const moment = Number(moments.next().value)
    const at = new Date(outcomeOf(index) === 'held' ? +until - (orders - index) * 1_000 : moment)
    placeOrder(index, at)
    for (; counts.entries < Math.floor(((index + 1) * postal) / orders); counts.entries += 1)
      registerEntry(counts.entries, at)
    if (index % 5 === 0) logRead(at)
    if (index % 10 === 0 && +at > +until - KEEP.messages * DAY_MS) writeMessage(index, at)
    if (index % 100 === 0 && +at > +until - KEEP.alerts * DAY_MS) raiseAlert(index, at)
    if ((index + 1) % 20_000 === 0) await each(index + 1)
  }
  for (const offer of contests.all) addOffer(rows, offer, until)
  for (const [month, booked] of months) addMonth(month, booked)
  await each(orders)

  function placeOrder(index: number, at: Date): void {
    let outcome = outcomeOf(index)
    const buyer = people(random, at)
    const main = outcome === 'held' ? contests.always : contests.at(at, random)
    if (hasTickets(outcome) && main.isCancelled) outcome = 'offerCancelled'
    const quantity = hasTickets(outcome) ? quantityOf() : random.between(1, 9)
    const second =
      quantity > 1 && !main.isCancelled && !ONE_LINE.has(outcome) && random.chance(0.1)
        ? contests.otherThan(main, at)
        : undefined
    if (outcome === 'lines' && quantity < 2) outcome = 'completed'
    const moved = second ? Math.floor(quantity / 2) : 0
    const returnedOf = (count: number): number =>
      outcome === 'offerCancelled' ? count : outcome === 'lines' ? 1 : 0
    const lines = [
      { contest: main, quantity: quantity - moved, returned: returnedOf(quantity - moved) },
      ...(second ? [{ contest: second, quantity: moved, returned: returnedOf(moved) }] : []),
    ]
    const refund = refundOf(outcome, at, main)
    const sale = saleOf(
      {
        id: ids(at),
        number: numberOf(index),
        index,
        outcome,
        at,
        buyer,
        lines,
        pace: random.next(),
        newcomer: !haveBought.has(buyer.id),
        ...(outcome === 'held' && { holdMs: HOLD_MS }),
        ...(refund && { refund }),
      },
      false,
    )
    recent[index % 500] = sale.id
    if (sale.state === 'completed') haveBought.add(buyer.id)
    if (outcome === 'held') main.held += quantity
    addPurchase(sale)
  }

  function refundOf(outcome: Outcome, at: Date, { over }: Offer): PlannedRefund | undefined {
    const isOfStaff = STAFF_REFUNDS.has(outcome)
    if (!isOfStaff && outcome !== 'offerCancelled') return undefined
    const back =
      outcome === 'offerCancelled'
        ? +over + random.between(60_000, DAY_MS / 4)
        : outcome === 'refunding'
          ? +at + 240_000
          : +at + random.between(3_600_000, 20 * DAY_MS)
    return {
      at: new Date(Math.min(+until - 1_000, back)),
      ...(isOfStaff && { by: { id: staffId('support'), reason: 'customer_request', note: NOTE } }),
      ...(outcome === 'amount' && { centsOf: (total) => Math.max(1, Math.floor(total / 4)) }),
    }
  }

  function addPurchase(sale: Sale): void {
    const { id, paid, back, refund, state, buyer, at, index } = sale
    if (back) counts.refunds += 1
    // By two people.
    const approval =
      refund?.by && state === 'refunded' && counts.refunds % 3 === 0 ? ask(sale, refund.at, true) : undefined
    addSale(rows, sale, { ids, refundId: () => counts.refunds, approval, hasFee: true })
    if (!paid) return
    const month = paid.at.toISOString().slice(0, 7)
    const booked = months.get(month) ?? { count: 0, cents: 0, fees: 0, first: sale }
    months.set(month, booked)
    booked.count += 1
    booked.cents += sale.total
    booked.fees += feeOf(sale.total)
    rows.add('webhook_inbox', {
      event_id: `WH-${paid.captureId}`,
      event_type: 'PAYMENT.CAPTURE.COMPLETED',
      payload: {},
      received_at: new Date(+paid.at + 1_000),
      handled_at: new Date(+paid.at + 1_200),
      order_id: id,
    })
    if (hasTickets(sale.outcome)) addEmail(receiptOf(sale), paid.at)
    if (refund?.by)
      log.add(refund.at, approval === undefined ? 'support' : 'system', refundAudit(sale, approval))
    if (back?.status === 'completed')
      addEmail(written('refund', `refund:${id}:${counts.refunds}`, buyer, 'Votre remboursement'), back.at)
    if (sale.outcome === 'review') addAlert('orderInReview', id, sale.changedAt, until, null)
    // The last day's requests wait for a second person.
    if (state === 'completed' && !back && +at > +until - DAY_MS && index % 7 === 0)
      ask(sale, new Date(Math.min(+until, +paid.at + 60_000)), false)
    if (index % 50 === 0)
      rows.add('order_notes', {
        order_id: id,
        author_id: staffId('support'),
        text: 'A téléphoné au sujet de sa commande.',
        at: new Date(+paid.at + DAY_MS / 8),
      })
  }

  /** A request for a refund, which somebody else approves or has not decided yet. @returns its id */
  function ask(sale: Sale, at: Date, isApproved: boolean): number {
    counts.approvals += 1
    const request = refundRequest(sale, {
      id: counts.approvals,
      reason: 'customer_request',
      note: NOTE,
      by: staffId('support'),
      at: new Date(+at - 60_000),
      approved: isApproved ? { by: staffId('manager'), at: new Date(+at - 1_000) } : undefined,
    })
    rows.add('approvals', request)
    return counts.approvals
  }

  function addEmail(email: NewEmail, at: Date): void {
    const erasedAt = new Date(+at + KEEP.emails * DAY_MS)
    const row = emailRow(ids(at), email, at, 'sent')
    const erased = {
      recipient: ERASED_EMAIL,
      subject: '-',
      body_text: '',
      body_html: '',
      body_ref: null,
      attachments: [],
      erased_at: erasedAt,
    }
    rows.add('emails', erasedAt < until ? { ...row, ...erased } : row)
  }

  function registerEntry(index: number, at: Date): void {
    const contest = contests.at(at, random)
    const { over } = contest
    const isMailed = index % 4 === 0
    contest.post += 1
    const erased = new Date(+over + (contest.isCancelled ? CUT_SHORT_DAYS : KEEP.post) * DAY_MS)
    const card = (place: number): StoryCard => ({
      ...personOf(index),
      id: ids(at),
      number: numberOf(orders + place),
      contest,
      bag: uuidOf(seed, `bag ${Math.floor(place / 40)}`),
      answer: null,
      receivedOn: at.toISOString().slice(0, 10),
      registeredAt: at,
      registeredBy: staffId('postal'),
      refusal: null,
      duplicateOf: null,
      otherThan: [],
      // Letters of the last days wait for the printer.
      letterAt: isMailed || +at > +until - 3 * DAY_MS ? null : new Date(+at + DAY_MS / 2),
      email: isMailed ? `post.${place}@customers.test` : null,
      erasedAt: erased < until ? erased : null,
    })
    const entered: StoryCard = {
      ...card(index),
      ticket: { id: ids(at), salt: bytesOf(seed, `salt ${index}`) },
      voided: contest.isCancelled
        ? {
            at: over,
            emailAt: isMailed ? new Date(+over + 3_600_000) : null,
            letterAt: isMailed ? null : new Date(+over + DAY_MS / 2),
          }
        : undefined,
    }
    log.add(at, 'postal', cardAudit(entered, addCard(rows, entered)))
    if (index % 10 === 0) addCard(rows, { ...card(postal + index), refusal: 'illegible' })
  }

  function logRead(at: Date): void {
    const role = random.pick(['owner', 'manager', 'support', 'support', 'support'] as const)
    const [action, subject] = random.chance(0.5)
      ? (['customers.read', { kind: 'customer', id: people(random, at).id }] as const)
      : (['orders.read', { kind: 'order', id: random.pick(recent) }] as const)
    log.add(at, role, { action, subject })
  }

  function writeMessage(index: number, at: Date): void {
    const writer = people(random, at)
    // The last day's are open.
    const isOpen = +at > +until - DAY_MS
    const doneAt = new Date(+at + random.between(600_000, DAY_MS / 2))
    const isAnswered = !isOpen && index % 100 !== 0
    const answer = isAnswered
      ? {
          id: ids(doneAt),
          template: 'own',
          subject: 'Vos billets',
          text: 'Vos billets sont dans « Mes participations ».',
        }
      : undefined
    addMessage(rows, {
      id: ids(at),
      name: writer.username,
      email: writer.email,
      text: 'Bonjour, je ne trouve pas mes billets. Pouvez-vous m’aider ?',
      language: writer.language,
      userId: writer.id,
      at,
      closedAs: isOpen || isAnswered ? undefined : 'spam',
      answer,
      handled: isOpen ? undefined : { by: staffId('support'), at: doneAt },
    })
    if (answer)
      addEmail(written('message-answer', `message-answer:${answer.id}`, writer, answer.subject), doneAt)
  }

  function addAlert(kind: string, subject: string, since: Date, seen: Date, resolved: Date | null): void {
    rows.add('alerts', { kind, subject, details: {}, since, last_seen: seen, resolved_at: resolved })
  }

  function raiseAlert(index: number, at: Date): void {
    const seen = new Date(+at + 600_000)
    const kind = random.pick(['manyHolds', 'paymentUnclear', 'refundRefused', 'emailsWaiting'] as const)
    addAlert(kind, `filled-${index}`, at, seen, seen)
  }

  /** A whole month's statement, on which one fee differs by a cent. */
  function addMonth(month: string, { first, ...payments }: Booked & { first: Sale }): void {
    const [from, next] = [new Date(`${month}-01`), new Date(`${month}-01`)]
    next.setUTCMonth(next.getUTCMonth() + 1)
    if (+from < start || next > until) return
    counts.statements += 1
    const fee = feeOf(first.total)
    addStatement(rows, {
      id: counts.statements,
      hash: bytesOf(seed, `statement ${month}`),
      importedBy: staffId('accountant'),
      importedAt: next,
      from: from.toISOString().slice(0, 10),
      to: new Date(+next - DAY_MS).toISOString().slice(0, 10),
      payments,
      refunds: { count: 0, cents: 0, fees: 0 },
      agreed: payments.count - 1,
      difference: {
        difference: 'fee',
        entry: 'payment',
        transaction_id: first.paid?.captureId ?? null,
        order_id: first.id,
        ours_cents: fee,
        theirs_cents: fee + 1,
        day: first.at.toISOString().slice(0, 10),
        at_edge: false,
      },
      differs: 1,
    })
  }
}

const NOTE = 'À votre demande'

const written = (kind: NewEmail['kind'], key: string, to: Buyer, subject: string): NewEmail => ({
  key,
  kind,
  to: to.email,
  userId: to.id,
  language: to.language,
  subject,
  text: subject,
  html: `<p>${subject}</p>`,
})

const STAFF_REFUNDS: ReadonlySet<Outcome> = new Set<Outcome>(['refunded', 'refunding', 'lines', 'amount'])

/** Of one contest always. */
const ONE_LINE: ReadonlySet<Outcome> = new Set<Outcome>(['held', 'lines'])

/** Of ten thousand orders; the others are paid. */
const SHARES = {
  expired: 600,
  cancelled: 200,
  superseded: 400,
  refunded: 150,
  lines: 50,
  amount: 50,
  review: 1,
} satisfies Partial<Record<Outcome, number>>

const RARE = Object.keys(SHARES) as (keyof typeof SHARES)[]
const OUTCOMES: readonly Outcome[] = ['completed', ...RARE, 'held', 'refunding']

/** @returns places in OUTCOMES */
function outcomesOf(orders: number, random: Random): Uint8Array {
  const outcomes = new Uint8Array(orders)
  for (let index = 0; index < orders; index += 1) {
    let place = random.between(0, 9_999)
    outcomes[index] = RARE.findIndex((outcome) => (place -= SHARES[outcome]) < 0) + 1
  }
  // Each of them, however few orders there are.
  for (const place of RARE.keys()) outcomes[Math.floor(orders / 2) + place] = place + 1
  // What is open is new.
  const held = Math.max(3, Math.min(200, Math.floor(orders / 5_000)))
  const refunding = Math.max(2, Math.min(50, Math.floor(orders / 20_000)))
  outcomes.fill(OUTCOMES.indexOf('refunding'), -held - refunding, -held)
  outcomes.fill(OUTCOMES.indexOf('held'), -held)
  return outcomes
}

/** @returns gives out the tickets to so many orders: at least one each, and all of them at the end */
function sharing(tickets: number, orders: number, random: Random): () => number {
  const spread = Math.max(0, Math.min(8, Math.floor(tickets / orders) - 1))
  let [rank, given] = [0, 0]
  return () => {
    rank += 1
    const upTo = Math.floor((rank * tickets) / orders) + (rank === orders ? 0 : random.between(0, spread))
    const quantity = upTo - given
    given = upTo
    return quantity
  }
}

/** Ids of version 7 that follow from the seed. */
function idMaker(random: Random): (at: Date) => string {
  const word = (): string => random.between(0, 0xff_ff_ff_ff).toString(16).padStart(8, '0')
  return (at) => {
    const time = (+at).toString(16).padStart(12, '0')
    const [one, two] = [word(), word()]
    return `${time.slice(0, 8)}-${time.slice(8)}-7${one.slice(0, 3)}-8${one.slice(3, 6)}-${one.slice(6)}${two}${word().slice(0, 2)}`
  }
}

const uuidOf = (seed: number, name: string): string =>
  bytesOf(seed, name)
    .toString('hex')
    .replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, '$1-$2-4$3-8$4-$5')

function makeOffers({ orders, tickets, seed }: FillOptions, start: number) {
  const turns = Math.max(6, Math.min(60, Math.round(orders / ORDERS_OF_CONTEST)))
  const turn = YEARS_MS / turns
  const random = seededRandom(seed).fork('contests')
  let id = 0
  const offer = (from: number, over: number, expected: number, isCancelled: boolean): Offer => {
    id += 1
    return {
      id,
      slug: `voiture-${id}`,
      titles: { fr: `Voiture ${id}`, nl: `Auto ${id}`, en: `Car ${id}` },
      priceCents: random.pick(PRICES),
      total: Math.ceil((expected * 1.5 + 500) / 1_000) * 1_000,
      key: bytesOf(seed, `contest ${id}`),
      correct: null,
      given: 0,
      held: 0,
      post: 0,
      from: new Date(from),
      over: new Date(over),
      end: new Date(over + (isCancelled ? CUT_SHORT_DAYS * DAY_MS : 0)),
      isCancelled,
    }
  }
  const cancelled = new Set([TURNS, Math.floor(turns / 2) + 1])
  // Each turn another one begins, and they sell side by side.
  const inTurn = Array.from({ length: turns + TURNS - 1 }, (_, index) =>
    offer(
      start + (index - TURNS + 1) * turn,
      start + (index + 1) * turn,
      tickets / turns,
      cancelled.has(index),
    ),
  )
  const [from, end] = [start, start + YEARS_MS + 30 * DAY_MS]
  const tenth = offer(from, end, tickets * 0.2, false)
  const hundredth = offer(from, end, tickets * LONG_RUN.hundredth, false)
  const turnAt = (at: Date): number => Math.min(turns - 1, Math.floor((+at - start) / turn))
  return {
    all: [...inTurn, tenth, hundredth],
    /** One that sells all the time. */
    always: tenth,
    at(at: Date, chances: Random): Offer {
      const share = chances.next()
      if (share < LONG_RUN.tenth) return tenth
      if (share < LONG_RUN.tenth + LONG_RUN.hundredth) return hundredth
      return inTurn[turnAt(at) + chances.between(0, TURNS - 1)] ?? tenth
    },
    otherThan(main: Offer, at: Date): Offer {
      if (main !== tenth) return tenth
      const now = turnAt(at)
      return inTurn.slice(now, now + TURNS).find((one) => !one.isCancelled) ?? hundredth
    },
  }
}

function addOffer(rows: Rows, offer: Offer, until: Date): void {
  const { id, from, over, isCancelled, total, given } = offer
  const state = isCancelled ? 'cancelled' : over > until ? 'open' : 'closed'
  const reserve = Math.min(total - 1, Math.ceil((total * RESERVE_PERCENT) / 100))
  rows.add('offers', {
    id,
    slug: offer.slug,
    titles: offer.titles,
    price_cents: offer.priceCents,
    total_tickets: total,
    tickets_sold: given,
    end_date: offer.end,
    number_key: offer.key,
    created_at: from,
    cancelled_at: isCancelled ? over : null,
    cancelled_why: isCancelled ? 'Le véhicule n’est plus disponible' : null,
    refunds_completed_at: isCancelled ? new Date(+over + DAY_MS) : null,
    draw_at: new Date(+offer.end + DRAW_AFTER_DAYS * DAY_MS),
    tickets_held: offer.held,
    state,
    published_at: from,
    entered_at: given > 0 ? from : null,
    prize_value_cents: 4_500_000,
    prize_power_kw: 150,
    prize_zero_to_100: '7.4',
    prize_year: from.getUTCFullYear(),
    prize_range_km: 430,
    postal_reserve_percent: RESERVE_PERCENT,
    postal_reserve_used: Math.min(reserve, offer.post),
  })
  const moves = [
    ['create', null, 'draft', from],
    ['publish', 'draft', 'open', from],
    ...(state === 'open' ? [] : [[state === 'closed' ? 'close' : 'cancel', 'open', state, over] as const]),
  ] as const
  for (const [event, before, after, at] of moves)
    rows.add('offer_events', {
      offer_id: id,
      event,
      from_state: before,
      to_state: after,
      actor: 'system',
      at,
    })
}

/** Stores staff and customers. @returns gives a random one of those who were registered at a time */
function addCustomers(
  rows: Rows,
  { customers, passwordHash, seed, until }: FillOptions,
  start: number,
  ids: (at: Date) => string,
): (random: Random, at: Date) => Buyer {
  const user = { phone: '', language: 'fr', is_active: true, role: null, closed_at: null }
  for (const role of STAFF_ROLES)
    rows.add('users', {
      ...user,
      id: staffId(role),
      username: `staff-${role}`,
      email: staffEmail(role),
      password_hash: passwordHash,
      email_confirmed_at: new Date(start),
      role,
      created_at: new Date(start),
    })
  const first = STAFF_ROLES.length + 1
  const isClosed = (index: number): boolean => index % 2_000 === 19
  const isSuspended = (index: number): boolean => index % 1_000 === 23
  const suspendedAt = +until - 20 * DAY_MS
  const customer = (index: number) => {
    const id = first + index
    const person = personOf(index)
    const { language, country, phone, username } = person
    return isClosed(index)
      ? { id, language, country, phone: '', username: ` erased ${id}`, email: `erased-${id}@erased.invalid` }
      : { id, language, country, phone, username, email: `${username}@customers.test` }
  }
  const step = YEARS_MS / customers
  const random = seededRandom(seed).fork('customers')
  for (let index = 0; index < customers; index += 1) {
    const { country: _, ...account } = customer(index)
    const { id } = account
    // The first ones are there when the first orders come.
    const at = new Date(Math.floor(start + Math.max(0, index - 10) * step))
    rows.add('users', {
      ...user,
      ...account,
      password_hash: isClosed(index) ? 'none' : '!',
      email_confirmed_at: isClosed(index) ? null : at,
      is_active: !isSuspended(index) && !isClosed(index),
      created_at: at,
      closed_at: isClosed(index) ? until : null,
    })
    if (isClosed(index)) continue
    if (isSuspended(index))
      rows.add('account_suspensions', {
        user_id: id,
        reason: 'fraud',
        note: 'Cartes volées',
        suspended_by: staffId('owner'),
        suspended_at: new Date(Math.max(+at + 60_000, suspendedAt)),
      })
    const loggedIn = Math.max(+at, +until - random.between(1, KEEP.security) * DAY_MS)
    const network = uuidOf(0, `network ${index}`).replaceAll('-', '')
    const event = { user_id: id, network }
    rows.add('security_events', { ...event, event: 'login', detail: 'password', at: new Date(loggedIn) })
    if (index % 4 === 0)
      rows.add('security_events', {
        ...event,
        event: 'login_failed',
        detail: null,
        at: new Date(loggedIn - 20_000),
      })
    if (index % 3 === 0 && !isSuspended(index))
      rows.add('sessions', {
        id: ids(at),
        user_id: id,
        refresh_hash: bytesOf(0, `session ${index}`),
        created_at: at,
        last_used_at: new Date(+until - DAY_MS),
        expires_at: new Date(+until + 30 * DAY_MS),
        browser: 'Firefox',
        system: 'Windows',
      })
  }
  return (chances, at) => {
    const there = Math.max(1, Math.min(customers, Math.floor((+at - start) / step)))
    let index = chances.between(0, there - 1)
    while (isClosed(index) || (isSuspended(index) && +at > suspendedAt - DAY_MS)) index -= 1
    return customer(index)
  }
}

/** The chain of the audit log, as its trigger makes it. */
function auditLog(rows: Rows, seed: number) {
  let last = 0
  let previous = createHash('sha256').update('volant-audit-v1').digest()
  return {
    add(
      at: Date,
      by: StaffRole | 'system',
      { action, subject, before, after, reason }: Omit<AuditEntry, 'actor'>,
    ): void {
      const role = by === 'system' ? null : by
      const entry = JSON.stringify({
        at_ms: +at,
        actor_id: role && staffId(role),
        actor: role ? `staff-${role}` : by,
        role,
        session: role && uuidOf(seed, `session of ${role}`),
        network: null,
        action,
        subject_kind: subject?.kind ?? null,
        subject: subject ? String(subject.id) : null,
        before: before ?? null,
        after: after ?? null,
        reason: reason ?? null,
      })
      const hash = createHash('sha256').update(previous).update(entry).digest()
      last += 1
      rows.add('audit_log', { id: last, entry, previous_hash: previous, hash })
      previous = hash
    },
  }
}
