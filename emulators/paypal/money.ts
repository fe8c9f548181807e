/** Decimal texts to integers in the smallest unit and back, without floats. */
import type { Unit } from './model.ts'

const withoutDecimals = new Set(['JPY', 'HUF', 'TWD'])
const supported = new Set(
  'AUD BRL CAD CNY CZK DKK EUR HKD HUF ILS JPY MYR MXN TWD NZD NOK PHP PLN GBP SGD SEK CHF THB USD'.split(
    ' ',
  ),
)

export const isSupportedCurrency = (code: string): boolean => supported.has(code)

/** Number of decimals PayPal allows for a currency. */
const decimalsOf = (currency: string): 0 | 2 => (withoutDecimals.has(currency) ? 0 : 2)

export type Parsed = { ok: true; cents: number } | { ok: false; why: 'syntax' | 'precision' | 'negative' }

/** Reads `10`, `10.5` or `10.50`; more digits than the currency has are a precision fault. */
export function parseAmount(value: string, currency: string): Parsed {
  const parts = /^(-?)(\d{1,10})(?:\.(\d+))?$/.exec(value)
  if (!parts) return { ok: false, why: 'syntax' }
  if (parts[1]) return { ok: false, why: 'negative' }
  const decimals = decimalsOf(currency)
  const fraction = parts[3] ?? ''
  if (fraction.length > decimals) return { ok: false, why: 'precision' }
  const scaled = `${parts[2]}${fraction.padEnd(decimals, '0')}`
  return { ok: true, cents: Number(scaled) }
}

/** 1234 EUR cents as `12.34`. */
export function formatAmount(cents: number, currency: string): string {
  const decimals = decimalsOf(currency)
  if (decimals === 0) return String(cents)
  const sign = cents < 0 ? '-' : ''
  const digits = String(Math.abs(cents)).padStart(decimals + 1, '0')
  return `${sign}${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`
}

export const toMoney = (cents: number, currency: string) => ({
  currency_code: currency,
  value: formatAmount(cents, currency),
})

/** The seller's fee: 2.9 percent, rounded half up, plus 35 of the smallest unit, never more than the gross. */
export function feeOf(cents: number): number {
  const fee = Math.floor((cents * 29 + 500) / 1000) + 35
  return Math.min(fee, cents)
}

/** Smallest units of a purchase unit's amount, which was checked when the order was made. */
export function centsOf(unit: Unit): number {
  const parsed = parseAmount(unit.amount.value, unit.amount.currency_code)
  if (!parsed.ok) throw new RangeError(`order holds an amount that is not one: ${unit.amount.value}`)
  return parsed.cents
}
