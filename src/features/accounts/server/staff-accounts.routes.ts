import type { FastifyInstance } from 'fastify'
import type { ZodTypeProvider } from 'fastify-type-provider-zod'
import type { Database } from '#platform/database.ts'
import { type SecurityLog, securityEventsRepository } from '#platform/security-log.ts'
import { EndedSessions, SecurityEvents, StaffAccountParams } from '../staff-accounts.contract.ts'
import { endSessions } from './sessions.service.ts'

const LISTED = 200

/** What staff see of the security of an account, and the end of its sessions. */
export const staffAccountsRoutes =
  ({ db, security }: { db: Database; security: SecurityLog }) =>
  async (instance: FastifyInstance): Promise<void> => {
    const app = instance.withTypeProvider<ZodTypeProvider>()
    const schema = { tags: ['staff'], params: StaffAccountParams }

    app.get(
      '/api/staff/accounts/:id/security/',
      { schema: { ...schema, response: { 200: SecurityEvents } } },
      async ({ params }) => {
        const rows = await securityEventsRepository(db).ofUser(params.id, LISTED)
        return rows.map(({ at, ...row }) => ({ ...row, at: at.toISOString() }))
      },
    )

    app.post(
      '/api/staff/accounts/:id/end-sessions/',
      { schema: { ...schema, response: { 200: EndedSessions } } },
      async ({ params }) => {
        const ended = await endSessions(db, params.id)
        if (ended > 0) security.record({ event: 'session_ended', userId: params.id, detail: 'staff' })
        return { ended }
      },
    )
  }
