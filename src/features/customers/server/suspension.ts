import { type AccountState, accountStates } from '#features/accounts/server/index.ts'
import { lockCartsOf } from '#features/purchase/cart/server/index.ts'
import { type EmailShop, enqueueEmail } from '#features/emails/server/index.ts'
import { ordersRepository, releaseOrder } from '#features/purchase/orders/server/index.ts'
import { audit } from '#platform/audit-log.ts'
import type { Database, Trx } from '#platform/database.ts'
import type { StaffCaller } from '#platform/http/request.ts'
import { newId } from '#platform/ids.ts'
import { transact } from '#platform/transaction.ts'
import { nowMs } from '#shared/clock.ts'
import { shownOrderNumber } from '#shared/order-number.ts'
import { Refusal } from '#shared/refusal.ts'
import type { SuspendBody, SuspensionEffects } from '../customers.contract.ts'
import { customerNotFound } from './closing.ts'
import { restoredEmail, suspendedEmail } from './customer-emails.ts'
import { customersRepository } from './customers.repository.ts'

interface SuspensionDeps {
  db: Database
  shop: EmailShop
}

/** Locks cart, open orders and account, so that no order is placed beside it. @throws Refusal 404 or 409 */
async function lock(trx: Trx, userId: number) {
  await lockCartsOf(trx, [userId])
  const open = await ordersRepository(trx).lockOpenOfUsers([userId])
  const account = await accountStates(trx).lock(userId)
  if (!account) throw customerNotFound()
  if (account.isClosed) throw new Refusal('customers.closed', 409, 'consoleCustomers.refusals.closed')
  if (account.isStaff) throw new Refusal('customers.isStaff', 409, 'consoleCustomers.refusals.isStaff')
  return { account, held: open.filter(({ state }) => state === 'held') }
}

/** What a suspension does to an account that `lock` has locked. */
async function effectsOf(
  trx: Trx,
  { account, held }: Awaited<ReturnType<typeof lock>>,
): Promise<SuspensionEffects> {
  if (!account.isActive) throw new Refusal('customers.suspended', 409, 'consoleCustomers.refusals.suspended')
  const customers = customersRepository(trx)
  const { valid } = await customers.countTickets(account.id)
  const sessions = await customers.sessions(account.id)
  return {
    released_orders: held.map(({ number }) => shownOrderNumber(number)),
    released_tickets: held.flatMap(({ lines }) => lines).reduce((sum, { quantity }) => sum + quantity, 0),
    valid_tickets: valid,
    open_sessions: sessions.length,
  }
}

/** What `suspend` would do now. @throws Refusal 404 or 409 */
export const previewSuspension = ({ db }: SuspensionDeps, userId: number): Promise<SuspensionEffects> =>
  transact(db, async (trx) => effectsOf(trx, await lock(trx, userId)))

/**
 * Suspends an account: all its calls are refused from now on, in all processes; what it holds unpaid becomes free; its
 * tickets stay in their draws. The customer is told why. @throws Refusal 404 or 409
 */
export const suspend = (
  { db, shop }: SuspensionDeps,
  { actor, userId, body }: { actor: StaffCaller; userId: number; body: SuspendBody },
): Promise<SuspensionEffects> =>
  transact(db, async (trx) => {
    const locked = await lock(trx, userId)
    const effects = await effectsOf(trx, locked)
    const { account, held } = locked
    const { reason, note, message } = body
    await accountStates(trx).suspend(userId, { staffId: actor.userId, reason, note })
    for (const { id } of held)
      await releaseOrder(trx, id, 'cancel', 'staff_released', `staff ${actor.userId}: suspended`)
    await enqueueEmail(trx, suspendedEmail(shop, account, { reason, message, ref: newId(nowMs()) }))
    await audit(trx, {
      actor,
      action: 'customers.suspend',
      subject: { kind: 'customer', id: userId },
      before: { state: 'active' },
      after: { state: 'suspended', reason, ...effects },
    })
    return effects
  })

/** Gives a suspended account back to its owner. @throws Refusal 404 or 409 */
export const restore = (
  { db, shop }: SuspensionDeps,
  { actor, userId, note }: { actor: StaffCaller; userId: number; note: string },
): Promise<AccountState> =>
  transact(db, async (trx) => {
    const { account } = await lock(trx, userId)
    if (account.isActive) throw new Refusal('customers.active', 409, 'consoleCustomers.refusals.active')
    await accountStates(trx).restore(userId, { staffId: actor.userId, note })
    await enqueueEmail(trx, restoredEmail(shop, account, newId(nowMs())))
    await audit(trx, {
      actor,
      action: 'customers.restore',
      subject: { kind: 'customer', id: userId },
      before: { state: 'suspended' },
      after: { state: 'active' },
    })
    return account
  })
