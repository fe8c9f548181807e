import { sql } from 'kysely'
import type { Sql } from '#platform/database.ts'
import type { Language } from '#shared/languages.ts'
import type { LocalizedText } from '#shared/localized-text.ts'

interface OfferTitle {
  titles: LocalizedText
}

/** Everything that is kept about a customer, for an export: read it in one snapshot. */
export const exportRepository = (db: Sql) => ({
  async account(id: number) {
    const { rows } = await sql<{
      id: number
      username: string
      email: string
      phone: string
      language: Language
      partner_code: string | null
      created_at: Date
      email_confirmed_at: Date | null
      state: string
    }>`
      SELECT id, username, email, phone, language, partner_code, created_at, email_confirmed_at,
             CASE WHEN closed_at IS NOT NULL THEN 'closed' WHEN is_active THEN 'active' ELSE 'suspended' END AS state
      FROM users WHERE id = ${id}`.execute(db)
    return rows[0]
  },

  /** Links about the address that still work: the former address is kept while a change can be undone. */
  async addressLinks(id: number) {
    const { rows } = await sql<{ purpose: string; email: string; created_at: Date; expires_at: Date }>`
      SELECT purpose, email, created_at, expires_at FROM email_links
      WHERE user_id = ${id} AND expires_at > clock_timestamp() AND ended_at IS NULL ORDER BY created_at`.execute(
      db,
    )
    return rows
  },

  async sessions(id: number) {
    const { rows } = await sql<{
      browser: string | null
      system: string | null
      created_at: Date
      last_used_at: Date
      ended_at: Date | null
    }>`
      SELECT browser, system, created_at, last_used_at, revoked_at AS ended_at FROM sessions
      WHERE user_id = ${id} ORDER BY created_at`.execute(db)
    return rows
  },

  async cart(id: number) {
    const { rows } = await sql<OfferTitle & { quantity: number; answer: string | null; added_at: Date }>`
      SELECT o.titles, i.quantity, i.answer, i.added_at
      FROM carts c JOIN cart_items i ON i.cart_id = c.id JOIN offers o ON o.id = i.offer_id
      WHERE c.user_id = ${id} ORDER BY i.id`.execute(db)
    return rows
  },

  async orders(id: number) {
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
      FROM orders o WHERE o.user_id = ${id} ORDER BY o.id`.execute(db)
    return rows
  },

  async tickets(id: number) {
    const { rows } = await sql<
      OfferTitle & {
        slug: string
        total_tickets: number
        number: number
        status: string
        source: string
        issued_at: Date
        given_up_at: Date | null
        order_number: string | null
      }
    >`
      SELECT o.slug, o.titles, o.total_tickets, t.number, t.status, t.source, t.issued_at,
             t.given_up_at, r.number AS order_number
      FROM tickets t JOIN offers o ON o.id = t.offer_id LEFT JOIN orders r ON r.id = t.order_id
      WHERE t.user_id = ${id} ORDER BY t.issued_at, t.offer_id, t.number`.execute(db)
    return rows
  },

  /** Without the texts that hold a link, which is a secret of its recipient. */
  async emails(id: number) {
    const { rows } = await sql<{
      kind: string
      recipient: string | null
      language: Language
      subject: string | null
      text: string | null
      state: string
      queued_at: Date
      closed_at: Date | null
    }>`
      SELECT kind, language, state, queued_at, closed_at,
             CASE WHEN erased_at IS NULL THEN recipient END AS recipient,
             CASE WHEN erased_at IS NULL THEN subject END AS subject,
             CASE WHEN erased_at IS NULL AND secret_link IS NULL AND body_text <> '' THEN body_text END AS text
      FROM emails WHERE user_id = ${id} ORDER BY id`.execute(db)
    return rows
  },

  async suspensions(id: number) {
    const { rows } = await sql<{ reason: string; suspended_at: Date; lifted_at: Date | null }>`
      SELECT reason, suspended_at, lifted_at FROM account_suspensions WHERE user_id = ${id} ORDER BY id`.execute(
      db,
    )
    return rows
  },

  async securityLog(id: number) {
    const { rows } = await sql<{ event: string; times: number; at: Date; network: string | null }>`
      SELECT event, times, at, network FROM security_events
      WHERE user_id = ${id} AND event <> 'staff_action' ORDER BY id`.execute(db)
    return rows
  },
})
