import { padTicketNumber } from '#features/offers/offers.rules.ts'
import type { Sql } from '#platform/database.ts'
import type { Ticket } from '../tickets.contract.ts'
import { type TicketRow, ticketsRepository } from './tickets.repository.ts'

/** A ticket as the API answers it. */
export const toWire = (row: Omit<TicketRow, 'order_id'>): Ticket => ({
  id: row.id,
  ticket_number: padTicketNumber(row.number, row.total_tickets),
  title: row.title,
  title_nl: row.title_nl,
  title_en: row.title_en,
  end_date: row.end_date.toISOString(),
  offer_id: row.offer_id,
  offer_slug: row.slug,
  // The tables' constraints allow no other values.
  status: row.status as Ticket['status'],
  source: row.source as Ticket['source'],
  issued_at: row.issued_at.toISOString(),
})

/** The tickets that each of the orders brought, as the API answers them, by contest and number. */
export async function ticketsOfOrders(db: Sql, orderIds: readonly string[]): Promise<Ticket[][]> {
  const rows = await ticketsRepository(db).ofOrders(orderIds)
  const byOrder = Map.groupBy(rows, (row) => row.order_id)
  return orderIds.map((id) => (byOrder.get(id) ?? []).map(toWire))
}

/** The tickets of one order. */
export const ticketsOfOrder = async (db: Sql, orderId: string): Promise<Ticket[]> =>
  (await ticketsOfOrders(db, [orderId]))[0] ?? []
