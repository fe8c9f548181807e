import { drawQr } from '#features/tickets/server/index.ts'
import { PLATE_RATIO, numberPlate, plateLetter } from '#platform/documents/number-plate.ts'
import { pdfBytes, taggedPdf } from '#platform/documents/pdf-document.ts'
import { type Style, type TextSetter, textSetter } from '#platform/documents/pdf-text.ts'
import type { Language } from '#shared/languages.ts'
import type { EntrantMessage, Proof } from './entrant-emails.ts'

export interface LetterShop {
  brand: string
  companyName: string
  companyAddress: string
  /** On which side the window of the envelope is. */
  letterWindow: 'left' | 'right'
}

export interface Letter {
  message: EntrantMessage
  /** The lines of the address. */
  to: readonly string[]
  /** The day of the letter. */
  date: string
  /** Below everything. */
  footer: readonly string[]
}

const MM = 72 / 25.4

/** A4; all measures are points unless they say millimetres. */
const PAGE: [number, number] = [595.28, 841.89]
const LEFT = 25 * MM
const WIDTH = PAGE[0] - LEFT - 20 * MM

/**
 * Where envelopes with a window show the address: DIN 5008 form B, British DL and French windows have this part in
 * common, once the sheet is folded in three.
 */
const WINDOW = {
  left: 25 * MM,
  right: 108 * MM,
  width: 78 * MM,
  sender: 56 * MM,
  top: 59 * MM,
  height: 28 * MM,
}
const FOLDS = [105 * MM, 210 * MM]
const BODY_TOP = 104 * MM
const FOOTER = PAGE[1] - 14 * MM

// As the light scheme in src/apps/site/styles/tokens.css.
const INK = '#121417'
const QUIET = '#585D66'
const RULE = '#D5D1C7'
const SIGNAL = '#0A3FC4'

const TEXT: Style = { face: 'text', size: 10.5, color: INK }
const SMALL: Style = { face: 'text', size: 7.5, color: QUIET }
const NAME: Style = { face: 'text', size: 9, color: QUIET }
const VALUE: Style = { face: 'strong', size: 9.5, color: INK }
const LEADING = 1.42
const PLATE_WIDTH = 250
const QR_SIDE = 100

/**
 * One A4 page for each letter, for envelopes with a window. The same letters and settings always give the same bytes.
 * @param documentTitle for readers; @param language of the document, of each letter its own
 */
export async function lettersPdf(
  letters: readonly Letter[],
  documentTitle: string,
  language: Language,
  date: Date,
  shop: LetterShop,
): Promise<Buffer> {
  const doc = taggedPdf({ title: documentTitle, brand: shop.brand, language, date, size: PAGE })
  const bytes = pdfBytes(doc)
  const text = textSetter(doc)
  const tree = doc.struct('Document')
  doc.addStructure(tree)
  for (const [index, letter] of letters.entries()) {
    if (index > 0) doc.addPage()
    drawLetter({ doc, text, tree }, letter, shop)
  }
  tree.end()
  doc.end()
  return await bytes
}

interface Sheet {
  doc: PDFKit.PDFDocument
  text: TextSetter
  tree: PDFKit.PDFStructureElement
}

function drawLetter(sheet: Sheet, letter: Letter, shop: LetterShop): void {
  const { doc, text, tree } = sheet
  const { message } = letter
  const part = doc.struct('Sect', { lang: message.language })
  tree.add(part)
  const write = writer(doc, text, part)
  drawFolds(doc)
  write.line(
    shop.brand.toUpperCase(),
    { face: 'display', size: 15, color: SIGNAL, tracking: 1 },
    LEFT,
    30 * MM,
  )
  drawAddress(write, text, letter, shop)
  write.line(letter.date, { ...TEXT, size: 9.5 }, LEFT, 96 * MM, { width: WIDTH, align: 'right' })
  write.startAt(BODY_TOP)
  write.paragraph('H1', message.subject, { face: 'display', size: 14, color: INK }, 0, WIDTH, 2)
  write.paragraph('P', message.greeting, TEXT, 10)
  for (const one of message.before) write.paragraph('P', one, TEXT, 7)
  if (message.number !== undefined) write.plate(message.number, shop.brand, message.facts[0]?.text ?? '')
  for (const one of message.after) write.paragraph('P', one, TEXT, 7)
  write.facts(message.facts)
  if (message.proof) drawProof(write, message.proof)
  letter.footer.forEach((line, index) =>
    write.line(text.cut(line, SMALL, WIDTH), SMALL, LEFT, FOOTER + index * 10),
  )
  part.end()
}

function drawAddress(write: Writer, text: TextSetter, { to }: Letter, shop: LetterShop): void {
  const x = shop.letterWindow === 'left' ? WINDOW.left : WINDOW.right
  const sender = `${shop.companyName}, ${shop.companyAddress}`
  write.line(text.cut(sender, { ...SMALL, size: 6 }, WINDOW.width), { ...SMALL, size: 6 }, x, WINDOW.sender)
  const leading = Math.min(14, WINDOW.height / to.length)
  to.forEach((line, index) => {
    const style = text.shrink(line, { ...TEXT, size: Math.min(10.5, leading * 0.8) }, WINDOW.width, 7)
    write.line(text.cut(line, style, WINDOW.width), style, x, WINDOW.top + (index + 1) * leading)
  })
}

/** Small marks on the left edge, where the sheet is folded. */
function drawFolds(doc: PDFKit.PDFDocument): void {
  doc.markContent('Artifact', { type: 'Layout' })
  for (const y of FOLDS)
    doc
      .moveTo(4 * MM, y)
      .lineTo(8 * MM, y)
      .lineWidth(0.5)
      .stroke(RULE)
  doc.endMarkedContent()
}

function drawProof(write: Writer, proof: Proof): void {
  write.rule()
  const width = WIDTH - QR_SIDE - 22
  const top = write.y()
  write.paragraph('H2', proof.heading, { face: 'strong', size: 10.5, color: INK }, 4, width)
  write.paragraph('P', proof.text, { ...TEXT, size: 8.5 }, 3, width)
  for (const { name, text: value } of proof.values) {
    write.paragraph('P', name, { ...SMALL, face: 'strong' }, 1.5, width)
    // A hash has 64 digits.
    const size = value.length > 50 ? 7 : 8
    write.paragraph('P', value, { ...VALUE, size, tracking: 0.3 }, 0, width)
  }
  const bottom = write.y()
  write.qr(proof.url, proof.scan, PAGE[0] - 20 * MM - QR_SIDE, top + 8)
  write.startAt(Math.max(bottom, top + QR_SIDE + 26))
}

type Writer = ReturnType<typeof writer>

/** Writes tagged parts from top to bottom. */
function writer(doc: PDFKit.PDFDocument, text: TextSetter, tree: PDFKit.PDFStructureElement) {
  let y = 0

  function tagged(type: string, draw: () => void, options: object = {}): void {
    const element = doc.struct(type, options)
    tree.add(element)
    element.add(draw)
    element.end()
  }

  function artifact(draw: () => void): void {
    doc.markContent('Artifact', { type: 'Layout' })
    draw()
    doc.endMarkedContent()
  }

  return {
    y: () => y,
    startAt(top: number): void {
      y = top
    },

    line(words: string, style: Style, x: number, at: number, more: { width?: number; align?: 'right' } = {}) {
      tagged('P', () => text.line(words, style, { x, y: at, ...more }))
    },

    paragraph(type: string, words: string, style: Style, above: number, width = WIDTH, most = 8): void {
      y += above
      const lines = text.wrap(words, style, width, most)
      const first = y
      tagged(type, () =>
        lines.forEach((line, index) =>
          text.line(line, style, { x: LEFT, y: first + (index + 1) * style.size * LEADING }),
        ),
      )
      y += lines.length * style.size * LEADING
    },

    plate(number: string, brand: string, alt: string): void {
      const letter = plateLetter(brand)
      const place = { x: LEFT, y: y + 12, width: PLATE_WIDTH }
      const plate = numberPlate(doc, text, { ...place, number, letter, faded: false })
      artifact(plate.ground)
      tagged('Figure', plate.figures, { alt: `${alt}: ${number}`, bbox: plate.box })
      y += 12 + PLATE_WIDTH * PLATE_RATIO + 4
    },

    facts(facts: EntrantMessage['facts']): void {
      y += 8
      const list = doc.struct('L')
      tree.add(list)
      for (const { name, text: value } of facts) {
        const at = y + 14
        const item = doc.struct('LI')
        list.add(item)
        const parts: [string, () => void][] = [
          ['Lbl', () => text.line(name, NAME, { x: LEFT, y: at })],
          ['LBody', () => text.line(text.cut(value, VALUE, WIDTH - 130), VALUE, { x: LEFT + 130, y: at })],
        ]
        for (const [type, draw] of parts) {
          const element = doc.struct(type)
          item.add(element)
          element.add(draw)
          element.end()
        }
        item.end()
        y += 14
      }
      list.end()
    },

    rule(): void {
      y += 12
      const at = y
      artifact(() => {
        doc
          .moveTo(LEFT, at)
          .lineTo(LEFT + WIDTH, at)
          .lineWidth(0.75)
          .stroke(RULE)
      })
    },

    qr(url: string, label: string, x: number, top: number): void {
      tagged('Figure', () => drawQr(doc, url, { x, y: top, side: QR_SIDE, color: INK }), {
        alt: label,
        bbox: [x, top, x + QR_SIDE, top + QR_SIDE],
      })
      const lines = text.wrap(label, SMALL, QR_SIDE + 20, 2)
      const place = { x: x - 10, width: QR_SIDE + 20, align: 'center' as const }
      tagged('P', () =>
        lines.forEach((line, index) =>
          text.line(line, SMALL, { ...place, y: top + QR_SIDE + 10 + index * 10 }),
        ),
      )
    },
  }
}
