import type { Style, TextSetter } from './pdf-text.ts'

/** The brand's first letter. */
export const plateLetter = (brand: string): string =>
  /[A-Z]/.exec(brand.normalize('NFKD').toUpperCase())?.[0] ?? 'V'

interface Plate {
  x: number
  y: number
  width: number
  number: string
  /** Replaces the country's letters. */
  letter: string
  faded: boolean
}

/** A European plate: 520 by 110 mm. */
export const PLATE_RATIO = 110 / 520

const BLUE = '#003399'
const GOLD = '#FFD400'
const PLATE_INK = '#14161A'
const WHITE = '#FDFDFB'
const FADED = '#B4B6B8'
const RELIEF = '#C9CBCD'
const STARS = 12

/** Hundredths of the plate's height. */
const BAND = 68
const RIM = 3.2

/** A European number plate (look, "Motif"). @returns `figures` apart, so that only the number is tagged as text */
export function numberPlate(
  doc: PDFKit.PDFDocument,
  text: TextSetter,
  { x, y, width, number, letter, faded }: Plate,
) {
  const height = width * PLATE_RATIO
  const unit = height / 100
  const band = BAND * unit
  const rim = RIM * unit
  const { style, baseline } = fitFigures()

  /** Figures shrink only where the number is long. */
  function fitFigures(): { style: Style; baseline: number } {
    const sized = (size: number): Style => ({ face: 'plate', size, tracking: size * 0.085 })
    const room = width - band - rim - 24 * unit
    const size = 100 * unit * Math.min(1, room / text.widthOf(number, sized(100 * unit)))
    // Figures are 0.69 of the size high and vertically centred.
    return { style: sized(size), baseline: y + 50 * unit + size * 0.345 }
  }

  function figuresAt(shift: number, color: string): void {
    const place = {
      x: x + band + shift,
      y: baseline + shift,
      width: width - band - rim,
      align: 'center' as const,
    }
    text.line(number, { ...style, color }, place)
  }

  function ground(): void {
    doc.roundedRect(x, y, width, height, 11 * unit).fill(PLATE_INK)
    doc.save()
    doc.roundedRect(x + rim, y + rim, width - 2 * rim, height - 2 * rim, 8.5 * unit).clip()
    doc.rect(x, y, width, height).fill(WHITE)
    doc.rect(x, y, band, height).fill(BLUE)
    doc.restore()
    const middle = x + (rim + band) / 2
    for (let star = 0; star < STARS; star += 1) {
      const angle = (star * 2 * Math.PI) / STARS
      drawStar(
        doc,
        middle + 19 * unit * Math.sin(angle),
        y + 36 * unit - 19 * unit * Math.cos(angle),
        5 * unit,
      )
    }
    const box = { x: middle - band / 2, y: y + 87 * unit, width: band, align: 'center' as const }
    text.line(letter, { face: 'plate', size: 33 * unit, color: WHITE }, box)
    if (!faded) figuresAt(1.6 * unit, RELIEF)
  }

  return {
    ground,
    figures: () => figuresAt(0, faded ? FADED : PLATE_INK),
    box: [x, y, x + width, y + height],
  }
}

function drawStar(doc: PDFKit.PDFDocument, x: number, y: number, radius: number): void {
  for (let point = 0; point < 10; point += 1) {
    const reach = point % 2 === 0 ? radius : radius * 0.382
    const angle = (point * Math.PI) / 5
    const [left, top] = [x + reach * Math.sin(angle), y - reach * Math.cos(angle)]
    if (point === 0) doc.moveTo(left, top)
    else doc.lineTo(left, top)
  }
  doc.closePath().fill(GOLD)
}
