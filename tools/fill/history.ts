import { createHash } from 'node:crypto'
import type { OrderState, RefundReason, ReasonFor } from '#features/orders/order-machine.rules.ts'
import { personText, postcodeKey, searchWords } from '#features/postal/postal.rules.ts'
import { numberPermutation } from '#features/tickets/server/index.ts'
import { findCountry, vatPercent, withTax } from '#shared/countries.ts'
import { LANGUAGES, type Language } from '#shared/languages.ts'
import { ERASED_EMAIL } from '#shared/email-address.ts'
import { type Cents, cents, shareOf, toDecimal } from '#shared/money.ts'
import { STAFF_ROLES, type StaffRole } from '#shared/staff-permissions.ts'
import { type Random, seededRandom } from '../testbed/seeded-random.ts'
import { BulkRows } from './bulk.ts'
import { type Person, personOf, plain } from './people.ts'
import type { LocalizedText } from '#shared/localized-text.ts'

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

const DAY_MS = 86_400_000
const YEARS_MS = 730 * DAY_MS
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
/** What the shop erases after more days than these by default. */
const KEEP = { emails: 30, post: 38 + 30, messages: 365, security: 170, alerts: 390 }
const HOLD_MS = 360 * 60_000

const COLUMNS = {
  users: [
    'id',
    'username',
    'email',
    'password_hash',
    'phone',
    'language',
    'email_confirmed_at',
    'is_active',
    'role',
    'created_at',
    'closed_at',
  ],
  account_suspensions: ['user_id', 'reason', 'note', 'suspended_by', 'suspended_at'],
  sessions: [
    'id',
    'user_id',
    'refresh_hash',
    'created_at',
    'last_used_at',
    'expires_at',
    'browser',
    'system',
  ],
  offers: [
    'id',
    'slug',
    'titles',
    'price_cents',
    'total_tickets',
    'tickets_sold',
    'end_date',
    'number_key',
    'created_at',
    'cancelled_at',
    'cancelled_why',
    'refunds_completed_at',
    'draw_at',
    'tickets_held',
    'state',
    'published_at',
    'entered_at',
    'prize_value_cents',
    'postal_reserve_percent',
    'postal_reserve_used',
  ],
  offer_events: ['offer_id', 'event', 'from_state', 'to_state', 'actor', 'user_id', 'at'],
  orders: [
    'id',
    'number',
    'user_id',
    'cart_version',
    'state',
    'country',
    'payer_country',
    'funding_country',
    'language',
    'subtotal_cents',
    'tax_percent',
    'tax_cents',
    'total_cents',
    'provider_order_id',
    'capture_started_at',
    'hold_until',
    'approved_at',
    'created_at',
    'state_changed_at',
    'checked_at',
  ],
  order_lines: [
    'order_id',
    'offer_id',
    'quantity',
    'unit_cents',
    'title',
    'refund_requested_at',
    'returned_quantity',
  ],
  order_events: ['order_id', 'from_state', 'to_state', 'reason', 'note', 'at'],
  order_notes: ['order_id', 'author_id', 'text', 'at'],
  captures: [
    'capture_id',
    'order_id',
    'status',
    'amount_cents',
    'currency',
    'refunded_cents',
    'recorded_at',
    'changed_at',
    'fee_cents',
  ],
  refunds: [
    'id',
    'capture_id',
    'order_id',
    'amount_cents',
    'reason',
    'note',
    'status',
    'refund_id',
    'created_at',
    'changed_at',
    'completed_at',
    'requested_by',
    'staff_reason',
    'part',
    'approval_id',
  ],
  approvals: [
    'id',
    'permission',
    'subject_kind',
    'subject',
    'input',
    'preview',
    'reason',
    'requested_by',
    'requested_at',
    'decided_by',
    'decided_at',
    'decision',
    'done_at',
  ],
  refund_lines: ['refund_id', 'offer_id', 'quantity'],
  webhook_inbox: ['event_id', 'event_type', 'payload', 'received_at', 'handled_at', 'order_id'],
  tickets: [
    'id',
    'offer_id',
    'number',
    'user_id',
    'order_id',
    'source',
    'status',
    'issued_at',
    'void_reason',
  ],
  postal_entries: [
    'id',
    'number',
    'offer_id',
    'bag',
    'status',
    'refusal',
    'name',
    'address',
    'postcode',
    'city',
    'country',
    'date_of_birth',
    'email',
    'language',
    'received_on',
    'registered_at',
    'registered_by',
    'letter_at',
    'ticket_number',
    'salt',
    'person_key',
    'postcode_key',
    'words',
    'void_told_at',
    'voided_at',
    'void_letter_at',
    'erased_at',
  ],
  emails: [
    'id',
    'key',
    'kind',
    'recipient',
    'language',
    'subject',
    'body_text',
    'body_html',
    'body_ref',
    'state',
    'attempts',
    'due_at',
    'queued_at',
    'closed_at',
    'user_id',
    'erased_at',
  ],
  messages: [
    'id',
    'name',
    'email',
    'message',
    'language',
    'user_id',
    'received_at',
    'due_at',
    'state',
    'closed_as',
    'handled_by',
    'handled_at',
  ],
  message_answers: [
    'id',
    'message_id',
    'template',
    'language',
    'subject',
    'text',
    'answered_by',
    'answered_at',
  ],
  alerts: ['kind', 'subject', 'details', 'since', 'last_seen', 'resolved_at'],
  audit_log: ['id', 'entry', 'previous_hash', 'hash'],
  security_events: ['event', 'user_id', 'network', 'detail', 'at'],
  statement_differences: [
    'statement_id',
    'position',
    'difference',
    'entry',
    'transaction_id',
    'order_id',
    'ours_cents',
    'theirs_cents',
    'day',
  ],
  statements: [
    'id',
    'file_hash',
    'imported_by',
    'imported_at',
    'from_day',
    'to_day',
    'rows',
    'unbooked',
    'agreed',
    'sums',
    'found',
  ],
} as const

type Rows = BulkRows<keyof typeof COLUMNS>

export const newRows = (): Rows => new BulkRows(COLUMNS)

/** The address of a member of staff that the fill makes. */
export const staffEmail = (role: StaffRole): string => `${role}@staff.test`

interface Offer {
  id: number
  slug: string
  titles: LocalizedText
  unit: number
  total: number
  sold: number
  held: number
  post: number
  key: Buffer
  numberOf: (count: number) => number
  from: number
  end: number
  isCancelled: boolean
}

/** Text that follows from seed and name. */
const bytesOf = (seed: number, name: string): Buffer =>
  createHash('sha256').update(`${seed} ${name}`).digest()

/** Characters of order numbers. */
const CHARACTERS = '23456789ABCDEFGHJKMNPQRSTVWXYZ'
const NUMBER_LENGTH = 8
/** As many as are enough: the tables of a permutation grow with the root of its length. */
const NUMBERS = CHARACTERS.length ** 6
/** Spreads them over all characters. */
const NUMBER_STEP = 881

function numberText(value: number): string {
  let [text, rest] = ['', value]
  for (let place = 0; place < NUMBER_LENGTH; place += 1) {
    text += CHARACTERS[rest % CHARACTERS.length]
    rest = Math.floor(rest / CHARACTERS.length)
  }
  return text
}

/** Row by row the history of a shop of that size, in the order of time. @param each called after so many orders */
export async function fillHistory(
  rows: Rows,
  options: FillOptions,
  each: (orders: number) => Promise<void>,
): Promise<void> {
  const { orders, tickets, seed, until } = options
  const random = seededRandom(seed)
  const start = until.getTime() - YEARS_MS
  const step = YEARS_MS / orders
  const numbers = numberPermutation(bytesOf(seed, 'numbers'), NUMBERS)
  const number = (index: number): string => numberText((numbers(index) - 1) * NUMBER_STEP)
  const ids = idMaker(random.fork('ids'))
  const log = auditLog(rows, seed)
  const staff = new Map(STAFF_ROLES.map((role, index) => [role, index + 1]))
  const staffId = (role: StaffRole): number => staff.get(role) ?? 1

  const contests = makeOffers(options, start)
  const people = makeCustomers(rows, options, start, ids)

  // What becomes of each order is decided first, so that the tickets can be shared out to the last.
  const outcomes = outcomesOf(orders, random.fork('outcomes'))
  const paidOrders = outcomes.reduce((sum, outcome) => sum + (hasTickets(outcome) ? 1 : 0), 0)
  const postal = Math.floor(tickets * POSTAL_SHARE)
  const quantityOf = sharing(tickets - postal, paidOrders, random.fork('quantities'))

  let refunds = 0
  let approvals = 0
  let statements = 0
  let entries = 0
  const months = new Map<string, Month>()
  /** Those that staff read now. */
  const recent: string[] = []
  for (const role of STAFF_ROLES.slice(1))
    log.add(start, 'owner', 'staff.giveRole', { kind: 'staff', id: String(staffId(role)) }, { role })
  for (let index = 0; index < orders; index += 1) {
    const at =
      outcomes[index] === OUTCOME.held
        ? until.getTime() - (orders - index) * 1_000
        : Math.floor(start + (index + 0.1 + random.between(0, 80) / 100) * step)
    placeOrder(index, at)
    while (entries < Math.floor(((index + 1) * postal) / orders)) {
      registerEntry(entries, at)
      entries += 1
    }
    if (index % 5 === 0) logRead(at)
    if (index % 10 === 0 && at > until.getTime() - KEEP.messages * DAY_MS) writeMessage(index, at)
    if (index % 100 === 0 && at > until.getTime() - KEEP.alerts * DAY_MS) raiseAlert(index, at)
    if ((index + 1) % 20_000 === 0) await each(index + 1)
  }
  for (const offer of contests.all) storeOffer(offer)
  for (const [month, sums] of months) storeStatement(month, sums)
  await each(orders)

  function placeOrder(index: number, at: number): void {
    let outcome = outcomes[index] ?? 0
    const id = ids(at)
    const orderNumber = number(index)
    const buyer = people(random, at)
    const main = contests.at(at, random)
    if (hasTickets(outcome) && main.isCancelled) outcome = OUTCOME.cancelledOffer
    const isTicketed = hasTickets(outcome)
    // Too late, when the tickets were gone.
    const isLate = outcome === OUTCOME.review
    const isPaid = isTicketed || isLate
    const quantity = isTicketed ? quantityOf() : random.between(1, 9)
    const second =
      quantity > 1 && !main.isCancelled && outcome !== OUTCOME.partOfLines && random.chance(0.1)
        ? contests.otherThan(main, at)
        : undefined
    if (outcome === OUTCOME.partOfLines && quantity < 2) outcome = OUTCOME.completed
    const lines = second
      ? [
          { offer: main, quantity: quantity - Math.floor(quantity / 2) },
          { offer: second, quantity: Math.floor(quantity / 2) },
        ]
      : [{ offer: main, quantity }]
    const country = findCountry(buyer.country)!
    const percent = vatPercent(country, new Date(at))
    const sum = cents(lines.reduce((all, { offer, quantity: count }) => all + offer.unit * count, 0))
    const { subtotal, tax, total } = withTax(sum, percent, false)
    const paidAt = isLate ? at + 960_000 : at + 42_000
    const backAt = Math.min(
      until.getTime() - 1_000,
      outcome === OUTCOME.cancelledOffer
        ? main.end + random.between(60_000, DAY_MS / 4)
        : isLate
          ? paidAt + 3_000
          : outcome === OUTCOME.refunding
            ? paidAt + 60_000
            : paidAt + random.between(3_600_000, 20 * DAY_MS),
    )
    const state = STATES[outcome] ?? 'completed'
    const providerId = `4V${orderNumber}${pad(index, 7)}`
    const isHeld = outcome === OUTCOME.held
    const endedAt = isHeld ? at : isPaid ? (state === 'completed' ? paidAt : backAt) : at + 900_000
    recent[index % 500] = id
    rows.add(
      'orders',
      id,
      orderNumber,
      buyer.id,
      index + 1,
      state,
      country.code,
      isPaid ? country.code : null,
      isPaid ? country.code : null,
      buyer.language,
      subtotal,
      percent,
      tax,
      total,
      providerId,
      isPaid ? new Date(at + 40_000) : null,
      new Date(at + (isHeld ? HOLD_MS : 900_000)),
      isPaid ? new Date(at + 39_000) : null,
      new Date(at),
      new Date(endedAt),
      new Date(endedAt),
    )
    for (const { offer, quantity: count } of lines) {
      if (isHeld) offer.held += count
      const returned = outcome === OUTCOME.cancelledOffer ? count : outcome === OUTCOME.partOfLines ? 1 : 0
      rows.add(
        'order_lines',
        id,
        offer.id,
        count,
        offer.unit,
        offer.titles.fr,
        returned === count ? new Date(backAt) : null,
        returned,
      )
    }
    const move = (
      from: OrderState | null,
      to: OrderState,
      reason: string,
      when: number,
      note: string | null = null,
    ) => rows.add('order_events', id, from, to, reason, note, new Date(when))
    move(null, 'held', 'created' satisfies ReasonFor<'place'>, at)
    if (isHeld) return
    if (!isPaid) {
      move('held', state, UNPAID[outcome] ?? '', at + 900_000)
      return
    }
    move('held', 'capturing', 'capture_requested' satisfies ReasonFor<'beginCapture'>, at + 40_000)
    if (isLate) {
      move('capturing', 'held', 'provider_unavailable' satisfies ReasonFor<'returnToBuyer'>, at + 70_000)
      move('held', 'expired', 'hold_expired' satisfies ReasonFor<'expireHold'>, at + 901_000)
    } else move('capturing', 'completed', 'captured' satisfies ReasonFor<'complete'>, paidAt)

    const isVoid = state === 'refunded'
    let left = outcome === OUTCOME.partOfLines ? 1 : 0
    for (const { offer, quantity: count } of isTicketed ? lines : [])
      for (let ticket = 0; ticket < count; ticket += 1) {
        rows.add(
          'tickets',
          ids(paidAt),
          offer.id,
          nextNumber(offer),
          buyer.id,
          id,
          'paid',
          isVoid || left > 0 ? 'void' : 'valid',
          new Date(paidAt),
          isVoid || left > 0 ? 'refunded' : null,
        )
        left -= 1
      }

    const refunded = {
      [OUTCOME.refunded]: total as number,
      [OUTCOME.refunding]: total,
      [OUTCOME.review]: total,
      [OUTCOME.cancelledOffer]: total,
      [OUTCOME.partOfLines]: shareOf(total, 1, quantity),
      [OUTCOME.partOfAmount]: Math.max(1, Math.floor(total / 4)),
    }[outcome]
    const captureId = `8C${orderNumber}${pad(index, 7)}`
    rows.add(
      'captures',
      captureId,
      id,
      refunded === undefined || isLate ? 'completed' : refunded === total ? 'refunded' : 'partially_refunded',
      total,
      'EUR',
      isLate ? 0 : (refunded ?? 0),
      new Date(paidAt),
      new Date(refunded === undefined ? paidAt : backAt),
      feeOf(total),
    )
    const day = new Date(paidAt).toISOString().slice(0, 7)
    const month = months.get(day) ?? { payments: 0, cents: 0, fees: 0, first: { captureId, id, total, at } }
    months.set(day, month)
    month.payments += 1
    month.cents += total
    month.fees += feeOf(total)
    rows.add(
      'webhook_inbox',
      `WH-${orderNumber}${pad(index, 7)}`,
      'PAYMENT.CAPTURE.COMPLETED',
      '{}',
      new Date(paidAt + 1_000),
      new Date(paidAt + 1_200),
      id,
    )
    if (isTicketed)
      email(`receipt:${id}`, 'receipt', buyer, paidAt, {
        subject: 'Vos billets',
        ref: { kind: 'receipt', ref: id },
      })
    if (refunded !== undefined) {
      refunds += 1
      const isStaff = outcome !== OUTCOME.cancelledOffer && !isLate
      const reason: RefundReason = isStaff ? 'staff_request' : isLate ? 'tickets_gone' : 'offer_cancelled'
      const status = isLate ? 'failed' : state === 'refunding' ? 'pending' : 'completed'
      // By two people.
      const approval =
        isStaff && state === 'refunded' && refunds % 3 === 0 ? ask(id, total, backAt, true) : null
      const part =
        outcome === OUTCOME.partOfLines ? 'lines' : outcome === OUTCOME.partOfAmount ? 'amount' : null
      rows.add(
        'refunds',
        refunds,
        captureId,
        id,
        refunded,
        reason,
        isStaff ? 'À votre demande' : null,
        status,
        isLate ? null : `2R${orderNumber}${pad(index, 7)}`,
        new Date(backAt),
        new Date(backAt + 2_000),
        new Date(backAt + 2_000),
        isStaff ? staffId('support') : null,
        isStaff ? 'customer_request' : null,
        part,
        approval,
      )
      if (isStaff)
        log.add(
          backAt,
          approval === null ? 'support' : 'system',
          'orders.refund',
          { kind: 'order', id },
          {
            kind: part ?? 'whole',
            amount: toDecimal(cents(refunded)),
            left: toDecimal(cents(total - refunded)),
            reason: 'customer_request',
            ...(part === 'lines' && { tickets: [{ offer_id: main.id, quantity: 1 }] }),
            ...(approval !== null && { approval, requested_by: staffId('support') }),
          },
          { state: 'completed', left: toDecimal(total) },
        )
      if (part === 'lines') rows.add('refund_lines', refunds, main.id, 1)
      if (isVoid || isLate || state === 'refunding')
        move(
          isLate ? 'expired' : 'completed',
          'refunding',
          reason,
          backAt,
          isStaff ? `staff ${staffId('support')}: demandé` : null,
        )
      if (isVoid) move('refunding', 'refunded', reason, backAt + 2_000)
      if (isLate)
        move('refunding', 'review', 'refund_refused' satisfies ReasonFor<'sendToReview'>, backAt + 2_000)
      if (status === 'completed')
        email(`refund:${id}:${refunds}`, 'refund', buyer, backAt, { subject: 'Votre remboursement' })
    }
    if (isLate) rows.add('alerts', 'orderInReview', id, '{}', new Date(backAt), until, null)
    // The last day's requests wait for a second person.
    if (state === 'completed' && refunded === undefined && at > until.getTime() - DAY_MS && index % 7 === 0)
      ask(id, total, Math.min(until.getTime(), paidAt + 60_000), false)
    if (index % 50 === 0)
      rows.add(
        'order_notes',
        id,
        staffId('support'),
        'A téléphoné au sujet de sa commande.',
        new Date(paidAt + DAY_MS / 8),
      )
  }

  /** A request for a refund, which somebody else approves or has not decided yet. @returns its id */
  function ask(orderId: string, total: Cents, at: number, isApproved: boolean): number {
    approvals += 1
    const [reason, note] = ['customer_request', 'À votre demande']
    const preview = { kind: 'whole', amount: toDecimal(total), left_after: '0.00', reason }
    rows.add(
      'approvals',
      approvals,
      'orders.refund',
      'order',
      orderId,
      { orderId, refund: { wanted: { kind: 'whole' }, reason, note, seenLeft: total } },
      preview,
      note,
      staffId('support'),
      new Date(at - 60_000),
      isApproved ? staffId('manager') : null,
      isApproved ? new Date(at - 1_000) : null,
      isApproved ? 'approved' : null,
      isApproved ? new Date(at) : null,
    )
    return approvals
  }

  function nextNumber(offer: Offer): number {
    if (offer.sold >= offer.total)
      throw new Error(`contest ${offer.id} of ${offer.total} tickets is sold out`)
    const ticket = offer.numberOf(offer.sold)
    offer.sold += 1
    return ticket
  }

  function email(
    key: string,
    kind: string,
    to: { id: number; email: string; language: Language },
    at: number,
    { subject, ref }: { subject: string; ref?: object },
  ): void {
    const erasedAt = at + KEEP.emails * DAY_MS
    const isErased = erasedAt < until.getTime()
    const isEmpty = isErased || ref !== undefined
    rows.add(
      'emails',
      ids(at),
      key,
      kind,
      isErased ? ERASED_EMAIL : to.email,
      to.language,
      isErased ? '-' : subject,
      isEmpty ? '' : subject,
      isEmpty ? '' : `<p>${subject}</p>`,
      isErased ? null : (ref ?? null),
      'sent',
      1,
      new Date(at),
      new Date(at),
      new Date(at + 2_000),
      to.id,
      isErased ? new Date(erasedAt) : null,
    )
  }

  function registerEntry(index: number, at: number): void {
    const offer = contests.at(at, random)
    const person = personOf(index)
    const id = ids(at)
    const isMailed = index % 4 === 0
    const day = new Date(at).toISOString().slice(0, 10)
    const ticket = nextNumber(offer)
    offer.post += 1
    rows.add(
      'tickets',
      ids(at),
      offer.id,
      ticket,
      null,
      null,
      'postal',
      offer.isCancelled ? 'void' : 'valid',
      new Date(at),
      offer.isCancelled ? 'refunded' : null,
    )
    // Before the first of them, no other entry has this person in this contest.
    const key = createHash('sha256').update(
      personText({ ...person, address: [person.street], country: 'BE' }),
    )
    entry(id, index, offer, { day, at, person, isMailed }, [
      'entered',
      null,
      ticket,
      bytesOf(seed, `salt ${index}`),
      key.digest(),
    ])
    log.add(
      at,
      'postal',
      'post.register',
      { kind: 'postalEntry', id },
      { offer: offer.id, received_on: day, number: ticket },
    )
    if (index % 10 === 0)
      entry(ids(at), postal + index, offer, { day, at, person, isMailed }, [
        'refused',
        'illegible',
        null,
        null,
        null,
      ])
  }

  function entry(
    id: string,
    index: number,
    offer: Offer,
    { day, at, person, isMailed }: { day: string; at: number; person: Person; isMailed: boolean },
    [status, refusal, ticket, salt, key]: [
      string,
      string | null,
      number | null,
      Buffer | null,
      Buffer | null,
    ],
  ): void {
    const erasedAt = offer.end + (offer.isCancelled ? 30 : KEEP.post) * DAY_MS
    const isErased = erasedAt < until.getTime()
    const isVoid = offer.isCancelled && status === 'entered'
    const known = <Value>(value: Value): Value | null => (isErased ? null : value)
    rows.add(
      'postal_entries',
      id,
      `P${number(orders + index)}`,
      offer.id,
      bagOf(seed, Math.floor(index / 40)),
      status,
      refusal,
      known(person.name),
      known([person.street]),
      known(person.postcode),
      known(person.city),
      known('BE'),
      known(person.dateOfBirth),
      isMailed ? known(`post.${index}@customers.test`) : null,
      'fr',
      day,
      new Date(at),
      staffId('postal'),
      // Letters of the last days wait for the printer.
      isMailed || at > until.getTime() - 3 * DAY_MS ? null : new Date(at + DAY_MS / 2),
      ticket,
      salt,
      known(key),
      known(postcodeKey(person.postcode)),
      isErased ? '' : searchWords(person.name, person.postcode, person.city),
      isVoid && isMailed ? new Date(offer.end + 3_600_000) : null,
      isVoid ? new Date(offer.end) : null,
      isVoid && !isMailed ? new Date(offer.end + DAY_MS / 2) : null,
      isErased ? new Date(erasedAt) : null,
    )
  }

  function logRead(at: number): void {
    const role = random.pick(['owner', 'manager', 'support', 'support', 'support'] as const)
    if (random.chance(0.5))
      log.add(at, role, 'customers.read', { kind: 'customer', id: String(people(random, at).id) }, null)
    else log.add(at, role, 'orders.read', { kind: 'order', id: random.pick(recent) }, null)
  }

  function writeMessage(index: number, at: number): void {
    const writer = people(random, at)
    const id = ids(at)
    // The last day's are open.
    const isOpen = at > until.getTime() - DAY_MS
    const doneAt = at + random.between(600_000, DAY_MS / 2)
    const isAnswered = !isOpen && index % 100 !== 0
    rows.add(
      'messages',
      id,
      writer.username,
      writer.email,
      'Bonjour, je ne trouve pas mes billets. Pouvez-vous m’aider ?',
      writer.language,
      writer.id,
      new Date(at),
      new Date(at + DAY_MS),
      isOpen ? 'open' : isAnswered ? 'answered' : 'closed',
      isOpen || isAnswered ? null : 'spam',
      isOpen ? null : staffId('support'),
      isOpen ? null : new Date(doneAt),
    )
    if (!isAnswered) return
    const answer = ids(doneAt)
    rows.add(
      'message_answers',
      answer,
      id,
      'own',
      writer.language,
      'Vos billets',
      'Vos billets sont dans « Mes participations ».',
      staffId('support'),
      new Date(doneAt),
    )
    email(`message-answer:${answer}`, 'message-answer', writer, doneAt, { subject: 'Vos billets' })
  }

  function raiseAlert(index: number, at: number): void {
    const seen = new Date(at + 600_000)
    const kind = random.pick(['manyHolds', 'paymentUnclear', 'refundRefused', 'emailsWaiting'] as const)
    rows.add('alerts', kind, `filled-${index}`, '{}', new Date(at), seen, seen)
  }

  function storeStatement(month: string, { payments, cents: gross, fees, first: one }: Month): void {
    const [first, next] = [new Date(`${month}-01`), new Date(`${month}-01`)]
    next.setUTCMonth(next.getUTCMonth() + 1)
    const last = new Date(next.getTime() - DAY_MS)
    if (first.getTime() < start || next.getTime() > until.getTime()) return
    statements += 1
    rows.add(
      'statements',
      statements,
      bytesOf(seed, `statement ${month}`),
      staffId('accountant'),
      next,
      first.toISOString().slice(0, 10),
      last.toISOString().slice(0, 10),
      payments,
      0,
      payments - 1,
      JSON.stringify([
        {
          kind: 'payment',
          type: 'T0006',
          currency: 'EUR',
          count: payments,
          gross,
          fee: -fees,
          net: gross - fees,
        },
      ]),
      JSON.stringify([{ difference: 'fee', at_edge: false, count: 1, cents: 1 }]),
    )
    rows.add(
      'statement_differences',
      statements,
      1,
      'fee',
      'payment',
      one.captureId,
      one.id,
      feeOf(one.total),
      feeOf(one.total) + 1,
      new Date(one.at).toISOString().slice(0, 10),
    )
  }

  function storeOffer(offer: Offer): void {
    const { id, titles, end } = offer
    const state = offer.isCancelled ? 'cancelled' : end > until.getTime() ? 'open' : 'closed'
    const [from, over] = [new Date(offer.from), new Date(end)]
    const reserve = Math.min(offer.total - 1, Math.ceil((offer.total * RESERVE_PERCENT) / 100))
    const isOver = offer.isCancelled ? over : null
    rows.add(
      'offers',
      id,
      offer.slug,
      JSON.stringify(titles),
      offer.unit,
      offer.total,
      offer.sold,
      offer.isCancelled ? new Date(end + 30 * DAY_MS) : over,
      offer.key,
      from,
      isOver,
      offer.isCancelled ? 'Le véhicule n’est plus disponible' : null,
      isOver && new Date(end + DAY_MS),
      new Date(end + ((offer.isCancelled ? 30 : 0) + DRAW_AFTER_DAYS) * DAY_MS),
      offer.held,
      state,
      from,
      offer.sold > 0 ? from : null,
      4_500_000,
      RESERVE_PERCENT,
      Math.min(reserve, offer.post),
    )
    const moves = [
      ['create', null, 'draft', from],
      ['publish', 'draft', 'open', from],
      ...(state === 'open' ? [] : [[state === 'closed' ? 'close' : 'cancel', 'open', state, over] as const]),
    ] as const
    for (const [event, before, after, at] of moves)
      rows.add('offer_events', id, event, before, after, 'system', null, at)
  }
}

interface Month {
  payments: number
  cents: number
  fees: number
  first: { captureId: string; id: string; total: number; at: number }
}

/** What the provider keeps of a payment. */
const feeOf = (total: number): number => Math.round(total * 0.029) + 35

/** What becomes of an order. */
const OUTCOME = {
  completed: 0,
  expired: 1,
  cancelled: 2,
  superseded: 3,
  refunded: 4,
  partOfLines: 5,
  partOfAmount: 6,
  review: 7,
  cancelledOffer: 8,
  held: 9,
  refunding: 10,
} as const

const STATES: Partial<Record<number, OrderState>> = {
  [OUTCOME.expired]: 'expired',
  [OUTCOME.cancelled]: 'cancelled',
  [OUTCOME.superseded]: 'superseded',
  [OUTCOME.refunded]: 'refunded',
  [OUTCOME.cancelledOffer]: 'refunded',
  [OUTCOME.review]: 'review',
  [OUTCOME.held]: 'held',
  [OUTCOME.refunding]: 'refunding',
}

/** Why an order that was never paid was given up. */
const UNPAID: Partial<Record<number, string>> = {
  [OUTCOME.expired]: 'hold_expired' satisfies ReasonFor<'expireHold'>,
  [OUTCOME.cancelled]: 'buyer_cancelled' satisfies ReasonFor<'cancel'>,
  [OUTCOME.superseded]: 'hold_replaced' satisfies ReasonFor<'supersede'>,
}

const hasTickets = (outcome: number): boolean =>
  UNPAID[outcome] === undefined && outcome !== OUTCOME.held && outcome !== OUTCOME.review

/** Of ten thousand orders. */
const SHARES: readonly (readonly [outcome: number, share: number])[] = [
  [OUTCOME.expired, 600],
  [OUTCOME.cancelled, 200],
  [OUTCOME.superseded, 400],
  [OUTCOME.refunded, 150],
  [OUTCOME.partOfLines, 50],
  [OUTCOME.partOfAmount, 50],
  [OUTCOME.review, 1],
]

function outcomesOf(orders: number, random: Random): Uint8Array {
  const outcomes = new Uint8Array(orders)
  for (let index = 0; index < orders; index += 1) {
    let place = random.between(0, 9_999)
    for (const [outcome, share] of SHARES) {
      if (place < share) {
        outcomes[index] = outcome
        break
      }
      place -= share
    }
  }
  // Each of them, however few orders there are.
  for (const [place, [outcome]] of SHARES.entries()) outcomes[Math.floor(orders / 2) + place] = outcome
  // What is open is new.
  const held = Math.max(3, Math.min(200, Math.floor(orders / 5_000)))
  const refunding = Math.max(2, Math.min(50, Math.floor(orders / 20_000)))
  outcomes.fill(OUTCOME.refunding, -held - refunding, -held)
  outcomes.fill(OUTCOME.held, -held)
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

const pad = (value: number, length: number): string => value.toString(36).toUpperCase().padStart(length, '0')

/** Ids of version 7 that follow from the seed. */
function idMaker(random: Random): (at: number) => string {
  const word = (): string => random.between(0, 0xff_ff_ff_ff).toString(16).padStart(8, '0')
  return (at) => {
    const time = Math.floor(at).toString(16).padStart(12, '0')
    const [one, two] = [word(), word()]
    return `${time.slice(0, 8)}-${time.slice(8)}-7${one.slice(0, 3)}-8${one.slice(3, 6)}-${one.slice(6)}${two}${word().slice(0, 2)}`
  }
}

const bagOf = (seed: number, bag: number): string =>
  bytesOf(seed, `bag ${bag}`)
    .toString('hex')
    .replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, '$1-$2-4$3-8$4-$5')

function makeOffers({ orders, tickets, seed }: FillOptions, start: number) {
  const turns = Math.max(6, Math.min(60, Math.round(orders / ORDERS_OF_CONTEST)))
  const turn = YEARS_MS / turns
  const random = seededRandom(seed).fork('contests')
  let id = 0
  const offer = (from: number, end: number, expected: number, isCancelled: boolean): Offer => {
    id += 1
    const total = Math.ceil((expected * 1.5 + 500) / 1_000) * 1_000
    const key = bytesOf(seed, `contest ${id}`)
    return {
      id,
      slug: `voiture-${id}`,
      titles: { fr: `Voiture ${id}`, nl: `Auto ${id}`, en: `Car ${id}` },
      unit: random.pick(PRICES),
      total,
      sold: 0,
      held: 0,
      post: 0,
      key,
      numberOf: numberPermutation(key, total),
      from,
      end,
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
  return {
    all: [...inTurn, tenth, hundredth],
    at(at: number, chances: Random): Offer {
      const share = chances.between(0, 9_999) / 10_000
      if (share < LONG_RUN.tenth) return tenth
      if (share < LONG_RUN.tenth + LONG_RUN.hundredth) return hundredth
      const now = Math.min(turns - 1, Math.floor((at - start) / turn))
      return inTurn[now + chances.between(0, TURNS - 1)] ?? tenth
    },
    otherThan(main: Offer, at: number): Offer {
      if (main !== tenth) return tenth
      const now = Math.min(turns - 1, Math.floor((at - start) / turn))
      return inTurn.slice(now, now + TURNS).find((one) => !one.isCancelled) ?? hundredth
    },
  }
}

interface Customer {
  id: number
  username: string
  email: string
  language: Language
  country: string
}

const COUNTRIES = ['BE', 'BE', 'BE', 'FR', 'NL', 'LU', 'DE']

/** Stores staff and customers. @returns gives a random one of those who were registered at a time */
function makeCustomers(
  rows: Rows,
  { customers, passwordHash, seed, until }: FillOptions,
  start: number,
  ids: (at: number) => string,
): (random: Random, at: number) => Customer {
  for (const [index, role] of STAFF_ROLES.entries())
    rows.add(
      'users',
      index + 1,
      `staff-${role}`,
      staffEmail(role),
      passwordHash,
      '',
      'fr',
      new Date(start),
      true,
      role,
      new Date(start),
      null,
    )
  const first = STAFF_ROLES.length + 1
  const isClosed = (index: number): boolean => index % 2_000 === 19
  const isSuspended = (index: number): boolean => index % 1_000 === 23
  const suspendedAt = until.getTime() - 20 * DAY_MS
  const customer = (index: number): Customer => {
    const id = first + index
    const person = personOf(index)
    const username = isClosed(index)
      ? ` erased ${id}`
      : `${plain(person.first)}.${plain(person.last)}.${index}`
    return {
      id,
      username,
      email: isClosed(index) ? `erased-${id}@erased.invalid` : `${username}@customers.test`,
      language: LANGUAGES[index % LANGUAGES.length] ?? 'fr',
      country: COUNTRIES[index % COUNTRIES.length] ?? 'BE',
    }
  }
  const step = YEARS_MS / customers
  const random = seededRandom(seed).fork('customers')
  for (let index = 0; index < customers; index += 1) {
    const { id, username, email, language } = customer(index)
    // The first ones are there when the first orders come.
    const at = new Date(start + Math.max(0, index - 10) * step)
    const phone = isClosed(index) ? '' : `+324${String(70_000_000 + index)}`
    rows.add(
      'users',
      id,
      username,
      email,
      isClosed(index) ? 'none' : '!',
      phone,
      language,
      isClosed(index) ? null : at,
      !isSuspended(index) && !isClosed(index),
      null,
      at,
      isClosed(index) ? until : null,
    )
    if (isSuspended(index))
      rows.add(
        'account_suspensions',
        id,
        'fraud',
        'Cartes volées',
        1,
        new Date(Math.max(at.getTime() + 60_000, suspendedAt)),
      )
    const loggedIn = Math.max(at.getTime(), until.getTime() - random.between(1, KEEP.security) * DAY_MS)
    const network = bagOf(0, index).replaceAll('-', '')
    if (!isClosed(index)) rows.add('security_events', 'login', id, network, 'password', new Date(loggedIn))
    if (index % 4 === 0 && !isClosed(index))
      rows.add('security_events', 'login_failed', id, network, null, new Date(loggedIn - 20_000))
    if (index % 3 === 0 && !isClosed(index) && !isSuspended(index))
      rows.add(
        'sessions',
        ids(at.getTime()),
        id,
        bytesOf(0, `session ${index}`),
        at,
        new Date(until.getTime() - DAY_MS),
        new Date(until.getTime() + 30 * DAY_MS),
        'Firefox',
        'Windows',
      )
  }
  return (chances, at) => {
    const there = Math.max(1, Math.min(customers, Math.floor((at - start) / step)))
    let index = chances.between(0, there - 1)
    while (isClosed(index) || (isSuspended(index) && at > suspendedAt - DAY_MS)) index -= 1
    return customer(index)
  }
}

/** The chain of the audit log, as its trigger makes it. */
function auditLog(rows: Rows, seed: number) {
  let last = 0
  let previous = createHash('sha256').update('volant-audit-v1').digest()
  return {
    add(
      at: number,
      by: StaffRole | 'system',
      action: string,
      subject: { kind: string; id: string },
      after: object | null,
      before: object | null = null,
    ): void {
      const role = by === 'system' ? null : by
      const entry = JSON.stringify({
        at_ms: Math.floor(at),
        actor_id: role && STAFF_ROLES.indexOf(role) + 1,
        actor: role ? `staff-${role}` : by,
        role,
        session: role && bagOf(seed, STAFF_ROLES.indexOf(role)),
        network: null,
        action,
        subject_kind: subject.kind,
        subject: subject.id,
        before,
        after,
        reason: null,
      })
      const hash = createHash('sha256').update(previous).update(entry).digest()
      last += 1
      rows.add('audit_log', last, entry, previous, hash)
      previous = hash
    },
  }
}
