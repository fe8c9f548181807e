import { type Cents, parseEur } from '#shared/money.ts'
import type { CreateOrderBody, SentLine } from './orders.contract.ts'

export interface PricedLine {
  itemId: number
  offerId: number
  quantity: number
  unit: Cents
}

/** Whether the client showed this total and these lines. */
export function shownIsCharged(body: CreateOrderBody, lines: readonly PricedLine[], total: Cents): boolean {
  if (body.expected_total !== undefined && toCents(body.expected_total) !== total) return false
  const sent = sentLines(body.cart)
  if (!sent) return true
  if (sent.length !== lines.length) return false
  const meant = sent.map((line) => candidates(line, lines).filter((priced) => sameLine(line, priced)))
  return (
    meant.every((some) => some.length > 0) && lines.every((one) => meant.some((some) => some.includes(one)))
  )
}

function sentLines(cart: CreateOrderBody['cart']): readonly SentLine[] | undefined {
  if (!Array.isArray(cart)) return cart?.items
  return cart.flatMap((entry) => ('items' in entry ? entry.items : [entry]))
}

/** The lines that a sent one may mean, by offer, cart item or offer id; all when it names none. */
function candidates(line: SentLine, lines: readonly PricedLine[]): readonly PricedLine[] {
  const id = Number(line.id)
  const named = lines.filter((priced) =>
    line.offer ? priced.offerId === line.offer.id : priced.itemId === id || priced.offerId === id,
  )
  return named.length > 0 || line.offer ? named : lines
}

function sameLine(line: SentLine, priced: PricedLine): boolean {
  const shown = line.offer ? line.offer.ticket_price : line.unit_amount
  const unit = typeof shown === 'object' ? shown.value : shown
  return (
    (unit === undefined || toCents(unit) === priced.unit) &&
    (line.quantity === undefined || Number(line.quantity) === priced.quantity)
  )
}

function toCents(amount: string | number): Cents | undefined {
  try {
    return parseEur(String(amount))
  } catch {
    return undefined
  }
}
