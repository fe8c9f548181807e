/** Copies of a receipt, which staff send to the buyer's present address. */
import { addresseeOf } from '#features/accounts/server/index.ts'
import { enqueueEmail } from '#features/emails/server/index.ts'
import { translate } from '#i18n/server-translator.ts'
import { audit } from '#platform/audit-log.ts'
import type { StaffCaller } from '#platform/http/request.ts'
import { transact } from '#platform/transaction.ts'
import { isErasedEmail } from '#shared/email-address.ts'
import type { Language } from '#shared/languages.ts'
import { Refusal } from '#shared/refusal.ts'
import type { Resent } from '../staff-orders.contract.ts'
import type { OrdersBase } from './order-batches.ts'
import { orderWrites } from './order-moves.repository.ts'
import { ordersRepository } from './orders.repository.ts'
import { staffOrdersRepository } from './staff-orders.repository.ts'

/** So long after a copy there is no other: it is on its way, or two people press at the same time. */
const PAUSE_SECONDS = 60

type Deps = Pick<OrdersBase, 'db' | 'emails'>

/** @throws Refusal 409 when the order is not a paid one, has no buyer any more, or a copy was just sent */
export const resendReceipt = ({ db, emails }: Deps, orderId: string, actor: StaffCaller): Promise<void> =>
  transact(db, async (trx) => {
    const order = await orderWrites(trx).lock(orderId)
    if (order.state !== 'completed') throw new Refusal('order.notPaid', 409, 'consoleOrders.refusals.notPaid')
    const to = await addresseeOf(trx, order.user_id)
    if (!to || isErasedEmail(to.email))
      throw new Refusal('order.buyerErased', 409, 'consoleOrders.refusals.buyerErased')
    const { count, seconds } = await staffOrdersRepository(trx).receiptCopies(orderId)
    if (seconds !== null && seconds < PAUSE_SECONDS)
      throw new Refusal('order.receiptJustSent', 409, 'consoleOrders.refusals.receiptJustSent')
    const lines = await ordersRepository(trx).lines(orderId)
    const tickets = lines.reduce((sum, { quantity }) => sum + quantity, 0)
    await enqueueEmail(trx, emails.receiptCopy({ order, to, count: tickets }, count + 1))
    await audit(trx, {
      actor,
      action: 'orders.resendReceipt',
      subject: { kind: 'order', id: orderId },
      after: { copy: count + 1 },
    })
  })

/** The same for several orders, each in a transaction of its own. */
export async function resendReceipts(
  deps: Deps,
  ids: readonly string[],
  actor: StaffCaller,
  language: Language,
): Promise<Resent> {
  const refused: Resent['refused'] = []
  for (const id of new Set(ids)) {
    try {
      if (!(await ordersRepository(deps.db).byId(id)))
        throw new Refusal('checkout.orderNotFound', 404, 'errors.checkout.orderNotFound')
      await resendReceipt(deps, id, actor)
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      refused.push({
        id,
        code: error.code,
        detail: translate(language, error.messageKey, error.values(language)),
      })
    }
  }
  return { sent: new Set(ids).size - refused.length, refused }
}
