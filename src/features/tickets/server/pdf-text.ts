import { readFileSync } from 'node:fs'

type Doc = PDFKit.PDFDocument

/** The typefaces of a document: one or two font files each, Latin before Latin Extended. */
export type Face = 'display' | 'text' | 'strong' | 'plate'

const FILES: Record<Face, readonly string[]> = {
  display: ['display-latin', 'display-latin-ext'],
  text: ['text-latin', 'text-latin-ext'],
  strong: ['strong-latin', 'strong-latin-ext'],
  plate: ['plate'],
}

/** How a text is set. Sizes and places are points. */
export interface Style {
  face: Face
  size: number
  color?: string
  /** Space added after each character. */
  tracking?: number
}

export interface Place {
  x: number
  y: number
  /** Box in which the text is centred or set to the right; left out, the text begins at `x`. */
  width?: number
  align?: 'center' | 'right'
}

/** Stands for a character that no font has. */
export const MISSING = '?'

const ELLIPSIS = '…'

/** Parts of a width that are tried for even lines, the narrowest first. */
const EVEN_WIDTHS = [0.55, 0.65, 0.75, 0.85]

/** What is asked of a font: which characters it has. */
interface Coverage {
  hasGlyphForCodePoint(code: number): boolean
}

/** Figures of one width, so that numbers stand still. */
const FEATURES: PDFKit.Mixins.OpenTypeFeatures[] = ['kern', 'tnum']

const bytes = new Map<string, Buffer>()

function fontBytes(file: string): Buffer {
  let font = bytes.get(file)
  if (!font) {
    font = readFileSync(new URL(`./fonts/${file}.ttf`, import.meta.url))
    bytes.set(file, font)
  }
  return font
}

/** Sets text in a document with embedded fonts, changing the font within a line where a letter needs it. */
export function textSetter(doc: Doc) {
  for (const file of Object.values(FILES).flat()) doc.registerFont(file, fontBytes(file))

  const coverage = new Map<string, Coverage>()

  function has(file: string, character: string): boolean {
    let font = coverage.get(file)
    if (!font) {
      // The types of pdfkit lack the coverage of a font.
      font = (doc.font(file) as unknown as { _font: { font: Coverage } })._font.font
      coverage.set(file, font)
    }
    return font.hasGlyphForCodePoint(character.codePointAt(0) ?? 0)
  }

  const fileFor = (face: Face, character: string): string | undefined =>
    FILES[face].find((file) => has(file, character))

  /** The text in characters of the face: missing accents and pictures are dropped, the rest becomes MISSING. */
  function printable(face: Face, text: string): string {
    const clean = Array.from(text.normalize('NFC').replace(/[\s\p{C}]+/gu, ' '), (character) => {
      if (fileFor(face, character)) return character
      const parts = Array.from(character.normalize('NFKD'))
      for (; parts.length > 0; parts.pop()) {
        const simpler = parts.join('').normalize('NFC')
        if (Array.from(simpler).every((part) => fileFor(face, part))) return simpler
        if (!/\p{M}/u.test(parts.at(-1) ?? '')) break
      }
      return /\p{Extended_Pictographic}|\p{M}/u.test(character) ? '' : MISSING
    })
    return clean.join('').replace(/ +/g, ' ').trim()
  }

  function runs(face: Face, text: string): { file: string; text: string }[] {
    const parts: { file: string; text: string }[] = []
    for (const character of printable(face, text)) {
      const last = parts.at(-1)
      const file = last && has(last.file, character) ? last.file : fileFor(face, character)
      if (last && file === last.file) last.text += character
      else if (file) parts.push({ file, text: character })
    }
    return parts
  }

  const widthOf = (text: string, { face, size, tracking = 0 }: Style): number => {
    const options = { characterSpacing: tracking, features: FEATURES }
    const add = (sum: number, run: { file: string; text: string }) =>
      sum + doc.font(run.file, size).widthOfString(run.text, options)
    return runs(face, text).reduce(add, -tracking)
  }

  function line(text: string, style: Style, { x, y, width, align }: Place): void {
    const room = width === undefined || !align ? 0 : width - widthOf(text, style)
    let left = x + (align === 'center' ? room / 2 : room)
    for (const run of runs(style.face, text)) {
      const options = { characterSpacing: style.tracking ?? 0, features: FEATURES }
      doc.font(run.file, style.size).fillColor(style.color ?? 'black')
      doc.text(run.text, left, y, { ...options, lineBreak: false, baseline: 'alphabetic' })
      left += doc.widthOfString(run.text, options)
    }
  }

  /** The style made smaller, down to a least size, so that a text fits a width. */
  function shrink(text: string, style: Style, width: number, least: number): Style {
    const size = Math.max(least, Math.min(style.size, (style.size * width) / widthOf(text, style)))
    return { ...style, size }
  }

  /** A text cut to a width, with an ellipsis where something is missing. */
  function cut(text: string, style: Style, width: number): string {
    const whole = printable(style.face, text)
    if (widthOf(whole, style) <= width) return whole
    const letters = Array.from(whole)
    const shortened = (count: number) => letters.slice(0, count).join('').trimEnd() + ELLIPSIS
    // Binary search for the longest beginning that fits.
    let [fits, tooLong] = [0, letters.length]
    while (tooLong - fits > 1) {
      const middle = Math.floor((fits + tooLong) / 2)
      if (widthOf(shortened(middle), style) <= width) fits = middle
      else tooLong = middle
    }
    return shortened(fits)
  }

  /** Breaks a text between words into at most so many lines; the last takes what fits. */
  function wrap(text: string, style: Style, width: number, most: number): string[] {
    const lines: string[] = []
    const words = printable(style.face, text).split(' ')
    while (words.length > 0 && lines.length < most - 1) {
      let count = 1
      while (count < words.length && widthOf(words.slice(0, count + 1).join(' '), style) <= width) count += 1
      lines.push(cut(words.splice(0, count).join(' '), style, width))
    }
    return words.length > 0 ? [...lines, cut(words.join(' '), style, width)] : lines
  }

  /** Like `wrap`, in lines of about one length, so that none holds a single word. */
  function wrapEvenly(text: string, style: Style, width: number, most: number): string[] {
    const whole = printable(style.face, text)
    const narrower = EVEN_WIDTHS.map((part) => wrap(text, style, width * part, most))
    return narrower.find((lines) => lines.join(' ') === whole) ?? wrap(text, style, width, most)
  }

  return { printable, widthOf, line, shrink, cut, wrap, wrapEvenly }
}

export type TextSetter = ReturnType<typeof textSetter>
