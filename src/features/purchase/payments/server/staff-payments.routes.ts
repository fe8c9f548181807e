import type { FastifyInstance } from 'fastify'
import type { ZodTypeProvider } from 'fastify-type-provider-zod'
import { audit } from '#platform/audit-log.ts'
import { staffOf } from '#platform/http/request.ts'
import { transact } from '#platform/transaction.ts'
import { ProviderRefused } from '#platform/payment/payment-provider.ts'
import { requireStaffOrder, throwForStaff, toStaffOrder } from '#features/purchase/orders/server/index.ts'
import { StaffOrder, StaffOrderParams } from '#features/purchase/orders/staff-orders.contract.ts'
import { applyProviderState } from './reconcile.ts'
import type { PaymentsDeps } from './settlement.ts'

/** Reconciles an order in any state; 503 when the provider does not respond. */
export const staffPaymentsRoutes =
  (deps: PaymentsDeps) =>
  async (instance: FastifyInstance): Promise<void> => {
    const app = instance.withTypeProvider<ZodTypeProvider>()
    const schema = { tags: ['staff'], params: StaffOrderParams, response: { 200: StaffOrder } }

    app.post(
      '/api/staff/orders/:id/reconcile/',
      { config: { permits: 'orders.reconcile' }, schema },
      async (request) => {
        const order = await requireStaffOrder(deps, request.params.id)
        const actor = staffOf(request)
        // Before the effect, which has transactions of its own.
        await transact(deps.db, (trx) =>
          audit(trx, { actor, action: 'orders.reconcile', subject: { kind: 'order', id: order.id } }),
        )
        await applyProviderState(deps, order, true).catch((error: unknown) => {
          // A refusal has been applied and is among the order's events.
          if (!(error instanceof ProviderRefused)) throwForStaff(error)
        })
        return toStaffOrder(deps, order, request.language)
      },
    )
  }
