import { type Jobs, SECOND } from '#platform/jobs.ts'
import { holdExpiry } from './holds.ts'
import type { OrdersBase } from './order-batches.ts'

export const ordersJobs = {
  'expire holds': { everyMs: 2 * SECOND, make: (deps) => holdExpiry(deps, deps.isStopping) },
} satisfies Jobs<Pick<OrdersBase, 'db' | 'log'> & { isStopping: () => boolean }>
