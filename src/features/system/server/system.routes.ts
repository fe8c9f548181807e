import type { FastifyInstance } from 'fastify'
import type { ZodTypeProvider } from 'fastify-type-provider-zod'
import * as z from 'zod'
import { type EmailShop, failedEmails } from '#features/emails/server/index.ts'
import { audit, auditRead } from '#platform/audit-log.ts'
import type { Database } from '#platform/database.ts'
import { staffOf } from '#platform/http/request.ts'
import { isUuid } from '#platform/ids.ts'
import { transact } from '#platform/transaction.ts'
import type { Language } from '#shared/languages.ts'
import { Refusal } from '#shared/refusal.ts'
import {
  CheckedInvariants,
  type CheckName,
  DoctorBody,
  EmailParams,
  FailedEmails,
  FailedEmailsQuery,
  Findings,
  ResentEmails,
  SystemStatus,
  TestAlert,
  TestEmail,
} from '../system.contract.ts'
import { lastInvariants, systemRepository } from './system.repository.ts'
import { enqueueTestEmail } from './test-email.ts'

export interface SystemOptions {
  db: Database
  version: string
  mode: 'demo' | 'live'
  /** Whether the operator names a recipient for checkpoints of draws. */
  sendsCheckpoints: boolean
  jobs: () => Promise<SystemStatus['jobs']>
  /** The settings in force, without secrets. */
  settings: SystemStatus['settings']
  /** "I1" and so on. */
  invariantNames: () => Promise<string[]>
  /** Checks them now, whenever the last check was. */
  checkInvariants: () => Promise<unknown>
  /** Runs the named checks of the doctor, or all. */
  doctor: (language: Language, checks: readonly CheckName[] | undefined) => Promise<Findings['findings']>
  /** For the email that tests the way. */
  shop: EmailShop
  /** Sends what is due, as the worker does. */
  deliver: () => Promise<void>
  /** Sends a message to the webhook of the alerts; undefined without one. */
  testAlert: () => Promise<TestAlert | undefined>
}

const PAGE = 50

/** How the shop runs: versions, jobs, queues, invariants, emails that failed, settings. */
export const systemRoutes =
  ({
    db,
    version,
    mode,
    jobs,
    sendsCheckpoints,
    settings,
    invariantNames,
    checkInvariants,
    doctor,
    shop,
    deliver,
    testAlert,
  }: SystemOptions) =>
  async (instance: FastifyInstance): Promise<void> => {
    const app = instance.withTypeProvider<ZodTypeProvider>()
    const tags = ['staff']
    const stored = systemRepository(db)

    app.get(
      '/api/staff/system/',
      { config: { permits: 'system.read' }, schema: { tags, response: { 200: SystemStatus } } },
      async () => {
        const [database, runs, queues, names, invariants, checkpoint, checkpoints] = await Promise.all([
          stored.versions(),
          jobs(),
          stored.queues(),
          invariantNames(),
          lastInvariants(db),
          stored.lastCheckpoint(),
          stored.lastCheckpoints(),
        ])
        return {
          versions: { shop: version, node: process.versions.node, mode, ...database },
          jobs: runs,
          queues: queues.map(({ oldest_at: at, ...queue }) => ({
            ...queue,
            oldest_at: at?.toISOString() ?? null,
          })),
          checkpoints: {
            has_recipient: sendsCheckpoints,
            last: checkpoints
              ? { ...checkpoints, sent_at: checkpoints.sent_at?.toISOString() ?? null }
              : null,
          },
          invariant_names: names,
          invariants: invariants
            ? {
                checked_at: invariants.checked_at.toISOString(),
                broken: invariants.breaches,
                unknown: invariants.unknown,
              }
            : null,
          checkpoint: checkpoint ? { ...checkpoint, queued_at: checkpoint.queued_at.toISOString() } : null,
          settings,
        }
      },
    )

    const run = { permits: 'system.run' } as const
    app.post(
      '/api/staff/system/check-invariants/',
      { config: run, schema: { tags, response: { 200: CheckedInvariants } } },
      async (request) => {
        await checkInvariants()
        const { broken = [], unknown = [] } = (await lastInvariants(db)) ?? {}
        await transact(db, (trx) =>
          audit(trx, {
            actor: staffOf(request),
            action: 'system.checkInvariants',
            after: { broken, unknown },
          }),
        )
        return { broken, unknown }
      },
    )

    app.post(
      '/api/staff/system/doctor/',
      { config: run, schema: { tags, body: DoctorBody, response: { 200: Findings } } },
      async (request) => {
        const findings = await doctor(request.language, request.body.checks)
        const faults = findings.filter(({ state }) => state === 'fault').map(({ check }) => check)
        await transact(db, (trx) =>
          audit(trx, {
            actor: staffOf(request),
            action: 'system.examine',
            after: { checks: request.body.checks ?? [], faults },
          }),
        )
        return { findings }
      },
    )

    app.post(
      '/api/staff/system/test-email/',
      { config: run, schema: { tags, response: { 200: TestEmail } } },
      async (request) => {
        const key = await transact(db, (trx) => enqueueTestEmail(trx, shop, staffOf(request)))
        await deliver()
        const sent = await stored.emailWithKey(key)
        if (sent.error !== null || (sent.state !== 'queued' && sent.state !== 'sending')) return sent
        // Others that were due before have met the mail server instead of this one.
        const [found] = await doctor(request.language, ['mailServer'])
        return { ...sent, error: found?.state === 'fault' ? found.text : null }
      },
    )

    app.post(
      '/api/staff/system/test-alert/',
      { config: run, schema: { tags, response: { 200: TestAlert } } },
      async (request) => {
        const sent = await testAlert()
        if (!sent) throw new Refusal('system.noWebhook', 409, 'consoleSystem.noWebhook')
        await transact(db, (trx) =>
          audit(trx, {
            actor: staffOf(request),
            action: 'system.sendTestAlert',
            after: { isSent: sent.is_sent },
          }),
        )
        return sent
      },
    )

    app.get(
      '/api/staff/system/emails/',
      {
        config: { permits: 'system.read' },
        schema: { tags, querystring: FailedEmailsQuery, response: { 200: FailedEmails } },
      },
      async (request) => {
        const { after, limit = PAGE } = request.query
        const [rows, resendable] = await Promise.all([
          stored.failedEmails(after, limit + 1),
          failedEmails(db).countResendable(),
        ])
        const items = rows
          .slice(0, limit)
          .map(({ closed_at: at, ...email }) => ({ ...email, failed_at: at.toISOString() }))
        await auditRead(db, {
          actor: staffOf(request),
          action: 'system.readEmails',
          after: { shown: items.map(({ id }) => id) },
        })
        return { items, next: rows.length > limit ? (items.at(-1)?.id ?? null) : null, resendable }
      },
    )

    app.post(
      '/api/staff/system/emails/resend/',
      { config: run, schema: { tags, response: { 200: ResentEmails } } },
      (request) =>
        transact(db, async (trx) => {
          const emails = await failedEmails(trx).resendAll()
          await audit(trx, { actor: staffOf(request), action: 'system.resendEmails', after: { emails } })
          return { emails }
        }),
    )

    app.post(
      '/api/staff/system/emails/:id/resend/',
      { config: run, schema: { tags, params: EmailParams, response: { 204: z.null() } } },
      async (request, reply) => {
        const { id } = request.params
        await transact(db, async (trx) => {
          if (!isUuid(id) || !(await failedEmails(trx).resend(id)))
            throw new Refusal('request.notFound', 404, 'errors.request.notFound')
          await audit(trx, {
            actor: staffOf(request),
            action: 'system.resendEmail',
            subject: { kind: 'email', id },
          })
        })
        return reply.code(204).send(null)
      },
    )
  }
