import { type Language, hasDecimalComma } from '#shared/languages.ts'

/** Without it a spreadsheet takes UTF-8 for another encoding. */
export const BYTE_ORDER_MARK = '\u{FEFF}'

/**
 * What a spreadsheet may take for a formula: one of its signs, also as wide, small or raised characters and other signs of
 * minus, after spaces, controls, quotes, marks and invisible characters of any kind, which some spreadsheets skip.
 */
const FORMULA =
  /^[\s\p{Z}\p{C}\p{M}\p{Pi}\p{Pf}"'`\u{115F}\u{1160}\u{2800}\u{3164}\u{FFA0}]*(?:[=+\-@＝＋－＠﹦﹢﹣﹫⁼⁺⁻₌₊₋−﬩]|[\t\r\n\v\f])/u

/** A cell that a spreadsheet shows as it is: what it would take for a formula begins with an apostrophe. */
export function csvCell(text: string, separator: string): string {
  const harmless = FORMULA.test(text) ? `'${text}` : text
  return /["\r\n]/.test(harmless) || harmless.includes(separator)
    ? `"${harmless.replaceAll('"', '""')}"`
    : harmless
}

/** A number of ours is never a formula, also below zero. */
interface CsvNumber {
  decimal: string
}

/** Writes lines (RFC 4180) as spreadsheets of a language open them. */
export function csvWriter(language: Language) {
  // Spreadsheets of languages that write 1,50 separate cells by semicolons.
  const hasComma = hasDecimalComma(language)
  const separator = hasComma ? ';' : ','
  const written = (decimal: string): string => (hasComma ? decimal.replace('.', ',') : decimal)
  return {
    /** A number, given as "-12.34". */
    number: (decimal: string | number): CsvNumber => ({ decimal: String(decimal) }),
    line: (cells: readonly (string | CsvNumber)[]): string =>
      `${cells
        .map((cell) => (typeof cell === 'string' ? csvCell(cell, separator) : written(cell.decimal)))
        .join(separator)}\r\n`,
  }
}
