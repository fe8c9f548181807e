import type { FastifyInstance } from 'fastify'
import type { ZodTypeProvider } from 'fastify-type-provider-zod'
import * as z from 'zod/mini'
import type { Database } from '#platform/database.ts'
import { callerOf } from '#platform/http/request.ts'
import { Refusal } from '#shared/refusal.ts'
import { TicketList } from '../tickets.contract.ts'
import { type TicketPdfSettings, ticketFileName, ticketPdf } from './ticket-pdf.ts'
import { ticketsRepository, toWire } from './tickets.repository.ts'

const tags = ['tickets']
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** Callers see only their own tickets (spec section 7). */
export const ticketsRoutes =
  ({ db, ...settings }: TicketPdfSettings & { db: Database }) =>
  async (root: FastifyInstance): Promise<void> => {
    const app = root.withTypeProvider<ZodTypeProvider>()
    const tickets = ticketsRepository(db)

    // Two addresses of one list.
    for (const url of ['/api/tickets/', '/api/tickets/user/']) {
      app.get(url, { schema: { tags, response: { 200: TicketList } } }, async (request) =>
        (await tickets.ofUser(callerOf(request).userId)).map(toWire),
      )
    }

    app.get(
      '/api/tickets/:id/download/',
      { schema: { tags, params: z.object({ id: z.string() }) } },
      async (request, reply) => {
        const { userId } = callerOf(request)
        const { id } = request.params
        const ticket = UUID.test(id) ? await tickets.ofUserById(userId, id) : undefined
        if (!ticket) throw new Refusal('ticket.notFound', 404, 'errors.ticket.notFound')
        const pdf = await ticketPdf(ticket, request.language, settings)
        return reply
          .type('application/pdf')
          .header('content-disposition', `attachment; filename="${ticketFileName(ticket)}"`)
          .header('content-language', request.language)
          .send(pdf)
      },
    )
  }
