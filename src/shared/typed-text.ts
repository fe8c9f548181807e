/**
 * Characters that nobody sees and pasting brings along: zero-width spaces, soft hyphens, fillers, tags, the byte order
 * mark, and marks, embeddings, overrides and isolates of direction, which make a text read otherwise than it is stored.
 */
const INVISIBLE =
  // oxlint-disable-next-line no-misleading-character-class -- because each of them is meant alone
  /[\u{AD}\u{34F}\u{61C}\u{115F}\u{1160}\u{17B4}\u{17B5}\u{180B}-\u{180E}\u{200B}\u{200E}\u{200F}\u{202A}-\u{202E}\u{2060}-\u{206F}\u{3164}\u{FEFF}\u{FFA0}\u{FFF9}-\u{FFFB}\u{E0000}-\u{E0FFF}]/gu

/** All control characters but tab and line feed. */
// oxlint-disable-next-line no-control-regex -- because they are what is meant
const CONTROL = /[\0-\u{8}\u{B}-\u{1F}\u{7F}-\u{9F}]/gu

const JOINERS = /[\u{200C}\u{200D}]/gu

const JOINING = (
  'Arabic Syriac Mongolian Devanagari Bengali Gurmukhi Gujarati Oriya Tamil ' +
  'Telugu Kannada Malayalam Sinhala Tibetan Khmer Myanmar'
)
  .split(' ')
  .map((script) => String.raw`\p{Script=${script}}`)
  .join('')

const LETTER_BEFORE = new RegExp(`[${JOINING}]\\p{M}*$`, 'u')
const LETTER_AFTER = new RegExp(`^[${JOINING}\\p{M}]`, 'u')
/** An old spelling of Malayalam and Bengali ends with a joined mark. */
const MARK_BEFORE = new RegExp(`[${JOINING}]\\p{M}+$`, 'u')
// oxlint-disable-next-line no-misleading-character-class -- because each of them is meant alone
const PICTURE_BEFORE = /[\p{Extended_Pictographic}\u{FE0F}\u{1F3FB}-\u{1F3FF}]$/u
const PICTURE_AFTER = /^\p{Extended_Pictographic}/u

/** Joiners stay where spelling needs them, as in Persian and Indic names, and within joined pictures. */
const withUsefulJoiners = (text: string): string =>
  text.replace(JOINERS, (joiner, at: number) => {
    const [before, after] = [text.slice(Math.max(0, at - 8), at), text.slice(at + 1, at + 3)]
    const isSpelling = LETTER_BEFORE.test(before) && (LETTER_AFTER.test(after) || MARK_BEFORE.test(before))
    return isSpelling || (PICTURE_BEFORE.test(before) && PICTURE_AFTER.test(after)) ? joiner : ''
  })

/** The composed text (NFC), without the joiners that nothing needs once marks stand in their order and others are gone. */
function composed(text: string): string {
  const next = withUsefulJoiners(text.normalize('NFC')).normalize('NFC')
  return next === text ? text : composed(next)
}

/** A text of one or more lines without invisible and control characters, composed (NFC). */
export const visibleText = (typed: string): string =>
  composed(
    typed
      .replaceAll(/\r\n?|[\v\f\u{85}\u{2028}\u{2029}]/gu, '\n')
      .replaceAll(INVISIBLE, '')
      .replaceAll(CONTROL, ''),
  )

/** A typed text of one or more lines: as `visibleText`, trimmed. */
export const cleanText = (typed: string): string => visibleText(typed).trim()

/** A typed text of one line, without invisible characters, composed and trimmed; control characters stay for `ONE_LINE_PATTERN`. */
export const cleanLine = (typed: string): string => composed(typed.replaceAll(INVISIBLE, '')).trim()

/**
 * Text that fits on one line: no control, unassigned or invisible characters but joiners, no line separators, and no
 * heap of marks on one letter.
 */
export const ONE_LINE_PATTERN = /^(?!.*\p{M}{7})(?:[^\p{C}\p{Zl}\p{Zp}]|[\u{200C}\u{200D}])*$/u

/** A name has something to see. */
export const VISIBLE_PATTERN = /[^\s\p{M}\p{C}\u{2800}]/u

/** With digits of other scripts (Arabic-Indic, full-width, …) as 0 to 9. They stand in tens, each ten in order. */
export const asciiDigits = (text: string): string =>
  text.replaceAll(/(?![0-9])\p{Nd}/gu, (digit) => {
    const code = digit.codePointAt(0) ?? 0
    let zero = code
    while (/\p{Nd}/u.test(String.fromCodePoint(zero - 1)) && code - zero < 9) zero -= 1
    return String(code - zero)
  })

/**
 * A whole number as people type it: "12", "1 000", "٣", "１２".
 * @returns undefined for anything else, such as "2,5", "1e2", "-3", "0x10" or nothing
 */
export function readWholeNumber(typed: string): number | undefined {
  const text = asciiDigits(cleanLine(typed))
  const isWhole = /^(?:\d{1,15}|\d{1,3}(?:\p{Zs}\d{3}){1,4})$/u.test(text)
  return isWhole ? Number(text.replaceAll(/\D/g, '')) : undefined
}
