export { type NotificationDeps } from './notifications.ts'
export {
  countWaitingNotifications,
  eraseNotificationsOf,
  eraseOldNotifications,
} from './payments.repository.ts'
export { watchPayments } from './payment-alerts.repository.ts'
export { providerLedger, reconcileLedger } from './ledger-reconciliation.ts'
export { applyProviderState, reconcile, refusePayer, requestCapture } from './reconcile.ts'
export { type PaymentsDeps, paymentsDeps } from './settlement.ts'
export { staffPaymentsRoutes } from './staff-payments.routes.ts'
export { recoverPayments } from './payment-recovery.ts'
export { webhookRoutes } from './webhook.routes.ts'
