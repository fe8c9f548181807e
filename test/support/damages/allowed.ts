import { type Damage, type Damaged, onItsWay, refundOf } from './damage.ts'

/** What looks like damage and may be so, for a while or for good: nothing complains. */
export const allowedOf = ({ paid, parted }: Damaged): Pick<Damage, 'title' | 'damage'>[] => [
  {
    title: 'an order on its way back whose refund is not wished for yet',
    damage: onItsWay(paid.id, '59 minutes'),
  },
  {
    title: 'an order on its way back for days whose refund the provider does not answer',
    damage: [...onItsWay(paid.id, '9 days'), refundOf(paid.id, 'requested', 'shop', 'amount_cents')],
  },
  {
    title: 'an order on its way back for days that waits for a refund of the provider’s',
    damage: [...onItsWay(paid.id, '9 days'), refundOf(paid.id, 'pending', 'provider', 'amount_cents')],
  },
  {
    title: 'a part that the provider is returning as a courtesy',
    damage: [refundOf(paid.id, 'pending', 'provider', '100')],
  },
  {
    title: 'a refused share that is about to be wished for anew',
    damage: [
      `UPDATE refunds SET status = 'failed', changed_at = now() - interval '9 minutes' WHERE order_id = '${parted.id}'`,
      refundOf(parted.id, 'pending', 'provider', '1'),
    ],
  },
  {
    title: 'a share rounded down by less than a cent',
    damage: [
      // A line that cost a tenth of a cent more.
      `UPDATE order_lines SET unit_cents = unit_cents * 10 + CASE WHEN refund_requested_at IS NULL THEN 0 ELSE 1 END
       WHERE order_id = '${parted.id}'`,
    ],
  },
  {
    title: 'the longest hold there can be',
    damage: [`UPDATE orders SET hold_until = changed_at + interval '360 minutes' WHERE state = 'held'`],
  },
  {
    title: 'a ticket whose payment was pending for a month after the end',
    damage: [
      `UPDATE offers SET end_date = (SELECT created_at + interval '1 second' FROM orders WHERE id = '${paid.id}')
       WHERE id = ${paid.offerId}`,
      `UPDATE tickets SET issued_at = issued_at + interval '30 days' WHERE order_id = '${paid.id}'`,
    ],
  },
  {
    title: 'an order whose buyer was forgotten, with its tickets',
    damage: [
      `UPDATE orders SET user_id = (SELECT min(id) FROM users) WHERE id = '${paid.id}'`,
      `UPDATE tickets SET user_id = (SELECT min(id) FROM users) WHERE order_id = '${paid.id}'`,
    ],
  },
]
