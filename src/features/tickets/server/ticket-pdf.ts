import { padTicketNumber } from '#features/offers/offers.rules.ts'
import { formatDuration } from '#i18n/duration.ts'
import { formatDateTime } from '#i18n/format.ts'
import { translate } from '#i18n/server-translator.ts'
import { pdfBytes, taggedPdf } from '#platform/documents/pdf-document.ts'
import { type TextSetter, textSetter } from '#platform/documents/pdf-text.ts'
import { shownOrderNumber } from '#shared/order-number.ts'
import { DEFAULT_LANGUAGE, type Language } from '#shared/languages.ts'
import { textIn } from '#shared/localized-text.ts'
import { LINK_BOX, PAGE_SIZE, type PagePart, ticketPage } from './ticket-page.ts'
import { proofLink } from './proof-link.ts'
import type { TicketRow } from './tickets.repository.ts'

export type HeldTicket = TicketRow & { holder: string; holder_email: string; order_number: string | null }

export interface TicketPdfSettings {
  brand: string
  /** Without a trailing slash. */
  publicUrl: string
  timeZone: string
  /** The time for the claim of a contest whose terms are not published yet. */
  drawClaimMinutes: number
}

/** Longest texts; also cuts what does not fit. */
const TITLE_MAX = 160
const HOLDER_MAX = 80

/** One page for each ticket. The same tickets, language and settings always give the same bytes. */
export async function ticketsPdf(
  tickets: readonly [HeldTicket, ...HeldTicket[]],
  language: Language,
  settings: TicketPdfSettings,
): Promise<Buffer> {
  const [first] = tickets
  const title =
    tickets.length === 1
      ? translate(language, 'tickets.pdf.documentTitle', {
          number: numberOf(first),
          title: titleOf(first, language).text,
        })
      : translate(language, 'tickets.pdf.documentTitleMany', { count: tickets.length })
  const facts = { title, brand: settings.brand, language, date: first.issued_at, size: PAGE_SIZE }
  const doc = taggedPdf(facts)
  const bytes = pdfBytes(doc)
  const text = textSetter(doc)
  const tree = doc.struct('Document')
  doc.addStructure(tree)
  for (const [index, ticket] of tickets.entries()) {
    if (index > 0) doc.addPage()
    drawTicket({ doc, text, tree }, ticket, language, settings)
  }
  tree.end()
  doc.end()
  return await bytes
}

const numberOf = (ticket: HeldTicket): string => padTicketNumber(ticket.number, ticket.total_tickets)

function titleOf(ticket: HeldTicket, language: Language): { text: string; language: Language } {
  const title = textIn(ticket.titles, language)
  return { ...title, text: title.text.slice(0, TITLE_MAX) }
}

interface Sheet {
  doc: PDFKit.PDFDocument
  text: TextSetter
  tree: PDFKit.PDFStructureElement
}

function drawTicket(
  { doc, text, tree }: Sheet,
  ticket: HeldTicket,
  language: Language,
  { brand, publicUrl, timeZone, drawClaimMinutes }: TicketPdfSettings,
): void {
  const say = (name: string, values: Record<string, string | number> = {}): string =>
    translate(language, `tickets.pdf.${name}`, values)
  const number = numberOf(ticket)
  const title = titleOf(ticket, language)
  // With the secret that proves the entry, once it is in the public log.
  const drawUrl = publicUrl + drawAddress(ticket, language)
  const page = ticketPage(doc, text, {
    brand,
    kind: say('title'),
    contest: say('contest'),
    title: title.text,
    number,
    ofTotal: say('ofTotal', { total: ticket.total_tickets }),
    fields: [
      { name: say('holder'), value: holderName(ticket, text) },
      { name: say('endDate'), value: formatDateTime(ticket.end_date, timeZone) },
      { name: say('issued'), value: formatDateTime(ticket.issued_at, timeZone) },
      ticket.order_number === null
        ? { name: say('entry'), value: say('postal') }
        : { name: say('order'), value: shownOrderNumber(ticket.order_number) },
    ],
    notes: [
      say('claim', {
        claimTime: formatDuration(ticket.claim_seconds ?? drawClaimMinutes * 60, language),
      }),
      [
        say('zone', { zone: timeZone }),
        ...(ticket.leaf_index === null ? [] : [say('leaf', { line: ticket.leaf_index + 1 })]),
      ].join(' '),
    ],
    bound:
      ticket.terms_hash === null || ticket.log_key === null
        ? []
        : [
            say('terms', { hash: Buffer.from(ticket.terms_hash).toString('hex') }),
            say('key', { key: ticket.log_key }),
          ],
    scan: say('scan'),
    drawUrl,
    stamp: ticket.status === 'void' ? say('void') : undefined,
  })

  const add = (part: PagePart, type: string, options: StructureOptions = {}) =>
    addPart(doc, tree, part, type, options)
  add(page.brand, 'P')
  add(page.kind, 'P')
  add(page.contest, 'P')
  add(page.title, 'H1', { lang: title.language })
  add(page.number, 'Figure', { alt: say('plateAlt', { number }) })
  if (page.stamped) add(page.stamped, 'P')
  add(page.total, 'P')
  for (const part of [...page.fields, ...page.notes, ...page.bound]) add(part, 'P')
  add(page.code, 'Figure', { alt: say('qrAlt', { url: `${publicUrl}/draws/${ticket.slug}` }) })
  add(page.scan, 'P')
  const link = add(page.link, 'Link')
  const annotation = { structParent: link, Contents: new String(say('scan')) }
  doc.link(...LINK_BOX, drawUrl, annotation as unknown as PDFKit.Mixins.AnnotationOption)
}

/** The page of the draw in the language of the ticket, with what proves the entry. */
function drawAddress(ticket: HeldTicket, language: Language): string {
  const [, proof] = proofLink(ticket)?.split('#') ?? []
  const query = language === DEFAULT_LANGUAGE ? '' : `?lang=${language}`
  return `/draws/${ticket.slug}${query}${proof === undefined ? '' : `#${proof}`}`
}

/** The library's types lack a figure's box. */
type StructureOptions = PDFKit.Mixins.StructureElementOptions & { bbox?: number[] }

/** The ground is an artifact, which screen readers skip. */
function addPart(
  doc: PDFKit.PDFDocument,
  tree: PDFKit.PDFStructureElement,
  { ground, draw, box }: PagePart,
  type: string,
  options: StructureOptions,
): PDFKit.PDFStructureElement {
  if (ground) {
    doc.markContent('Artifact', { type: 'Layout' })
    ground()
    doc.endMarkedContent()
  }
  const element = doc.struct(type, box ? { ...options, bbox: box } : options)
  tree.add(element)
  return element.add(draw)
}

/** The email address replaces a username with a letter that the fonts lack. */
function holderName({ holder, holder_email }: HeldTicket, text: TextSetter): string {
  const name = holder.slice(0, HOLDER_MAX)
  return text.covers('strong', name) ? text.printable('strong', name) : holder_email.slice(0, HOLDER_MAX)
}
