import { type Jobs, SECOND } from '#platform/jobs.ts'
import { reconcileLedger } from './ledger-reconciliation.ts'
import type { NotificationDeps } from './notifications.ts'
import { recoverPayments } from './payment-recovery.ts'

/** Age at which a capture without a response is reconciled; above the provider's timeout. */
const UNSETTLED_SECONDS = 15

export const paymentsJobs = {
  'recover payments': {
    everyMs: 10 * SECOND,
    run: ({ payments }) => recoverPayments(payments, UNSETTLED_SECONDS),
  },
  // Each run reconciles some orders; the runs of a day cover all.
  'reconcile the ledger': { everyMs: 10 * SECOND, run: ({ payments }) => reconcileLedger(payments) },
} satisfies Jobs<{ payments: NotificationDeps }>
