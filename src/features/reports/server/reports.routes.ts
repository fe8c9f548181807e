import { isDeepStrictEqual } from 'node:util'
import type { FastifyError, FastifyInstance } from 'fastify'
import type { ZodTypeProvider } from 'fastify-type-provider-zod'
import type { Alerts } from '#features/alerts/server/index.ts'
import { translate } from '#i18n/server-translator.ts'
import { audit } from '#platform/audit-log.ts'
import type { Database } from '#platform/database.ts'
import { staffOf } from '#platform/http/request.ts'
import { transact } from '#platform/transaction.ts'
import { Refusal } from '#shared/refusal.ts'
import { STATEMENT_MAX_BYTES } from '../statement.rules.ts'
import { SalesQuery, SalesReport, Subscriptions } from '../sales.contract.ts'
import {
  DifferencePage,
  DifferencesQuery,
  ImportQuery,
  Statement,
  StatementList,
  StatementParams,
  StatementsQuery,
} from '../statements.contract.ts'
import { salesCsv, salesReport } from './sales.ts'
import { differencesOf, importStatement, requireStatement, toListed } from './statements.ts'
import { statementsRepository } from './statements.repository.ts'
import { subscriptionsRepository } from './subscriptions.repository.ts'

interface ReportsDeps {
  db: Database
  alerts: Alerts
  timeZone: string
}

const MEGABYTE = 1024 * 1024
const STATEMENTS = '/api/staff/reports/statements/'
/** Statements that are in memory at the same time. */
const IMPORTS_MAX = 2

/** Sales for the accounts, PayPal's statements, and reports by email. */
export const reportsRoutes =
  (deps: ReportsDeps) =>
  async (instance: FastifyInstance): Promise<void> => {
    const app = instance.withTypeProvider<ZodTypeProvider>()
    const { db, timeZone } = deps
    const tags = ['staff']
    const config = { permits: 'reports.read' } as const

    app.get(
      '/api/staff/reports/sales/',
      { config, schema: { tags, querystring: SalesQuery, response: { 200: SalesReport } } },
      ({ query, language, reads }) => salesReport(reads, timeZone, query, language),
    )

    app.get(
      '/api/staff/reports/sales/csv/',
      { config, schema: { tags, querystring: SalesQuery } },
      async ({ query, language, reads }, reply) => {
        const report = await salesReport(reads, timeZone, query, language)
        const name = translate(language, 'consoleReports.fileName', { from: report.from, to: report.to })
        return reply
          .header('content-type', 'text/csv; charset=utf-8')
          .header('content-disposition', `attachment; filename="${name}.csv"`)
          .send(salesCsv(report, language))
      },
    )

    app.get(
      '/api/staff/reports/subscriptions/',
      { config, schema: { tags, response: { 200: Subscriptions } } },
      (request) => subscriptionsRepository(db).of(staffOf(request).userId),
    )

    app.put(
      '/api/staff/reports/subscriptions/',
      { config, schema: { tags, body: Subscriptions, response: { 200: Subscriptions } } },
      async (request) => {
        const actor = staffOf(request)
        return await transact(db, async (trx) => {
          const stored = subscriptionsRepository(trx)
          const before = await stored.of(actor.userId)
          if (isDeepStrictEqual(before, request.body)) return before
          await stored.set(actor.userId, request.body, request.language, timeZone)
          await audit(trx, { actor, action: 'reports.subscribe', before, after: request.body })
          return request.body
        })
      },
    )

    app.get(
      STATEMENTS,
      { config, schema: { tags, querystring: StatementsQuery, response: { 200: StatementList } } },
      async ({ query: { after, limit }, reads }) => {
        const rows = await statementsRepository(reads).page(after, limit + 1)
        const shown = rows.slice(0, limit)
        return {
          items: shown.map(toListed),
          next: rows.length > limit ? String(shown.at(-1)?.id) : null,
        }
      },
    )

    app.get(
      `${STATEMENTS}:id/`,
      { config, schema: { tags, params: StatementParams, response: { 200: Statement } } },
      ({ params }) => requireStatement(db, params.id),
    )

    app.get(
      `${STATEMENTS}:id/differences/`,
      {
        config,
        schema: {
          tags,
          params: StatementParams,
          querystring: DifferencesQuery,
          response: { 200: DifferencePage },
        },
      },
      ({ params, query }) => differencesOf(db, params.id, query),
    )

    await instance.register(importRoute(deps))
  }

/** The body is the file itself. */
const importRoute =
  (deps: ReportsDeps) =>
  async (instance: FastifyInstance): Promise<void> => {
    let imports = 0
    const app = instance.withTypeProvider<ZodTypeProvider>()
    instance.removeAllContentTypeParsers()
    instance.addContentTypeParser(
      ['text/csv', 'text/plain', 'application/vnd.ms-excel', 'application/octet-stream'],
      { parseAs: 'buffer' },
      (_request, body, done) => done(null, body),
    )
    instance.setErrorHandler((error: FastifyError) => {
      if (error.code !== 'FST_ERR_CTP_BODY_TOO_LARGE') throw error
      const values = { megabytes: STATEMENT_MAX_BYTES / MEGABYTE }
      throw new Refusal('reports.statement.tooLarge', 413, 'consoleReports.refusals.tooLarge', { values })
    })
    app.post(
      STATEMENTS,
      {
        bodyLimit: STATEMENT_MAX_BYTES,
        config: { permits: 'reports.import', isUpload: true },
        schema: {
          tags: ['staff'],
          consumes: ['text/csv'],
          querystring: ImportQuery,
          response: { 200: Statement },
        },
        // Before the body is read, and after the caller is known.
        onRequest: async (_request, reply) => {
          if (imports >= IMPORTS_MAX)
            throw new Refusal('reports.busy', 429, 'consoleReports.refusals.busy', { retryAfter: 5 })
          imports += 1
          reply.raw.once('close', () => {
            imports -= 1
          })
        },
      },
      (request) =>
        importStatement(deps, (request.body ?? Buffer.alloc(0)) as Buffer, request.query, staffOf(request)),
    )
  }
