import { sql } from 'kysely'
import type { Database } from '#platform/database.ts'
import type { AlertDetails, Alerts } from '#features/alerts/server/index.ts'
import { ordersRepository } from '#features/purchase/orders/server/index.ts'
import { disputesRepository } from './disputes.repository.ts'

interface Finding {
  subject: string
  details: AlertDetails
}

/** Most alerts of a kind. */
const MOST = 100
/** Fewer of these: an unavailable provider causes many at once. */
const MOST_UNRECONCILED = 10

const alertsToRaise = (db: Database) => ({
  async inReview(): Promise<Finding[]> {
    const { rows } = await sql<{
      id: string
      total_cents: number
      state_changed_at: Date
      reason: string | null
    }>`
      SELECT o.id, o.total_cents, o.state_changed_at,
             (SELECT e.reason FROM order_events e WHERE e.order_id = o.id ORDER BY e.id DESC LIMIT 1) AS reason
      FROM orders o WHERE o.state = 'review' ORDER BY o.state_changed_at LIMIT ${MOST}`.execute(db)
    return rows.map(({ id, total_cents, state_changed_at, reason }) => ({
      subject: id,
      details: { cents: total_cents, since: state_changed_at.toISOString(), reason },
    }))
  },

  /** Orders whose payment has been open for so long. `pending` ones have a limit of their own. */
  async unclear({ minutes, pendingDays }: { minutes: number; pendingDays: number }): Promise<Finding[]> {
    const { rows } = await sql<{ id: string; total_cents: number; capture_started_at: Date }>`
      SELECT id, total_cents, capture_started_at FROM orders
      WHERE (state = 'capturing' AND capture_started_at < clock_timestamp() - make_interval(mins => ${minutes}))
         OR (state = 'pending' AND capture_started_at < clock_timestamp() - make_interval(days => ${pendingDays}))
      ORDER BY capture_started_at LIMIT ${MOST}`.execute(db)
    return rows.map(({ id, total_cents, capture_started_at }) => ({
      subject: id,
      details: { cents: total_cents, since: capture_started_at.toISOString() },
    }))
  },

  async unreconciled(hours: number): Promise<Finding[]> {
    const { rows } = await sql<{ order_id: string; since: Date; tried_at: Date }>`
      SELECT order_id, since, tried_at FROM unreconciled_orders
      WHERE since < clock_timestamp() - make_interval(hours => ${hours})
      ORDER BY since LIMIT ${MOST_UNRECONCILED}`.execute(db)
    return rows.map(({ order_id, since, tried_at }) => ({
      subject: order_id,
      details: { since: since.toISOString(), last_try: tried_at.toISOString() },
    }))
  },

  /** One finding when the reconciliation round began so long ago and has not reached all older orders. */
  async lateReconciliation(hours: number): Promise<Finding[]> {
    const { rows } = await sql<{ started_at: Date; after_order: string | null }>`
      SELECT c.started_at, c.after_order FROM ledger_reconciliation c
      WHERE c.started_at < clock_timestamp() - make_interval(hours => ${hours}) AND EXISTS (
        SELECT 1 FROM orders o
        WHERE o.capture_started_at IS NOT NULL
          AND (c.ended_at IS NOT NULL OR c.after_order IS NULL OR o.id > c.after_order)
          AND o.created_at > now() - interval '185 days'
          AND o.created_at < clock_timestamp() - make_interval(hours => ${hours})
      )`.execute(db)
    return rows.map(({ started_at, after_order }) => ({
      subject: '',
      details: { begun: started_at.toISOString(), after_order },
    }))
  },

  /** Refunds of the shop, orders in `refunding` and cancelled offers, open for so many days. */
  async lateRefunds(days: number): Promise<Finding[]> {
    const { rows } = await sql<{ subject: string; cents: number | null; wanted: Date }>`
      WITH open AS (
        SELECT order_id, amount_cents, created_at AS wanted FROM refunds WHERE status IN ('requested', 'pending') AND origin = 'shop'
      ), unasked AS (
        SELECT o.id, o.total_cents, max(e.at) AS wanted
        FROM orders o JOIN order_events e ON e.order_id = o.id AND e.to_state = 'refunding'
        WHERE o.state = 'refunding' AND NOT EXISTS (SELECT 1 FROM open WHERE open.order_id = o.id)
        GROUP BY o.id
      ), contests AS (
        SELECT slug, cancelled_at AS wanted FROM offers WHERE cancelled_at IS NOT NULL AND refunds_completed_at IS NULL
      )
      SELECT subject, sum(amount_cents)::bigint AS cents, min(wanted) AS wanted
      FROM (
        SELECT order_id::text, amount_cents, wanted FROM open
        UNION ALL SELECT id::text, total_cents, wanted FROM unasked
        UNION ALL SELECT slug, NULL, wanted FROM contests
      ) AS late (subject, amount_cents, wanted)
      WHERE wanted < clock_timestamp() - make_interval(days => ${days})
      GROUP BY subject ORDER BY min(wanted) LIMIT ${MOST}`.execute(db)
    return rows.map(({ subject, cents, wanted }) => ({
      subject,
      details: { cents, wanted: wanted.toISOString() },
    }))
  },

  /** Refunds of a part by staff that the provider refused or took back within so many days, unless one followed. */
  async refusedParts(days: number): Promise<Finding[]> {
    const { rows } = await sql<{ order_id: string; cents: number; part: string; changed_at: Date }>`
      SELECT DISTINCT ON (f.order_id) f.order_id, f.amount_cents AS cents, f.part, f.changed_at
      FROM refunds f
      WHERE f.status = 'failed' AND f.requested_by IS NOT NULL AND f.part IS NOT NULL
        AND f.changed_at > clock_timestamp() - make_interval(days => ${days})
        AND NOT EXISTS (SELECT FROM refunds n WHERE n.order_id = f.order_id AND n.id > f.id AND n.status <> 'failed')
      ORDER BY f.order_id, f.id DESC LIMIT ${MOST}`.execute(db)
    return rows.map(({ order_id, cents, part, changed_at }) => ({
      subject: order_id,
      details: { cents, part, since: changed_at.toISOString() },
    }))
  },

  /** Contests of which more than so many tickets, and such a share, are held and not paid. */
  async manyHolds({ tickets, percent }: { tickets: number; percent: number }): Promise<Finding[]> {
    const { rows } = await sql<{ slug: string; tickets_held: number; total_tickets: number }>`
      SELECT slug, tickets_held, total_tickets FROM offers
      WHERE tickets_held > ${tickets} AND tickets_held * 100::bigint > total_tickets * ${percent}::bigint
      ORDER BY tickets_held DESC LIMIT ${MOST}`.execute(db)
    return rows.map(({ slug, tickets_held, total_tickets }) => ({
      subject: slug,
      details: { held: tickets_held, total: total_tickets },
    }))
  },

  /** Paid orders of the last days whose billing country is not the one that the provider names. */
  async differentCountries(days: number): Promise<Finding[]> {
    const { rows } = await sql<{
      id: string
      country: string
      payer_country: string | null
      funding_country: string | null
    }>`
      SELECT id, country, payer_country, funding_country FROM orders
      WHERE (payer_country <> country OR funding_country <> country) AND state = 'completed'
        AND state_changed_at > clock_timestamp() - make_interval(days => ${days})
      ORDER BY state_changed_at DESC LIMIT ${MOST}`.execute(db)
    return rows.map(({ id, ...countries }) => ({ subject: id, details: countries }))
  },

  async waitingNotifications(minutes: number): Promise<Finding[]> {
    const { rows } = await sql<{ waiting: number; oldest: Date | null }>`
      SELECT count(*) AS waiting, min(received_at) AS oldest FROM webhook_inbox
      WHERE handled_at IS NULL AND received_at < clock_timestamp() - make_interval(mins => ${minutes})`.execute(
      db,
    )
    const [found] = rows
    if (!found?.oldest) return []
    return [{ subject: '', details: { waiting: found.waiting, oldest: found.oldest.toISOString() } }]
  },
})

/** A provider decides a payment within minutes, a pending one within days (a bank transfer takes six). */
const UNCLEAR = { minutes: 60, pendingDays: 10 }
/** An order that cannot be reconciled is retried within the hour. */
const UNRECONCILED_HOURS = 6
/** A reconciliation of both ledgers begins every day. */
const RECONCILIATION_HOURS = 48
/** A cancelled offer and late money are refunded within 14 days (spec section 9). */
const REFUND_DAYS = 10
/** So long the refused refund of a part is open; the next one of the order ends it. */
const REFUSED_DAYS = 7
/** So long a paid order with different countries is open. */
const COUNTRIES_DAYS = 7
const NOTIFICATION_MINUTES = 10
/** Beyond this somebody may be holding tickets without the will to pay. */
const MANY_HOLDS = { tickets: 50, percent: 20 }

/** Raises an alert for each open dispute, and clears those of resolved ones. */
export const watchDisputes = async (db: Database, alerts: Alerts): Promise<void> =>
  alerts.settle(db, 'dispute', await disputesRepository(db).open())

/** Background job: raises alerts for payments and holds that need staff and clears those that are resolved. */
export async function watchPayments(db: Database, alerts: Alerts): Promise<void> {
  const found = alertsToRaise(db)
  await alerts.settle(db, 'orderInReview', await found.inReview())
  await alerts.settle(db, 'paymentUnclear', await found.unclear(UNCLEAR))
  await alerts.settle(db, 'orderUnreconciled', await found.unreconciled(UNRECONCILED_HOURS))
  await alerts.settle(db, 'reconciliationLate', await found.lateReconciliation(RECONCILIATION_HOURS))
  await watchDisputes(db, alerts)
  await alerts.settle(db, 'refundLate', await found.lateRefunds(REFUND_DAYS))
  await alerts.settle(db, 'refundRefused', await found.refusedParts(REFUSED_DAYS))
  await alerts.settle(db, 'notificationsWaiting', await found.waitingNotifications(NOTIFICATION_MINUTES))
  await alerts.settle(db, 'manyHolds', await found.manyHolds(MANY_HOLDS))
  await alerts.settle(db, 'vatCountryDiffers', await found.differentCountries(COUNTRIES_DAYS))
  const wrong = await alerts.subjects(db, 'wrongAmount')
  const back = wrong.length > 0 ? await ordersRepository(db).byIds(wrong) : []
  for (const { id, state } of back) if (state === 'refunded') await alerts.clear(db, 'wrongAmount', id)
}
