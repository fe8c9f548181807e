import { Readable } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import type { ZodTypeProvider } from 'fastify-type-provider-zod'
import * as z from 'zod'
import { staffOf } from '#platform/http/request.ts'
import type { Limit } from '#platform/limits/limiter.ts'
import { Refusal } from '#shared/refusal.ts'
import { DrawParams, DrawRehearsal, PlayBody, RehearseBody } from '../../draws.contract.ts'
import { type PackedFile, isSmall, zipOf } from '../public/evidence-pack.ts'
import { rehearsalsRepository } from './rehearsals.repository.ts'
import { type RehearsalsDeps, playRehearsal, rehearseDraw } from './rehearsals.ts'

const Of = z.object({ id: z.string(), name: z.string() })
export const isRehearsalId = (id: string): boolean => z.uuid().safeParse(id).success

/** What staff do with rehearsals of draws. */
export const staffRehearsalsRoutes =
  (deps: RehearsalsDeps) =>
  async (instance: FastifyInstance): Promise<void> => {
    const app = instance.withTypeProvider<ZodTypeProvider>()
    const config = { permits: 'draws.rehearse' } as const
    const schema = { tags: ['staff'], params: DrawParams, response: { 200: DrawRehearsal } }
    app.post(
      '/api/staff/draws/:id/rehearsal/',
      { config, schema: { ...schema, body: RehearseBody } },
      (request) => rehearseDraw(deps, request.params.id, request.body, staffOf(request)),
    )
    app.post(
      '/api/staff/draws/:id/rehearsal/play/',
      { config, schema: { ...schema, body: PlayBody } },
      (request) => playRehearsal(deps, request.params.id, request.body.seconds, staffOf(request)),
    )
  }

/** The files of rehearsals, for whoever has the address. */
export const rehearsalFilesRoutes =
  ({ db, limit }: Pick<RehearsalsDeps, 'db'> & { limit: Limit }) =>
  async (instance: FastifyInstance): Promise<void> => {
    const app = instance.withTypeProvider<ZodTypeProvider>()
    app.addHook('onRequest', async (request) => limit.hit({ address: request.ip }))
    app.get(
      '/rehearsals/:id/:name(^[A-Za-z0-9-]+\\.(?:txt|json|zip)$)',
      { config: { auth: 'ignored' }, schema: { hide: true, params: Of } },
      async ({ params: { id, name } }, reply) => {
        const rehearsals = rehearsalsRepository(db)
        const files = isRehearsalId(id) ? await rehearsals.files(id) : []
        const archive = `${files[0]?.slug}-rehearsal.zip`
        const file = files.find((one) => one.name === name)
        if (files.length === 0 || (!file && name !== archive))
          throw new Refusal('request.notFound', 404, 'errors.request.notFound')
        // A new rehearsal takes the place of this one.
        reply.header('cache-control', 'no-cache').header('x-robots-tag', 'noindex')
        const partsOf = (one: (typeof files)[number]) => rehearsals.parts(id, one)
        if (file)
          return reply
            .type(name.endsWith('.json') ? 'application/json; charset=utf-8' : 'text/plain; charset=utf-8')
            .header('content-length', file.bytes)
            .send(Readable.from(partsOf(file)))
        async function* packed(): AsyncGenerator<PackedFile> {
          for (const one of files) yield [one.name, isSmall(one.bytes), partsOf(one)]
        }
        return reply
          .type('application/zip')
          .header('content-disposition', `attachment; filename="${name}"`)
          .send(zipOf(files[0]!.slug, packed()))
      },
    )
  }
