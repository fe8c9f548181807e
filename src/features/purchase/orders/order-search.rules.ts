import { readOrderNumber } from '#shared/order-number.ts'
import { readTicket } from '#shared/staff-search.ts'
import { asAddress } from '#shared/email-address.ts'
import { compactPhone } from '#shared/phone.ts'
import { cleanLine } from '#shared/typed-text.ts'
import { readAmount } from '#shared/typed-amount.ts'

/** What a text in the search box may be; each is looked up by an index of its own. */
export type SearchTerm =
  /** Of an order or a ticket. */
  | { by: 'id'; id: string }
  | { by: 'number'; number: string }
  /** The provider's id of an order, capture or refund. */
  | { by: 'provider'; ids: string[] }
  /** The beginning of an address, or all of it. */
  | { by: 'email'; begins: string }
  /** The beginning of a name, or that of any of its words. */
  | { by: 'username'; begins: string }
  /** The last digits of a phone number. */
  | { by: 'phone'; digits: string }
  /** Of one contest when words of its title or address are given. */
  | { by: 'ticket'; number: number; contest?: string }

const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
const DIGITS = /^0*([1-9]\d{0,7})$/
/** At least two letters, since one finds everybody. */
const BEGINNING = 2
const PROVIDER_ID = /^[A-Za-z0-9-]{8,64}$/
/** As receipts and tickets print numbers: "Order K7QM-2F9P", "N° 00042". */
const LABELLED = /^(?:\p{L}+|n[°º]|n[or]\.)\s*:?\s+(?<value>[\dA-Z-]{1,9})$/iu
/** "02434, 10631" */
const NUMBERS = /^\d{1,8}(\s*,\s*\d{1,8})+$/
const NUMBERS_MOST = 5
const PHONE = /^\+?\d{6,15}$/

/** Reads a text by its shape. A text may be several things: "23456789" is an order number, a ticket and a phone number. */
export function readSearch(typed: string): SearchTerm[] {
  const text = cleanLine(typed)
  const terms: SearchTerm[] = []
  if (ID.test(text)) return [{ by: 'id', id: text.toLowerCase() }]
  const ticket = readTicket(text)
  if (ticket) return [{ by: 'ticket', ...ticket }]
  const value = LABELLED.exec(text)?.groups?.['value'] ?? text
  const number = readOrderNumber(value)
  if (number !== undefined) terms.push({ by: 'number', number })
  if (PROVIDER_ID.test(text)) terms.push({ by: 'provider', ids: [...new Set([text, text.toUpperCase()])] })
  for (const one of NUMBERS.test(text) ? text.split(',').slice(0, NUMBERS_MOST) : [value]) {
    const digits = DIGITS.exec(one.trim())?.[1]
    if (digits !== undefined) terms.push({ by: 'ticket', number: Number(digits) })
  }
  const phone = compactPhone(text)
  if (PHONE.test(phone)) terms.push({ by: 'phone', digits: phone.replace(/^(?:\+|0+)/, '') })
  if (text.length < BEGINNING) return terms
  if (!/\s/.test(text)) terms.push({ by: 'email', begins: asAddress(text).toLowerCase() })
  if (!text.includes('@')) terms.push({ by: 'username', begins: text.toLowerCase() })
  return terms
}

/** With its cents: a whole number may be an order, a ticket or a phone. */
const WITH_CENTS = /[.,]\d\d\s*(?:€|eur)?$/i
const DAY = /^(?<day>\d{1,2})[/.-](?<month>\d{1,2})[/.-](?<year>\d{4})$/

/** The filters of the list of orders that a text means: an amount, or the day of an order. Neither has an index to search. */
export function filtersIn(typed: string): Record<string, string> | undefined {
  const text = typed.trim()
  const amount = WITH_CENTS.test(text) ? readAmount(text) : undefined
  if (amount && 'decimal' in amount) return { min: amount.decimal, max: amount.decimal }
  const { day = '', month = '', year = '' } = DAY.exec(text)?.groups ?? {}
  const date = `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`
  const isDay = !Number.isNaN(Date.parse(date)) && new Date(date).toISOString().startsWith(date)
  return isDay ? { from: date, to: date } : undefined
}
