/** An amount of euro in whole cents. Made only by the functions of this file, so that no float is ever money. */
export type Cents = number & { readonly unit: 'eur-cents' }

/** The largest amount one order may reach: 9,999,999.99 EUR. */
export const MAX_CENTS = 999_999_999

/** The largest price of a ticket, and of a line: its VAT, whatever the rate, fits beside it. A CHECK holds the same. */
export const MAX_PRICE_CENTS = 499_999_999

/**
 * Brands a whole number of cents.
 * @param value cents, 0 to MAX_CENTS
 * @throws RangeError when the value is not a whole number in that range
 */
export function cents(value: number): Cents {
  if (!Number.isSafeInteger(value) || value < 0 || value > MAX_CENTS) {
    throw new RangeError(`not an amount in cents: ${value}`)
  }
  return value as Cents
}

/**
 * Reads a decimal euro text ("4.90", "5", "5.1") without passing through a float.
 * @throws RangeError when the text is not such an amount
 */
export function parseEur(text: string): Cents {
  const parts = /^(\d{1,7})(?:\.(\d{1,2}))?$/.exec(text.trim())
  if (!parts) throw new RangeError(`not a euro amount: ${text}`)
  return cents(Number(parts[1]) * 100 + Number((parts[2] ?? '').padEnd(2, '0')))
}

/** Writes cents as the decimal text used on the wire and towards the payment provider: 490 gives "4.90". */
export function toDecimal(amount: Cents): string {
  const digits = String(amount).padStart(3, '0')
  return `${digits.slice(0, -2)}.${digits.slice(-2)}`
}

/** Adds amounts. */
export const addCents = (...amounts: readonly Cents[]): Cents =>
  cents(amounts.reduce((sum, one) => sum + one, 0))

/** Multiplies a unit price by a whole quantity. */
export const timesCents = (unit: Cents, quantity: number): Cents => cents(unit * quantity)

/**
 * Part of an amount by a rate in percent, half a cent rounded up: the one place where money is rounded.
 * @param percent a rate with at most two decimals (21, 25.5, 8.1)
 */
export function percentOf(amount: Cents, percent: number): Cents {
  return divideHalfUp(amount * hundredths(percent), 10_000)
}

/**
 * The tax contained in a gross amount, half a cent rounded up.
 * @param percent the rate in percent that the gross amount includes
 */
export function percentWithin(gross: Cents, percent: number): Cents {
  const rate = hundredths(percent)
  return cents(gross - divideHalfUp(gross * 10_000, 10_000 + rate))
}

/**
 * What one part of a whole takes of an amount, half a cent rounded up.
 * @param part of the same kind as `whole`, and not more
 */
export function shareOf(amount: Cents, part: number, whole: number): Cents {
  // Two amounts multiplied may be more than a float counts exactly.
  const [dividend, divisor] = [BigInt(amount) * BigInt(part), BigInt(whole)]
  return cents(Number((2n * dividend + divisor) / (2n * divisor)))
}

const hundredths = (percent: number): number => Math.round(percent * 100)

const divideHalfUp = (dividend: number, divisor: number): Cents =>
  cents(Math.floor((2 * dividend + divisor) / (2 * divisor)))

/**
 * Runs a calculation that may leave the range of an amount.
 * @param refuse makes the error to throw in that case
 */
export function withinRange<Result>(calculate: () => Result, refuse: () => Error): Result {
  try {
    return calculate()
  } catch (error) {
    throw error instanceof RangeError ? refuse() : error
  }
}
