import { readFileSync } from 'node:fs'

type Doc = PDFKit.PDFDocument

export type Face = 'display' | 'text' | 'strong' | 'plate'

/** Cuts of Noto Sans for letters that the fonts of the design lack, in two weights. */
const alphabets = (weight: 'text' | 'strong'): string[] =>
  ['latin-more', 'vietnamese', 'greek', 'greek-ext', 'cyrillic', 'cyrillic-ext', 'armenian', 'georgian'].map(
    (alphabet) => `${weight}-${alphabet}`,
  )

/** Font files of each face; the first that has a character draws it. */
const FILES: Record<Face, readonly string[]> = {
  display: ['display-latin', 'display-latin-ext', ...alphabets('strong')],
  text: ['text-latin', 'text-latin-ext', ...alphabets('text')],
  strong: ['strong-latin', 'strong-latin-ext', ...alphabets('strong')],
  plate: ['plate'],
}

/** Sizes and positions are points. */
export interface Style {
  face: Face
  size: number
  color?: string
  /** Space after each character. */
  tracking?: number
}

export interface Place {
  x: number
  y: number
  /** Box to align in; without one the text begins at `x`. */
  width?: number
  align?: 'center' | 'right'
}

/** Replaces a character that no font has. */
const MISSING = '?'

const ELLIPSIS = '…'

/** Fractions of a width, tried in this order. */
const EVEN_WIDTHS = [0.55, 0.65, 0.75, 0.85]

interface Coverage {
  hasGlyphForCodePoint(code: number): boolean
}

/** Tabular figures. */
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

/** Sets text with embedded fonts and changes the font within a line where a character needs it. */
export function textSetter(doc: Doc) {
  for (const file of new Set(Object.values(FILES).flat())) doc.registerFont(file, fontBytes(file))

  const coverage = new Map<string, Coverage>()

  function has(file: string, character: string): boolean {
    let font = coverage.get(file)
    if (!font) {
      // The types of pdfkit lack a font's coverage.
      font = (doc.font(file) as unknown as { _font: { font: Coverage } })._font.font
      coverage.set(file, font)
    }
    return font.hasGlyphForCodePoint(character.codePointAt(0) ?? 0)
  }

  const fileFor = (face: Face, character: string): string | undefined =>
    FILES[face].find((file) => has(file, character))

  /** Drops missing accents and pictures; other missing characters become `MISSING`. */
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

  /** Whether fonts have all letters of a text, so that `printable` shows it. */
  function covers(face: Face, text: string): boolean {
    const shown = printable(face, text.replaceAll(MISSING, ''))
    return shown !== '' && !shown.includes(MISSING)
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

  /** Reduces the size, down to `least`, until the text fits. */
  function shrink(text: string, style: Style, width: number, least: number): Style {
    const size = Math.max(least, Math.min(style.size, (style.size * width) / widthOf(text, style)))
    return { ...style, size }
  }

  /** Cuts a text to a width, with an ellipsis. */
  function cut(text: string, style: Style, width: number): string {
    const whole = printable(style.face, text)
    if (widthOf(whole, style) <= width) return whole
    const characters = Array.from(whole)
    const shortened = (count: number) => characters.slice(0, count).join('').trimEnd() + ELLIPSIS
    // Binary search for the longest beginning that fits.
    let [fits, tooLong] = [0, characters.length]
    while (tooLong - fits > 1) {
      const middle = Math.floor((fits + tooLong) / 2)
      if (widthOf(shortened(middle), style) <= width) fits = middle
      else tooLong = middle
    }
    return shortened(fits)
  }

  /** Breaks between words into at most `most` lines; the last is cut. */
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

  /** Like `wrap`; a word that is longer than a line goes on in the next one. */
  function fold(text: string, style: Style, width: number, most: number): string[] {
    const pieces = printable(style.face, text)
      .split(' ')
      .flatMap((word) => {
        const parts = ['']
        for (const character of word) {
          const last = parts.at(-1) ?? ''
          if (last !== '' && widthOf(last + character, style) > width) parts.push(character)
          else parts[parts.length - 1] = last + character
        }
        return parts
      })
    return wrap(pieces.join(' '), style, width, most)
  }

  /** Like `wrap`, in lines of about one length, so that none has a single word. */
  function wrapEvenly(text: string, style: Style, width: number, most: number): string[] {
    const whole = printable(style.face, text)
    const narrower = EVEN_WIDTHS.map((part) => wrap(text, style, width * part, most))
    return narrower.find((lines) => lines.join(' ') === whole) ?? wrap(text, style, width, most)
  }

  return { printable, covers, widthOf, line, shrink, cut, fold, wrap, wrapEvenly }
}

export type TextSetter = ReturnType<typeof textSetter>
