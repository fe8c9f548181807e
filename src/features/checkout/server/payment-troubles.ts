import type { Database } from '#platform/database.ts'
import type { AlarmBell } from '#features/alarms/server/index.ts'
import { ordersRepository } from './orders.repository.ts'
import { troublesRepository } from './payment-troubles.repository.ts'

/**
 * PayPal tells what became of a payment within minutes, and what became of one that it calls pending within days (a bank
 * transfer takes six of its working days); what it says of this one cannot be true.
 */
const UNCLEAR = { minutes: 60, pendingDays: 10 }
/** An order that cannot be compared is asked about again every hour. */
const UNCOMPARED_HOURS = 6
/** A walk through both books begins every day. */
const COMPARISON_HOURS = 48
/** A cancelled contest and money that came too late are paid back within 14 days (spec section 9); this leaves four. */
const REFUND_DAYS = 10
/** Notifications are handled at once, and by the sweep within seconds. */
const NOTIFICATION_MINUTES = 10

/** Background work: raises alarms for payments that need staff, and ends those that are over. */
export async function watchPayments(db: Database, bell: AlarmBell): Promise<void> {
  const troubles = troublesRepository(db)
  await bell.settle(db, 'orderInReview', await troubles.inReview())
  await bell.settle(db, 'paymentUnclear', await troubles.unclear(UNCLEAR))
  await bell.settle(db, 'orderUncompared', await troubles.uncompared(UNCOMPARED_HOURS))
  await bell.settle(db, 'comparisonLate', await troubles.lateComparison(COMPARISON_HOURS))
  await bell.settle(db, 'refundLate', await troubles.lateRefunds(REFUND_DAYS))
  await bell.settle(db, 'notificationsWaiting', await troubles.waitingNotifications(NOTIFICATION_MINUTES))
  const wrong = await bell.subjects(db, 'wrongAmount')
  const back = wrong.length > 0 ? await ordersRepository(db).byIds(wrong) : []
  for (const { id, state } of back) if (state === 'refunded') await bell.clear(db, 'wrongAmount', id)
}
