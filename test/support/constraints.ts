/** A sale of two tickets by the ids of its order: ours, and the provider's. */
export interface Sale {
  id: string
  offerId: number
  orderId: string
}

/** Constraints, each with a statement that they refuse and the promises that it breaks where they are gone. */
export const GUARDS: {
  row: string
  guard: string
  /** `INDEX` for a unique index. */
  table: string
  /** The guard is a trigger of the table. */
  isTrigger?: true
  fault: (it: { paid: Sale; held: Sale }) => string
  breaks: string[]
}[] = [
  {
    row: '1: two open orders of one cart',
    guard: 'orders_one_open',
    table: 'INDEX',
    fault: ({ held: { id } }) =>
      `WITH twin AS (
         INSERT INTO orders (id, user_id, cart_version, state, country, language, subtotal_cents, tax_percent, tax_cents,
                             total_cents, hold_until)
         SELECT gen_random_uuid(), user_id, cart_version, 'held', country, language, subtotal_cents, tax_percent,
                tax_cents, total_cents, hold_until FROM orders WHERE id = '${id}' RETURNING id)
       INSERT INTO order_events (order_id, to_state, reason) SELECT id, 'held', 'created' FROM twin`,
    breaks: ['I6'],
  },
  {
    row: '1: a second order of a cart whose payment is pending',
    guard: 'orders_one_open',
    table: 'INDEX',
    fault: ({ held: { id } }) =>
      `WITH twin AS (
         INSERT INTO orders (id, user_id, cart_version, state, country, language, subtotal_cents, tax_percent, tax_cents,
                             total_cents, hold_until)
         SELECT gen_random_uuid(), user_id, cart_version, 'pending', country, language, subtotal_cents, tax_percent,
                tax_cents, total_cents, hold_until FROM orders WHERE id = '${id}' RETURNING id)
       INSERT INTO order_events (order_id, from_state, to_state, reason)
       SELECT id, NULL, 'held', 'created' FROM twin UNION ALL SELECT id, 'held', 'pending', 'capture_pending' FROM twin`,
    breaks: ['I6'],
  },
  {
    row: '18: a total that is not its parts',
    guard: 'orders_check',
    table: 'orders',
    fault: ({ held: { id } }) => `UPDATE orders SET total_cents = total_cents + 1 WHERE id = '${id}'`,
    breaks: [],
  },
  {
    row: '12: more tickets held than there are',
    guard: 'offers_never_oversold',
    table: 'offers',
    fault: ({ held: { offerId } }) =>
      `UPDATE offers SET tickets_held = total_tickets + 1 WHERE id = ${offerId}`,
    breaks: ['I1'],
  },
  {
    row: '7: a number given twice',
    guard: 'tickets_number_once',
    table: 'tickets',
    fault: ({ paid: { offerId } }) =>
      `UPDATE tickets SET number = (SELECT min(number) FROM tickets WHERE offer_id = ${offerId}) WHERE offer_id = ${offerId}`,
    breaks: ['I2'],
  },
  {
    row: '3: one capture pays two orders',
    guard: 'captures_pkey',
    table: 'captures',
    fault: ({ paid: { id }, held }) =>
      `INSERT INTO captures (capture_id, order_id, status, amount_cents, currency)
       SELECT capture_id, '${held.id}', status, amount_cents, currency FROM captures WHERE order_id = '${id}'`,
    breaks: ['I3'],
  },
  {
    row: '8: a notification is there twice',
    guard: 'webhook_inbox_pkey',
    table: 'webhook_inbox',
    fault: () =>
      `INSERT INTO webhook_inbox (event_id, event_type, payload) VALUES ('WH-TWICE', 'X', '{}'), ('WH-TWICE', 'X', '{}')`,
    breaks: [],
  },
  {
    row: '31: two receipts of one order',
    guard: 'emails_key_key',
    table: 'emails',
    fault: ({ paid: { id } }) =>
      `INSERT INTO emails (id, key, kind, recipient, language, subject, body_text, body_html)
       SELECT gen_random_uuid(), key, kind, recipient, language, subject, body_text, body_html
       FROM emails WHERE key = 'receipt:${id}'`,
    breaks: ['I8'],
  },
  {
    row: '32: a paid ticket of no order',
    guard: 'tickets_paid_have_order',
    table: 'tickets',
    fault: ({ paid: { id } }) => `UPDATE tickets SET order_id = NULL WHERE order_id = '${id}'`,
    breaks: ['I3', 'I4'],
  },
  {
    row: '22: a hold given back twice',
    guard: 'offers_tickets_held_check',
    table: 'offers',
    fault: ({ held: { offerId } }) =>
      `UPDATE offers SET tickets_held = tickets_held - 4 WHERE id = ${offerId}`,
    breaks: ['I1'],
  },
  {
    row: '3: one payment at the provider pays two orders',
    guard: 'orders_provider_order_id_key',
    table: 'orders',
    fault: ({ paid, held }) =>
      `UPDATE orders SET provider_order_id = '${paid.orderId}' WHERE id = '${held.id}'`,
    breaks: [],
  },
  {
    row: '23: one refund wished for twice',
    guard: 'refunds_capture_id_attempt_key',
    table: 'refunds',
    fault: ({ paid: { id } }) =>
      `INSERT INTO refunds (capture_id, order_id, attempt, amount_cents, reason, status)
       SELECT capture_id, order_id, 1, 1, 'twice', 'failed' FROM captures, generate_series(1, 2) WHERE order_id = '${id}'`,
    breaks: [],
  },
  {
    row: '23: two open refunds of one capture',
    guard: 'refunds_one_open',
    table: 'INDEX',
    fault: ({ paid: { id } }) =>
      `INSERT INTO refunds (capture_id, order_id, attempt, amount_cents, reason)
       SELECT capture_id, order_id, attempt, 1, 'twice' FROM captures, generate_series(1, 2) AS attempt
       WHERE order_id = '${id}'`,
    breaks: [],
  },
  {
    row: '25: a number that comes back to be sold again',
    guard: 'offers_sold_never_falls',
    table: 'offers',
    isTrigger: true,
    fault: ({ paid: { offerId } }) =>
      `UPDATE offers SET tickets_sold = tickets_sold - 1 WHERE id = ${offerId}`,
    breaks: ['I1', 'I2'],
  },
  {
    row: '7: another order of the numbers once some are given',
    guard: 'offers_numbers_stay',
    table: 'offers',
    isTrigger: true,
    fault: ({ paid: { offerId } }) =>
      `UPDATE offers SET number_key = sha256('another') WHERE id = ${offerId}`,
    breaks: ['I2'],
  },
  {
    row: '9: a history that is written anew',
    guard: 'order_events_only_grow',
    table: 'order_events',
    isTrigger: true,
    fault: ({ paid: { id } }) =>
      `UPDATE order_events SET to_state = 'expired' WHERE order_id = '${id}' AND to_state = 'capturing'`,
    breaks: ['I10'],
  },
  {
    row: '9: a history that is gone at one stroke',
    guard: 'order_events_never_emptied',
    table: 'order_events',
    isTrigger: true,
    fault: () => 'TRUNCATE order_events',
    breaks: ['I10'],
  },
  {
    row: '16: one contest twice in a cart',
    guard: 'cart_items_cart_id_offer_id_key',
    table: 'cart_items',
    fault: ({ held: { offerId } }) =>
      `INSERT INTO cart_items (cart_id, offer_id, quantity)
       SELECT id, ${offerId}, 1 FROM carts, generate_series(1, 2) WHERE user_id = (SELECT min(user_id) FROM carts)`,
    breaks: [],
  },
  {
    row: '2: two carts of one buyer',
    guard: 'carts_user_id_key',
    table: 'carts',
    fault: () => `INSERT INTO carts (user_id) SELECT min(user_id) FROM carts`,
    breaks: [],
  },
  {
    row: '28: one key begun twice',
    guard: 'idempotency_keys_pkey',
    table: 'idempotency_keys',
    fault: () =>
      `INSERT INTO idempotency_keys (user_id, key, fingerprint)
       SELECT (SELECT min(user_id) FROM carts), 'twice', sha256('a') FROM generate_series(1, 2)`,
    breaks: [],
  },
]
