import type { FastifyInstance } from 'fastify'
import type { ZodTypeProvider } from 'fastify-type-provider-zod'
import type { Database } from '#platform/database.ts'
import { translate } from '#i18n/server-translator.ts'
import type { Language } from '#shared/languages.ts'
import { Alarms } from '../alarms.contract.ts'
import { type AlarmRow, alarmsRepository } from './alarms.repository.ts'

const LISTED = 200

/** GET /api/staff/alarms/: what needs a look, for staff only. */
export const alarmsRoutes =
  ({ db }: { db: Database }) =>
  async (instance: FastifyInstance): Promise<void> => {
    const app = instance.withTypeProvider<ZodTypeProvider>()
    app.get(
      '/api/staff/alarms/',
      { schema: { tags: ['staff'], response: { 200: Alarms } } },
      async (request) => {
        const rows = await alarmsRepository(db).newest(LISTED)
        return rows.map((row) => toAlarm(row, request.language))
      },
    )
  }

const toAlarm = (row: AlarmRow, language: Language) => ({
  id: row.id,
  kind: row.kind,
  subject: row.subject,
  title: translate(language, `mail.alarm.kind.${row.kind}`),
  details: row.details,
  since: row.since.toISOString(),
  last_seen: row.last_seen.toISOString(),
  times: row.times,
  resolved_at: row.resolved_at?.toISOString() ?? null,
})
