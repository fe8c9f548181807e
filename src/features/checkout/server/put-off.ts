import type { CheckoutBase } from './checkout-base.ts'
import { orderWrites } from './order-moves.repository.ts'

/**
 * Has the background work turn to the others first, after it has looked at an order. One for which this fails is looked
 * at again all the sooner, and must not keep the others waiting.
 */
export async function putOff({ db, log }: Pick<CheckoutBase, 'db' | 'log'>, orderId: string): Promise<void> {
  await orderWrites(db)
    .touch(orderId)
    .catch((error: unknown) =>
      log.error({ err: error, orderId }, 'an order that was looked at could not be put off'),
    )
}
