import { type Face, textSetter } from '#platform/documents/pdf-text.ts'
import type { InlinePart } from '../policies.rules.ts'

type Element = PDFKit.PDFStructureElement

/** Typography of a kind of text, in points. */
interface Setting {
  face: Face
  size: number
  leading: number
  color: string
  /** Space above, except at the top of a page. */
  above: number
  indent?: number
  /** Lines of the next text that must fit on the same page. */
  keeps?: number
}

export const PAGE_SIZE: [number, number] = [595.28, 841.89]
const LEFT = 84
const WIDTH = PAGE_SIZE[0] - 2 * LEFT
const TOP = 72
const BOTTOM = PAGE_SIZE[1] - 84
const FOOTER_Y = PAGE_SIZE[1] - 44

// The light colours of src/apps/site/styles/tokens.css.
const INK = '#121417'
const QUIET = '#585D66'
const RULE = '#D5D1C7'
const SIGNAL = '#0A3FC4'

const BODY = { face: 'text', size: 10, leading: 14.5, color: INK } as const
const INDENT = 14

const SETTINGS = {
  brand: { face: 'display', size: 13, leading: 18, color: SIGNAL, above: 0 },
  title: { face: 'display', size: 25, leading: 30, color: INK, above: 10 },
  note: { face: 'text', size: 9, leading: 13, color: QUIET, above: 6 },
  lead: { face: 'text', size: 11.5, leading: 17, color: INK, above: 12 },
  section: { face: 'display', size: 14.5, leading: 19, color: INK, above: 26, keeps: 3 },
  heading: { face: 'strong', size: 11, leading: 15, color: INK, above: 14, keeps: 3 },
  body: { ...BODY, above: 7 },
  item: { ...BODY, above: 4, indent: INDENT },
  name: { ...BODY, face: 'strong', above: 7, keeps: 2 },
  fact: { ...BODY, above: 0 },
} as const satisfies Record<string, Setting>

/** Writes tagged texts from top to bottom, over as many pages as needed. */
export function pageWriter(doc: PDFKit.PDFDocument) {
  const setter = textSetter(doc)
  const widths = new Map<string, number>()
  let y = TOP

  function widthOf(text: string, setting: Setting): number {
    const id = `${setting.face} ${setting.size} ${text}`
    const width = widths.get(id) ?? setter.widthOf(text, setting)
    widths.set(id, width)
    return width
  }

  function make(room: number): void {
    if (y + room <= BOTTOM) return
    doc.addPage()
    y = TOP
  }

  function space(above: number): void {
    if (y > TOP) y += above
  }

  function drawRun(element: Element, run: Run, setting: Setting): void {
    const x = LEFT + (setting.indent ?? 0) + run.x
    const baseline = y + setting.leading * 0.74
    const color = run.href === undefined ? setting.color : SIGNAL
    const draw = (): void => setter.line(run.text, { ...setting, color }, { x, y: baseline })
    if (run.href === undefined) {
      element.add(draw)
      return
    }
    const link = doc.struct('Link')
    element.add(link)
    link.add(draw)
    const annotation = { structParent: link, Contents: new String(run.text) }
    const options = annotation as unknown as PDFKit.Mixins.AnnotationOption
    doc.link(x, y, widthOf(run.text, setting), setting.leading, run.href, options)
    link.end()
  }

  function bullet(item: Element): void {
    const label = doc.struct('Lbl')
    item.add(label)
    const place = { x: LEFT + 2, y: y + BODY.leading * 0.74 }
    label.add(() => setter.line('•', { ...BODY, color: SIGNAL }, place))
    label.end()
  }

  return {
    /** Writes a text as an element of a type, without single lines at a page break. */
    text(parent: Element, type: string, parts: readonly InlinePart[], kind: keyof typeof SETTINGS): void {
      const setting: Setting = SETTINGS[kind]
      const measure = WIDTH - (setting.indent ?? 0)
      const lines = breakLines(parts, measure, (text) => widthOf(text, setting))
      space(setting.above)
      const together = lines.length <= 3 ? lines.length : 2
      make(together * setting.leading + (setting.keeps ?? 0) * BODY.leading)
      if (kind === 'item') bullet(parent)
      const element = doc.struct(type)
      parent.add(element)
      for (const [index, line] of lines.entries()) {
        make(setting.leading * (index === lines.length - 2 ? 2 : 1))
        for (const run of line) drawRun(element, run, setting)
        y += setting.leading
      }
      element.end()
    },

    /** Writes the footers, which are not part of the text. */
    footers(textOf: (page: number, count: number) => string): void {
      const { count } = doc.bufferedPageRange()
      for (let page = 0; page < count; page += 1) {
        doc.switchToPage(page)
        doc.markContent('Artifact', { type: 'Pagination' })
        doc
          .moveTo(LEFT, FOOTER_Y - 16)
          .lineTo(LEFT + WIDTH, FOOTER_Y - 16)
          .lineWidth(0.75)
          .stroke(RULE)
        const place = { x: LEFT, y: FOOTER_Y, width: WIDTH, align: 'right' } as const
        setter.line(textOf(page + 1, count), { face: 'text', size: 8.5, color: QUIET }, place)
        doc.endMarkedContent()
      }
    },
  }
}

export type Writer = ReturnType<typeof pageWriter>

/** Words drawn at once: plain words or a link. `x` counts from the start of the line. */
interface Run extends InlinePart {
  x: number
}

/** Breaks a text between words into lines. @param widthOf the width of a text in the units of `width` */
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

/** Without the hard spaces around the piece. */
function measured(piece: InlinePart, space: number, widthOf: (text: string) => number) {
  const text = piece.text.trim()
  const before = (piece.text.length - piece.text.trimStart().length) * space
  return { ...piece, text, before, width: widthOf(text) + (piece.text.length - text.length) * space }
}

/** The words of a text; a word with a link has several pieces: "(", the link, ")". */
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
