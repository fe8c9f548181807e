import { padTicketNumber } from '#features/offers/offers.rules.ts'
import { translate } from '#i18n/server-translator.ts'
import type { Sql } from '#platform/database.ts'
import { inThread } from '#platform/documents/documents.ts'
import type { Language } from '#shared/languages.ts'
import type { TicketPdfSettings, ticketsPdf as draw } from './ticket-pdf.ts'
import { type TicketRow, ticketsRepository } from './tickets.repository.ts'

export const ticketFileName = ({ slug, number, total_tickets }: TicketRow): string =>
  `volant-${slug}-${padTicketNumber(number, total_tickets)}.pdf`

/** All of one contest. */
export const ticketsFileName = ({ slug }: TicketRow): string => `volant-${slug}.pdf`

/** One PDF with a page for each ticket, made in a worker thread. */
export const ticketsPdf = inThread<typeof draw>(new URL('./ticket-pdf.ts', import.meta.url), 'ticketsPdf')

/** A file of so many tickets has some 400 kB. */
export const TICKETS_PER_FILE = 50

/** One PDF with the first `TICKETS_PER_FILE` tickets; empty for an order without tickets. */
export async function orderTicketsFile(
  db: Sql,
  orderId: string,
  language: Language,
  { brand, publicUrl, timeZone, drawClaimMinutes }: TicketPdfSettings,
): Promise<{ filename: string; contentType: string; content: Buffer }[]> {
  const [first, ...rest] = await ticketsRepository(db).heldOfOrder(orderId, TICKETS_PER_FILE)
  if (!first) return []
  const settings = { brand, publicUrl, timeZone, drawClaimMinutes }
  return [
    {
      filename: `volant-${translate(language, 'tickets.pdf.fileName')}.pdf`,
      contentType: 'application/pdf',
      content: await ticketsPdf('emails', [first, ...rest], language, settings),
    },
  ]
}
