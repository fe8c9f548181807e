import type { FastifyInstance } from 'fastify'
import type { ZodTypeProvider } from 'fastify-type-provider-zod'
import type { Database, Trx } from '#platform/database.ts'
import { type LiveConnection, liveConnections } from '#platform/http/live-connections.ts'
import { staffOf } from '#platform/http/request.ts'
import { transact } from '#platform/transaction.ts'
import { awaitedDraws } from '#features/draws/server/index.ts'
import { openAlerts } from '#features/alerts/server/index.ts'
import { messageFigures } from '#features/contact/server/index.ts'
import { everyDay, paceOf } from '#features/offers/server/index.ts'
import { closingDesk, lettersToPrint } from '#features/postal/server/index.ts'
import { openStaffSessions, waitingApprovals } from '#features/staff/server/index.ts'
import type { Language } from '#shared/languages.ts'
import { anyText } from '#shared/localized-text.ts'
import { sumToDecimal } from '#shared/money.ts'
import { ShortCache } from '#shared/short-cache.ts'
import { type StaffRole, permits } from '#shared/staff-permissions.ts'
import { CONTEST_NEEDS, DRAW_DAYS, LAST_DAYS, needOf } from '../needs.rules.ts'
import { LISTED_CONTESTS, type LiveSales, Today } from '../reports.contract.ts'
import { salesRepository } from './sales.repository.ts'
import { type SalesRow, todayRepository } from './today.repository.ts'

/** The newest day first. */
interface Figures {
  days: LiveSales[]
  sold: Today['sold']
  contests: Today['contests']
}

export interface TodayOptions {
  db: Database
  timeZone: string
}

const DAYS = 14
/** Draws of which Today tells, the earliest first. */
const DRAWS = 50
/** Letters are counted no further. */
const LETTERS = 1_000
const DAY_MS = 86_400_000
/** How often the day's sales are counted while somebody watches, all watchers together. */
const LIVE_MS = 2_000
/** Of the figures that take a moment to add up. */
const CACHED_MS = 10_000

/** What needs somebody, the day's sales and how contests run; and the sales as they come. */
export const todayRoutes =
  ({ db, timeZone }: TodayOptions) =>
  async (instance: FastifyInstance): Promise<void> => {
    const app = instance.withTypeProvider<ZodTypeProvider>()
    const stored = todayRepository(db)
    const kept = new ShortCache<Figures>({ ttlMs: CACHED_MS, capacity: 3 })

    const liveSales = (): Promise<LiveSales> => inSnapshot(db, (trx) => salesOf(trx, 1)).then(firstOf)

    /** The last days, the newest first, by the day on which this is read. */
    async function salesOf(trx: Trx, count: number): Promise<LiveSales[]> {
      const { day: today } = await todayRepository(trx).now(timeZone)
      const rows = new Map((await todayRepository(trx).sales(timeZone, count)).map((row) => [row.day, row]))
      return Array.from({ length: count }, (_, index) => {
        const day = daysBefore(today, index)
        return toSales(day, rows.get(day))
      })
    }

    /** The same days by contest, what brought most first. */
    async function byContest(trx: Trx, language: Language): Promise<Today['sold']> {
      const { day: to } = await todayRepository(trx).now(timeZone)
      const reports = salesRepository(trx)
      const filters = { from: daysBefore(to, DAYS - 1), to, zone: timeZone, group: 'contest' } as const
      const rows = await reports.sold(filters)
      const titleOf = new Map((await reports.contests(language)).map(({ id, title }) => [String(id), title]))
      return rows
        .filter(({ key }) => key !== null)
        .map(({ key, orders, tickets, net, tax }) => ({
          cents: net + tax,
          shown: {
            offer_id: Number(key),
            title: titleOf.get(String(key)) ?? '',
            orders,
            tickets,
            revenue: sumToDecimal(net + tax),
          },
        }))
        .toSorted((one, other) => other.cents - one.cents || one.shown.offer_id - other.shown.offer_id)
        .map(({ shown }) => shown)
    }

    /** All figures of one response, of one moment: they agree with each other, whatever is sold meanwhile. */
    const figuresNow = (language: Language): Promise<Figures> =>
      inSnapshot(db, async (trx) => ({
        days: await salesOf(trx, DAYS),
        sold: await byContest(trx, language),
        contests: await running(trx, language),
      }))

    /** They take a moment to add up, so they are kept for a while, and no longer than until somebody has bought. */
    async function figures(language: Language): Promise<Figures> {
      const today = JSON.stringify(await liveSales())
      const found = kept.find(language)
      if (found && JSON.stringify(firstOf(found.days)) !== today) kept.forget(language)
      return kept.get(language, () => figuresNow(language))
    }

    /** What contests need of those who may open where it is done. */
    async function deadlines(role: StaffRole, language: Language): Promise<Today['deadlines']> {
      const [draws, desk] = await Promise.all([
        permits(role, 'draws.read') ? awaitedDraws(db, DRAW_DAYS, DRAWS) : [],
        permits(role, 'post.register') ? closingDesk(db, LAST_DAYS) : [],
      ])
      const needs = draws.flatMap((draw) => {
        const found = needOf(draw)
        const isClaim =
          found &&
          (found.need === 'letter' ||
            found.need === 'identity' ||
            found.need === 'award' ||
            found.need === 'claim')
        // Whoever cannot do anything about a claim is not told of it.
        return !found || (isClaim && !permits(role, 'draws.claims')) ? [] : [{ ...draw, ...found }]
      })
      const cards = desk.map((offer) => ({ ...offer, need: 'post' as const, at: offer.until }))
      return [...needs, ...cards]
        .toSorted((one, other) => CONTEST_NEEDS.indexOf(one.need) - CONTEST_NEEDS.indexOf(other.need))
        .map(({ need, offer_id, at, titles }) => ({
          need,
          offer_id,
          title: anyText(titles, language),
          at: at?.toISOString() ?? null,
        }))
    }

    async function running(trx: Trx, language: Language): Promise<Today['contests']> {
      const { now, day } = await todayRepository(trx).now(timeZone)
      const rows = await todayRepository(trx).running(language, LISTED_CONTESTS + 1, timeZone, DAYS)
      return rows.map(({ opened, end_date: end, since, days: known, ...offer }) => {
        const { sold, total } = offer
        const days = everyDay(known, since, day)
        const { expected } = paceOf({ sold, days, end }, day, now)
        return {
          ...offer,
          days: days.map(({ tickets }) => tickets),
          opened_at: opened.toISOString(),
          ends_at: end.toISOString(),
          pace_percent: Math.trunc(((expected ?? sold) / total) * 100),
        }
      })
    }

    const live = liveFeed(liveSales, (ids) => openStaffSessions(db, ids))
    const connections = liveConnections()
    app.addHook('preClose', async () => connections.close())

    app.get(
      '/api/staff/today/',
      { config: { permits: 'today.read' }, schema: { tags: ['staff'], response: { 200: Today } } },
      async (request) => {
        const { role } = staffOf(request)
        const { language } = request
        const [alerts, approvals, review, messages, drafts, letters, dated, { days, sold, contests }] =
          await Promise.all([
            permits(role, 'alerts.read')
              ? openAlerts(db).then((open) => Object.values(open).reduce((sum, count) => sum + count, 0))
              : null,
            permits(role, 'approvals.read') ? waitingApprovals(db) : null,
            permits(role, 'orders.read') ? stored.inReview() : null,
            permits(role, 'messages.read') ? messageFigures(db).then(({ open }) => open) : null,
            permits(role, 'offers.publish') ? stored.drafts() : null,
            permits(role, 'post.read') ? lettersToPrint(db, LETTERS) : null,
            deadlines(role, language),
            figures(language),
          ])
        const needs = { alerts, approvals, review, messages, drafts, letters }
        return {
          needs,
          deadlines: dated,
          today: shownTo(role, firstOf(days)),
          days: days.map((day) => shownTo(role, day)),
          sold: sold.slice(0, LISTED_CONTESTS).map((row) => shownTo(role, row)),
          sold_more: Math.max(0, sold.length - LISTED_CONTESTS),
          contests: contests.slice(0, LISTED_CONTESTS),
          contests_more: contests.length > LISTED_CONTESTS,
        }
      },
    )

    app.get(
      '/api/staff/today/live/',
      { config: { permits: 'today.read' }, schema: { tags: ['staff'] } },
      (request, reply) => {
        const { sessionId, userId } = staffOf(request)
        const connection = connections.open(request, reply, { account: userId, onEnd: () => leave() })
        const leave = live.join({ sessionId, connection })
      },
    )
  }

/** What is read in it is of one moment. */
const inSnapshot = <Result>(db: Database, read: (trx: Trx) => Promise<Result>): Promise<Result> =>
  transact(db, read, { isolation: 'repeatable read' })

function firstOf(days: readonly LiveSales[]): LiveSales {
  const [today] = days
  if (!today) throw new Error('no day')
  return today
}

const toSales = (day: string, row: SalesRow | undefined): LiveSales => ({
  day,
  orders: row?.orders ?? 0,
  tickets: row?.tickets ?? 0,
  revenue: sumToDecimal(row?.cents ?? 0),
})

const daysBefore = (day: string, days: number): string =>
  new Date(Date.parse(`${day}T00:00:00Z`) - days * DAY_MS).toISOString().slice(0, 10)

/** Sales as a role may see them. */
const shownTo = <Sales extends { revenue: string | null }>(role: StaffRole, sales: Sales): Sales =>
  permits(role, 'reports.read') ? sales : { ...sales, revenue: null }

interface Watcher {
  sessionId: string
  connection: LiveConnection
}

/**
 * Asks for the sales while somebody watches, once for all of them, and passes on what has changed. Each time it asks whose
 * sessions are open still, and with which role: the connections of the others end.
 */
function liveFeed(
  ask: () => Promise<LiveSales>,
  openSessions: (ids: readonly string[]) => Promise<ReadonlyMap<string, StaffRole>>,
) {
  /** Each with what it was sent last. */
  const watchers = new Map<Watcher, string>()
  let timer: NodeJS.Timeout | undefined
  let isLooking = false

  async function pass(): Promise<void> {
    // Those who join meanwhile were not asked for.
    const present = [...watchers.keys()]
    const [sales, roles] = await Promise.all([
      ask(),
      openSessions([...new Set(present.map(({ sessionId }) => sessionId))]),
    ])
    for (const watcher of present) {
      const role = roles.get(watcher.sessionId)
      if (role === undefined || !permits(role, 'today.read')) {
        watcher.connection.end()
        continue
      }
      const text = `${role} ${JSON.stringify(sales)}`
      if (!watchers.has(watcher) || watchers.get(watcher) === text) continue
      watchers.set(watcher, text)
      watcher.connection.send(shownTo(role, sales))
    }
  }

  async function look(): Promise<void> {
    isLooking = true
    // Without a database there is nothing to tell; the next look may find it.
    await pass().catch(() => undefined)
    isLooking = false
    timer = watchers.size > 0 ? setTimeout(() => void look(), LIVE_MS).unref() : undefined
  }

  return {
    join(watcher: Watcher): () => void {
      watchers.set(watcher, '')
      // Whoever comes is told at once; during a look, by the next one.
      if (!isLooking) {
        clearTimeout(timer)
        timer = setTimeout(() => void look(), 0)
      }
      return () => void watchers.delete(watcher)
    },
  }
}
