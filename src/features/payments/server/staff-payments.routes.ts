import type { FastifyInstance } from 'fastify'
import type { ZodTypeProvider } from 'fastify-type-provider-zod'
import { ProviderRefused } from '#platform/payment/payment-provider.ts'
import { type OrderRow, requireStaffOrder, toStaffOrder } from '#features/orders/server/index.ts'
import { StaffOrder, StaffOrderParams } from '#features/orders/staff-orders.contract.ts'
import { providerSilent } from '#features/refunds/server/index.ts'
import { applyProviderState } from './reconcile.ts'
import type { PaymentsDeps } from './settlement.ts'

/** Staff have the provider asked about an order. */
export const staffPaymentsRoutes =
  (deps: PaymentsDeps) =>
  async (instance: FastifyInstance): Promise<void> => {
    const app = instance.withTypeProvider<ZodTypeProvider>()
    const schema = { tags: ['staff'], params: StaffOrderParams, response: { 200: StaffOrder } }

    app.post('/api/staff/orders/:id/reconcile/', { schema }, async (request) => {
      const order = await requireStaffOrder(deps, request.params.id)
      await reconcileNow(deps, order)
      return toStaffOrder(deps, order)
    })
  }

/**
 * Asks the provider about an order now and applies its answer, whatever state the order is in (reliability, "reconcile").
 * @throws Refusal 503 when the provider does not answer; then nothing has changed
 */
async function reconcileNow(deps: PaymentsDeps, order: OrderRow): Promise<void> {
  try {
    await applyProviderState(deps, order, true)
  } catch (error) {
    // A definite no was applied already; staff see it among the events.
    if (!(error instanceof ProviderRefused)) throw providerSilent(error)
  }
}
