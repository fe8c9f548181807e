import type { FastifyInstance } from 'fastify'
import type { ZodTypeProvider } from 'fastify-type-provider-zod'
import { audit } from '#platform/audit-log.ts'
import type { Database, Sql, Trx } from '#platform/database.ts'
import { type StaffCaller, staffOf } from '#platform/http/request.ts'
import { transact } from '#platform/transaction.ts'
import { translate } from '#i18n/server-translator.ts'
import type { Language } from '#shared/languages.ts'
import { shownOrderNumber } from '#shared/order-number.ts'
import { Refusal } from '#shared/refusal.ts'
import {
  Alert,
  AlertParams,
  Alerts,
  AlertsQuery,
  type Channels,
  CloseAlertBody,
  TakeAlertBody,
} from '../alerts.contract.ts'
import { mayBeClosed } from '../alerts.rules.ts'
import { shownDetails } from './alert-text.ts'
import { type AlertRow, alertReads, alertsRepository } from './alerts.repository.ts'

const PAGE = 50

/** Alerts in the console: the list, who looks after one, and closing those that the shop does not resolve itself. */
export const alertsRoutes =
  ({ db, channels }: { db: Database; channels: () => Promise<Channels> }) =>
  async (instance: FastifyInstance): Promise<void> => {
    const app = instance.withTypeProvider<ZodTypeProvider>()
    const tags = ['staff']
    app.get(
      '/api/staff/alerts/',
      {
        config: { permits: 'alerts.read' },
        schema: { tags, querystring: AlertsQuery, response: { 200: Alerts } },
      },
      async ({ query: { after, limit = PAGE, ...wanted }, language, reads }) => {
        const [part, id] = after?.split(':') ?? []
        const last = id === undefined ? undefined : { isOver: part === 'over', id: Number(id) }
        const stored = alertReads(reads)
        const rows = await stored.page({ after: last, ...wanted }, limit + 1)
        const items = rows.slice(0, limit).map((row) => toAlert(row, language))
        const end = items.at(-1)
        const next =
          end && rows.length > limit ? `${end.resolved_at === null ? 'open' : 'over'}:${end.id}` : null
        return { items, next, open: await stored.open(), channels: await channels() }
      },
    )

    const config = { permits: 'alerts.handle' } as const
    const schema = { tags, params: AlertParams, response: { 200: Alert } }
    app.post(
      '/api/staff/alerts/:id/take/',
      { config, schema: { ...schema, body: TakeAlertBody } },
      async (request) => {
        const { id } = request.params
        const { note, taken_by: seen } = request.body
        await take(db, { id, actor: staffOf(request), note: note || null, seen })
        return toAlert(await requireAlert(db, id), request.language)
      },
    )
    app.post('/api/staff/alerts/:id/release/', { config, schema }, async (request) => {
      const { id } = request.params
      await release(db, id, staffOf(request))
      return toAlert(await requireAlert(db, id), request.language)
    })
    app.post(
      '/api/staff/alerts/:id/close/',
      { config, schema: { ...schema, body: CloseAlertBody } },
      async (request) => {
        const { id } = request.params
        await close(db, id, staffOf(request), request.body.reason)
        return toAlert(await requireAlert(db, id), request.language)
      },
    )
  }

async function requireAlert(db: Sql, id: number): Promise<AlertRow> {
  const row = await alertsRepository(db).byId(id)
  if (!row) throw notFound()
  return row
}

/** @throws Refusal 404, 409 once it is resolved */
async function lockOpen(trx: Trx, id: number): Promise<AlertRow> {
  const row = await alertsRepository(trx).lock(id)
  if (!row) throw notFound()
  if (row.resolved_at !== null) throw new Refusal('alerts.over', 409, 'consoleAlerts.refusals.over')
  return row
}

const notFound = () => new Refusal('alerts.notFound', 404, 'consoleAlerts.refusals.notFound')
/** @param taker nobody when it was left meanwhile */
const takenMeanwhile = (taker: string | null) =>
  taker === null
    ? new Refusal('alerts.leftMeanwhile', 409, 'consoleAlerts.refusals.leftMeanwhile')
    : new Refusal('alerts.takenMeanwhile', 409, 'consoleAlerts.refusals.takenMeanwhile', {
        values: { name: taker },
      })
const subject = (id: number) => ({ kind: 'alert', id }) as const

/** Note and reason may tell of a customer: the log, which is never erased, gets none of them. */
const take = (
  db: Database,
  { id, actor, note, seen }: { id: number; actor: StaffCaller; note: string | null; seen: number | null },
) =>
  transact(db, async (trx) => {
    const { taken_by, taker } = await lockOpen(trx, id)
    if (taken_by !== seen && taken_by !== actor.userId) throw takenMeanwhile(taker)
    await alertsRepository(trx).take(id, actor.userId, note)
    await audit(trx, {
      actor,
      action: 'alerts.take',
      subject: subject(id),
      before: { taken_by },
      after: { taken_by: actor.userId },
    })
  })

const release = (db: Database, id: number, actor: StaffCaller) =>
  transact(db, async (trx) => {
    const { taken_by, taker } = await lockOpen(trx, id)
    if (taken_by === null) return
    if (taken_by !== actor.userId) throw takenMeanwhile(taker)
    await alertsRepository(trx).take(id, null, null)
    await audit(trx, {
      actor,
      action: 'alerts.release',
      subject: subject(id),
      before: { taken_by },
      after: { taken_by: null },
    })
  })

const close = (db: Database, id: number, actor: StaffCaller, reason: string) =>
  transact(db, async (trx) => {
    const { kind, subject: about } = await lockOpen(trx, id)
    if (!mayBeClosed(kind)) throw new Refusal('alerts.closesItself', 409, 'consoleAlerts.itself')
    await alertsRepository(trx).close(id, actor.userId, reason)
    await audit(trx, {
      actor,
      action: 'alerts.close',
      subject: subject(id),
      after: { kind, subject: about },
    })
  })

const toAlert = (row: AlertRow, language: Language): Alert => ({
  id: row.id,
  kind: row.kind,
  subject: row.subject,
  order_number: row.order_number === null ? null : shownOrderNumber(row.order_number),
  title: translate(language, `emails.alert.kind.${row.kind}`),
  details: shownDetails(row.details, language),
  since: row.since.toISOString(),
  last_seen: row.last_seen.toISOString(),
  times: row.times,
  resolved_at: row.resolved_at?.toISOString() ?? null,
  taken:
    row.taken_by !== null && row.taken_at !== null
      ? { by: row.taker ?? '', by_id: row.taken_by, at: row.taken_at.toISOString(), note: row.note }
      : null,
  closed_by: row.closer,
})
