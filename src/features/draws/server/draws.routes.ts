import type { FastifyInstance } from 'fastify'
import type { ZodTypeProvider } from 'fastify-type-provider-zod'
import { statesHiddenFrom } from '#features/offers/offer-states.rules.ts'
import type { Database } from '#platform/database.ts'
import { staffOf } from '#platform/http/request.ts'
import { CalendarQuery, DrawCalendar, DrawList, DrawPage, DrawParams, DrawsQuery } from '../draws.contract.ts'
import { drawPage } from './draw-page.ts'
import { drawsRepository } from './draws.repository.ts'
import { textFields } from '#shared/text-fields.ts'

/** The contests by the instant of their draw, as a calendar, and where each draw stands. */
export const drawsRoutes =
  ({ db, timeZone }: { db: Database; timeZone: string }) =>
  async (instance: FastifyInstance): Promise<void> => {
    const app = instance.withTypeProvider<ZodTypeProvider>()
    app.get(
      '/api/staff/draws/',
      {
        config: { permits: 'draws.read' },
        schema: { tags: ['staff'], querystring: DrawsQuery, response: { 200: DrawList } },
      },
      async (request) => {
        const { query } = request
        const hidden = statesHiddenFrom(staffOf(request).role)
        const rows = await drawsRepository(request.reads).page({ ...query, limit: query.limit + 1 }, hidden)
        const shown = rows.slice(0, query.limit)
        return {
          items: shown.map(({ titles, closes_at, draw_at, ...row }) => ({
            ...row,
            ...textFields('title', titles),
            closes_at: closes_at?.toISOString() ?? null,
            draw_at: draw_at?.toISOString() ?? null,
          })),
          next: rows.length > query.limit ? String(shown.at(-1)?.offer_id) : null,
        }
      },
    )

    app.get(
      '/api/staff/draw-calendar/',
      {
        config: { permits: 'draws.read' },
        schema: { tags: ['staff'], querystring: CalendarQuery, response: { 200: DrawCalendar } },
      },
      async (request) => {
        const hidden = statesHiddenFrom(staffOf(request).role)
        const rows = await drawsRepository(request.reads).calendar(
          `${request.query.month}-01`,
          timeZone,
          hidden,
        )
        return {
          items: rows.map(({ titles, at, ...row }) => ({
            ...row,
            ...textFields('title', titles),
            at: at.toISOString(),
          })),
        }
      },
    )

    app.get(
      '/api/staff/draws/:id/',
      {
        config: { permits: 'draws.read' },
        schema: { tags: ['staff'], params: DrawParams, response: { 200: DrawPage } },
      },
      (request) => drawPage(db, request.params.id, statesHiddenFrom(staffOf(request).role)),
    )
  }
