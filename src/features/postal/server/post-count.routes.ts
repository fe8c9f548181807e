import type { FastifyInstance } from 'fastify'
import type { ZodTypeProvider } from 'fastify-type-provider-zod'
import type { Database } from '#platform/database.ts'
import { staffOf } from '#platform/http/request.ts'
import { ConfirmParams, CountBody, CountParams, PostCount } from '../post-count.contract.ts'
import { confirmCount, countCards, postCount } from './post-count.ts'

/** The cards of a contest, counted by two people before its seal. */
export const postCountRoutes =
  ({ db }: { db: Database }) =>
  async (instance: FastifyInstance): Promise<void> => {
    const app = instance.withTypeProvider<ZodTypeProvider>()
    const path = '/api/staff/draws/:id/post-count/'
    const schema = { tags: ['staff'], params: CountParams, response: { 200: PostCount } }
    app.get(path, { config: { permits: 'post.read' }, schema }, (request) =>
      postCount(db, request.params.id, staffOf(request).userId),
    )
    app.post(path, { config: { permits: 'post.count' }, schema: { ...schema, body: CountBody } }, (request) =>
      countCards(db, request.params.id, request.body, staffOf(request)),
    )
    app.post(
      `${path}:count/confirm/`,
      { config: { permits: 'post.count' }, schema: { ...schema, params: ConfirmParams, body: CountBody } },
      (request) => {
        const { id, count } = request.params
        return confirmCount(db, id, { id: count, ...request.body }, staffOf(request))
      },
    )
  }
