import type { FastifyInstance } from 'fastify'
import type { ZodTypeProvider } from 'fastify-type-provider-zod'
import { AwaitingApproval } from '#features/staff/staff.contract.ts'
import { staffOf } from '#platform/http/request.ts'
import { DrawBeacon, ReplaceBeaconBody } from '../beacon.contract.ts'
import { DrawParams } from '../draws.contract.ts'
import { type BeaconsDeps, askBeacon, drawBeacon } from './replace-beacon.ts'

/** The beacon of a draw, and another one in its place before the contest closes. */
export const beaconRoutes =
  (deps: BeaconsDeps) =>
  async (instance: FastifyInstance): Promise<void> => {
    const app = instance.withTypeProvider<ZodTypeProvider>()
    const schema = { tags: ['staff'], params: DrawParams }
    app.get(
      '/api/staff/draws/:id/beacon/',
      { config: { permits: 'draws.read' }, schema: { ...schema, response: { 200: DrawBeacon } } },
      ({ params }) => drawBeacon(deps, params.id),
    )
    app.post(
      '/api/staff/draws/:id/beacon/',
      {
        config: { permits: 'draws.beacon' },
        schema: { ...schema, body: ReplaceBeaconBody, response: { 202: AwaitingApproval } },
      },
      async (request, reply) => {
        const approval = await askBeacon(deps, request.params.id, request.body, staffOf(request))
        return reply.code(202).send({ approval })
      },
    )
  }
