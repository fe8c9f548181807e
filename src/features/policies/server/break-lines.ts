import type { InlinePart } from '../policies.rules.ts'

/** Words of one line that are drawn at once: plain words together, each link by itself. `x` counts from the line's start. */
export interface Run extends InlinePart {
  x: number
}

/**
 * Breaks a text between words into lines of at most a width.
 * @param widthOf the width of a text in the units of `width`
 */
export function breakLines(
  parts: readonly InlinePart[],
  width: number,
  widthOf: (text: string) => number,
): Run[][] {
  const space = widthOf('n n') - 2 * widthOf('n')
  const lines: Run[][] = []
  let end = Infinity
  for (const word of wordsOf(parts)) {
    const pieces = word.map((piece) => measured(piece, space, widthOf))
    const wide = pieces.reduce((sum, piece) => sum + piece.width, 0)
    const fits = end + space + wide <= width
    const line: Run[] = fits ? (lines.at(-1) ?? []) : []
    if (!fits) lines.push(line)
    let x = fits ? end + space : 0
    for (const [index, { text, href, before, width: own }] of pieces.entries()) {
      const last = line.at(-1)
      if (last && !last.href && !href) last.text += index === 0 ? ` ${text}` : text
      else line.push(href === undefined ? { text, x: x + before } : { text, href, x })
      x += own
    }
    end = x
  }
  return lines
}

/** A piece without the hard spaces around it, and the room they take. */
function measured(piece: InlinePart, space: number, widthOf: (text: string) => number) {
  const text = piece.text.trim()
  const before = (piece.text.length - piece.text.trimStart().length) * space
  return { ...piece, text, before, width: widthOf(text) + (piece.text.length - text.length) * space }
}

/** The words of a text; a word with a link in it has pieces: "(", the link, ")". */
function wordsOf(parts: readonly InlinePart[]): InlinePart[][] {
  const words: InlinePart[][] = [[]]
  for (const part of parts) {
    for (const [index, text] of part.text.split(' ').entries()) {
      if (index > 0) words.push([])
      if (text !== '') words.at(-1)?.push({ ...part, text })
    }
  }
  return words.filter((word) => word.length > 0)
}
