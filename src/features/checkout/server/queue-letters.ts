import type { Trx } from '#platform/database.ts'
import type { Addressee } from '#features/accounts/server/index.ts'
import { type NewMail, checkMail, queueMails } from '#features/mails/server/index.ts'
import type { CheckoutBase } from './checkout-base.ts'

/**
 * Hands letters about orders to the outbox, in the caller's transaction. One that cannot be written must not undo what
 * it tells of: the tickets are paid, the money goes back.
 */
export async function queueLetters(
  deps: Pick<CheckoutBase, 'log'>,
  trx: Trx,
  letters: readonly (() => NewMail)[],
): Promise<void> {
  const written = letters.flatMap((write) => {
    try {
      const letter = write()
      checkMail(letter)
      return [letter]
    } catch (error) {
      deps.log.error({ err: error }, 'a letter about an order could not be written')
      return []
    }
  })
  if (written.length > 0) await queueMails(trx, written)
}

/** The buyer of an order, who must exist. */
export function known(buyer: Addressee | undefined): Addressee {
  if (!buyer) throw new Error('an order without an account')
  return buyer
}
