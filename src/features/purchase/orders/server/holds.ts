import { databaseTrouble, errorCode, isLockTimeout } from '#platform/database-errors.ts'
import type { Database, Trx } from '#platform/database.ts'
import { transact, withCommit } from '#platform/transaction.ts'
import { cartWrites } from '#features/purchase/cart/server/index.ts'
import { holdTickets, lockedElsewhere, releaseTickets } from '#features/offers/server/index.ts'
import { nowMs } from '#shared/clock.ts'
import type { ReasonFor } from '../order-machine.rules.ts'
import { type ExpiredHolds, orderWrites } from './order-moves.repository.ts'
import type { OrdersBase } from './order-batches.ts'
import { type OrderRow, ordersRepository, sumByOffer, wantedOf } from './orders.repository.ts'

type ReleaseEvent = 'cancel' | 'cancelUncreated' | 'failCapture' | 'failPending'

/** Ends an order and releases its tickets. @returns undefined when it was not moved */
export async function releaseOrder<Event extends ReleaseEvent>(
  trx: Trx,
  id: string,
  event: Event,
  reason: ReasonFor<Event>,
  note?: string,
): Promise<OrderRow | undefined> {
  const moved = await orderWrites(trx).move(id, event, reason, { note })
  if (moved) await releaseTickets(trx, wantedOf(await ordersRepository(trx).lines(id)))
  return moved
}

class NotAvailableAgain extends Error {}

/** So often a hold is renewed: a buyer whose payments are declined again and again does not hold the tickets for ever. */
const RENEWALS = 3

const UNIQUE_VIOLATION = '23505'

/** @returns `gone`: too few tickets, or renewed too often; `overtaken`: the cart changed or has another open order (failure mode 13) */
export async function renewHold(
  db: Database,
  order: OrderRow,
  holdMinutes: number,
): Promise<'held' | 'gone' | 'overtaken'> {
  try {
    return await transact(db, async (trx) => {
      const cart = await cartWrites(trx).lockUnchanged(order.user_id)
      if (cart?.version !== order.cart_version) return 'overtaken'
      const moved = await orderWrites(trx).move(order.id, 'renewHold', 'buyer_returned', { holdMinutes })
      if (!moved) return 'overtaken'
      if ((await ordersRepository(trx).renewals(order.id)) > RENEWALS) throw new NotAvailableAgain()
      if (await ordersRepository(trx).isOverPersonLimit(order.id)) throw new NotAvailableAgain()
      const lines = await ordersRepository(trx).lines(order.id)
      if (!(await holdTickets(trx, wantedOf(lines)))) throw new NotAvailableAgain()
      return 'held'
    })
  } catch (error) {
    if (error instanceof NotAvailableAgain) return 'gone'
    if (errorCode(error) === UNIQUE_VIOLATION) return 'overtaken'
    throw error
  }
}

/** Extends a running hold, once (WCAG 2.2.1). @returns undefined when that is not possible */
export const extendHold = (db: Database, id: string, minutes: number): Promise<OrderRow | undefined> =>
  orderWrites(db).move(id, 'extendHold', 'buyer_needs_time', { holdMinutes: minutes })

/** Orders of a transaction: few, so that buyers of their offers hardly wait. */
const CHUNK = 200
/** Delay before a failed order is tried again. */
const RETRY_AFTER_MS = 60_000

/** Buyers of other contests wait for what a run has locked, so it waits for no lock longer than once. */
const IMPATIENT = { patienceMs: 0 }

/**
 * Makes the job that expires holds and releases their tickets; safe to run concurrently. An order that fails, or whose
 * offer stays locked, is skipped, so that it does not block the others. It resolves to the number of expired orders.
 * @param isStopping true ends the run after the current transaction
 */
export function holdExpiry(
  { db, log }: Pick<OrdersBase, 'db' | 'log'>,
  isStopping: () => boolean = () => false,
): () => Promise<number> {
  /** Failed orders, and until when they are skipped. */
  const failed = new Map<string, number>()
  /** Offers that were locked in the last run. */
  let locked: number[] = []

  async function oneByOne(ids: readonly string[]): Promise<number> {
    let released = 0
    for (const id of ids) {
      if (isStopping()) break
      const { error, taken } = await expireTogether(db, { limit: 1, only: [id], not: [], notOf: locked })
      if (!error) {
        released += taken.length
        continue
      }
      if (isLockTimeout(error)) {
        // The next run looks at its offers again.
        locked.push(...(await offersOf(db, [id])))
        continue
      }
      failed.set(id, nowMs() + RETRY_AFTER_MS)
      log.error({ err: error, orderId: id }, 'a hold could not expire, will be tried again')
    }
    return released
  }

  return async () => {
    const now = nowMs()
    for (const [id, until] of failed) if (until <= now) failed.delete(id)
    locked = await lockedElsewhere(db, locked, 'expiry')
    for (let released = 0; ;) {
      const due = { limit: CHUNK, not: [...failed.keys()], notOf: locked }
      const { error, taken } = await expireTogether(db, due)
      if (taken.length === 0) return released
      const kept = isLockTimeout(error) ? await lockedElsewhere(db, await offersOf(db, taken), 'expiry') : []
      if (kept.length > 0) {
        locked.push(...kept)
        log.warn({ offerIds: kept }, 'holds of offers that somebody keeps locked cannot expire')
      } else released += error ? await oneByOne(taken) : taken.length
      if (isStopping()) return released
    }
  }
}

/** @returns the expired orders; with an error the tried ones @throws when the database is down or none was found */
async function expireTogether(
  db: Database,
  due: ExpiredHolds,
): Promise<{ taken: string[]; error?: unknown }> {
  let taken: string[] = []
  try {
    await transact(
      db,
      async (trx) => {
        taken = (await orderWrites(trx).expireHolds(due)).map(({ id }) => id)
        if (taken.length === 0) return undefined
        const lines = await ordersRepository(trx).linesOf(taken)
        return withCommit(releaseTickets(trx, sumByOffer(lines)))
      },
      IMPATIENT,
    )
    return { taken }
  } catch (error) {
    if (taken.length === 0 || databaseTrouble(error) === 'down') throw error
    return { taken, error }
  }
}

const offersOf = async (db: Database, orderIds: readonly string[]): Promise<number[]> =>
  sumByOffer(await ordersRepository(db).linesOf(orderIds)).map(({ offerId }) => offerId)
