import type { FastifyInstance } from 'fastify'
import type { ZodTypeProvider } from 'fastify-type-provider-zod'
import { ProviderRefused } from '#platform/payment/payment-provider.ts'
import { requireStaffOrder, throwForStaff, toStaffOrder } from '#features/orders/server/index.ts'
import { StaffOrder, StaffOrderParams } from '#features/orders/staff-orders.contract.ts'
import { applyProviderState } from './reconcile.ts'
import type { PaymentsDeps } from './settlement.ts'

/** Reconciles an order in any state; 503 when the provider does not answer. */
export const staffPaymentsRoutes =
  (deps: PaymentsDeps) =>
  async (instance: FastifyInstance): Promise<void> => {
    const app = instance.withTypeProvider<ZodTypeProvider>()
    const schema = { tags: ['staff'], params: StaffOrderParams, response: { 200: StaffOrder } }

    app.post('/api/staff/orders/:id/reconcile/', { schema }, async (request) => {
      const order = await requireStaffOrder(deps, request.params.id)
      await applyProviderState(deps, order, true).catch((error: unknown) => {
        // A refusal has been applied and is among the order's events.
        if (!(error instanceof ProviderRefused)) throwForStaff(error)
      })
      return toStaffOrder(deps, order)
    })
  }
