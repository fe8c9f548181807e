import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { ZodTypeProvider } from 'fastify-type-provider-zod'
import * as z from 'zod/mini'
import { SlugParams } from '#features/offers/offers.contract.ts'
import { isUuid } from '#platform/ids.ts'
import type { Database } from '#platform/database.ts'
import type { Limit } from '#platform/limits/limiter.ts'
import { callerOf } from '#platform/http/request.ts'
import { Refusal } from '#shared/refusal.ts'
import { TicketList } from '../tickets.contract.ts'
import { ticketFileName, ticketsFileName, ticketsPdf } from './ticket-files.ts'
import type { TicketPdfSettings } from './ticket-pdf.ts'
import { ticketsRepository, toWire } from './tickets.repository.ts'

const tags = ['tickets']

/** Callers see only their own tickets (spec section 7). */
export const ticketsRoutes =
  ({ db, files, ...settings }: TicketPdfSettings & { db: Database; files: Limit }) =>
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
        files.hit({ account: userId, address: request.ip })
        const { id } = request.params
        const ticket = isUuid(id) ? await tickets.ofUserById(userId, id) : undefined
        if (!ticket) throw notFound()
        const pdf = await ticketsPdf(ownerOf(userId), [ticket], request.language, settings)
        return await sendPdf(request, reply, ticketFileName(ticket), pdf)
      },
    )

    app.get(
      '/api/tickets/offers/:slug/download/',
      { schema: { tags, params: SlugParams } },
      async (request, reply) => {
        const { userId } = callerOf(request)
        files.hit({ account: userId, address: request.ip })
        const [first, ...rest] = await tickets.validOfUserInOffer(userId, request.params.slug)
        if (!first) throw notFound()
        const pdf = await ticketsPdf(ownerOf(userId), [first, ...rest], request.language, settings)
        return await sendPdf(request, reply, ticketsFileName(first), pdf)
      },
    )
  }

const ownerOf = (userId: number): string => `user ${userId}`

const notFound = (): Refusal => new Refusal('ticket.notFound', 404, 'errors.ticket.notFound')

const sendPdf = (request: FastifyRequest, reply: FastifyReply, name: string, pdf: Buffer): FastifyReply =>
  reply
    .type('application/pdf')
    .header('content-disposition', `attachment; filename="${name}"`)
    .header('content-language', request.language)
    .send(pdf)
