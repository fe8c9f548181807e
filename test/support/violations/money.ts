import { type Violation, type Damaged, onItsWay, refundOf } from './violation.ts'

/** Violations of what was paid and what was given for it (I3 to I5). */
export const moneyViolationsOf = ({ paid, held, refundedCapture, parted }: Damaged): Violation[] => [
  {
    title: 'a paid order one of whose tickets is void',
    breaks: ['I3'],
    statements: [
      `UPDATE tickets SET status = 'void' WHERE order_id = '${paid.id}'
         AND number = (SELECT min(number) FROM tickets WHERE order_id = '${paid.id}')`,
    ],
    row: { order_id: paid.id, bought: 3, valid: 2 },
  },
  {
    title: 'money whose way back was forgotten',
    // The provider sent it back, so its book differs, too.
    breaks: ['I3', 'I5'],
    statements: [
      `DELETE FROM refunds WHERE capture_id = '${refundedCapture}'`,
      // It may have been taken over already that all of it is back.
      `UPDATE captures SET status = 'completed' WHERE capture_id = '${refundedCapture}'`,
    ],
    row: { bought: 2, valid: 0 },
  },
  {
    title: 'a line that counts as returned although nothing was',
    breaks: ['I3'],
    statements: [
      `UPDATE order_lines SET refund_requested_at = now() WHERE order_id = '${paid.id}'`,
      `UPDATE tickets SET status = 'void' WHERE order_id = '${paid.id}'`,
    ],
    row: { fault: 'more is left here than the tickets cost', order_id: paid.id },
  },
  {
    title: 'a cancelled contest’s share that the provider would not return',
    // It did, so its book differs, too; the same for the two that follow.
    breaks: ['I3', 'I5'],
    statements: [
      `UPDATE refunds SET status = 'failed', changed_at = now() - interval '11 minutes'
       WHERE order_id = '${parted.id}'`,
    ],
    row: { fault: 'more is left here than the tickets cost', order_id: parted.id },
  },
  {
    title: 'a cancelled contest’s share that went back but for two cents',
    breaks: ['I3', 'I5'],
    statements: [`UPDATE refunds SET amount_cents = ${parted.share - 2} WHERE order_id = '${parted.id}'`],
    row: { fault: 'more is left here than the tickets cost', order_id: parted.id },
  },
  {
    title: 'an order that was paid twice',
    breaks: ['I3', 'I5'],
    statements: [
      `INSERT INTO captures (capture_id, order_id, status, amount_cents, currency)
       SELECT 'TWICE', order_id, status, amount_cents, currency FROM captures WHERE order_id = '${paid.id}'`,
    ],
    row: { fault: 'more is left here than the tickets cost', order_id: paid.id },
  },
  {
    title: 'an order being refunded without a refund request',
    breaks: ['I3'],
    statements: onItsWay(paid.id, '61 minutes'),
    row: { fault: 'its way back is not written down', order_id: paid.id, state: 'refunding' },
  },
  {
    title: 'tickets whose capture was declined',
    breaks: ['I4', 'I5'],
    statements: [`UPDATE captures SET status = 'declined' WHERE order_id = '${paid.id}'`],
    row: { order_id: paid.id, tickets: 3 },
  },
  {
    title: 'tickets for another sum than ordered',
    breaks: ['I4', 'I5'],
    statements: [`UPDATE captures SET amount_cents = amount_cents - 1 WHERE order_id = '${paid.id}'`],
    row: { order_id: paid.id, tickets: 3 },
  },
  {
    title: 'tickets for money that went back',
    breaks: ['I4', 'I5'],
    statements: [
      `INSERT INTO refunds (capture_id, order_id, amount_cents, reason, status, refund_id)
       SELECT capture_id, order_id, amount_cents, 'a_test', 'completed', 'R1' FROM captures WHERE order_id = '${paid.id}'`,
    ],
    row: { order_id: paid.id, tickets: 3 },
  },
  {
    title: 'a ticket that somebody else than its buyer has',
    breaks: ['I4'],
    statements: [
      `UPDATE tickets SET user_id = ${held.userId} WHERE order_id = '${paid.id}'
         AND number = (SELECT min(number) FROM tickets WHERE order_id = '${paid.id}')`,
    ],
    row: { order_id: paid.id, fault: 'somebody else has it', tickets: 1 },
  },
  {
    title: 'tickets of an order that says its money went back, which it did not',
    breaks: ['I4'],
    statements: [
      `UPDATE orders SET state = 'refunded' WHERE id = '${paid.id}'`,
      `INSERT INTO order_events (order_id, from_state, to_state, reason)
       VALUES ('${paid.id}', 'completed', 'refunded', 'a_test')`,
    ],
    row: { order_id: paid.id, state: 'refunded', fault: 'its order is not paid' },
  },
  {
    title: 'a capture that the provider does not know',
    breaks: ['I5'],
    statements: [
      `INSERT INTO captures (capture_id, order_id, status, amount_cents, currency)
       VALUES ('UNKNOWN', '${held.id}', 'pending', 980, 'EUR')`,
    ],
    row: { fault: 'the provider knows no such capture', capture_id: 'UNKNOWN', our_cents: 980 },
  },
  {
    title: 'another amount than the provider took, of an order on its way back',
    breaks: ['I5'],
    statements: [
      ...onItsWay(paid.id, '1 minute'),
      `UPDATE captures SET amount_cents = 1 WHERE order_id = '${paid.id}'`,
      `UPDATE tickets SET status = 'void' WHERE order_id = '${paid.id}'`,
    ],
    row: { fault: 'another amount', order_id: paid.id, our_cents: 1 },
  },
  {
    title: 'a refund that the provider knows nothing of, and that nobody asks it for',
    breaks: ['I3', 'I5'],
    statements: [...onItsWay(paid.id, '61 minutes'), refundOf(paid.id, 'completed', 'shop', '1')],
    row: { fault: 'its way back is not written down', order_id: paid.id },
  },
]
