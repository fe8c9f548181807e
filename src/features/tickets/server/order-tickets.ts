import { translate } from '#i18n/server-translator.ts'
import type { Sql } from '#platform/database.ts'
import type { Language } from '#shared/languages.ts'
import { type TicketPdfSettings, ticketsPdf } from './ticket-pdf.ts'
import { ticketsRepository } from './tickets.repository.ts'

/** Most tickets in one file, so that it fits into anybody's mailbox: some 400 kB. */
export const TICKETS_PER_FILE = 50

/** The first tickets of an order as one PDF; no file when it has none. */
export async function orderTicketsFile(
  db: Sql,
  orderId: string,
  language: Language,
  settings: TicketPdfSettings,
): Promise<{ filename: string; contentType: string; content: Buffer }[]> {
  const [first, ...rest] = await ticketsRepository(db).heldOfOrder(orderId, TICKETS_PER_FILE)
  if (!first) return []
  return [
    {
      filename: `volant-${translate(language, 'ticketPdf.fileName')}.pdf`,
      contentType: 'application/pdf',
      content: await ticketsPdf([first, ...rest], language, settings),
    },
  ]
}
