import { randomBytes } from 'node:crypto'
import type { Trx } from '#platform/database.ts'
import { numberPermutation } from '#features/tickets/server/index.ts'
import { transact } from '#platform/transaction.ts'
import { leafText } from '../protocol/leaves.ts'
import { type LockedLog, drawLogsWrites } from './draw-logs.repository.ts'
import { appendLeaves } from './draw-logs.ts'
import { type LoggedOffer, drawStepsRepository, drawStepsWrites } from './draw-steps.repository.ts'
import type { DrawsDeps } from './draws-deps.ts'
import { eachDraw } from './each-draw.ts'
import { ticketCommitment } from './sha256.ts'

const SALT_BYTES = 32
/** Leaves in a transaction of the job. */
const BATCH = 5_000
/** No entry follows the seal, or a cancellation. */
const TAKES_ENTRIES: readonly string[] = ['open', 'closed', 'listed']

/**
 * Background job: appends what was issued and voided to the logs, outside the purchases, and signs the last checkpoint of
 * each day again. Any number of workers may run it: the lock of a log's row makes one of them append. A batch that is not
 * full ends the turn of a contest, so that a steady sale neither holds up other contests nor gets a checkpoint for each
 * purchase.
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
  const steps = drawStepsRepository(db)
  const works = [
    ...(await steps.toAppend()).map((id) => ({ id, work: append })),
    ...(await steps.toSignAgain()).map((id) => ({ id, work: signAgain })),
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
    isEnding || TAKES_ENTRIES.includes(offer.state) ? await entriesOf(trx, offer, log, most) : []
  if (entries.length > 0) await drawStepsWrites(trx).insertEntries(log.id, entries)
  // Those of the entries above are found, too.
  const voids = (await steps.voids(log.id, most)).map((one, at) => ({
    ...one,
    index: log.size + entries.length + at,
  }))
  if (entries.length + voids.length === 0) return { log, isFull: false }
  if (voids.length > 0) await drawStepsWrites(trx).markVoids(log.id, voids)
  const of = { contest: offer.slug, rehearsal: false }
  const leaves = [
    ...entries.map(({ leaf }) => leaf),
    ...voids.map(({ number, reason }) => leafText({ type: 'void', number, reason }, of)),
  ]
  const isFull = entries.length === most || voids.length === most
  return { log: (await appendLeaves(trx, key, log, leaves, entries.length)).log, isFull }
}

interface NewEntry {
  number: number
  index: number
  salt: Uint8Array
  leaf: string
}

/**
 * The next entries in the order of issue. The running count and the tickets change in one transaction, so every position
 * below the count has its ticket.
 */
async function entriesOf(trx: Trx, offer: LoggedOffer, log: LockedLog, most: number): Promise<NewEntry[]> {
  const count = Math.min(most, offer.sold - log.entries)
  if (count <= 0) return []
  const numberOf = numberPermutation(offer.key, offer.total)
  const numbers = Array.from({ length: count }, (_, at) => numberOf(log.entries + at))
  const tickets = await drawStepsRepository(trx).tickets(offer.id, numbers)
  const byNumber = new Map(tickets.map((ticket) => [ticket.number, ticket]))
  return numbers.map((number, at) => {
    const ticket = byNumber.get(number)
    if (!ticket) throw new Error(`contest ${offer.slug} has issued ${number}, which has no ticket`)
    const salt = ticket.salt ?? randomBytes(SALT_BYTES)
    const commitment = ticketCommitment(salt, ticket.id)
    const leaf = leafText(
      { type: 'entry', number, kind: ticket.source, commitment },
      { contest: offer.slug, rehearsal: false },
    )
    return { number, index: log.size + at, salt, leaf }
  })
}
