import { Readable } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import type { ZodTypeProvider } from 'fastify-type-provider-zod'
import { translate } from '#i18n/server-translator.ts'
import { audit, auditRead } from '#platform/audit-log.ts'
import type { ReadDatabase } from '#platform/database.ts'
import { staffOf } from '#platform/http/request.ts'
import { transact } from '#platform/transaction.ts'
import { nowMs } from '#shared/clock.ts'
import type { Language } from '#shared/languages.ts'
import { cents, toDecimal } from '#shared/money.ts'
import { Refusal } from '#shared/refusal.ts'
import { shownOrderNumber } from '#shared/order-number.ts'
import type { RecordSearch } from '#shared/staff-search.ts'
import * as z from 'zod'
import {
  OrderView,
  OrderViewName,
  OrderViews,
  OrdersExportBody,
  ReleasePreview,
  Resent,
  ResendBody,
  ResendPreviewBody,
  SearchResponse,
  StaffHolds,
  StaffHoldsQuery,
  StaffNoteBody,
  StaffOrder,
  type StaffOrderRow,
  StaffOrderParams,
  StaffOrderQuery,
  StaffOrders,
  StaffOrdersFilters,
  StaffOrdersQuery,
  StaffReasonBody,
  StaffSearchQuery,
} from '../staff-orders.contract.ts'
import { ORDER_EVENTS, type OrderState } from '../order-machine.rules.ts'
import { releaseOrder } from './holds.ts'
import type { OrdersBase } from './order-batches.ts'
import { ordersCsv } from './orders-export.ts'
import { noteRead, requireStaffOrder, toStaffOrder } from './staff-order.ts'
import {
  type ListedOrder,
  type OrderFilters,
  staffOrderWrites,
  staffOrdersRepository,
} from './staff-orders.repository.ts'
import { orderViews, saveOrderView } from './order-views.repository.ts'
import { paidOrders, previewReceipts, resendReceipt, resendReceipts } from './staff-receipts.ts'
import { searchShop } from './staff-search.ts'

interface StaffOrdersDeps extends Pick<OrdersBase, 'db' | 'emails' | 'provider'> {
  timeZone: string
  /** Of other slices. */
  searches: (db: ReadDatabase) => readonly RecordSearch[]
}

/** Candidates looked at in a statement, and the time after which a page is sent as far as it is. */
const WINDOW = 5_000
const FIRST_WINDOW = 500
const PATIENCE_MS = 60

export const staffOrdersRoutes =
  (deps: StaffOrdersDeps) =>
  async (instance: FastifyInstance): Promise<void> => {
    const app = instance.withTypeProvider<ZodTypeProvider>()
    const tags = ['staff']
    const schema = { tags, params: StaffOrderParams, response: { 200: StaffOrder } }
    const config = { permits: 'orders.read' } as const
    const writes = { permits: 'orders.write' } as const

    app.get(
      '/api/staff/search/',
      {
        config: { permits: 'search.use' },
        schema: { tags, querystring: StaffSearchQuery, response: { 200: SearchResponse } },
      },
      async (request) => {
        const { reads, query, language } = request
        const asked = { db: reads, searches: deps.searches(reads) }
        return { items: await searchShop(asked, query.q, staffOf(request), language) }
      },
    )

    app.get(
      '/api/staff/orders/',
      { config, schema: { tags, querystring: StaffOrdersQuery, response: { 200: StaffOrders } } },
      async (request) => {
        const { after, limit, ...filters } = request.query
        const { timeZone } = deps
        const asked = { db: request.reads, timeZone, language: request.language }
        const page = await listOrders(asked, filters, after, limit)
        await auditRead(deps.db, {
          actor: staffOf(request),
          action: 'orders.list',
          after: { shown: page.items.map(({ id }) => id) },
        })
        return page
      },
    )

    app.post(
      '/api/staff/orders/export/',
      {
        config: { permits: 'orders.export' },
        schema: { tags, querystring: StaffOrdersFilters, body: OrdersExportBody },
      },
      async (request, reply) => {
        const { language, query, reads } = request
        const { timeZone } = deps
        const ids = request.body?.ids
        const filters = ids ? undefined : await readFilters({ db: reads, timeZone }, query)
        await transact(deps.db, (trx) =>
          audit(trx, {
            actor: staffOf(request),
            action: 'orders.export',
            after: { ...(ids ? { orders: ids } : { filters: query }), language },
          }),
        )
        const name = translate(language, 'consoleOrders.csv.fileName')
        const which = ids ?? filters
        const lines = which === undefined ? [] : ordersCsv({ db: reads, timeZone, which, language })
        return reply
          .header('content-type', 'text/csv; charset=utf-8')
          .header('content-disposition', `attachment; filename="${name}.csv"`)
          .send(Readable.from(lines))
      },
    )

    const chosen = async ({ ids = [], filters }: ResendPreviewBody): Promise<string[]> => {
      const read = filters && (await readFilters(deps, filters))
      return read ? paidOrders(deps.db, read) : ids
    }
    app.post(
      '/api/staff/orders/resend-receipts/preview/',
      { config: writes, schema: { tags, body: ResendPreviewBody, response: { 200: Resent } } },
      async ({ body, language }) => previewReceipts(deps, await chosen(body), language),
    )
    app.post(
      '/api/staff/orders/resend-receipts/',
      { config: writes, schema: { tags, body: ResendBody, response: { 200: Resent } } },
      (request) => resendReceipts(deps, request.body, staffOf(request), request.language),
    )

    const views = '/api/staff/self/order-views/'
    app.get(views, { config, schema: { tags, response: { 200: OrderViews } } }, (request) =>
      orderViews(deps.db).of(staffOf(request).userId),
    )
    const saved = { 204: z.null() }
    app.put(views, { config, schema: { tags, body: OrderView, response: saved } }, async (request, reply) => {
      await saveOrderView(deps.db, staffOf(request).userId, request.body)
      return reply.code(204).send(null)
    })
    app.post(
      `${views}remove/`,
      { config, schema: { tags, body: OrderViewName, response: saved } },
      async (request, reply) => {
        await orderViews(deps.db).remove(staffOf(request).userId, request.body.name)
        return reply.code(204).send(null)
      },
    )

    const read = { ...schema, querystring: StaffOrderQuery }
    app.get('/api/staff/orders/:id/', { config, schema: read }, async (request) => {
      const order = await requireStaffOrder(deps, request.params.id)
      await noteRead(deps, order, staffOf(request))
      return toStaffOrder(deps, order, request.language, request.query.entries)
    })

    app.post('/api/staff/orders/:id/resend-receipt/', { config: writes, schema }, async (request) => {
      const order = await requireStaffOrder(deps, request.params.id)
      await resendReceipt(deps, order.id, staffOf(request))
      return toStaffOrder(deps, order, request.language)
    })

    app.post(
      '/api/staff/orders/:id/notes/',
      { config: writes, schema: { ...schema, body: StaffNoteBody } },
      async (request) => {
        const order = await requireStaffOrder(deps, request.params.id)
        const actor = staffOf(request)
        await transact(deps.db, async (trx) => {
          const note = await staffOrderWrites(trx).addNote(order.id, actor.userId, request.body.text)
          // The text may tell of the buyer, and no entry can be erased.
          await audit(trx, {
            actor,
            action: 'orders.note',
            subject: { kind: 'order', id: order.id },
            after: { note },
          })
        })
        return toStaffOrder(deps, order, request.language)
      },
    )

    app.get(
      '/api/staff/holds/',
      { config, schema: { tags, querystring: StaffHoldsQuery, response: { 200: StaffHolds } } },
      ({ query, reads }) => staffHolds(reads, query.offer),
    )

    app.get(
      '/api/staff/orders/:id/release/preview/',
      {
        config: { permits: 'orders.release' },
        schema: { ...schema, response: { 200: ReleasePreview } },
      },
      async (request): Promise<ReleasePreview> => {
        const order = await requireStaffOrder(deps, request.params.id)
        if (!CANCELLABLE.includes(order.state)) throw notHeld()
        const lines = await staffOrdersRepository(deps.db).lines(order.id, request.language)
        return {
          tickets: lines.map(({ offer_id, title, quantity }) => ({ offer_id, title, quantity })),
          state_after: ORDER_EVENTS.cancel.to,
          emails: 0,
          may_be_paid: order.provider_order_id !== null,
        }
      },
    )

    app.post(
      '/api/staff/orders/:id/release/',
      { config: { permits: 'orders.release' }, schema: { ...schema, body: StaffReasonBody } },
      async (request) => {
        const order = await requireStaffOrder(deps, request.params.id)
        const actor = staffOf(request)
        await transact(deps.db, async (trx) => {
          // The reason may tell of the buyer: as a note it can be erased, and an event or an entry cannot (ADR 0047).
          const note = await staffOrderWrites(trx).addNote(order.id, actor.userId, request.body.reason)
          const by = `staff ${actor.userId}: note ${note}`
          if (!(await releaseOrder(trx, order.id, 'cancel', 'staff_released', by))) throw notHeld()
          await audit(trx, {
            actor,
            action: 'orders.release',
            subject: { kind: 'order', id: order.id },
            after: { note },
          })
        })
        return toStaffOrder(deps, order, request.language)
      },
    )
  }

const CANCELLABLE: readonly OrderState[] = ORDER_EVENTS.cancel.from

const notHeld = (): Refusal => new Refusal('checkout.notHeld', 409, 'errors.checkout.notHeld')

interface Asked {
  db: ReadDatabase
  timeZone: string
}

/** @returns undefined when no order can fit, since there is no such contest */
async function readFilters(
  { db, timeZone }: Asked,
  { from, to, offer, ...filters }: StaffOrdersFilters,
): Promise<OrderFilters | undefined> {
  const orders = staffOrdersRepository(db)
  const offerId = offer === undefined ? undefined : await orders.offerId(offer)
  if (offer !== undefined && offerId === undefined) return undefined
  return { ...filters, offerId, ...(await orders.days(from, to, timeZone)) }
}

/** A page of orders. What no index serves is looked for window by window, for a short time. */
async function listOrders(
  { language, ...asked }: Asked & { language: Language },
  query: StaffOrdersFilters,
  after: string | undefined,
  limit: number,
): Promise<StaffOrders> {
  const orders = staffOrdersRepository(asked.db)
  const filters = await readFilters(asked, query)
  if (!filters) return { items: [], next: null, searched_to: null }
  const begun = nowMs()
  const ids: string[] = []
  let from = after
  let window = FIRST_WINDOW
  for (;;) {
    const wanted = limit + 1 - ids.length
    const { ids: found, last } = await orders.search(filters, from, window, wanted)
    ids.push(...found)
    const isFull = ids.length > limit
    if (isFull || !last || nowMs() - begun > PATIENCE_MS) {
      const shown = ids.slice(0, limit)
      const items = (await orders.listed(shown, language)).map(toRow)
      if (isFull) return { items, next: shown.at(-1) ?? null, searched_to: null }
      return { items, next: last?.id ?? null, searched_to: last?.at.toISOString() ?? null }
    }
    from = last.id
    window = WINDOW
  }
}

const toRow = ({
  total_cents,
  refunded_cents,
  created_at,
  username,
  ...order
}: ListedOrder): StaffOrderRow => ({
  ...order,
  number: shownOrderNumber(order.number),
  total: toDecimal(cents(total_cents)),
  refunded: toDecimal(cents(refunded_cents)),
  at: created_at.toISOString(),
  buyer: username,
})

async function staffHolds(db: ReadDatabase, slug?: string): Promise<StaffHolds> {
  const orders = await staffOrdersRepository(db).holding(slug)
  return orders.map(({ created_at, hold_until, ...order }) => ({
    ...order,
    created_at: created_at.toISOString(),
    held_until: hold_until.toISOString(),
  }))
}
