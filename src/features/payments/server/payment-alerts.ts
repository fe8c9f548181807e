import type { Database } from '#platform/database.ts'
import type { AlarmBell } from '#features/alarms/server/index.ts'
import { ordersRepository } from '#features/orders/server/index.ts'
import { alertsToRaise } from './payment-alerts.repository.ts'

/**
 * PayPal decides a payment within minutes, and one that it calls pending within days (a bank transfer takes six working
 * days); after that its answer cannot be right.
 */
const UNCLEAR = { minutes: 60, pendingDays: 10 }
/** An order that cannot be reconciled is asked about again every hour. */
const UNRECONCILED_HOURS = 6
/** A reconciliation of both ledgers begins every day. */
const RECONCILIATION_HOURS = 48
/** A cancelled contest and money that came too late are paid back within 14 days (spec section 9); this leaves four. */
const REFUND_DAYS = 10
/** Notifications are handled at once, and by the sweep within seconds. */
const NOTIFICATION_MINUTES = 10

/** Background job: raises alerts for payments that need staff, and ends those that are over. */
export async function watchPayments(db: Database, alerts: AlarmBell): Promise<void> {
  const found = alertsToRaise(db)
  await alerts.settle(db, 'orderInReview', await found.inReview())
  await alerts.settle(db, 'paymentUnclear', await found.unclear(UNCLEAR))
  await alerts.settle(db, 'orderUncompared', await found.unreconciled(UNRECONCILED_HOURS))
  await alerts.settle(db, 'comparisonLate', await found.lateReconciliation(RECONCILIATION_HOURS))
  await alerts.settle(db, 'refundLate', await found.lateRefunds(REFUND_DAYS))
  await alerts.settle(db, 'notificationsWaiting', await found.waitingNotifications(NOTIFICATION_MINUTES))
  const wrong = await alerts.subjects(db, 'wrongAmount')
  const back = wrong.length > 0 ? await ordersRepository(db).byIds(wrong) : []
  for (const { id, state } of back) if (state === 'refunded') await alerts.clear(db, 'wrongAmount', id)
}
