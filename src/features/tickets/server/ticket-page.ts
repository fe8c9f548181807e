import QRCode from 'qrcode'
import { PLATE_RATIO, numberPlate, plateLetter } from '#platform/documents/number-plate.ts'
import type { Style, TextSetter } from '#platform/documents/pdf-text.ts'

export interface TicketTexts {
  brand: string
  kind: string
  contest: string
  title: string
  number: string
  ofTotal: string
  fields: readonly { name: string; value: string }[]
  notes: readonly string[]
  /** What binds the shop: the hash of the terms, and the key of the log. */
  bound: readonly string[]
  scan: string
  drawUrl: string
  /** Only on a void ticket. */
  stamp: string | undefined
}

/** `ground` is decoration, `draw` is what a screen reader reads. */
export interface PagePart {
  ground?: () => void
  draw: () => void
  /** Of a part that is a picture. */
  box?: number[]
}

/** A5 landscape; all measures are points. */
export const PAGE_SIZE: [number, number] = [595.28, 419.53]

const TICKET = { x: 22, y: 22, width: 551.28, height: 375.53, radius: 16 }
const HEADER = 58
const STUB_X = 408
const NOTCH = 9
const LEFT = TICKET.x + 26
const MAIN = STUB_X - 24 - LEFT
const STUB = { x: STUB_X + 20, width: TICKET.x + TICKET.width - STUB_X - 40 }
const PLATE_Y = 172
export const QR = { x: STUB.x + 8, y: 108, side: STUB.width - 16 }
const QR_BOX = { x: QR.x - 8, y: QR.y - 8, side: QR.side + 16 }

// As the light scheme in src/apps/site/styles/tokens.css.
const PAPER = '#F5F3EE'
const ASPHALT = '#0B0C0D'
const INK = '#121417'
const QUIET = '#585D66'
const RULE = '#D5D1C7'
const SIGNAL = '#0A3FC4'
const ERROR = '#A8162B'

const LABEL: Style = { face: 'strong', size: 7, color: QUIET, tracking: 0.5 }
const VALUE: Style = { face: 'strong', size: 10.5, color: INK }
const SMALL: Style = { face: 'text', size: 7.2, color: QUIET }

/** Links to the draw. */
export const LINK_BOX = [QR_BOX.x, QR_BOX.y, QR_BOX.side, 188] as const

/** In reading order. */
export function ticketPage(doc: PDFKit.PDFDocument, text: TextSetter, texts: TicketTexts) {
  const letter = plateLetter(texts.brand)
  const plateOf = { number: texts.number, letter, faded: texts.stamp !== undefined }
  const plate = numberPlate(doc, text, { ...plateOf, x: LEFT, y: PLATE_Y, width: MAIN })
  const stubPlate = numberPlate(doc, text, { ...plateOf, x: STUB.x, y: 345, width: STUB.width })
  const centred = { x: STUB.x, width: STUB.width, align: 'center' as const }

  const brand: PagePart = {
    ground: () => drawTicketShape(doc),
    draw() {
      const style: Style = { face: 'display', size: 16, color: '#FFFFFF', tracking: 1.2 }
      text.line(text.cut(texts.brand.toUpperCase(), style, MAIN), style, { x: LEFT, y: 57 })
    },
  }

  const kind: PagePart = {
    draw() {
      const shown = texts.kind.toUpperCase()
      const style: Style = { face: 'strong', size: 8.5, color: '#E9E4D8', tracking: 0.8 }
      text.line(shown, text.shrink(shown, style, STUB.width, 6), { ...centred, y: 56 })
    },
  }

  const label = (name: string, x: number, y: number): PagePart => ({
    draw: () => text.line(name.toUpperCase(), LABEL, { x, y }),
  })

  const title: PagePart = {
    draw() {
      const big: Style = { face: 'display', size: 19, color: INK }
      if (text.widthOf(texts.title, big) <= MAIN) return text.line(texts.title, big, { x: LEFT, y: 139 })
      const style = { ...big, size: 17 }
      const lines = text.wrapEvenly(texts.title, style, MAIN, 2)
      lines.forEach((line, index) => text.line(line, style, { x: LEFT, y: 128 + index * 21 }))
    },
  }

  const { stamp } = texts
  const number: PagePart = { ground: plate.ground, draw: plate.figures, box: plate.box }

  const total: PagePart = {
    draw() {
      const y = PLATE_Y + MAIN * PLATE_RATIO + 16
      text.line(texts.ofTotal, { ...SMALL, size: 8.5 }, { x: LEFT, y, width: MAIN, align: 'right' })
    },
  }

  const fields = texts.fields.flatMap(({ name, value }, index): PagePart[] => {
    // The second column has the order's long reference.
    const [first, gap] = [MAIN * 0.44, 14]
    const [x, width] = index % 2 === 0 ? [LEFT, first] : [LEFT + first + gap, MAIN - first - gap]
    const y = 292 + Math.floor(index / 2) * 35
    const style = text.shrink(value, VALUE, width, 8)
    return [
      label(name, x, y),
      { draw: () => text.line(text.cut(value, style, width), style, { x, y: y + 14 }) },
    ]
  })

  const notes = texts.notes.map((note, index): PagePart => {
    const style = text.shrink(note, SMALL, MAIN, 6.2)
    return { draw: () => text.line(text.cut(note, style, MAIN), style, { x: LEFT, y: 363 + index * 9.5 }) }
  })

  const bound = texts.bound.map((line, index): PagePart => {
    const style = text.shrink(line, { ...SMALL, size: 6 }, MAIN, 4.5)
    return { draw: () => text.line(line, style, { x: LEFT, y: 382 + index * 8 }) }
  })

  const code: PagePart = {
    ground() {
      doc.roundedRect(QR_BOX.x, QR_BOX.y, QR_BOX.side, QR_BOX.side, 8).fill('#FFFFFF')
      stubPlate.ground()
      stubPlate.figures()
    },
    draw: () => drawQr(doc, texts.drawUrl, { ...QR, color: INK }),
    box: [QR.x, QR.y, QR.x + QR.side, QR.y + QR.side],
  }

  const scan: PagePart = {
    draw() {
      const style = text.shrink(texts.scan, { ...VALUE, size: 9.5 }, STUB.width, 7.5)
      text.line(texts.scan, style, { ...centred, y: 254 })
    },
  }

  const link: PagePart = {
    draw() {
      const { host, pathname } = new URL(texts.drawUrl)
      const style: Style = { ...SMALL, color: SIGNAL }
      const whole = host + pathname
      const lines = text.widthOf(whole, style) <= STUB.width ? [whole] : [host, pathname]
      lines.forEach((line, index) => {
        text.line(text.cut(line, style, STUB.width), style, { ...centred, y: 270 + index * 10 })
      })
    },
  }

  const stamped: PagePart | undefined =
    stamp === undefined ? undefined : { draw: () => drawStamp(doc, text, stamp.toUpperCase()) }

  return {
    brand,
    kind,
    contest: label(texts.contest, LEFT, 106),
    title,
    number,
    total,
    fields,
    notes,
    bound,
    code,
    scan,
    link,
    stamped,
  }
}

function drawTicketShape(doc: PDFKit.PDFDocument): void {
  const { x, y, width, height, radius } = TICKET
  doc.save()
  doc.roundedRect(x, y, width, height, radius).clip()
  doc.rect(x, y, width, height).fill(PAPER)
  doc.rect(x, y, width, HEADER).fill(ASPHALT)
  doc.rect(x, y + HEADER, width, 3).fill(SIGNAL)
  doc.restore()
  for (const edge of [y, y + height]) doc.circle(STUB_X, edge, NOTCH).fill('#FFFFFF')
  doc.save()
  doc.moveTo(STUB_X, y + HEADER + 14).lineTo(STUB_X, y + height - NOTCH - 5)
  doc.lineWidth(1.2).dash(0.1, { space: 5 }).lineCap('round').stroke(RULE)
  doc.restore()
  doc
    .moveTo(LEFT, 274)
    .lineTo(LEFT + MAIN, 274)
    .lineWidth(0.75)
    .stroke(RULE)
}

function drawStamp(doc: PDFKit.PDFDocument, text: TextSetter, word: string): void {
  const style = text.shrink(word, { face: 'display', size: 38, color: ERROR, tracking: 3 }, MAIN - 60, 20)
  const width = text.widthOf(word, style) + 40
  const height = style.size * 1.6
  const [x, y] = [LEFT + MAIN / 2, PLATE_Y + (MAIN * PLATE_RATIO) / 2]
  doc.save()
  doc.rotate(-8, { origin: [x, y] })
  doc
    .roundedRect(x - width / 2, y - height / 2, width, height, 8)
    .lineWidth(3.5)
    .stroke(ERROR)
  text.line(word, style, { x: x - width / 2, y: y + style.size * 0.345, width, align: 'center' })
  doc.restore()
}

interface QrPlace {
  x: number
  y: number
  /** Without its quiet zone. */
  side: number
  color: string
}

/** Vectors: each horizontal run of dark modules is one rectangle. */
export function drawQr(doc: PDFKit.PDFDocument, content: string, { x, y, side, color }: QrPlace): void {
  const { modules } = QRCode.create(content, { errorCorrectionLevel: 'M' })
  const module = side / modules.size
  for (let row = 0; row < modules.size; row += 1) {
    for (let column = 0; column < modules.size; column += 1) {
      const start = column
      while (column < modules.size && modules.get(row, column)) column += 1
      if (column > start) doc.rect(x + start * module, y + row * module, (column - start) * module, module)
    }
  }
  doc.fill(color)
}
