import { type Violation, type Damaged, onItsWay, refundOf } from './violation.ts'

/** Changes that look like violations and are allowed, for a while or for good. */
export const allowedOf = ({ paid, parted }: Damaged): Pick<Violation, 'title' | 'statements'>[] => [
  {
    title: 'an order being refunded whose refund is not requested yet',
    statements: onItsWay(paid.id, '59 minutes'),
  },
  {
    title: 'an order on its way back for days whose refund the provider does not answer',
    statements: [...onItsWay(paid.id, '9 days'), refundOf(paid.id, 'requested', 'shop', 'amount_cents')],
  },
  {
    title: 'an order on its way back for days that waits for a refund of the provider’s',
    statements: [...onItsWay(paid.id, '9 days'), refundOf(paid.id, 'pending', 'provider', 'amount_cents')],
  },
  {
    title: 'a part that the provider is returning as a courtesy',
    statements: [refundOf(paid.id, 'pending', 'provider', '100')],
  },
  {
    title: 'a refused share that is about to be requested again',
    statements: [
      `UPDATE refunds SET status = 'failed', changed_at = now() - interval '9 minutes' WHERE order_id = '${parted.id}'`,
      refundOf(parted.id, 'pending', 'provider', '1'),
    ],
  },
  {
    title: 'a share rounded down by less than a cent',
    statements: [
      // A line that cost a tenth of a cent more.
      `UPDATE order_lines SET unit_cents = unit_cents * 10 + CASE WHEN refund_requested_at IS NULL THEN 0 ELSE 1 END
       WHERE order_id = '${parted.id}'`,
    ],
  },
  {
    title: 'the longest hold there can be',
    statements: [`UPDATE orders SET hold_until = changed_at + interval '360 minutes' WHERE state = 'held'`],
  },
  {
    title: 'a ticket whose payment was pending for a month after the end',
    statements: [
      `UPDATE offers SET end_date = (SELECT created_at + interval '1 second' FROM orders WHERE id = '${paid.id}')
       WHERE id = ${paid.offerId}`,
      `UPDATE tickets SET issued_at = issued_at + interval '30 days' WHERE order_id = '${paid.id}'`,
    ],
  },
  {
    title: 'an order whose buyer was forgotten, with its tickets',
    statements: [
      `UPDATE orders SET user_id = (SELECT min(id) FROM users) WHERE id = '${paid.id}'`,
      `UPDATE tickets SET user_id = (SELECT min(id) FROM users) WHERE order_id = '${paid.id}'`,
    ],
  },
]
