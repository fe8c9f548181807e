import type { FastifyInstance } from 'fastify'
import type { ZodTypeProvider } from 'fastify-type-provider-zod'
import { sendShared, sharedResponse } from '#platform/http/shared-responses.ts'
import { LineParams, WaitingRoomState } from '../waiting-room.contract.ts'
import type { WaitingRooms } from './waiting-rooms.ts'

/** The line of a contest, without a question to the database: everybody who waits asks. */
export const waitingRoomRoutes =
  ({ rooms }: { rooms: Pick<WaitingRooms, 'state'> }) =>
  async (instance: FastifyInstance): Promise<void> => {
    const app = instance.withTypeProvider<ZodTypeProvider>()
    app.get(
      '/api/offers/:slug/waiting-room/',
      { config: { auth: 'ignored' }, schema: { params: LineParams, response: { 200: WaitingRoomState } } },
      async (request, reply) => sendShared(request, reply, sharedResponse(rooms.state(request.params.slug))),
    )
  }
