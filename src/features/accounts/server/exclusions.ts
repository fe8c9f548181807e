import type { FastifyInstance } from 'fastify'
import type { ZodTypeProvider } from 'fastify-type-provider-zod'
import * as z from 'zod'
import { audit, auditRead } from '#platform/audit-log.ts'
import type { Database, Sql } from '#platform/database.ts'
import { staffOf } from '#platform/http/request.ts'
import type { PersonalDataSource } from '#platform/personal-data.ts'
import { transact } from '#platform/transaction.ts'
import { translate } from '#i18n/server-translator.ts'
import { InvalidFields, Refusal } from '#shared/refusal.ts'
import { EXCLUSIONS_MAX, ExclusionBody, ExclusionParams, Exclusions } from '../exclusions.contract.ts'
import { activeAccount, activeAccounts } from './accounts.ts'
import { type Exclusion, exclusionWrites, exclusionsRepository } from './exclusions.repository.ts'

/** Who cannot take part in contests: staff, and whom owners list by address or payer id (ADR 0064). */

export const exclusionRefusal = (exclusion: Exclusion): Refusal =>
  new Refusal(`cart.${exclusion}`, 403, `errors.cart.${exclusion}`)

/** Why an account cannot buy; undefined for one that can. @throws Refusal for an account that is suspended or gone */
export async function exclusionRefusalOf(db: Sql, userId: number): Promise<Refusal | undefined> {
  const active = (await activeAccounts(db, [userId])).get(userId)
  if (!active) await activeAccount(db, userId)
  return active?.exclusion ? exclusionRefusal(active.exclusion) : undefined
}

/** The rows about a person's confirmed address. They go on excluding after an erasure, which forgets the address. */
export const exclusionsPersonalData = {
  name: 'exclusions',
  columns: ['excluded_payers.value', 'excluded_payers.reason'],
  async read(db, userId, language) {
    const say = (key: string): string => translate(language, `ownData.copy.exclusions.${key}`)
    const rows = await exclusionsRepository(db).ofAccount(userId)
    const records = rows.map((row) => ({
      at: row.added_at.toISOString(),
      title: say('record'),
      facts: [
        [say('address'), row.value ?? ''],
        [say('reason'), say(`reasons.${row.reason}`)],
      ] as const,
      data: { email: row.value, reason: row.reason, added_at: row.added_at.toISOString() },
    }))
    return { title: say('title'), records }
  },
  erase: async (trx, { userId }) => ({ rows: await exclusionWrites(trx).eraseAddressOf(userId) }),
} satisfies PersonalDataSource

/** The list as owners keep it. The audit log names rows by their id: it is never erased, and an address may have to be. */
export const exclusionsRoutes =
  ({ db }: { db: Database }) =>
  async (root: FastifyInstance): Promise<void> => {
    const app = root.withTypeProvider<ZodTypeProvider>()
    const tags = ['staff']
    const change = { permits: 'exclusions.change' } as const

    app.get(
      '/api/staff/exclusions/',
      { config: { permits: 'exclusions.read' }, schema: { tags, response: { 200: Exclusions } } },
      async (request) => {
        const rows = await exclusionsRepository(db).list()
        const shown = rows.map(({ id }) => id)
        await auditRead(db, { actor: staffOf(request), action: 'exclusions.read', after: { shown } })
        return rows.map((row) => ({ ...row, added_at: row.added_at.toISOString() }))
      },
    )

    app.post(
      '/api/staff/exclusions/',
      { config: change, schema: { tags, body: ExclusionBody, response: { 204: z.null() } } },
      async (request, reply) => {
        const { body } = request
        const actor = staffOf(request)
        await transact(db, async (trx) => {
          const writes = exclusionWrites(trx)
          await writes.lock()
          const id = await writes.insert(body, actor.userId)
          if (id === undefined) throw new InvalidFields({ value: ['consoleStaff.exclusions.faults.listed'] })
          if ((await writes.count()) > EXCLUSIONS_MAX)
            throw new Refusal('exclusions.full', 409, 'consoleStaff.exclusions.faults.full', {
              values: { max: EXCLUSIONS_MAX },
            })
          await audit(trx, {
            actor,
            action: 'exclusions.add',
            subject: { kind: 'exclusion', id },
            after: { kind: body.kind, reason: body.reason },
          })
        })
        return reply.code(204).send(null)
      },
    )

    app.post(
      '/api/staff/exclusions/:id/remove/',
      { config: change, schema: { tags, params: ExclusionParams, response: { 204: z.null() } } },
      async (request, reply) => {
        const { id } = request.params
        await transact(db, async (trx) => {
          const removed = await exclusionWrites(trx).remove(id)
          if (!removed) throw new Refusal('request.notFound', 404, 'errors.request.notFound')
          await audit(trx, {
            actor: staffOf(request),
            action: 'exclusions.remove',
            subject: { kind: 'exclusion', id },
            before: removed,
          })
        })
        return reply.code(204).send(null)
      },
    )
  }
