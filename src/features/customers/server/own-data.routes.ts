import type { FastifyInstance } from 'fastify'
import type { ZodTypeProvider } from 'fastify-type-provider-zod'
import * as z from 'zod'
import {
  type CurrentPasswordOptions,
  activeAccount,
  currentPassword,
  requireOpenSession,
} from '#features/accounts/server/index.ts'
import { callerOf } from '#platform/http/request.ts'
import type { Limit } from '#platform/limits/limiter.ts'
import type { SecurityLog } from '#platform/security-log.ts'
import { transact } from '#platform/transaction.ts'
import { CloseBody, ClosingPreview, ClosingQuery, ExportBody } from '../customers.contract.ts'
import { closeAccount, previewClosing } from './closing.ts'
import { exportPersonalData } from './export.ts'
import type { ExportDeps } from './read-personal-data.ts'
import { sendArchive } from './staff-customers.routes.ts'

export interface OwnDataOptions extends ExportDeps, Omit<CurrentPasswordOptions, 'limits'> {
  security: SecurityLog
  limits: CurrentPasswordOptions['limits'] & {
    /** Counts exports. */
    ownData: Limit
    /** Counts looks at what closing the account would do. */
    profile: Limit
  }
}

const tags = ['accounts']

/** What customers do with their own data: download it, and close the account. */
export const ownDataRoutes =
  (options: OwnDataOptions) =>
  async (instance: FastifyInstance): Promise<void> => {
    const app = instance.withTypeProvider<ZodTypeProvider>()
    const { db, shop, sources, security, limits } = options
    const current = currentPassword(options)

    app.post(
      '/api/user/export/',
      { config: { errors: 'form' }, schema: { tags, body: ExportBody } },
      async (request, reply) => {
        const caller = callerOf(request)
        const { body, ip: address, language } = request
        const { userId } = caller
        await current.verify(caller, body.current_password, address)
        await limits.ownData.take({ account: userId, address })
        const archive = await exportPersonalData(options, userId, language)
        security.record({ event: 'data_exported', userId, address })
        return sendArchive(reply, archive)
      },
    )

    app.get(
      '/api/user/close/',
      { schema: { tags, querystring: ClosingQuery, response: { 200: ClosingPreview } } },
      async (request) => {
        const { userId } = callerOf(request)
        const { query, ip: address, language } = request
        await limits.profile.take({ account: userId, address })
        const giveUpTickets = query.give_up_tickets ?? false
        return previewClosing(options, { userId, giveUpTickets, language })
      },
    )

    app.post(
      '/api/user/close/',
      { config: { errors: 'form' }, schema: { tags, body: CloseBody, response: { 204: z.null() } } },
      async (request, reply) => {
        const caller = callerOf(request)
        const { body, ip: address, language } = request
        const { userId } = caller
        const giveUpTickets = body.give_up_tickets ?? false
        await current.verify(caller, body.current_password, address)
        await transact(db, async (trx) => {
          // The session, or the account, may have ended while the password was compared.
          await requireOpenSession(trx, caller)
          await activeAccount(trx, userId)
          await closeAccount(trx, { shop, sources }, { userId, giveUpTickets, language })
        })
        // Without the network: nothing of the person stays.
        security.record({ event: 'account_closed', userId, detail: 'owner' })
        return reply.code(204).send(null)
      },
    )
  }
