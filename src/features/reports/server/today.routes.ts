import type { FastifyInstance } from 'fastify'
import type { ZodTypeProvider } from 'fastify-type-provider-zod'
import type { Database } from '#platform/database.ts'
import { staffOf } from '#platform/http/request.ts'
import { openAlerts } from '#features/alerts/server/index.ts'
import { messageFigures } from '#features/contact/server/index.ts'
import { PACE_DAYS, everyDay, paceOf } from '#features/offers/server/index.ts'
import { waitingApprovals } from '#features/staff/server/index.ts'
import type { Language } from '#shared/languages.ts'
import { sumToDecimal } from '#shared/money.ts'
import { ShortCache } from '#shared/short-cache.ts'
import { type StaffRole, permits } from '#shared/staff-permissions.ts'
import { type LiveSales, Today } from '../reports.contract.ts'
import { type SalesRow, todayRepository } from './today.repository.ts'

export interface TodayOptions {
  db: Database
  timeZone: string
}

const DAYS = 14
const CONTESTS = 30
/** How often the day's sales are counted while somebody watches, all watchers together. */
const LIVE_MS = 2_000
/** A comment, so that no proxy closes a quiet connection. */
const BEAT_MS = 20_000
/** The browser then connects again, which asks whether the session is still open. */
const STREAM_MS = 60_000
/** Of the figures that take a moment to add up. */
const CACHED_MS = 10_000

/** What needs somebody, the day's sales and how contests run; and the sales as they come. */
export const todayRoutes =
  ({ db, timeZone }: TodayOptions) =>
  async (instance: FastifyInstance): Promise<void> => {
    const app = instance.withTypeProvider<ZodTypeProvider>()
    const stored = todayRepository(db)
    const days = new ShortCache<LiveSales[]>({ ttlMs: CACHED_MS, capacity: 1 })
    const contests = new ShortCache<Today['contests']>({ ttlMs: CACHED_MS, capacity: 3 })
    const always = (): boolean => true

    async function liveSales(): Promise<LiveSales> {
      const [[row], { day }] = await Promise.all([stored.sales(timeZone, 1), stored.now(timeZone)])
      return toSales(day, row)
    }

    async function lastDays(): Promise<LiveSales[]> {
      const rows = new Map((await stored.sales(timeZone, DAYS)).map((row) => [row.day, row]))
      const { day: today } = await stored.now(timeZone)
      const newest = Date.parse(`${today}T00:00:00Z`)
      return Array.from({ length: DAYS }, (_, index) => {
        const day = new Date(newest - index * 86_400_000).toISOString().slice(0, 10)
        return toSales(day, rows.get(day))
      })
    }

    async function running(language: Language): Promise<Today['contests']> {
      const [{ now, day }, rows] = await Promise.all([
        stored.now(timeZone),
        stored.running(language, CONTESTS, timeZone, PACE_DAYS),
      ])
      return rows.map(({ id, slug, title, sold, total, end_date: end, since, days: known }) => {
        const { expected } = paceOf({ sold, days: everyDay(known, since, day), end }, day, now)
        return {
          id,
          slug,
          title,
          sold,
          total,
          ends_at: end.toISOString(),
          pace_percent: Math.trunc(((expected ?? sold) / total) * 100),
        }
      })
    }

    const live = liveFeed(liveSales)
    // Before the server waits for its connections.
    app.addHook('preClose', async () => live.close())

    app.get(
      '/api/staff/today/',
      { config: { permits: 'today.read' }, schema: { tags: ['staff'], response: { 200: Today } } },
      async (request) => {
        const { role } = staffOf(request)
        const { language } = request
        const [alerts, approvals, review, messages, drafts, today, past, offers] = await Promise.all([
          permits(role, 'alerts.read')
            ? openAlerts(db).then((open) => Object.values(open).reduce((sum, count) => sum + count, 0))
            : null,
          permits(role, 'approvals.read') ? waitingApprovals(db) : null,
          permits(role, 'orders.read') ? stored.inReview() : null,
          permits(role, 'messages.read') ? messageFigures(db).then(({ open }) => open) : null,
          permits(role, 'offers.publish') ? stored.drafts() : null,
          liveSales(),
          days.get('days', lastDays, always),
          contests.get(language, () => running(language), always),
        ])
        const needs = { alerts, approvals, review, messages, drafts }
        const shown = shownTo(role)
        return { needs, today: shown(today), days: past.map(shown), contests: offers }
      },
    )

    app.get(
      '/api/staff/today/live/',
      { config: { permits: 'today.read' }, schema: { tags: ['staff'] } },
      (request, reply) => {
        const shown = shownTo(staffOf(request).role)
        reply.hijack()
        const { raw } = reply
        raw.writeHead(200, {
          ...(reply.getHeaders() as Record<string, string>),
          'content-type': 'text/event-stream; charset=utf-8',
          'cache-control': 'no-store',
          'x-accel-buffering': 'no',
        })
        const leave = live.join({
          send: (sales) => void raw.write(`data: ${JSON.stringify(shown(sales))}\n\n`),
          end: () => void raw.end(),
        })
        const end = setTimeout(() => void raw.end(), STREAM_MS)
        const beat = setInterval(() => void raw.write(': still here\n\n'), BEAT_MS)
        request.raw.once('close', () => {
          clearInterval(beat)
          clearTimeout(end)
          leave()
          raw.end()
        })
      },
    )
  }

const toSales = (day: string, row: SalesRow | undefined): LiveSales => ({
  day,
  orders: row?.orders ?? 0,
  tickets: row?.tickets ?? 0,
  revenue: sumToDecimal(row?.cents ?? 0),
})

/** The sales as a role may see them. */
const shownTo =
  (role: StaffRole) =>
  (sales: LiveSales): LiveSales =>
    permits(role, 'reports.read') ? sales : { ...sales, revenue: null }

interface Watcher {
  send: (sales: LiveSales) => void
  end: () => void
}

/** Asks for the sales while somebody watches, once for all of them, and passes on what has changed. */
function liveFeed(ask: () => Promise<LiveSales>) {
  const watchers = new Set<Watcher>()
  let timer: NodeJS.Timeout | undefined
  let last = ''

  async function look(): Promise<void> {
    const sales = await ask().catch(() => undefined)
    const text = JSON.stringify(sales)
    if (sales && text !== last) for (const watcher of watchers) watcher.send(sales)
    if (sales) last = text
    if (watchers.size > 0) timer = setTimeout(() => void look(), LIVE_MS).unref()
    else timer = undefined
  }

  return {
    join(watcher: Watcher): () => void {
      watchers.add(watcher)
      last = ''
      timer ??= setTimeout(() => void look(), 0)
      return () => void watchers.delete(watcher)
    },
    close(): void {
      for (const watcher of watchers) watcher.end()
      watchers.clear()
      clearTimeout(timer)
    },
  }
}
