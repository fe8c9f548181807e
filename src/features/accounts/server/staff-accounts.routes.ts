import type { FastifyInstance } from 'fastify'
import type { ZodTypeProvider } from 'fastify-type-provider-zod'
import { audit, auditRead } from '#platform/audit-log.ts'
import type { Database } from '#platform/database.ts'
import { staffOf } from '#platform/http/request.ts'
import { transact } from '#platform/transaction.ts'
import { type SecurityLog, securityEventsRepository } from '#platform/security-log.ts'
import {
  EndedSessions,
  SecurityEvents,
  SecurityEventsQuery,
  StaffAccountParams,
} from '../staff-accounts.contract.ts'
import { endSessions } from './sessions.service.ts'

const PAGE = 50

/** What staff see of the security of an account, and the end of its sessions. */
export const staffAccountsRoutes =
  ({ db, security }: { db: Database; security: SecurityLog }) =>
  async (instance: FastifyInstance): Promise<void> => {
    const app = instance.withTypeProvider<ZodTypeProvider>()
    const schema = { tags: ['staff'], params: StaffAccountParams }

    app.get(
      '/api/staff/accounts/:id/security/',
      {
        config: { permits: 'customers.read' },
        schema: { ...schema, querystring: SecurityEventsQuery, response: { 200: SecurityEvents } },
      },
      async (request) => {
        const { id } = request.params
        const { after, limit = PAGE } = request.query
        const rows = await securityEventsRepository(db).ofUser(id, after, limit + 1)
        const items = rows.slice(0, limit).map(({ at, ...row }) => ({ ...row, at: at.toISOString() }))
        await auditRead(db, {
          actor: staffOf(request),
          action: 'customers.read',
          subject: { kind: 'customer', id },
          after: { part: 'security', ...(after !== undefined && { after }) },
        })
        return { items, next: rows.length > limit ? String(items.at(-1)?.id) : null }
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
