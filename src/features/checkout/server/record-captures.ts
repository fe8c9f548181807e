import type { Trx } from '#platform/database.ts'
import type { Capture } from '#platform/paypal/messages.ts'
import type { CheckoutBase } from './checkout-base.ts'
import type { OrderRow } from './orders.repository.ts'
import { paymentWrites } from './payments.repository.ts'
import { said } from './settlement.ts'

/**
 * Writes down what the provider says of an order's captures now. One that has taken money by our book and none by this
 * word stays as it is, and rings: either tickets have no money, or the word is wrong.
 * @throws ProviderUnknown when one names no amount that can be read, or pays another order
 */
export async function recordSaid(
  { bell }: Pick<CheckoutBase, 'bell'>,
  trx: Trx,
  order: OrderRow,
  captures: readonly Capture[],
): Promise<void> {
  const denied = await paymentWrites(trx).recordCaptures(captures.map((capture) => said(order, capture)))
  for (const { id, status } of denied)
    await bell.raise(trx, {
      kind: 'booksDiffer',
      subject: order.id,
      details: { capture_id: id, said: status },
    })
}
