import type { FastifyInstance } from 'fastify'
import type { ZodTypeProvider } from 'fastify-type-provider-zod'
import * as z from 'zod'
import { staffOf } from '#platform/http/request.ts'
import { DrawParams } from '../../draws.contract.ts'
import { WitnessBody, WitnessDraw, WitnessKey, WitnessKeyBody } from '../../witness.contract.ts'
import { type WitnessesDeps, addKey, countersign, endKey, witnessDraw } from './witnesses.ts'

/** What a witness does: a key of their own, and checkpoints that it countersigns. */
export const witnessesRoutes =
  (deps: WitnessesDeps) =>
  async (instance: FastifyInstance): Promise<void> => {
    const app = instance.withTypeProvider<ZodTypeProvider>()
    const tags = ['staff']
    const [signs, keys] = [{ permits: 'witness.sign' }, { permits: 'witness.keys' }] as const
    const draw = '/api/staff/draws/:id/witness/'
    app.get(
      draw,
      { config: signs, schema: { tags, params: DrawParams, response: { 200: WitnessDraw } } },
      (request) => witnessDraw(deps, request.params.id, staffOf(request).userId),
    )
    app.post(
      draw,
      {
        config: signs,
        schema: { tags, params: DrawParams, body: WitnessBody, response: { 200: WitnessDraw } },
      },
      (request) => countersign(deps, request.params.id, request.body, staffOf(request)),
    )
    app.post(
      '/api/staff/witness/key/',
      { config: keys, schema: { tags, body: WitnessKeyBody, response: { 200: WitnessKey } } },
      (request) => addKey(deps, request.body, staffOf(request)),
    )
    app.post(
      '/api/staff/witness/key/end/',
      { config: keys, schema: { tags, response: { 204: z.null() } } },
      async (request, reply) => {
        await endKey(deps, staffOf(request))
        return reply.code(204).send(null)
      },
    )
  }
