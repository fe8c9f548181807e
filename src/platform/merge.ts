import { AsyncLocalStorage } from 'node:async_hooks'
import { nowMs } from '#shared/clock.ts'
import { Refusal } from '#shared/refusal.ts'
import { databaseTrouble } from './database-errors.ts'
import type { Turnstile } from './turnstile.ts'

/** What came of one item of a batch. */
export type Outcome<Result> = { value: Result } | { refused: unknown }

/** What waits for the next batch. */
export interface LaneQueue {
  waiting: number
  /** How long the oldest of it has waited; 0 when nothing waits. */
  oldestMs: number
}

/** Who keeps count of a lane. */
export interface LaneMeter {
  /** Given once the means to look at what waits. */
  watch: (read: () => LaneQueue) => void
  /** Told the size of each batch that has run. */
  batch: (size: number) => void
}

/** Bounds of a lane. */
export interface LaneBounds {
  /** Most items of one batch; 1: nothing is merged, and calls do not wait for each other. */
  batch: number
  /** Most items that wait; one more is refused with 503 and asked to come back. */
  queue: number
  /** Lanes that share one go one after the other, and what comes in meanwhile makes the next batch larger. */
  turns?: Turnstile
}

export interface MergeOptions extends LaneBounds {
  meter?: LaneMeter
}

/** Items that go at once instead of waiting for the turn of their lane. */
const ENOUGH = 24

/** How long one item may wait for a lock once a batch has waited in vain, and for how long after it all of the lane do. */
const HURRIED_LOCK_MS = 300
const HURRIED_FOR_MS = 5_000

/** How many items of a batch that waited in vain run at once, and how long until the rest is refused. */
const ALONE_AT_ONCE = 3
const ALONE_FOR_MS = 3_000

/** How a batch shall be run. */
export interface RunOptions {
  /** How long it may wait for a lock; as any other transaction when missing. */
  lockTimeoutMs?: number | undefined
}

type Run<Item, Result> = (items: readonly Item[], options: RunOptions) => Promise<readonly Outcome<Result>[]>

/** For a lane that waits for no other. */
const freely: Turnstile = { pass: (work) => work() }

interface Waiting<Item, Result> {
  item: Item
  sinceMs: number
  resolve: (result: Result) => void
  reject: (reason: unknown) => void
}

/**
 * Merges calls that wait at the same moment into one: while a batch is under way the next one gathers, first come, first
 * served. `run` answers each item on its own, in order, so one buyer's refusal never touches the others. When a batch of
 * several fails as a whole, each of its items runs alone, so only what is at fault fails; not when the database went away,
 * for then nobody knows whether the batch stands. After a batch that waited in vain for a lock the items of its lane wait
 * only briefly, several at once, so that what stands behind the lock keeps the others waiting no longer than it must.
 * @param run does a batch, all or nothing, and answers as many outcomes as it got items
 */
export function mergeCalls<Item, Result>(
  run: Run<Item, Result>,
  { batch, queue, meter, turns = freely }: MergeOptions,
): (item: Item) => Promise<Result> {
  if (batch === 1) return (item) => runAlone(run, item, meter)
  let waiting: Waiting<Item, Result>[] = []
  let running = false
  let hurriedUntil = 0
  // A batch belongs to no request, so its lines in the log must not carry the number of the one that began it.
  const apart = AsyncLocalStorage.snapshot()
  meter?.watch(() => ({
    waiting: waiting.length,
    oldestMs: waiting[0] ? nowMs() - waiting[0].sinceMs : 0,
  }))

  async function attempt(items: readonly Waiting<Item, Result>[]): Promise<void> {
    const lockTimeoutMs = nowMs() < hurriedUntil ? HURRIED_LOCK_MS : undefined
    const outcomes = await run(
      items.map((one) => one.item),
      { lockTimeoutMs },
    )
    if (outcomes.length !== items.length) throw new Error('a batch answered another number of items')
    items.forEach((one, index) => {
      const outcome = outcomes[index] as Outcome<Result>
      if ('value' in outcome) one.resolve(outcome.value)
      else one.reject(outcome.refused)
    })
  }

  async function runOne(items: readonly Waiting<Item, Result>[]): Promise<void> {
    try {
      await attempt(items)
    } catch (error) {
      const trouble = databaseTrouble(error)
      if (trouble === 'busy') hurriedUntil = nowMs() + HURRIED_FOR_MS
      if (items.length === 1 || trouble === 'down') for (const one of items) one.reject(error)
      else await runEach(items, trouble === 'busy' ? error : undefined)
    }
    meter?.batch(items.length)
  }

  /** Runs each item alone. @param busy why their batch waited in vain, if it did; it is what the last of them are told */
  async function runEach(items: readonly Waiting<Item, Result>[], busy: unknown): Promise<void> {
    const left = items.values()
    const until = nowMs() + ALONE_FOR_MS
    const workers = Array.from({ length: busy ? ALONE_AT_ONCE : 1 }, async () => {
      for (const one of left) {
        if (busy && nowMs() >= until) one.reject(busy)
        else await attempt([one]).catch(one.reject)
      }
    })
    await Promise.all(workers)
  }

  function next(): Promise<void> {
    const items = waiting.slice(0, batch)
    waiting = waiting.slice(batch)
    return runOne(items)
  }

  async function drain(): Promise<void> {
    // Requests that were read in the same turn of the event loop share the first batch.
    await new Promise((resolve) => setImmediate(resolve))
    // A batch that is large already gains little by waiting for its turn.
    while (waiting.length > 0) await (waiting.length >= ENOUGH ? next() : turns.pass(next))
    running = false
  }

  return (item) =>
    new Promise((resolve, reject) => {
      if (waiting.length >= queue) {
        return reject(new Refusal('request.busy', 503, 'errors.request.busy', { retryAfter: 1 }))
      }
      waiting.push({ item, sinceMs: nowMs(), resolve, reject })
      if (!running) {
        running = true
        void apart(drain)
      }
    })
}

async function runAlone<Item, Result>(
  run: Run<Item, Result>,
  item: Item,
  meter: LaneMeter | undefined,
): Promise<Result> {
  const [outcome] = await run([item], {}).finally(() => meter?.batch(1))
  if (!outcome) throw new Error('a batch answered another number of items')
  if ('value' in outcome) return outcome.value
  throw outcome.refused
}
