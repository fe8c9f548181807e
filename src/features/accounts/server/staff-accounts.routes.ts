import type { FastifyInstance } from 'fastify'
import type { ZodTypeProvider } from 'fastify-type-provider-zod'
import { audit, auditRead } from '#platform/audit-log.ts'
import type { Trx } from '#platform/database.ts'
import { staffOf } from '#platform/http/request.ts'
import { transact } from '#platform/transaction.ts'
import { securityEventsRepository } from '#platform/security-log.ts'
import type { MessageKey } from '#i18n/keys.ts'
import { isSameAddress } from '#shared/email-address.ts'
import { Refusal } from '#shared/refusal.ts'
import * as z from 'zod'
import {
  CorrectEmailBody,
  EndedSessions,
  SecurityEvents,
  SecurityEventsQuery,
  StaffAccountParams,
} from '../staff-accounts.contract.ts'
import { type AccountState, accountStates } from './account-states.repository.ts'
import { accountsRepository } from './accounts.repository.ts'
import { CHANGES, emailLinksRepository } from './email-links.repository.ts'
import { type EmailLinksOptions, emailLinks, recipient } from './email-links.service.ts'
import { endSessions } from './sessions.service.ts'

const PAGE = 50

/** What staff see of the security of an account, the end of its sessions, and the correction of its address. */
export const staffAccountsRoutes =
  (options: EmailLinksOptions) =>
  async (instance: FastifyInstance): Promise<void> => {
    const { db, security, limits } = options
    const links = emailLinks(options)
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

    /** @throws Refusal 409 when the account cannot get this address */
    async function refuseCorrection(trx: Trx, account: AccountState, email: string): Promise<void> {
      const refuse = (code: string, text: MessageKey): Refusal => new Refusal(`customers.${code}`, 409, text)
      // The links of a suspended account do not work.
      if (!account.isActive) throw refuse('suspended', 'consoleCustomers.refusals.suspended')
      if (isSameAddress(account.email, email))
        throw refuse('sameEmail', 'consoleCustomers.refusals.sameEmail')
      if (await options.hasOpenPrize?.(trx, account.id))
        throw refuse('openPrize', 'consoleCustomers.refusals.openPrize')
      if (await accountsRepository(trx).isTaken(email, account.id))
        throw refuse('emailTaken', 'consoleCustomers.refusals.emailTaken')
    }

    const correcting = { permits: 'customers.correctEmail' } as const
    app.post(
      '/api/staff/accounts/:id/correct-email/',
      {
        config: correcting,
        schema: { ...schema, body: CorrectEmailBody, response: { 204: z.null() } },
      },
      async (request, reply) => {
        const { id } = request.params
        const { email, note } = request.body
        const actor = staffOf(request)
        await transact(db, async (trx) => refuseCorrection(trx, await lockCustomer(trx, id), email))
        await limits.emailTo.take(recipient(email))
        await transact(db, async (trx) => {
          const account = await lockCustomer(trx, id)
          await refuseCorrection(trx, account, email)
          await links.startCorrection(trx, account, { email, note, askedBy: actor.userId })
          await audit(trx, {
            actor,
            action: 'customers.correctEmail',
            subject: { kind: 'customer', id },
            // The log is never erased: it has neither an address nor words about a customer.
            after: { was_confirmed: account.isConfirmed },
          })
        })
        security.record({ event: 'email_change_requested', userId: id, detail: 'staff' })
        return reply.code(204).send(null)
      },
    )

    app.post(
      '/api/staff/accounts/:id/withdraw-correction/',
      { config: correcting, schema: { ...schema, response: { 204: z.null() } } },
      async (request, reply) => {
        const { id } = request.params
        await transact(db, async (trx) => {
          await lockCustomer(trx, id)
          const pending = await emailLinksRepository(trx).pending(id)
          if (pending?.purpose !== 'correct')
            throw new Refusal('customers.noCorrection', 409, 'consoleCustomers.refusals.noCorrection')
          await emailLinksRepository(trx).endAll(id, CHANGES)
          await audit(trx, {
            actor: staffOf(request),
            action: 'customers.withdrawCorrection',
            subject: { kind: 'customer', id },
          })
        })
        return reply.code(204).send(null)
      },
    )
  }

/** @throws Refusal 404 or 409 for an account that is nobody's, or not a customer's */
async function lockCustomer(trx: Trx, id: number): Promise<AccountState> {
  const account = await accountStates(trx).lock(id)
  if (!account) throw new Refusal('customers.notFound', 404, 'consoleCustomers.refusals.notFound')
  if (account.isClosed) throw new Refusal('customers.closed', 409, 'consoleCustomers.refusals.closed')
  if (account.isStaff) throw new Refusal('customers.isStaff', 409, 'consoleCustomers.refusals.isStaff')
  return account
}
