import { randomBytes } from 'node:crypto'
import type { Trx } from '#platform/database.ts'
import { numberPermutation } from '#features/tickets/server/index.ts'
import { transact } from '#platform/transaction.ts'
import { leafText } from '#draw-protocol/leaves.ts'
import { type LockedLog, REGISTER, drawLogsRepository, drawLogsWrites } from './draw-logs.repository.ts'
import { type InsertedEntries, NO_ENTRIES, appendLeaves } from './draw-logs.ts'
import { registerRepository } from './register/register.repository.ts'
import { registerHalt, registerLog } from './register/register.ts'
import {
  type LoggedOffer,
  SALT_BYTES,
  drawStepsRepository,
  drawStepsWrites,
} from './draw-steps.repository.ts'
import type { DrawsDeps } from './draws-deps.ts'
import { eachDraw } from './each-draw.ts'

/** Leaves in a transaction of the job. */
const BATCH = 5_000
/** No entry follows the seal, or a cancellation. */
const TAKES_ENTRIES: readonly string[] = ['open', 'closed', 'listed']

/**
 * Background job: appends what was issued and voided to the logs, outside the purchases, and signs the last
 * checkpoint again each hour. The register gets what has grown since an hour. Any number of workers may run it: the lock
 * of a log's row makes one of them append. A batch that is not full ends the turn of a contest, so that a steady sale
 * neither holds up other contests nor gets a checkpoint for each purchase.
 * @param beforeCommit a test sells or stops there
 */
export async function appendEntries(
  deps: DrawsDeps,
  most = BATCH,
  beforeCommit: (offerId: number) => Promise<void> = async () => {},
): Promise<void> {
  const { db, key, isStopping = () => false } = deps
  const append = async (id: number): Promise<void> => {
    for (let isFull = true; isFull && !isStopping();)
      isFull = await transact(db, async (trx) => {
        const log = await drawLogsWrites(trx).lock(id, { skipLocked: true })
        if (!log) return false
        const batch = await appendBatch(trx, deps, log, most)
        await beforeCommit(id)
        return batch.isFull
      })
  }
  const signAgain = (id: number): Promise<void> =>
    transact(db, async (trx) => {
      const log = await drawLogsWrites(trx).lock(id, { skipLocked: true })
      const isStill = (await drawStepsRepository(trx).toSignAgain()).includes(id)
      if (log && isStill) await appendLeaves(trx, key, log, [])
    })
  const registerGrown = (id: number): Promise<void> =>
    transact(db, async (trx) => {
      const log = await drawLogsWrites(trx).lock(id, { skipLocked: true })
      const isGrown = (await registerRepository(trx).toRegister()).includes(id)
      if (!log || !isGrown) return
      const { slug } = await drawStepsRepository(trx).logged(id)
      await registerLog(trx, deps, { contest: slug, log })
    })
  const steps = drawStepsRepository(db)
  // Sales go on meanwhile.
  const isHalted = (await registerHalt(db)) !== null
  const works = [
    ...(await steps.toAppend({ isHalted })).map((id) => ({ id, work: append })),
    ...(isHalted ? [] : await registerRepository(db).toRegister()).map((id) => ({ id, work: registerGrown })),
    ...(await steps.toSignAgain())
      .filter((id) => id !== REGISTER || !isHalted)
      .map((id) => ({ id, work: signAgain })),
  ]
  await eachDraw(works, deps, ({ id, work }) => work(id))
}

/** Appends all that was issued and voided. @returns the log as it is then */
export async function appendAll(
  trx: Trx,
  deps: Pick<DrawsDeps, 'key'>,
  log: LockedLog,
  options: { isEnding?: boolean } = {},
): Promise<LockedLog> {
  for (let last = log; ;) {
    const batch = await appendBatch(trx, deps, last, BATCH, options)
    if (!batch.isFull) return batch.log
    last = batch.log
  }
}

/**
 * Appends the next entries, then voids.
 * @param isEnding for a contest that this transaction has cancelled: its entries so far belong before the cancellation
 * @returns the log as it is then, and whether there may be more
 */
async function appendBatch(
  trx: Trx,
  { key }: Pick<DrawsDeps, 'key'>,
  log: LockedLog,
  most: number,
  { isEnding = false } = {},
): Promise<{ log: LockedLog; isFull: boolean }> {
  const steps = drawStepsRepository(trx)
  const offer = await steps.logged(log.id)
  const entries =
    isEnding || TAKES_ENTRIES.includes(offer.state) ? await insertEntries(trx, offer, log, most) : NO_ENTRIES
  // Those of the entries above are found, too.
  const voids = (await steps.voids(log.id, most)).map((one, at) => ({
    ...one,
    index: log.size + entries.count + at,
  }))
  if (entries.count + voids.length === 0) return { log, isFull: false }
  if (voids.length > 0) await drawStepsWrites(trx).markVoids(log.id, voids)
  const of = { contest: offer.slug, rehearsal: false }
  const leaves = voids.map(({ number, reason }) => leafText({ type: 'void', number, reason }, of))
  const isFull = entries.count === most || voids.length === most
  const appended = await appendLeaves(trx, key, log, leaves, entries)
  // The register has each void after the seal.
  if (voids.length > 0 && (await drawLogsRepository(trx).step(log.id, 'seal')) !== undefined)
    await registerLog(trx, { key }, { contest: offer.slug, ...appended })
  return { log: appended.log, isFull }
}

/**
 * Inserts the next entries in the order of issue. The running count and the tickets change in one transaction, so every
 * position below the count has its ticket.
 */
async function insertEntries(
  trx: Trx,
  offer: LoggedOffer,
  log: LockedLog,
  most: number,
): Promise<InsertedEntries> {
  const count = Math.min(most, offer.sold - log.entries)
  if (count <= 0) return NO_ENTRIES
  const numberOf = numberPermutation(offer.key, offer.total)
  const numbers = Array.from({ length: count }, (_, at) => numberOf(log.entries + at))
  const salts = randomBytes(count * SALT_BYTES)
  const entries = await drawStepsWrites(trx).insertEntries(offer, log.size, numbers, salts)
  if (entries.count !== count)
    throw new Error(`contest ${offer.slug} has issued ${count - entries.count} numbers without tickets`)
  return entries
}
