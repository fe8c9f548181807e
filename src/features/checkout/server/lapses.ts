import { databaseTrouble, errorCode } from '#platform/database-errors.ts'
import type { Database } from '#platform/database.ts'
import { transact, withCommit } from '#platform/transaction.ts'
import { lockedElsewhere, releaseTickets } from '#features/offers/server/index.ts'
import { nowMs } from '#shared/clock.ts'
import type { CheckoutBase } from './checkout-base.ts'
import { type DueHolds, orderWrites } from './order-moves.repository.ts'
import { ordersRepository, sumByOffer } from './orders.repository.ts'

/** Orders of one transaction: few enough that buyers of their contests hardly wait for it. */
const CHUNK = 200
/** How long an order that could not lapse is passed over. */
const AGAIN_AFTER_MS = 60_000

const LOCK_NOT_AVAILABLE = '55P03'

/**
 * Makes the function that gives back what lapsed holds keep, until none is due. It may run in any number of processes at
 * once, which share the orders. One that cannot lapse, and what belongs to a contest that somebody keeps locked, is logged
 * and passed over, so that it keeps nobody else's tickets.
 * @param isStopping true ends it after the transaction under way
 * @returns function that tells how many orders lapsed
 */
export function lapsing(
  { db, log }: Pick<CheckoutBase, 'db' | 'log'>,
  isStopping: () => boolean = () => false,
): () => Promise<number> {
  /** Orders that could not lapse, and until when they are passed over. */
  const failed = new Map<string, number>()

  async function oneByOne(ids: readonly string[]): Promise<number> {
    let released = 0
    for (const id of ids) {
      if (isStopping()) break
      const { error, taken } = await lapseTogether(db, { limit: 1, only: [id], not: [], notOf: [] })
      if (!error) {
        released += taken.length
        continue
      }
      failed.set(id, nowMs() + AGAIN_AFTER_MS)
      log.error({ err: error, orderId: id }, 'a hold could not lapse, will be tried again')
    }
    return released
  }

  return async () => {
    const now = nowMs()
    for (const [id, until] of failed) if (until <= now) failed.delete(id)
    const locked: number[] = []
    for (let released = 0; ;) {
      const due = { limit: CHUNK, not: [...failed.keys()], notOf: locked }
      const { error, taken } = await lapseTogether(db, due)
      if (taken.length === 0) return released
      const kept = errorCode(error) === LOCK_NOT_AVAILABLE ? await keptLocked(db, taken) : []
      if (kept.length > 0) {
        locked.push(...kept)
        log.warn({ offerIds: kept }, 'holds of contests that somebody keeps locked cannot lapse')
      } else released += error ? await oneByOne(taken) : taken.length
      if (isStopping()) return released
    }
  }
}

/**
 * Lets due holds lapse in one transaction.
 * @returns the orders that lapsed; with an error those that it was tried with, and none lapsed
 * @throws what says nothing about the orders: a database that is away, or no order found
 */
async function lapseTogether(db: Database, due: DueHolds): Promise<{ taken: string[]; error?: unknown }> {
  let taken: string[] = []
  try {
    await transact(db, async (trx) => {
      taken = (await orderWrites(trx).lapse(due)).map(({ id }) => id)
      if (taken.length === 0) return undefined
      const lines = await ordersRepository(trx).linesOf(taken)
      return withCommit(releaseTickets(trx, sumByOffer(lines)))
    })
    return { taken }
  } catch (error) {
    if (taken.length === 0 || databaseTrouble(error) === 'down') throw error
    return { taken, error }
  }
}

/** Contests of orders that somebody has locked for longer than anybody waits. */
async function keptLocked(db: Database, orderIds: readonly string[]): Promise<number[]> {
  const lines = await ordersRepository(db).linesOf(orderIds)
  return lockedElsewhere(
    db,
    sumByOffer(lines).map(({ offerId }) => offerId),
  )
}
