/** Whole euro cents. Only this file makes them, so that no float becomes money. */
export type Cents = number & { readonly unit: 'eur-cents' }

/** The largest amount one order may reach: 9,999,999.99 EUR. */
export const MAX_CENTS = 999_999_999

/** The largest price of a ticket and a line; its VAT still fits into MAX_CENTS. A CHECK has the same limit. */
export const MAX_PRICE_CENTS = 499_999_999

/** Brands cents. @throws RangeError unless it is a whole number from 0 to MAX_CENTS */
export function cents(value: number): Cents {
  if (!Number.isSafeInteger(value) || value < 0 || value > MAX_CENTS) {
    throw new RangeError(`not an amount in cents: ${value}`)
  }
  return value as Cents
}

/** Reads a decimal euro text ("4.90", "5", "5.1") without a float. @throws RangeError for any other text */
export function parseEur(text: string): Cents {
  const parts = /^(\d{1,7})(?:\.(\d{1,2}))?$/.exec(text.trim())
  if (!parts) throw new RangeError(`not a euro amount: ${text}`)
  return cents(Number(parts[1]) * 100 + Number((parts[2] ?? '').padEnd(2, '0')))
}

/** Decimal text for API and payment provider: 490 gives "4.90". */
export function toDecimal(amount: Cents): string {
  const digits = String(amount).padStart(3, '0')
  return `${digits.slice(0, -2)}.${digits.slice(-2)}`
}

/** Cents of many orders, which may exceed an amount or be below zero, as decimal text. */
export const sumToDecimal = (sum: number): string =>
  sum < 0 ? `-${toDecimal(-sum as Cents)}` : toDecimal(sum as Cents)

export const addCents = (...amounts: readonly Cents[]): Cents =>
  cents(amounts.reduce((sum, one) => sum + one, 0))

export const timesCents = (unit: Cents, quantity: number): Cents => cents(unit * quantity)

/** A percentage of an amount, half a cent rounded up. @param percent at most two decimals (21, 25.5, 8.1) */
export function percentOf(amount: Cents, percent: number): Cents {
  return divideHalfUp(amount * hundredths(percent), 10_000)
}

/** The tax contained in a gross amount, half a cent rounded up. @param percent rate */
export function percentWithin(gross: Cents, percent: number): Cents {
  const rate = hundredths(percent)
  return cents(gross - divideHalfUp(gross * 10_000, 10_000 + rate))
}

/** `amount * part / whole`, half a cent rounded up, for `part` <= `whole`. */
export function shareOf(amount: Cents, part: number, whole: number): Cents {
  // The product may exceed the safe integers.
  const [dividend, divisor] = [BigInt(amount) * BigInt(part), BigInt(whole)]
  return cents(Number((2n * dividend + divisor) / (2n * divisor)))
}

/**
 * Tax in a part of an amount, such as a refund. However often parts are taken, their taxes add up to that of the whole.
 * @param before the parts taken before this one
 */
export function taxInPart(whole: { total: number; tax: number }, before: number, part: number): Cents {
  const taxUntil = (taken: number): number =>
    whole.total === 0 ? 0 : shareOf(cents(whole.tax), Math.min(taken, whole.total), whole.total)
  return cents(taxUntil(before + part) - taxUntil(before))
}

const hundredths = (percent: number): number => Math.round(percent * 100)

const divideHalfUp = (dividend: number, divisor: number): Cents =>
  cents(Math.floor((2 * dividend + divisor) / (2 * divisor)))

/** Runs a calculation, and throws `refuse()` when it leaves the range of an amount. */
export function withinRange<Result>(calculate: () => Result, refuse: () => Error): Result {
  try {
    return calculate()
  } catch (error) {
    throw error instanceof RangeError ? refuse() : error
  }
}
