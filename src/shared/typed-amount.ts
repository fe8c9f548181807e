import { type Language, hasDecimalComma } from './languages.ts'

/** `amount`: it is none. `amountAmbiguous`: "28.500", which is one thing in Dutch and another in English. */
export type AmountFault = 'amount' | 'amountAmbiguous'

const SIGN = /^(?:€|eur)\s*|\s*(?:€|eur|euros?)$/giu
const APART = /[\s’']/g
/** Groups of three, or none, and the cents. */
const GROUPED =
  /^(?<euros>\d{1,3}(?:(?<mark>[.,\s’'])\d{3})(?:\k<mark>\d{3})*|\d+)(?:(?<point>[.,])(?<cents>\d{1,2}))?$/u

/**
 * An amount of euros as people write it: 28.500,00 and 28 500,00 and 28500, and 28,500.00 in English. All amounts that
 * staff type are read here.
 * @param language of the person; without one only what all languages read alike
 * @returns its decimal text ("28500.00"), or why it is none
 */
export function readAmount(typed: string, language?: Language): { decimal: string } | { fault: AmountFault } {
  const text = typed.trim().replaceAll(SIGN, '')
  const { euros, mark, point, cents } = GROUPED.exec(text)?.groups ?? {}
  if (euros === undefined || (point !== undefined && point === mark)) return { fault: 'amount' }
  const groups = mark === undefined ? 0 : euros.split(mark).length - 1
  // What sets thousands apart beside spaces; a three-digit end behind the other mark could be either.
  const isOnlyMark = (mark === '.' || mark === ',') && point === undefined && groups === 1
  if (isOnlyMark && (language === undefined || mark !== (hasDecimalComma(language) ? '.' : ',')))
    return { fault: 'amountAmbiguous' }
  const whole = euros.replaceAll(APART, '').replaceAll(/[.,]/g, '')
  return { decimal: cents === undefined ? whole : `${whole}.${cents}` }
}

/** The same for a field of a form: what is no amount stays as it was typed, for the message about it. */
export function tidyAmount(typed: string, language?: Language): string {
  const read = readAmount(typed, language)
  return 'decimal' in read ? read.decimal : typed.trim()
}

/** Decimal text as somebody types it. */
export const typedAmount = (decimal: string, language: Language): string =>
  hasDecimalComma(language) ? decimal.replace('.', ',') : decimal
