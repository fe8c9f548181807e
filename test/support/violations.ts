/** The rows that the statements below change. */
export interface Sample {
  /** A paid order of three tickets, which are all that its offer sold; `providerId` is the provider's id. */
  paid: { id: string; offerId: number; userId: number; providerId: string }
  /** An order that holds tickets. */
  held: { id: string; offerId: number; userId: number }
  /** A fully refunded capture. */
  refundedCapture: string
  /** An order of two offers, one of which was cancelled; its share, in cents, was refunded. */
  partlyRefunded: { id: string; share: number }
  /** A card that was entered, in a contest that keeps two numbers for post. */
  entry: { id: string; offerId: number; number: number }
}

export interface Violation {
  /** Begins with the names of the invariants that find it; without a name only a constraint notices it. */
  title: string
  /** The constraint, index or trigger that refuses it, with the statement that drops it. */
  guard?: { name: string; drop: string }
  statements: string[]
  /** Part of a row that the first of the invariants reports. */
  row?: Record<string, unknown>
}

const constraint = (table: string, name: string) => ({
  guard: { name, drop: `ALTER TABLE ${table} DROP CONSTRAINT ${name} CASCADE` },
})
const trigger = (table: string, name: string) => ({
  guard: { name, drop: `DROP TRIGGER ${name} ON ${table}` },
})
const index = (name: string) => ({ guard: { name, drop: `DROP INDEX ${name}` } })

/** Moves an order and writes the event. */
const move = (id: string, from: string, to: string, ago = '0 minutes'): string[] => [
  `UPDATE orders SET state = '${to}' WHERE id = '${id}'`,
  `INSERT INTO order_events (order_id, from_state, to_state, reason, at)
   VALUES ('${id}', '${from}', '${to}', 'a_test', now() - interval '${ago}')`,
]
const refunding = (id: string, ago: string): string[] => move(id, 'completed', 'refunding', ago)

const refund = (id: string, status: string, origin: 'shop' | 'provider', amount: string): string =>
  `INSERT INTO refunds (capture_id, order_id, attempt, amount_cents, reason, status, refund_id, origin)
   SELECT capture_id, order_id, ${origin === 'shop' ? '9' : 'NULL'}, ${amount}, 'a_test', '${status}', 'R-TEST', '${origin}'
   FROM captures WHERE order_id = '${id}'`

const REFUND = 'capture_id, order_id, attempt, amount_cents, reason, status'
const MORE_LEFT = 'more is left here than the tickets cost'
const NOT_REQUESTED = 'its way back is not written down'

/** The names of the invariants that find a violation. */
export const invariantsOf = ({ title }: Violation): string[] => title.match(/I\d+(?=.*: )/g) ?? []

/** Violations with the invariants that find them and the constraints that refuse them. */
export function violationsOf({ paid, held, refundedCapture, partlyRefunded, entry }: Sample): Violation[] {
  const offer = `offer_id = ${paid.offerId}`
  const first = `(SELECT min(number) FROM tickets WHERE ${offer})`
  const last = `(SELECT max(number) FROM tickets WHERE ${offer})`
  const unsold = `(SELECT min(n) FROM generate_series(1, 100) n
                   WHERE n NOT IN (SELECT number FROM tickets WHERE ${offer}))`
  const postalTicket = (issuedAt: string): string =>
    `INSERT INTO tickets (id, offer_id, number, user_id, source, issued_at)
     VALUES (gen_random_uuid(), ${paid.offerId}, ${unsold}, ${paid.userId}, 'postal', ${issuedAt})`
  const updateOffer = (change: string, id = paid.offerId): string =>
    `UPDATE offers SET ${change} WHERE id = ${id}`
  const endOffer = (fromOrder: string): string =>
    updateOffer(
      `end_date = (SELECT created_at + interval '${fromOrder}' FROM orders WHERE id = '${paid.id}')`,
    )
  const copyReceipt = `INSERT INTO emails (id, key, kind, recipient, language, subject, body_text, body_html)
    SELECT gen_random_uuid(), key, kind, recipient, language, subject, body_text, body_html
    FROM emails WHERE key = 'receipt:${paid.id}'`
  const copyCapture = (captureId: string, orderId: string): string =>
    `INSERT INTO captures (capture_id, order_id, status, amount_cents, currency)
     SELECT ${captureId}, '${orderId}', status, amount_cents, currency FROM captures WHERE order_id = '${paid.id}'`
  const twice = (into: string, values: string, from = ''): string =>
    `INSERT INTO ${into} SELECT ${values} FROM generate_series(1, 2) AS attempt${from}`
  const changeRefund = (change: string): string =>
    `UPDATE refunds SET ${change} WHERE order_id = '${partlyRefunded.id}'`
  const voidTickets = `UPDATE tickets SET status = 'void', void_reason = 'refunded' WHERE order_id = '${paid.id}'`
  const buyer = '(SELECT min(user_id) FROM carts)'
  const ofBuyer = `, carts WHERE user_id = ${buyer}`
  const ofPaid = `, captures WHERE order_id = '${paid.id}'`

  const violations: Record<string, Omit<Violation, 'title'>> = {
    // Its number does not come from the key either.
    'I1, I2, I11: a ticket that no counter counts': {
      statements: [postalTicket('now()')],
      row: { offer_id: paid.offerId, tickets_sold: 3, issued: 4 },
    },
    'I1: a held ticket without an order': {
      statements: [updateOffer('tickets_held = tickets_held + 1')],
      row: { offer_id: paid.offerId, tickets_held: 1, held_by_orders: 0 },
    },
    'I1: more tickets held than exist': {
      ...constraint('offers', 'offers_never_oversold'),
      statements: [updateOffer('tickets_held = total_tickets + 1', held.offerId)],
      row: { offer_id: held.offerId, held_by_orders: 2 },
    },
    'I1: a hold released twice': {
      ...constraint('offers', 'offers_tickets_held_check'),
      statements: [updateOffer('tickets_held = tickets_held - 4', held.offerId)],
      row: { offer_id: held.offerId, tickets_held: -2 },
    },
    'I1, I2: a sold ticket that becomes available again': {
      ...trigger('offers', 'offers_sold_never_falls'),
      statements: [updateOffer('tickets_sold = tickets_sold - 1')],
      row: { offer_id: paid.offerId, tickets_sold: 2 },
    },
    'I2: a number issued twice': {
      ...constraint('tickets', 'tickets_number_once'),
      statements: [`UPDATE tickets SET number = ${first} WHERE ${offer} AND number = ${last}`],
      row: { offer_id: paid.offerId, times: 2 },
    },
    'I2: a number above the total': {
      statements: [`UPDATE tickets SET number = 9999 WHERE ${offer} AND number = ${last}`],
      row: { offer_id: paid.offerId, number: 9999 },
    },
    'I2: a number that the key does not give, in place of one that it gives': {
      statements: [`UPDATE tickets SET number = ${unsold} WHERE ${offer} AND number = ${last}`],
      row: { offer_id: paid.offerId, fault: 'the key never gave it' },
    },
    'I2: another key once numbers are issued': {
      ...trigger('offers', 'offers_address_and_key_stay'),
      statements: [updateOffer("number_key = sha256('another')")],
      row: { offer_id: paid.offerId },
    },
    'I3: a paid order with a void ticket': {
      statements: [`${voidTickets} AND number = ${first}`],
      row: { order_id: paid.id, bought: 3, valid: 2 },
    },
    // The provider's ledger has it, so I5 differs as well; the same below.
    'I3, I5: a refund that the shop has lost': {
      statements: [
        `DELETE FROM refunds WHERE capture_id = '${refundedCapture}'`,
        `UPDATE captures SET status = 'completed' WHERE capture_id = '${refundedCapture}'`,
      ],
      row: { bought: 2, valid: 0 },
    },
    'I3: a line marked as refunded without a refund': {
      statements: [
        `UPDATE order_lines SET refund_requested_at = now(), returned_quantity = quantity WHERE order_id = '${paid.id}'`,
        voidTickets,
      ],
      row: { fault: MORE_LEFT, order_id: paid.id },
    },
    'I3: a ticket counted as returned without a refund': {
      statements: [
        `UPDATE order_lines SET returned_quantity = 1 WHERE order_id = '${paid.id}'`,
        `${voidTickets} AND number = ${first}`,
      ],
      row: { fault: MORE_LEFT, order_id: paid.id },
    },
    'I3: more tickets returned than were bought': {
      ...constraint('order_lines', 'order_lines_return_what_was_bought'),
      statements: [`UPDATE order_lines SET returned_quantity = -1 WHERE order_id = '${paid.id}'`],
      row: { order_id: paid.id, bought: 4, valid: 3 },
    },
    'I3, I5: the refused refund of a cancelled offer’s share': {
      statements: [changeRefund(`status = 'failed', changed_at = now() - interval '11 minutes'`)],
      row: { fault: MORE_LEFT, order_id: partlyRefunded.id },
    },
    'I3, I5: a refund of a cancelled offer’s share that is two cents short': {
      statements: [changeRefund(`amount_cents = ${partlyRefunded.share - 2}`)],
      row: { fault: MORE_LEFT, order_id: partlyRefunded.id },
    },
    'I3, I5: an order that was paid twice': {
      statements: [copyCapture("'TWICE'", paid.id)],
      row: { fault: MORE_LEFT, order_id: paid.id },
    },
    'I3, I5: one capture that pays two orders': {
      ...constraint('captures', 'captures_pkey'),
      statements: [copyCapture('capture_id', held.id)],
    },
    'I3: an order being refunded without a refund request': {
      statements: refunding(paid.id, '61 minutes'),
      row: { fault: NOT_REQUESTED, order_id: paid.id, state: 'refunding' },
    },
    'I3, I5: a completed refund that the provider does not know': {
      statements: [...refunding(paid.id, '61 minutes'), refund(paid.id, 'completed', 'shop', '1')],
      row: { fault: NOT_REQUESTED, order_id: paid.id },
    },
    'I3, I4: paid tickets without an order': {
      ...constraint('tickets', 'tickets_paid_have_order'),
      statements: [`UPDATE tickets SET order_id = NULL WHERE order_id = '${paid.id}'`],
      row: { order_id: paid.id, valid: 0 },
    },
    'I4, I5: tickets whose capture was declined': {
      statements: [`UPDATE captures SET status = 'declined' WHERE order_id = '${paid.id}'`],
      row: { order_id: paid.id, tickets: 3 },
    },
    'I4, I5: tickets for another sum than ordered': {
      statements: [`UPDATE captures SET amount_cents = amount_cents - 1 WHERE order_id = '${paid.id}'`],
      row: { order_id: paid.id, tickets: 3 },
    },
    'I4, I5: valid tickets of a refunded capture': {
      statements: [refund(paid.id, 'completed', 'shop', 'amount_cents')],
      row: { order_id: paid.id, tickets: 3 },
    },
    'I4: a ticket of another owner than the buyer': {
      statements: [
        `UPDATE tickets SET user_id = ${held.userId} WHERE order_id = '${paid.id}' AND number = ${first}`,
      ],
      row: { order_id: paid.id, fault: 'somebody else has it', tickets: 1 },
    },
    'I4: valid tickets of an order in the state refunded, without a refund': {
      statements: move(paid.id, 'completed', 'refunded'),
      row: { order_id: paid.id, state: 'refunded', fault: 'its order is not paid' },
    },
    'I5: a capture that the provider does not know': {
      statements: [
        `INSERT INTO captures (capture_id, order_id, status, amount_cents, currency)
         VALUES ('UNKNOWN', '${held.id}', 'pending', 980, 'EUR')`,
      ],
      row: { fault: 'the provider knows no such capture', capture_id: 'UNKNOWN', our_cents: 980 },
    },
    'I5: another amount than the provider took, of an order being refunded': {
      statements: [
        ...refunding(paid.id, '1 minute'),
        `UPDATE captures SET amount_cents = 1 WHERE order_id = '${paid.id}'`,
        voidTickets,
      ],
      row: { fault: 'another amount', order_id: paid.id, our_cents: 1 },
    },
    'I6: two open orders of one cart': {
      ...index('orders_one_open'),
      statements: [
        `WITH copy AS (
           INSERT INTO orders (id, user_id, cart_version, state, country, language, subtotal_cents, tax_percent,
                               tax_cents, total_cents, hold_until)
           SELECT gen_random_uuid(), user_id, cart_version, state, country, language, subtotal_cents, tax_percent,
                  tax_cents, total_cents, hold_until FROM orders WHERE id = '${held.id}' RETURNING id, state)
         INSERT INTO order_events (order_id, to_state, reason) SELECT id, state, 'a_test' FROM copy`,
      ],
      row: { user_id: held.userId, open_orders: 2 },
    },
    'I7: a hold that did not expire': {
      statements: [`UPDATE orders SET hold_until = now() - interval '61 seconds' WHERE id = '${held.id}'`],
      row: { order_id: held.id },
    },
    'I7: a hold without an end': {
      statements: [`UPDATE orders SET hold_until = 'infinity' WHERE id = '${held.id}'`],
      row: { order_id: held.id, late: null },
    },
    'I7: a hold longer than the settings allow, during a capture that may still be declined': {
      statements: [
        ...move(held.id, 'held', 'capturing'),
        `UPDATE orders SET hold_until = state_changed_at + interval '362 minutes' WHERE id = '${held.id}'`,
      ],
      row: { order_id: held.id, state: 'capturing' },
    },
    'I8: a paid order without a receipt': {
      statements: [`DELETE FROM emails WHERE key = 'receipt:${paid.id}'`],
      row: { order_id: paid.id, receipts: 0 },
    },
    'I8: a second receipt': {
      ...index('emails_key_key'),
      statements: [copyReceipt],
      row: { order_id: paid.id, receipts: 2 },
    },
    'I8: a receipt for an order that was not paid': {
      statements: [
        `INSERT INTO emails (id, key, kind, recipient, language, subject, body_text, body_html)
         VALUES (gen_random_uuid(), 'receipt:${held.id}', 'receipt', 'a@b.test', 'fr', 'x', 'x', 'x')`,
      ],
      row: { order_id: held.id, receipts: 1 },
    },
    'I9: a ticket of an order placed after the offer’s end': {
      ...trigger('offers', 'offers_terms_stay'),
      statements: [endOffer('-1 second')],
      row: { offer_id: paid.offerId, source: 'paid', order_id: paid.id },
    },
    'I9: a ticket issued later after the offer’s end than a payment can be pending': {
      ...trigger('offers', 'offers_terms_stay'),
      statements: [
        endOffer('1 second'),
        `UPDATE tickets SET issued_at = issued_at + interval '32 days' WHERE order_id = '${paid.id}'`,
      ],
      row: { offer_id: paid.offerId, source: 'paid', order_id: paid.id },
    },
    // No counter counts it, and its number does not come from the key.
    'I1, I2, I9, I11: a postal ticket after the offer’s end': {
      ...trigger('offers', 'offers_terms_stay'),
      statements: [updateOffer('end_date = now()'), postalTicket("now() + interval '1 second'")],
      row: { offer_id: paid.offerId, issued: 4 },
    },
    'I10: an order in another state than its last event': {
      statements: [`UPDATE orders SET state = 'review' WHERE id = '${paid.id}'`],
      row: { order_id: paid.id, state: 'review', to_state: 'completed' },
    },
    'I10: moves that the order machine does not allow': {
      statements: [...move(paid.id, 'completed', 'held'), ...move(paid.id, 'held', 'completed')],
      row: { order_id: paid.id, from_state: 'completed', to_state: 'held' },
    },
    'I10: an order whose first event is its payment': {
      statements: [
        'DROP TRIGGER order_events_only_grow ON order_events',
        `DELETE FROM order_events WHERE order_id = '${paid.id}'`,
        `INSERT INTO order_events (order_id, to_state, reason) VALUES ('${paid.id}', 'completed', 'a_test')`,
      ],
      row: { order_id: paid.id, from_state: null, to_state: 'completed' },
    },
    'I10: a deleted event': {
      ...trigger('order_events', 'order_events_only_grow'),
      statements: [`DELETE FROM order_events WHERE order_id = '${paid.id}' AND to_state = 'capturing'`],
      row: { order_id: paid.id, state_before: 'held', from_state: 'capturing' },
    },
    'I10: a changed event': {
      ...trigger('order_events', 'order_events_only_grow'),
      statements: [
        `UPDATE order_events SET to_state = 'expired' WHERE order_id = '${paid.id}' AND to_state = 'capturing'`,
      ],
    },
    'I10: a truncated history': {
      ...trigger('order_events', 'order_events_never_emptied'),
      statements: ['TRUNCATE order_events'],
    },
    'I9: a number for a card that arrived after the offer’s end': {
      statements: [
        'DROP TRIGGER postal_entries_decision_stays ON postal_entries',
        'DROP TRIGGER offers_terms_stay ON offers',
        `UPDATE offers SET end_date = now() - interval '3 days' WHERE id = ${entry.offerId}`,
        `UPDATE postal_entries SET received_on = now()::date WHERE id = '${entry.id}'`,
      ],
      row: { offer_id: entry.offerId, source: 'postal', number: entry.number },
    },
    'I9: a card registered later after the offer’s end than the draw can be': {
      statements: [
        'DROP TRIGGER offers_terms_stay ON offers',
        `UPDATE offers SET end_date = now() WHERE id = ${entry.offerId}`,
        `UPDATE tickets SET issued_at = issued_at + interval '32 days' WHERE offer_id = ${entry.offerId}`,
      ],
      row: { offer_id: entry.offerId, source: 'postal' },
    },
    'I9: a card registered after its offer’s draw': {
      statements: [
        'DROP TRIGGER offers_terms_stay ON offers',
        `UPDATE offers SET end_date = now() - interval '1 hour', draw_at = now() WHERE id = ${entry.offerId}`,
        `UPDATE tickets SET issued_at = now() + interval '1 second' WHERE offer_id = ${entry.offerId}`,
      ],
      row: { offer_id: entry.offerId, source: 'postal', number: entry.number },
    },
    'I11: an entry whose number is not of the post': {
      statements: [
        `UPDATE tickets SET source = 'demo', user_id = ${held.userId} WHERE offer_id = ${entry.offerId} AND number = ${entry.number}`,
      ],
      row: { fault: 'an entry without its number', entry_id: entry.id, number: entry.number },
    },
    'I11: an entry that was deleted': {
      ...trigger('postal_entries', 'postal_entries_never_deleted'),
      statements: [`DELETE FROM postal_entries WHERE id = '${entry.id}'`],
      row: { fault: 'a number of the post without an entry', number: entry.number },
    },
    'I11: a reserve that nobody used': {
      statements: [`UPDATE offers SET postal_reserve_used = 2 WHERE id = ${entry.offerId}`],
      row: { offer_id: entry.offerId, entered: 1, reserve: 2, reserve_used: 2 },
    },
    'I11: a reserve that is given back': {
      ...trigger('offers', 'offers_postal_reserve_stays'),
      statements: [`UPDATE offers SET postal_reserve_used = 0 WHERE id = ${entry.offerId}`],
      row: { offer_id: entry.offerId, reserve_used: 0 },
    },
    'I1, I2, I11: two entries of one person': {
      ...index('postal_entries_once'),
      statements: [
        `WITH made AS (
           INSERT INTO tickets (id, offer_id, number, source)
           SELECT gen_random_uuid(), ${entry.offerId}, 1 + ${entry.number} % 10, 'postal' RETURNING number
         )
         INSERT INTO postal_entries (id, offer_id, bag, status, name, address, postcode, city, country, date_of_birth,
                                     language, received_on, registered_by, ticket_number, salt, person_key, postcode_key)
         SELECT gen_random_uuid(), offer_id, bag, status, name, address, postcode, city, country, date_of_birth,
                language, received_on, registered_by, made.number, salt, person_key, postcode_key
         FROM postal_entries, made WHERE id = '${entry.id}'`,
      ],
    },
    'I12: a contest in another state than its last event': {
      statements: [updateOffer(`state = 'closed'`)],
      row: { offer_id: paid.offerId, state: 'closed', to_state: 'open' },
    },
    'I12: a contest without a history': {
      ...trigger('offer_events', 'offer_events_only_grow'),
      statements: [`DELETE FROM offer_events WHERE offer_id = ${paid.offerId}`],
      row: { offer_id: paid.offerId, event_id: null },
    },
    'I12: an event that does not lead there': {
      statements: [
        updateOffer(`state = 'closed'`),
        `INSERT INTO offer_events (offer_id, event, from_state, to_state, actor)
         VALUES (${paid.offerId}, 'missOpening', 'open', 'closed', 'system')`,
      ],
      row: { offer_id: paid.offerId, event: 'missOpening' },
    },
    'I12: a truncated history of contests': {
      ...trigger('offer_events', 'offer_events_never_emptied'),
      statements: ['TRUNCATE offer_events'],
    },
    'I13: a log that lacks leaves': {
      statements: [
        `INSERT INTO draw_logs (id, origin, key, size) VALUES (${paid.offerId}, 'shop/draws/a', 'a key', 2)`,
      ],
      row: { log_id: paid.offerId, size: 2, leaves: 0 },
    },
    'I3, I13: a void that no log would get': {
      statements: ['DROP TRIGGER tickets_note_void ON tickets', `${voidTickets} AND number = ${first}`],
      row: { order_id: paid.id, bought: 3, valid: 2 },
    },
    'I12, I14: a contest that was drawn without a list': {
      statements: [updateOffer(`state = 'drawn'`)],
      row: { offer_id: paid.offerId, state: 'drawn' },
    },
    'I12, I14, I15: a prize that was awarded to nobody': {
      statements: [updateOffer(`state = 'awarded'`)],
      row: { offer_id: paid.offerId, state: 'awarded' },
    },
    // Only a constraint notices what follows.
    'I11: more of the reserve used than there is': {
      ...constraint('offers', 'offers_postal_reserve_used_up'),
      statements: [`UPDATE offers SET postal_reserve_used = 3 WHERE id = ${entry.offerId}`],
    },
    'a bought ticket of nobody': {
      ...constraint('tickets', 'tickets_bought_have_user'),
      statements: [`UPDATE tickets SET user_id = NULL WHERE order_id = '${paid.id}' AND number = ${first}`],
    },
    'a decision that is changed': {
      ...trigger('postal_entries', 'postal_entries_decision_stays'),
      statements: [`UPDATE postal_entries SET received_on = received_on - 1 WHERE id = '${entry.id}'`],
    },
    'other terms than the buyers have entered for': {
      ...trigger('offers', 'offers_terms_stay'),
      statements: [updateOffer('price_cents = price_cents + 1')],
    },
    'a notification stored twice': {
      ...constraint('webhook_inbox', 'webhook_inbox_pkey'),
      statements: [twice('webhook_inbox (event_id, event_type, payload)', "'WH-TWICE', 'X', '{}'")],
    },
    'one payment of the provider for two orders': {
      ...constraint('orders', 'orders_provider_order_id_key'),
      statements: [`UPDATE orders SET provider_order_id = '${paid.providerId}' WHERE id = '${held.id}'`],
    },
    'a total that is not subtotal and tax': {
      ...constraint('orders', 'orders_check'),
      statements: [`UPDATE orders SET total_cents = total_cents + 1 WHERE id = '${held.id}'`],
    },
    'one refund requested twice': {
      ...constraint('refunds', 'refunds_capture_id_attempt_key'),
      statements: [twice(`refunds (${REFUND})`, "capture_id, order_id, 1, 1, 'a_test', 'failed'", ofPaid)],
    },
    'two open refunds of one capture': {
      ...index('refunds_one_open'),
      statements: [
        twice(`refunds (${REFUND})`, "capture_id, order_id, attempt, 1, 'a_test', 'requested'", ofPaid),
      ],
    },
    'one offer twice in a cart': {
      ...constraint('cart_items', 'cart_items_cart_id_offer_id_key'),
      statements: [twice('cart_items (cart_id, offer_id, quantity)', `id, ${held.offerId}, 1`, ofBuyer)],
    },
    'two carts of one buyer': {
      ...constraint('carts', 'carts_user_id_key'),
      statements: [`INSERT INTO carts (user_id) VALUES (${buyer})`],
    },
    'one idempotency key used twice': {
      ...constraint('idempotency_keys', 'idempotency_keys_pkey'),
      statements: [twice('idempotency_keys (user_id, key, fingerprint)', `${buyer}, 'twice', sha256('a')`)],
    },
  }
  return Object.entries(violations).map(([title, violation]) => ({ title, ...violation }))
}

/** Changes that look like violations and are allowed, for a while or for good. */
export const allowedOf = ({ paid, partlyRefunded }: Sample): Record<string, string[]> => ({
  'an order being refunded whose refund is not requested yet': refunding(paid.id, '59 minutes'),
  'a refund that the provider has not answered for days': [
    ...refunding(paid.id, '9 days'),
    refund(paid.id, 'requested', 'shop', 'amount_cents'),
  ],
  'a refund of the provider that is pending for days': [
    ...refunding(paid.id, '9 days'),
    refund(paid.id, 'pending', 'provider', 'amount_cents'),
  ],
  'a voluntary partial refund of the provider': [refund(paid.id, 'pending', 'provider', '100')],
  'a refused share that is about to be requested again': [
    `UPDATE refunds SET status = 'failed', changed_at = now() - interval '9 minutes'
     WHERE order_id = '${partlyRefunded.id}'`,
    refund(partlyRefunded.id, 'pending', 'provider', '1'),
  ],
  'a share rounded down by less than a cent': [
    // A line that cost a tenth of a cent more.
    `UPDATE order_lines SET unit_cents = unit_cents * 10 + CASE WHEN refund_requested_at IS NULL THEN 0 ELSE 1 END
     WHERE order_id = '${partlyRefunded.id}'`,
  ],
  'the longest possible hold': [
    `UPDATE orders SET hold_until = state_changed_at + interval '360 minutes' WHERE state = 'held'`,
  ],
  'a ticket whose payment was pending for a month after the offer’s end': [
    'ALTER TABLE offers DISABLE TRIGGER offers_terms_stay',
    `UPDATE offers SET end_date = (SELECT created_at + interval '1 second' FROM orders WHERE id = '${paid.id}')
     WHERE id = ${paid.offerId}`,
    `UPDATE tickets SET issued_at = issued_at + interval '30 days' WHERE order_id = '${paid.id}'`,
  ],
  'an order of an erased buyer, with its tickets': [
    `UPDATE orders SET user_id = (SELECT min(id) FROM users) WHERE id = '${paid.id}'`,
    `UPDATE tickets SET user_id = (SELECT min(id) FROM users) WHERE order_id = '${paid.id}'`,
  ],
})
