import { sql } from 'kysely'
import type { Sql } from '#platform/database.ts'
import type { Language } from '#shared/languages.ts'

/** All orders of an account, for an export. */
export async function keptOrdersOf(db: Sql, userId: number) {
  const { rows } = await sql<{
    number: string
    state: string
    created_at: Date
    country: string
    payer_country: string | null
    funding_country: string | null
    language: Language
    currency: string
    subtotal_cents: number
    tax_percent: string
    tax_cents: number
    total_cents: number
    provider_order_id: string | null
    network: string | null
    lines: { title: string; quantity: number; unit_cents: number; answer: string | null }[]
    payments: { id: string; status: string; amount_cents: number; at: string }[]
    refunds: { id: string | null; status: string; amount_cents: number; note: string | null; at: string }[]
    events: { state: string; reason: string; at: string }[]
  }>`
    SELECT o.number, o.state, o.created_at, o.country, o.payer_country, o.funding_country, o.language, o.currency,
           o.subtotal_cents, o.tax_percent, o.tax_cents, o.total_cents, o.provider_order_id, o.network,
           (SELECT json_agg(json_build_object('title', l.title, 'quantity', l.quantity, 'unit_cents', l.unit_cents,
                                              'answer', l.answer) ORDER BY l.offer_id)
            FROM order_lines l WHERE l.order_id = o.id) AS lines,
           (SELECT coalesce(json_agg(json_build_object('id', c.capture_id, 'status', c.status,
                                                       'amount_cents', c.amount_cents, 'at', c.recorded_at)
                                     ORDER BY c.recorded_at), '[]')
            FROM captures c WHERE c.order_id = o.id) AS payments,
           (SELECT coalesce(json_agg(json_build_object('id', r.refund_id, 'status', r.status,
                                                       'amount_cents', r.amount_cents, 'note', r.note,
                                                       'at', r.created_at) ORDER BY r.id), '[]')
            FROM refunds r WHERE r.order_id = o.id) AS refunds,
           (SELECT json_agg(json_build_object('state', e.to_state, 'reason', e.reason, 'at', e.at) ORDER BY e.id)
            FROM order_events e WHERE e.order_id = o.id) AS events
    FROM orders o WHERE o.user_id = ${userId} ORDER BY o.id`.execute(db)
  return rows
}
