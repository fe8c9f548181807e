import { PLATE_RATIO, numberPlate, plateLetter } from '#platform/documents/number-plate.ts'
import { formatDateTime, formatEur, formatPercent } from '#i18n/format.ts'
import { translate } from '#i18n/server-translator.ts'
import { pdfBytes, taggedPdf } from '#platform/documents/pdf-document.ts'
import { type Face, type Style, textSetter } from '#platform/documents/pdf-text.ts'
import { countryName } from '#shared/countries.ts'
import type { Language } from '#shared/languages.ts'
import { cents, taxesInParts, timesCents } from '#shared/money.ts'
import { shownOrderNumber } from '#shared/order-number.ts'
import type { BuyerOrderRow } from './buyer-orders.repository.ts'
import type { OrderEmailShop } from './receipt-email.ts'
import { logLines, seller, titleBought } from './receipt-lines.ts'

export interface ReceiptShop extends OrderEmailShop {
  /** Name of the payment provider. */
  provider: string
}

export interface ReceiptBuyer {
  username: string
  email: string
}

/** A number of the order. */
export interface ReceiptTicket {
  offer_id: number
  /** As people see it. */
  number: string
  isVoid: boolean
}

/** A4; all measures are points. */
const PAGE_SIZE: [number, number] = [595.28, 841.89]
const LEFT = 64
const WIDTH = PAGE_SIZE[0] - 2 * LEFT
const TOP = 68
/** The dark band with the brand, as on tickets, and the line below it. */
const HEAD = 58
const HEAD_LINE = 3
const BOTTOM = PAGE_SIZE[1] - 72

// As the light scheme in src/apps/site/styles/tokens.css.
const INK = '#121417'
const QUIET = '#585D66'
const RULE = '#D5D1C7'
const SIGNAL = '#0A3FC4'
const ASPHALT = '#0B0C0D'

type Tone = 'plain' | 'strong' | 'quiet'
const TONES: Record<Tone, { face: Face; size: number; color: string }> = {
  plain: { face: 'text', size: 10, color: INK },
  strong: { face: 'strong', size: 11, color: INK },
  quiet: { face: 'text', size: 9, color: QUIET },
}
const LEADING = 16
/** The longest name of an account with the longest address. */
const VALUE_LINES = 12
const PLATE_WIDTH = 72
const PLATES_IN_ROW = 6
/** Plates of a contest; the others are under "My participations". */
const PLATES_MAX = 250

interface Row {
  name: string
  value: string
  tone?: Tone
}

/** A receipt with a credit note for each refund. The same order, language and settings always give the same bytes. */
export function receiptPdf(
  order: BuyerOrderRow,
  buyer: ReceiptBuyer,
  tickets: readonly ReceiptTicket[],
  language: Language,
  shop: ReceiptShop,
): Promise<Buffer> {
  const say = (name: string, values: Record<string, string | number> = {}): string =>
    translate(language, `emails.receiptPdf.${name}`, values)
  const label = (name: string): string => translate(language, `emails.receipt.${name}`)
  const eur = (amount: number): string => formatEur(cents(amount), language)
  const time = (at: Date | string): string => formatDateTime(at, shop.timeZone)
  const title = say('title', { number: shownOrderNumber(order.number) })
  const date = order.paid_at ?? order.created_at
  const country = countryName(order.country, language)

  const doc = taggedPdf({
    title: `${title} | ${shop.brand}`,
    brand: shop.brand,
    language,
    date,
    size: PAGE_SIZE,
  })
  const bytes = pdfBytes(doc)
  const tree = doc.struct('Document')
  doc.addStructure(tree)
  const write = receiptWriter(doc, tree)

  write.head(shop.brand)
  write.text('H1', title, { face: 'display', size: 24, color: INK }, 8)
  write.rows([
    { name: label('date'), value: time(date) },
    {
      name: say('buyer'),
      // As on the ticket, the address alone where the fonts lack a letter of the name.
      value: write.shows(buyer.username) ? `${buyer.username}, ${buyer.email}` : buyer.email,
    },
    { name: label('country'), value: country },
    ...order.payments.map(({ capture_id: id, amount_cents }) => ({
      name: label('payment'),
      value: say('paidWith', { provider: shop.provider, id, amount: eur(amount_cents) }),
    })),
  ])
  write.rule()
  for (const line of order.lines) {
    const { quantity, unit_cents, log_lines: lines, draw_terms: terms } = line
    const contest = titleBought(line, language)
    const name = translate(language, 'emails.receipt.line', {
      title: contest,
      quantity,
      price: eur(unit_cents),
    })
    write.rows([{ name, value: eur(timesCents(cents(unit_cents), quantity)) }])
    const own = tickets.filter(({ offer_id: id }) => id === line.offer_id)
    write.plates(own.slice(0, PLATES_MAX), shop.brand)
    if (own.length > PLATES_MAX) {
      const more = translate(language, 'emails.receipt.more', { count: own.length - PLATES_MAX })
      write.text('P', more, TONES.quiet, 2)
    }
    if (lines.length > 0) write.text('P', logLines(language, lines), TONES.quiet, 2)
    if (terms) write.text('P', translate(language, 'emails.receipt.drawTerms', { ...terms }), TONES.quiet, 2)
  }
  write.rule()
  const rate = formatPercent(Number(order.tax_percent), language)
  write.rows(
    [
      { name: label('subtotal'), value: eur(order.subtotal_cents) },
      { name: say('vatCountry', { rate, country }), value: eur(order.tax_cents) },
      { name: label('total'), value: eur(order.total_cents), tone: 'strong' },
    ],
    { areTogether: true },
  )
  if (order.refunds.length > 0) {
    const taxes = taxesInParts(
      { total: order.total_cents, tax: order.tax_cents },
      order.refunds.map((one) => ({ amount: one.amount_cents, isTaxed: !one.is_surplus })),
    )
    write.rule()
    write.rows(
      order.refunds.flatMap(({ amount_cents: amount, done, is_surplus, at }, index): Row[] => {
        const vat = { name: say('creditVat'), value: `−${eur(taxes[index] ?? 0)}`, tone: 'quiet' } as const
        return done
          ? [
              { name: say('credit', { date: time(at) }), value: `−${eur(amount)}` },
              ...(is_surplus ? [] : [vat]),
            ]
          : [{ name: say('asked', { date: time(at) }), value: eur(amount), tone: 'quiet' }]
      }),
    )
    const sum = (amounts: readonly { amount_cents: number }[]): number =>
      amounts.reduce((total, { amount_cents }) => total + amount_cents, 0)
    const left = sum(order.payments) - sum(order.refunds.filter(({ done }) => done))
    write.rows([{ name: say('remaining'), value: eur(Math.max(0, left)), tone: 'strong' }])
  }
  write.rule()
  for (const line of [seller(language, shop), shop.contactEmail, say('zone', { zone: shop.timeZone })])
    write.text('P', line, TONES.quiet, 0)
  tree.end()
  doc.end()
  return bytes
}

/** Writes tagged texts and rows from top to bottom, over as many pages as needed. */
function receiptWriter(doc: PDFKit.PDFDocument, tree: PDFKit.PDFStructureElement) {
  const text = textSetter(doc)
  let y = TOP

  function make(room: number): void {
    if (y + room <= BOTTOM) return
    doc.addPage()
    y = TOP
  }

  return {
    /** Whether fonts have all letters of a text. */
    shows: (content: string): boolean => text.covers('text', content),

    /** The brand over the whole width of the first page. */
    head(brand: string): void {
      doc.markContent('Artifact', { type: 'Layout' })
      doc.rect(0, 0, PAGE_SIZE[0], HEAD).fill(ASPHALT)
      doc.rect(0, HEAD, PAGE_SIZE[0], HEAD_LINE).fill(SIGNAL)
      doc.endMarkedContent()
      const style: Style = { face: 'display', size: 16, color: '#FFFFFF', tracking: 1.2 }
      const element = doc.struct('P')
      tree.add(element)
      element.add(() => text.line(text.cut(brand.toUpperCase(), style, WIDTH), style, { x: LEFT, y: 35 }))
      element.end()
      y = HEAD + HEAD_LINE + 16
    },

    /** Numbers as plates, in rows: a list for screen readers, to whom a plate is its number. */
    plates(tickets: readonly ReceiptTicket[], brand: string): void {
      if (tickets.length === 0) return
      const letter = plateLetter(brand)
      const gap = (WIDTH - PLATES_IN_ROW * PLATE_WIDTH) / (PLATES_IN_ROW - 1)
      const height = PLATE_WIDTH * PLATE_RATIO
      const list = doc.struct('L')
      tree.add(list)
      y += 8
      for (const [index, { number, isVoid }] of tickets.entries()) {
        const column = index % PLATES_IN_ROW
        if (column === 0) make(height + 6)
        const plate = numberPlate(doc, text, {
          number,
          letter,
          faded: isVoid,
          x: LEFT + column * (PLATE_WIDTH + gap),
          y,
          width: PLATE_WIDTH,
        })
        doc.markContent('Artifact', { type: 'Layout' })
        plate.ground()
        doc.endMarkedContent()
        const item = doc.struct('LI')
        list.add(item)
        const body = doc.struct('LBody')
        item.add(body)
        body.add(plate.figures)
        body.end()
        item.end()
        if (column === PLATES_IN_ROW - 1 || index === tickets.length - 1) y += height + 6
      }
      list.end()
      y += 4
    },

    text(type: string, content: string, style: (typeof TONES)[Tone], above: number): void {
      const lines = text.wrap(content, style, WIDTH, 3)
      y += above
      make(lines.length * style.size * 1.4)
      const element = doc.struct(type)
      tree.add(element)
      for (const line of lines) {
        y += style.size * 1.4
        const baseline = y
        element.add(() => text.line(line, style, { x: LEFT, y: baseline }))
      }
      element.end()
    },

    /** Names on the left, values in line on the right, in several lines where one is too short. */
    rows(rows: readonly Row[], { areTogether = false } = {}): void {
      if (areTogether) make(8 + rows.length * LEADING)
      const list = doc.struct('L')
      tree.add(list)
      y += 8
      for (const { name, value, tone = 'plain' } of rows) {
        const style = TONES[tone]
        const valueStyle = text.shrink(value, style, WIDTH * 0.62, 8)
        const values = text.fold(value, valueStyle, WIDTH * 0.62, VALUE_LINES)
        const widest = Math.max(...values.map((one) => text.widthOf(one, valueStyle)))
        const lines = text.wrap(name, style, WIDTH - widest - 16, 3)
        const height = Math.max(lines.length, values.length) * LEADING
        make(height)
        const item = doc.struct('LI')
        list.add(item)
        const first = y + LEADING
        const parts: [string, () => void][] = [
          [
            'Lbl',
            () => lines.forEach((line, at) => text.line(line, style, { x: LEFT, y: first + at * LEADING })),
          ],
          [
            'LBody',
            () =>
              values.forEach((one, at) =>
                text.line(one, valueStyle, {
                  x: LEFT,
                  y: first + at * LEADING,
                  width: WIDTH,
                  align: 'right',
                }),
              ),
          ],
        ]
        for (const [type, draw] of parts) {
          const part = doc.struct(type)
          item.add(part)
          part.add(draw)
          part.end()
        }
        item.end()
        y += height
      }
      list.end()
    },

    rule(): void {
      make(2 * LEADING)
      y += 12
      const at = y
      doc.markContent('Artifact', { type: 'Layout' })
      doc
        .moveTo(LEFT, at)
        .lineTo(LEFT + WIDTH, at)
        .lineWidth(0.75)
        .stroke(RULE)
      doc.endMarkedContent()
    },
  }
}
