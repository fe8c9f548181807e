import type { FastifyInstance } from 'fastify'
import type { ZodTypeProvider } from 'fastify-type-provider-zod'
import type { Database } from '#platform/database.ts'
import { DrawList, DrawsQuery } from '../draws.contract.ts'
import { drawsRepository } from './draws.repository.ts'

/** The contests by the instant of their draw. */
export const drawsRoutes =
  ({ db }: { db: Database }) =>
  async (instance: FastifyInstance): Promise<void> => {
    const app = instance.withTypeProvider<ZodTypeProvider>()
    app.get(
      '/api/staff/draws/',
      {
        config: { permits: 'draws.read' },
        schema: { tags: ['staff'], querystring: DrawsQuery, response: { 200: DrawList } },
      },
      async ({ query }) => {
        const rows = await drawsRepository(db).page({ ...query, limit: query.limit + 1 })
        const shown = rows.slice(0, query.limit)
        return {
          items: shown.map(({ closes_at, draw_at, ...row }) => ({
            ...row,
            closes_at: closes_at?.toISOString() ?? null,
            draw_at: draw_at?.toISOString() ?? null,
          })),
          next: rows.length > query.limit ? String(shown.at(-1)?.offer_id) : null,
        }
      },
    )
  }
