import { sql } from 'kysely'
import type { Sql } from '#platform/database.ts'
import type { ProviderDispute } from '#platform/payment/payment-provider.ts'
import type { AlertDetails } from '#features/alerts/server/index.ts'
import { shownOrderNumber } from '#shared/order-number.ts'

/** A dispute whose last notification was lost is open no longer than this: the provider decides within months. */
const OPEN_DAYS = 180
const MOST = 100

export const disputesRepository = (db: Sql) => ({
  /**
   * Stores what a notification tells of a dispute, unless a later one was stored before. Of two of one moment the one that
   * says resolved counts.
   */
  note: (dispute: ProviderDispute, orderId: string | undefined, captureId: string | undefined) =>
    sql`
      INSERT INTO disputes (id, order_id, capture_id, reason, status, amount_cents, currency, due_at, page, is_resolved,
                            changed_at)
      VALUES (${dispute.id}, ${orderId ?? null}, ${captureId ?? null}, ${dispute.reason ?? null},
              ${dispute.status ?? null}, ${dispute.money?.amount ?? null}, ${dispute.money?.currency ?? null},
              ${dispute.dueAt ?? null}, ${dispute.page}, ${dispute.isResolved}, ${dispute.changedAt})
      ON CONFLICT (id) DO UPDATE SET
        order_id = coalesce(disputes.order_id, excluded.order_id),
        capture_id = coalesce(excluded.capture_id, disputes.capture_id),
        reason = coalesce(excluded.reason, disputes.reason),
        status = coalesce(excluded.status, disputes.status),
        amount_cents = coalesce(excluded.amount_cents, disputes.amount_cents),
        currency = coalesce(excluded.currency, disputes.currency),
        due_at = coalesce(excluded.due_at, disputes.due_at),
        page = excluded.page, is_resolved = excluded.is_resolved, changed_at = excluded.changed_at,
        noted_at = clock_timestamp()
      WHERE (excluded.changed_at, excluded.is_resolved) >= (disputes.changed_at, disputes.is_resolved)`.execute(
      db,
    ),

  /** Open disputes as alerts, the most urgent first. */
  async open(): Promise<{ subject: string; details: AlertDetails }[]> {
    const { rows } = await sql<{
      id: string
      number: string | null
      capture_id: string | null
      reason: string | null
      amount_cents: number | null
      currency: string | null
      due_at: Date | null
      page: string
    }>`
      SELECT d.id, o.number, d.capture_id, d.reason, d.amount_cents, d.currency, d.due_at, d.page
      FROM disputes d LEFT JOIN orders o ON o.id = d.order_id
      WHERE NOT d.is_resolved AND d.noted_at > now() - make_interval(days => ${OPEN_DAYS})
      ORDER BY d.due_at NULLS LAST, d.id LIMIT ${MOST}`.execute(db)
    return rows.map((row) => ({
      subject: row.id,
      details: {
        order: row.number === null ? null : shownOrderNumber(row.number),
        capture_id: row.capture_id,
        due: row.due_at?.toISOString() ?? null,
        cents: row.currency === 'EUR' ? row.amount_cents : null,
        dispute_reason: row.reason,
        page: row.page,
      },
    }))
  },
})
