import { isCountry, isEmail } from './buyers.ts'
import type { Book } from './book.ts'
import type { Capture, Order, Refund } from './model.ts'
import { formatAmount } from './money.ts'
import { stamp } from './orders.ts'
import { compact, createReader } from './requests.ts'

/** Orders that were made and paid before the emulator began, with what became of their money. */
export type PastOrder = { order: Order; captures: Capture[]; refunds: Refund[] }

const most = 10_000
const currency = 'EUR'

/**
 * Reads `{orders: [{id, reference, invoice, description, cents, at, payer: {email, country}?, captures: [{id, cents, at,
 * refunds: [{id, cents, at, note?}], pending?}]?}]}`, amounts in cents of euros. An order of the book may be sent again; otherwise
 * each id is new. Gathers every fault before it refuses the whole.
 */
export function readPastOrders(book: Book, body: unknown): PastOrder[] {
  const reader = createReader()
  const root = reader.object(body, '')
  const list = reader.list(root, 'orders', '/orders', most)
  const orders = list.map((raw, index) => readOrder(reader, raw, `/orders/${index}`))
  checkIds(reader, orders, book)
  reader.finish()
  return orders
}

type Reader = ReturnType<typeof createReader>
type Json = Record<string, unknown>

function fieldsOf(reader: Reader, raw: Json, field: string) {
  const text = (key: string, max: number): string =>
    reader.text(raw, key, `${field}/${key}`, { required: true, max }) ?? ''
  return {
    text,
    id: (): string => {
      const id = text('id', 17)
      if (id && !/^[0-9A-Z]{17}$/.test(id)) reader.add('INVALID_PARAMETER_VALUE', `${field}/id`, id)
      return id
    },
    cents: (): number => {
      const { cents } = raw
      if (typeof cents === 'number' && Number.isSafeInteger(cents) && cents > 0) return cents
      reader.add('INVALID_PARAMETER_VALUE', `${field}/cents`)
      return 0
    },
    at: (): string => {
      const at = new Date(text('at', 40))
      if (!Number.isNaN(at.getTime())) return stamp(at)
      reader.add('INVALID_PARAMETER_VALUE', `${field}/at`)
      return ''
    },
    /** An optional list. */
    rows: (key: string): unknown[] =>
      raw[key] === undefined ? [] : reader.list(raw, key, `${field}/${key}`, most),
  }
}

function readOrder(reader: Reader, value: unknown, field: string): PastOrder {
  const raw = reader.object(value, field)
  const { id, text, cents, at, rows } = fieldsOf(reader, raw, field)
  const made = { id: id(), cents: cents(), at: at() }
  const unit = {
    reference_id: 'default',
    amount: { currency_code: currency, value: formatAmount(made.cents, currency) },
    description: text('description', 127),
    custom_id: text('reference', 127),
    invoice_id: text('invoice', 127),
  }
  const payer = raw['payer'] === undefined ? undefined : readPayer(reader, raw['payer'], `${field}/payer`)
  const paid = rows('captures').map((one, index) =>
    readCapture(reader, one, `${field}/captures/${index}`, { orderId: made.id, unit }),
  )
  if (paid.length > 0 && !payer) reader.missing(`${field}/payer`)
  if (made.cents > 0 && paid.reduce((sum, { capture }) => sum + capture.cents, 0) > made.cents)
    reader.add('INVALID_PARAMETER_VALUE', `${field}/captures`)
  const captures = paid.map(({ capture }) => capture)
  const order: Order = compact({
    id: made.id,
    status: captures.length > 0 ? 'COMPLETED' : payer ? 'APPROVED' : 'CREATED',
    units: [unit],
    context: {},
    funding: 'paypal',
    created: made.at,
    updated: captures.at(-1)?.created ?? made.at,
    payer,
    captureIds: captures.map((one) => one.id),
    declines: 0,
    failures: 0,
  })
  return { order, captures, refunds: paid.flatMap(({ refunds }) => refunds) }
}

function checkIds(reader: Reader, past: readonly PastOrder[], book: Book): void {
  const seen = new Set<string>()
  const check = (
    kind: 'orders' | 'captures' | 'refunds',
    id: string,
    field: string,
    isKnown: boolean,
  ): void => {
    const isTaken = seen.has(`${kind} ${id}`) || (!isKnown && book[kind].has(id))
    if (id && isTaken) reader.add('INVALID_PARAMETER_VALUE', `${field}/id`, id)
    seen.add(`${kind} ${id}`)
  }
  for (const [index, { order, captures, refunds }] of past.entries()) {
    const field = `/orders/${index}`
    const isKnown = book.orders.has(order.id)
    check('orders', order.id, field, isKnown)
    for (const [at, { id }] of captures.entries()) {
      check('captures', id, `${field}/captures/${at}`, isKnown)
      for (const [part, refund] of refunds.filter(({ captureId }) => captureId === id).entries())
        check('refunds', refund.id, `${field}/captures/${at}/refunds/${part}`, isKnown)
    }
  }
}

function readPayer(reader: Reader, value: unknown, field: string): NonNullable<Order['payer']> {
  const raw = reader.object(value, field)
  const { text } = fieldsOf(reader, raw, field)
  const [email, country] = [text('email', 254), text('country', 2)]
  if (email && !isEmail(email)) reader.add('INVALID_PARAMETER_VALUE', `${field}/email`, email)
  if (country && !isCountry(country)) reader.add('INVALID_PARAMETER_VALUE', `${field}/country`, country)
  return { email, instrument: 'default', country }
}

function readCapture(
  reader: Reader,
  value: unknown,
  field: string,
  { orderId, unit }: { orderId: string; unit: Order['units'][number] },
): { capture: Capture; refunds: Refund[] } {
  const raw = reader.object(value, field)
  const isPending = raw['pending'] === true
  const { id, cents, at, rows } = fieldsOf(reader, raw, field)
  const names = compact({ customId: unit.custom_id, invoiceId: unit.invoice_id })
  const capture: Capture = {
    id: id(),
    orderId,
    reference: unit.reference_id,
    status: 'COMPLETED',
    cents: cents(),
    currency,
    refunded: 0,
    ...names,
    created: at(),
    updated: '',
  }
  const refunds = rows('refunds').map((one, index): Refund => {
    const part = `${field}/refunds/${index}`
    const raw = reader.object(one, part)
    const refund = fieldsOf(reader, raw, part)
    return compact({
      id: refund.id(),
      captureId: capture.id,
      orderId,
      kind: 'refund' as const,
      cents: refund.cents(),
      currency,
      note: reader.text(raw, 'note', `${part}/note`, { max: 255 }),
      ...names,
      created: refund.at(),
    })
  })
  const refunded = refunds.reduce((sum, one) => sum + one.cents, 0)
  if (refunded > capture.cents) reader.add('INVALID_PARAMETER_VALUE', `${field}/refunds`)
  if (isPending) {
    if (refunds.length > 0) reader.add('INVALID_PARAMETER_VALUE', `${field}/pending`)
    return {
      capture: { ...capture, status: 'PENDING', reason: 'PENDING_REVIEW', updated: capture.created },
      refunds,
    }
  }
  const status = refunded === 0 ? 'COMPLETED' : refunded < capture.cents ? 'PARTIALLY_REFUNDED' : 'REFUNDED'
  const updated = refunds.at(-1)?.created ?? capture.created
  return { capture: { ...capture, status, refunded, updated }, refunds }
}

/** Adds them to the book without telling the shop; what the book has stays as it is. @returns how many are new */
export function addPastOrders(book: Book, past: readonly PastOrder[]): number {
  const unknown = past.filter(({ order }) => !book.orders.has(order.id))
  for (const { order, captures, refunds } of unknown) {
    for (const capture of captures) book.insert('capture', capture.id, capture)
    for (const refund of refunds) book.insert('refund', refund.id, refund)
    book.insert('order', order.id, order)
  }
  return unknown.length
}
