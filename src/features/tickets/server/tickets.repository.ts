import type { Insertable } from 'kysely'
import type { Sql, Trx } from '#platform/database.ts'
import type { Tickets } from '#platform/database-types.ts'

/** A ticket with what its contest says on it. */
export type TicketRow = Awaited<ReturnType<ReturnType<typeof ticketsRepository>['ofUser']>>[number]

/** The SQL that reads tickets. */
export const ticketsRepository = (db: Sql) => {
  const tickets = db
    .selectFrom('tickets')
    .innerJoin('offers', 'offers.id', 'tickets.offer_id')
    .select([
      'tickets.id',
      'tickets.number',
      'tickets.status',
      'tickets.source',
      'tickets.issued_at',
      'tickets.order_id',
      'tickets.offer_id',
      'offers.slug',
      'offers.title',
      'offers.title_nl',
      'offers.title_en',
      'offers.end_date',
      'offers.total_tickets',
    ])

  return {
    /** A user's tickets, the newest first; those issued together by contest and number. */
    ofUser: (userId: number) =>
      tickets
        .where('tickets.user_id', '=', userId)
        .orderBy('tickets.issued_at', 'desc')
        .orderBy('tickets.offer_id')
        .orderBy('tickets.number')
        .execute(),

    /** The tickets of one order by contest and number. */
    ofOrder: (orderId: string) =>
      tickets
        .where('tickets.order_id', '=', orderId)
        .orderBy('tickets.offer_id')
        .orderBy('tickets.number')
        .execute(),

    /** A user's own ticket with its holder's name; undefined for anybody else's. */
    ofUserById: (userId: number, id: string) =>
      tickets
        .innerJoin('users', 'users.id', 'tickets.user_id')
        .select(['users.username as holder', 'users.email as holder_email'])
        .where('tickets.id', '=', id)
        .where('tickets.user_id', '=', userId)
        .executeTakeFirst(),
  }
}

/** Most rows of one INSERT: PostgreSQL takes at most 65,535 parameters. */
const ROWS_PER_INSERT = 5_000

/** Stores new tickets. A number that is given already ends the transaction: `tickets_number_once`. */
export async function insertTickets(trx: Trx, rows: readonly Insertable<Tickets>[]): Promise<void> {
  for (let start = 0; start < rows.length; start += ROWS_PER_INSERT) {
    await trx
      .insertInto('tickets')
      .values(rows.slice(start, start + ROWS_PER_INSERT))
      .execute()
  }
}
