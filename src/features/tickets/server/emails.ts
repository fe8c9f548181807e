import type { SliceMakers } from '#features/emails/server/index.ts'
import type { Database } from '#platform/database.ts'
import { orderTicketsFile } from './ticket-files.ts'
import type { TicketPdfSettings } from './ticket-pdf.ts'

export const ticketsEmailMakers = ({ db, shop }: { db: Database; shop: TicketPdfSettings }): SliceMakers => ({
  attachments: { 'order-tickets': (orderId, language) => orderTicketsFile(db, orderId, language, shop) },
})
