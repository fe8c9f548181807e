import { AsyncLocalStorage } from 'node:async_hooks'
import { nowMs } from '#shared/clock.ts'
import { Refusal } from '#shared/refusal.ts'
import { databaseTrouble } from './database-errors.ts'
import type { Database } from './database.ts'

export type Outcome<Result> = { value: Result } | { refused: unknown }

export interface BatchQueue {
  waiting: number
  /** Age of the oldest waiting item; 0 when none waits. */
  oldestMs: number
}

export interface BatchMeter {
  /** Called once, with a function that reads the queue. */
  watch: (read: () => BatchQueue) => void
  batch: (size: number) => void
}

export interface BatchBounds {
  /** Largest batch; 1 turns batching off. */
  batch: number
  /** Largest number of waiting items; one more is refused with 503. */
  queue: number
  /** Batchers that share a scheduler run in turn, so that their batches grow. */
  scheduler?: BatchScheduler
}

export interface BatchOptions extends BatchBounds {
  meter?: BatchMeter
}

/** A batch of this size does not wait for its turn. */
const ENOUGH = 24

/** Lock timeout of all items for a while after a lock timeout. */
const HURRIED_LOCK_MS = 300
const HURRIED_FOR_MS = 5_000

/** Concurrency of the items of a batch after a lock timeout, and the time until the rest is refused. */
const ALONE_AT_ONCE = 3
const ALONE_FOR_MS = 3_000

export interface RunOptions {
  lockTimeoutMs?: number | undefined
}

type Run<Item, Result> = (items: readonly Item[], options: RunOptions) => Promise<readonly Outcome<Result>[]>

const unscheduled: BatchScheduler = { run: (work) => work() }

interface Waiting<Item, Result> {
  item: Item
  sinceMs: number
  resolve: (result: Result) => void
  reject: (reason: unknown) => void
}

/**
 * Runs concurrent calls as batches. A failed one is repeated item by item, except after a lost connection: it may have
 * been committed. After a lock timeout items get a short one for a while, so that a held lock delays others little.
 * @param run runs a batch, all or nothing, and returns an outcome for each item, in order
 */
export function batchCalls<Item, Result>(
  run: Run<Item, Result>,
  { batch, queue, meter, scheduler = unscheduled }: BatchOptions,
): (item: Item) => Promise<Result> {
  if (batch === 1) return (item) => runAlone(run, item, meter)
  let waiting: Waiting<Item, Result>[] = []
  let running = false
  let hurriedUntil = 0
  // A batch belongs to no request: its log lines must not carry the id of the request that started it.
  const detached = AsyncLocalStorage.snapshot()
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

  /** Runs each item alone. @param busy the lock timeout of their batch, with which late items are refused */
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
    // Requests of one turn of the event loop share the first batch.
    await new Promise((resolve) => setImmediate(resolve))
    while (waiting.length > 0) await (waiting.length >= ENOUGH ? next() : scheduler.run(next))
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
        void detached(drain)
      }
    })
}

async function runAlone<Item, Result>(
  run: Run<Item, Result>,
  item: Item,
  meter: BatchMeter | undefined,
): Promise<Result> {
  const [outcome] = await run([item], {}).finally(() => meter?.batch(1))
  if (!outcome) throw new Error('a batch answered another number of items')
  if ('value' in outcome) return outcome.value
  throw outcome.refused
}

/** Runs one batch after the other, in the order of arrival. */
export interface BatchScheduler {
  run(work: () => Promise<void>): Promise<void>
}

/** Longest wait of the next batch: one that waits for a lock or a slow disk must not delay others. */
const LONGEST_TURN_MS = 25

export function batchScheduler(longestMs = LONGEST_TURN_MS): BatchScheduler {
  const queue: (() => void)[] = []
  let isTaken = false

  function leave(): void {
    const next = queue.shift()
    if (next) next()
    else isTaken = false
  }

  return {
    async run(work) {
      if (isTaken) await new Promise<void>((resolve) => queue.push(resolve))
      isTaken = true
      let isOurs = true
      const release = (): void => {
        if (isOurs) leave()
        isOurs = false
      }
      const timer = setTimeout(release, longestMs)
      try {
        await work()
      } finally {
        clearTimeout(timer)
        release()
      }
    },
  }
}

const schedulers = new WeakMap<Database, BatchScheduler>()

/** The scheduler of all batchers of this process that write to a database. */
export function schedulerOf(db: Database): BatchScheduler {
  const existing = schedulers.get(db)
  if (existing) return existing
  const made = batchScheduler()
  schedulers.set(db, made)
  return made
}
