import type { FastifyInstance } from 'fastify'
import type { ZodTypeProvider } from 'fastify-type-provider-zod'
import type { Database } from '#platform/database.ts'
import { translate } from '#i18n/server-translator.ts'
import type { Language } from '#shared/languages.ts'
import { Alerts } from '../alerts.contract.ts'
import { type AlertRow, alertsRepository } from './alerts.repository.ts'

const LISTED = 200

/** GET /api/staff/alerts/, for staff only. */
export const alertsRoutes =
  ({ db }: { db: Database }) =>
  async (instance: FastifyInstance): Promise<void> => {
    const app = instance.withTypeProvider<ZodTypeProvider>()
    app.get(
      '/api/staff/alerts/',
      { config: { permits: 'alerts.read' }, schema: { tags: ['staff'], response: { 200: Alerts } } },
      async (request) => {
        const rows = await alertsRepository(db).newest(LISTED)
        return rows.map((row) => toAlert(row, request.language))
      },
    )
  }

const toAlert = (row: AlertRow, language: Language) => ({
  id: row.id,
  kind: row.kind,
  subject: row.subject,
  title: translate(language, `emails.alert.kind.${row.kind}`),
  details: row.details,
  since: row.since.toISOString(),
  last_seen: row.last_seen.toISOString(),
  times: row.times,
  resolved_at: row.resolved_at?.toISOString() ?? null,
})
