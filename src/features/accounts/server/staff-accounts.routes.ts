import type { FastifyInstance } from 'fastify'
import type { ZodTypeProvider } from 'fastify-type-provider-zod'
import { audit } from '#platform/audit-log.ts'
import type { Database } from '#platform/database.ts'
import { staffOf } from '#platform/http/request.ts'
import { transact } from '#platform/transaction.ts'
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
      { config: { permits: 'customers.read' }, schema: { ...schema, response: { 200: SecurityEvents } } },
      async ({ params }) => {
        const rows = await securityEventsRepository(db).ofUser(params.id, LISTED)
        return rows.map(({ at, ...row }) => ({ ...row, at: at.toISOString() }))
      },
    )

    app.post(
      '/api/staff/accounts/:id/end-sessions/',
      {
        config: { permits: 'customers.endSessions' },
        schema: { ...schema, response: { 200: EndedSessions } },
      },
      async (request) => {
        const { params } = request
        const ended = await transact(db, async (trx) => {
          const count = await endSessions(trx, params.id)
          await audit(trx, {
            actor: staffOf(request),
            action: 'customers.endSessions',
            subject: { kind: 'customer', id: params.id },
            after: { ended: count },
          })
          return count
        })
        if (ended > 0) security.record({ event: 'session_ended', userId: params.id, detail: 'staff' })
        return { ended }
      },
    )
  }
