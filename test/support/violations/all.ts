import type { Violation, Damaged } from './violation.ts'
import { moneyViolationsOf } from './money.ts'

/** For every invariant, violations that it finds and no other invariant does. */
export const violationsOf = (damaged: Damaged): Violation[] => {
  const { paid, held } = damaged
  return [
    {
      title: 'a ticket that nobody counted',
      // Nor has the key come to its number.
      breaks: ['I1', 'I2'],
      statements: [
        `INSERT INTO tickets (id, offer_id, number, user_id, source)
       SELECT gen_random_uuid(), ${paid.offerId}, n, ${paid.userId}, 'postal'
       FROM generate_series(1, 100) n WHERE n NOT IN (SELECT number FROM tickets WHERE offer_id = ${paid.offerId})
       LIMIT 1`,
      ],
      row: { offer_id: paid.offerId, tickets_sold: 3, issued: 4 },
    },
    {
      title: 'a held ticket that no order holds',
      breaks: ['I1'],
      statements: [`UPDATE offers SET tickets_held = tickets_held + 1 WHERE id = ${paid.offerId}`],
      row: { offer_id: paid.offerId, tickets_held: 1, held_by_orders: 0 },
    },
    {
      title: 'a contest that sold more than it has',
      // Another total is another order of the numbers.
      breaks: ['I1', 'I2'],
      statements: [
        'ALTER TABLE offers DROP CONSTRAINT offers_never_oversold',
        'DROP TRIGGER offers_numbers_stay ON offers',
        `UPDATE offers SET total_tickets = (SELECT max(number) FROM tickets WHERE offer_id = ${paid.offerId}),
         tickets_held = total_tickets WHERE id = ${paid.offerId}`,
      ],
      row: { offer_id: paid.offerId, tickets_sold: 3 },
    },
    {
      title: 'a number given twice',
      breaks: ['I2'],
      statements: [
        'ALTER TABLE tickets DROP CONSTRAINT tickets_number_once',
        `UPDATE tickets SET number = (SELECT min(number) FROM tickets WHERE offer_id = ${paid.offerId})
       WHERE offer_id = ${paid.offerId} AND number = (SELECT max(number) FROM tickets WHERE offer_id = ${paid.offerId})`,
      ],
      row: { offer_id: paid.offerId, times: 2 },
    },
    {
      title: 'a number above the total',
      breaks: ['I2'],
      statements: [
        `UPDATE tickets SET number = 9999 WHERE offer_id = ${paid.offerId}
         AND number = (SELECT max(number) FROM tickets WHERE offer_id = ${paid.offerId})`,
      ],
      row: { offer_id: paid.offerId, number: 9999 },
    },
    {
      title: 'a number that the key never gave, in place of one that it gave',
      breaks: ['I2'],
      statements: [
        `UPDATE tickets SET number = (
         SELECT min(n) FROM generate_series(1, 100) n
         WHERE n NOT IN (SELECT number FROM tickets WHERE offer_id = ${paid.offerId}))
       WHERE offer_id = ${paid.offerId}
         AND number = (SELECT max(number) FROM tickets WHERE offer_id = ${paid.offerId})`,
      ],
      row: { offer_id: paid.offerId, fault: 'the key never gave it' },
    },
    ...moneyViolationsOf(damaged),
    {
      title: 'two open orders of one cart',
      breaks: ['I6'],
      statements: [
        'DROP INDEX orders_one_open',
        `WITH copy AS (
         INSERT INTO orders (id, user_id, cart_version, state, country, language, subtotal_cents, tax_percent,
                             tax_cents, total_cents, hold_until)
         SELECT gen_random_uuid(), user_id, cart_version, state, country, language, subtotal_cents, tax_percent,
                tax_cents, total_cents, hold_until
         FROM orders WHERE id = '${held.id}' RETURNING id, state)
       INSERT INTO order_events (order_id, to_state, reason) SELECT id, state, 'a_test' FROM copy`,
      ],
      row: { user_id: held.userId, open_orders: 2 },
    },
    {
      title: 'a hold that was never given back',
      breaks: ['I7'],
      statements: [`UPDATE orders SET hold_until = now() - interval '61 seconds' WHERE id = '${held.id}'`],
      row: { order_id: held.id },
    },
    {
      title: 'a hold for ever',
      breaks: ['I7'],
      statements: [`UPDATE orders SET hold_until = 'infinity' WHERE id = '${held.id}'`],
      row: { order_id: held.id, late: null },
    },
    {
      title: 'a hold longer than any can be, which would be one again once its payment is declined',
      breaks: ['I7'],
      statements: [
        `UPDATE orders SET state = 'capturing', hold_until = changed_at + interval '362 minutes' WHERE id = '${held.id}'`,
        `INSERT INTO order_events (order_id, from_state, to_state, reason)
       VALUES ('${held.id}', 'held', 'capturing', 'a_test')`,
      ],
      row: { order_id: held.id, state: 'capturing' },
    },
    {
      title: 'a paid order without a receipt',
      breaks: ['I8'],
      statements: [`DELETE FROM emails WHERE key = 'receipt:${paid.id}'`],
      row: { order_id: paid.id, receipts: 0 },
    },
    {
      title: 'a second receipt',
      breaks: ['I8'],
      statements: [
        'ALTER TABLE emails DROP CONSTRAINT emails_key_key',
        `INSERT INTO emails (id, key, kind, recipient, language, subject, body_text, body_html)
       SELECT gen_random_uuid(), key, kind, recipient, language, subject, body_text, body_html
       FROM emails WHERE key = 'receipt:${paid.id}'`,
      ],
      row: { order_id: paid.id, receipts: 2 },
    },
    {
      title: 'a receipt for an order that was not paid',
      breaks: ['I8'],
      statements: [
        `INSERT INTO emails (id, key, kind, recipient, language, subject, body_text, body_html)
       VALUES (gen_random_uuid(), 'receipt:${held.id}', 'receipt', 'a@b.test', 'fr', 'x', 'x', 'x')`,
      ],
      row: { order_id: held.id, receipts: 1 },
    },
    {
      title: 'a ticket of an order that began after the contest’s end',
      breaks: ['I9'],
      statements: [
        `UPDATE offers SET end_date = (SELECT created_at - interval '1 second' FROM orders WHERE id = '${paid.id}')
       WHERE id = ${paid.offerId}`,
      ],
      row: { offer_id: paid.offerId, source: 'paid', order_id: paid.id },
    },
    {
      title: 'a ticket of an order from before the end, issued when no payment can be pending any more',
      breaks: ['I9'],
      statements: [
        `UPDATE offers SET end_date = (SELECT created_at + interval '1 second' FROM orders WHERE id = '${paid.id}')
       WHERE id = ${paid.offerId}`,
        `UPDATE tickets SET issued_at = issued_at + interval '32 days' WHERE order_id = '${paid.id}'`,
      ],
      row: { offer_id: paid.offerId, source: 'paid', order_id: paid.id },
    },
    {
      title: 'a ticket that came by post after the end',
      // Nor did anybody count it or make its number.
      breaks: ['I1', 'I2', 'I9'],
      statements: [
        `UPDATE offers SET end_date = now() WHERE id = ${paid.offerId}`,
        `INSERT INTO tickets (id, offer_id, number, user_id, source, issued_at)
       SELECT gen_random_uuid(), ${paid.offerId}, n, ${paid.userId}, 'postal', now() + interval '1 second'
       FROM generate_series(1, 100) n WHERE n NOT IN (SELECT number FROM tickets WHERE offer_id = ${paid.offerId})
       LIMIT 1`,
      ],
      row: { offer_id: paid.offerId, issued: 4 },
    },
    {
      title: 'an order in another state than its events lead to',
      breaks: ['I10'],
      statements: [`UPDATE orders SET state = 'review' WHERE id = '${paid.id}'`],
      row: { order_id: paid.id, state: 'review', to_state: 'completed' },
    },
    {
      title: 'a detour along moves that no order may make',
      breaks: ['I10'],
      statements: [
        `INSERT INTO order_events (order_id, from_state, to_state, reason)
       VALUES ('${paid.id}', 'completed', 'held', 'a_test'), ('${paid.id}', 'held', 'completed', 'a_test')`,
      ],
      row: { order_id: paid.id, from_state: 'completed', to_state: 'held' },
    },
    {
      title: 'an order that was born paid',
      breaks: ['I10'],
      statements: [
        'DROP TRIGGER order_events_only_grow ON order_events',
        `DELETE FROM order_events WHERE order_id = '${paid.id}'`,
        `INSERT INTO order_events (order_id, to_state, reason) VALUES ('${paid.id}', 'completed', 'a_test')`,
      ],
      row: { order_id: paid.id, from_state: null, to_state: 'completed' },
    },
    {
      title: 'an event that is gone from the middle',
      breaks: ['I10'],
      statements: [
        'DROP TRIGGER order_events_only_grow ON order_events',
        `DELETE FROM order_events WHERE order_id = '${paid.id}' AND to_state = 'capturing'`,
      ],
      row: { order_id: paid.id, state_before: 'held', from_state: 'capturing' },
    },
  ]
}
