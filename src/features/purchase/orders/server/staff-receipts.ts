/** Copies of a receipt, which staff send to the buyer's present address. */
import { type Addressee, addresseeOf } from '#features/accounts/server/index.ts'
import { type NewEmail, enqueueEmail } from '#features/emails/server/index.ts'
import { translate } from '#i18n/server-translator.ts'
import { audit } from '#platform/audit-log.ts'
import type { Database, Sql, Trx } from '#platform/database.ts'
import type { StaffCaller } from '#platform/http/request.ts'
import { transact } from '#platform/transaction.ts'
import { nowMs } from '#shared/clock.ts'
import { isErasedEmail } from '#shared/email-address.ts'
import type { Language } from '#shared/languages.ts'
import { shownOrderNumber } from '#shared/order-number.ts'
import { Refusal } from '#shared/refusal.ts'
import type { OrderState } from '../order-machine.rules.ts'
import type { Resent } from '../staff-orders.contract.ts'
import { RESEND_FOUND } from '../staff-orders.rules.ts'
import type { OrdersBase } from './order-batches.ts'
import { receiptCopyKey } from './receipt-email.ts'
import { orderWrites } from './order-moves.repository.ts'
import {
  type OrderRow,
  type ReceiptFacts,
  ordersRepository,
  receiptCredits,
  receiptFacts,
} from './orders.repository.ts'
import { type OrderFilters, staffOrdersRepository } from './staff-orders.repository.ts'

/** So long after a copy there is no other: it is on its way, or two people press at the same time. */
const PAUSE_SECONDS = 60

type Deps = Pick<OrdersBase, 'db' | 'emails'>

/** States of orders that can have a receipt: those that were paid once, whatever became of the money since. */
const RECEIPT_STATES: readonly OrderState[] = ['completed', 'refunding', 'refunded', 'review']

/** What a copy needs. @throws Refusal 409 when the order was never paid, has no buyer any more, or a copy was just sent */
async function requireCopy(db: Sql, order: OrderRow) {
  const facts = RECEIPT_STATES.includes(order.state) ? await receiptFacts(db, order.id) : undefined
  if (!facts) throw new Refusal('order.notPaid', 409, 'consoleOrders.refusals.notPaid')
  const to = await addresseeOf(db, order.user_id)
  if (!to || isErasedEmail(to.email))
    throw new Refusal('order.buyerErased', 409, 'consoleOrders.refusals.buyerErased')
  const { count, seconds } = await staffOrdersRepository(db).receiptCopies(order.id)
  if (seconds !== null && seconds < PAUSE_SECONDS)
    throw new Refusal('order.receiptJustSent', 409, 'consoleOrders.refusals.receiptJustSent')
  return { facts, to, copy: count + 1 }
}

/** The copy of a receipt, with its credits once money went back. */
async function copyOf(
  trx: Trx,
  emails: Deps['emails'],
  { facts, to, key }: { facts: ReceiptFacts; to: Addressee; key: string | number },
): Promise<NewEmail> {
  const { order, contests } = facts
  const gone = await receiptCredits(trx, order.id)
  if (gone.credits.length > 0) return emails.creditedCopy(facts, { to, ...gone }, key)
  const count = contests.reduce((sum, { quantity }) => sum + quantity, 0)
  return emails.receiptCopy({ order, to, count }, key)
}

/**
 * @param key of a sending to several; sent once with the same one
 * @throws Refusal 409 when the order was never paid, has no buyer any more, or a copy was just sent
 */
export const resendReceipt = (
  { db, emails }: Deps,
  orderId: string,
  actor: StaffCaller,
  key?: string,
): Promise<void> =>
  transact(db, async (trx) => {
    const order = await orderWrites(trx).lock(orderId)
    if (key !== undefined && (await staffOrdersRepository(trx).hasEmail(receiptCopyKey(orderId, key)))) return
    const { facts, to, copy } = await requireCopy(trx, order)
    await enqueueEmail(trx, await copyOf(trx, emails, { facts, to, key: key ?? copy }))
    await audit(trx, {
      actor,
      action: 'orders.resendReceipt',
      subject: { kind: 'order', id: orderId },
      after: { copy },
    })
  })

/** Most receipts that one correction of an address sends again; older ones are in the buyer's orders. */
const AGAIN_MAX = 50

/**
 * Sends the receipts of an account again, with their tickets, to the address that it has now: those that went to the former
 * one were lost. Only the first call with the same key sends them.
 */
export async function sendReceiptsAgain(
  trx: Trx,
  emails: Deps['emails'],
  { userId, key }: { userId: number; key: string },
): Promise<void> {
  const to = await addresseeOf(trx, userId)
  if (!to) return
  for (const order of await ordersRepository(trx).inStatesOf(userId, RECEIPT_STATES, AGAIN_MAX)) {
    const facts = await receiptFacts(trx, order.id)
    if (facts) await enqueueEmail(trx, await copyOf(trx, emails, { facts, to, key }))
  }
}

/** Does the same for each order, and says for which it was done, and of which it was refused and why. */
async function forEach(
  db: Database,
  ids: readonly string[],
  language: Language,
  act: (order: OrderRow) => Promise<unknown>,
): Promise<Resent> {
  const refused: Resent['refused'] = []
  const done: string[] = []
  for (const id of new Set(ids)) {
    const order = await ordersRepository(db).byId(id)
    try {
      if (!order) throw new Refusal('checkout.orderNotFound', 404, 'errors.checkout.orderNotFound')
      await act(order)
      done.push(id)
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      refused.push({
        id,
        number: order ? shownOrderNumber(order.number) : null,
        code: error.code,
        detail: translate(language, error.messageKey, error.values(language)),
      })
    }
  }
  return { sent: done.length, ids: done, refused }
}

/** The same for several orders, each in a transaction of its own. A fault halfway is mended by the same call again. */
export const resendReceipts = (
  deps: Deps,
  { ids, key }: { ids: readonly string[]; key: string },
  actor: StaffCaller,
  language: Language,
): Promise<Resent> => forEach(deps.db, ids, language, ({ id }) => resendReceipt(deps, id, actor, key))

/** What `resendReceipts` would do now. */
export const previewReceipts = (
  { db }: Pick<Deps, 'db'>,
  ids: readonly string[],
  language: Language,
): Promise<Resent> => forEach(db, ids, language, (order) => requireCopy(db, order))

/** Candidates looked at in a statement, and how long all of them may take. */
const WINDOW = 5_000
const PATIENCE_MS = 5_000

/**
 * The orders with a receipt that the filters find; without a state the paid ones.
 * @throws Refusal 409 when they are more than can be done at once, or when looking for them takes too long
 */
export async function paidOrders(
  db: Database,
  filters: OrderFilters,
  { window, patienceMs } = { window: WINDOW, patienceMs: PATIENCE_MS },
): Promise<string[]> {
  const { state = 'completed' } = filters
  if (!RECEIPT_STATES.includes(state)) return []
  const begun = nowMs()
  const ids: string[] = []
  let after: string | undefined
  for (;;) {
    const wanted = RESEND_FOUND + 1 - ids.length
    const { ids: found, last } = await staffOrdersRepository(db).search(
      { ...filters, state },
      after,
      window,
      wanted,
    )
    ids.push(...found)
    if (ids.length > RESEND_FOUND)
      throw new Refusal('orders.tooManyFound', 409, 'consoleOrders.refusals.tooManyFound', {
        values: { count: RESEND_FOUND },
      })
    if (!last) return ids
    if (nowMs() - begun > patienceMs)
      throw new Refusal('orders.searchTooLong', 409, 'consoleOrders.refusals.searchTooLong')
    after = last.id
  }
}
