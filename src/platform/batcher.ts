import { AsyncLocalStorage } from 'node:async_hooks'
import { nowMs } from '#shared/clock.ts'
import { Refusal } from '#shared/refusal.ts'
import { databaseTrouble } from './database-errors.ts'
import type { Database } from './database.ts'

/** The result of one item of a batch. */
export type Outcome<Result> = { value: Result } | { refused: unknown }

/** The items that wait for the next batch. */
export interface BatchQueue {
  waiting: number
  /** How long the oldest item has waited; 0 when nothing waits. */
  oldestMs: number
}

/** Measures one batcher. */
export interface BatchMeter {
  /** Called once, with a function that reads the queue. */
  watch: (read: () => BatchQueue) => void
  /** Called with the size of each batch that has run. */
  batch: (size: number) => void
}

/** Bounds of a batcher. */
export interface BatchBounds {
  /** Largest batch; 1: every call runs by itself and at once. */
  batch: number
  /** Most items that may wait; one more is refused with 503 and asked to come back. */
  queue: number
  /** Batchers that share a scheduler run one after the other; what comes in meanwhile makes the next batch larger. */
  scheduler?: BatchScheduler
}

export interface BatchOptions extends BatchBounds {
  meter?: BatchMeter
}

/** A batch of this size runs at once: it gains little by waiting for its turn. */
const ENOUGH = 24

/** Lock timeout of items after a batch ran into one, and for how long it applies to all items of the batcher. */
const HURRIED_LOCK_MS = 300
const HURRIED_FOR_MS = 5_000

/** How many items of a batch that ran into a lock timeout run at once, and how long until the rest is refused. */
const ALONE_AT_ONCE = 3
const ALONE_FOR_MS = 3_000

/** How to run a batch. */
export interface RunOptions {
  /** Lock timeout; that of any other transaction when left out. */
  lockTimeoutMs?: number | undefined
}

type Run<Item, Result> = (items: readonly Item[], options: RunOptions) => Promise<readonly Outcome<Result>[]>

/** For a batcher that waits for no other. */
const unscheduled: BatchScheduler = { run: (work) => work() }

interface Waiting<Item, Result> {
  item: Item
  sinceMs: number
  resolve: (result: Result) => void
  reject: (reason: unknown) => void
}

/**
 * Runs calls that wait at the same moment as one batch: while a batch runs, the next one collects items, first come, first
 * served. `run` answers each item on its own, in order, so one buyer's refusal never affects the others. When a batch of
 * several fails as a whole, each of its items runs alone, so only the faulty one fails; not when the database connection
 * was lost, since it is then unknown whether the batch was committed. After a lock timeout the items of this batcher get a
 * short lock timeout for a while and run several at once, so that one held lock delays the others as little as possible.
 * @param run runs a batch, all or nothing, and returns as many outcomes as it got items
 */
export function batchCalls<Item, Result>(
  run: Run<Item, Result>,
  { batch, queue, meter, scheduler = unscheduled }: BatchOptions,
): (item: Item) => Promise<Result> {
  if (batch === 1) return (item) => runAlone(run, item, meter)
  let waiting: Waiting<Item, Result>[] = []
  let running = false
  let hurriedUntil = 0
  // A batch belongs to no request, so its log lines must not carry the id of the request that started it.
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

  /** Runs each item alone. @param busy the lock timeout of their batch, if it was one; the last items are refused with it */
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

/** Runs one batch after the other, first come, first served. */
export interface BatchScheduler {
  /** Waits for its turn, runs `work` and lets the next batch start. */
  run(work: () => Promise<void>): Promise<void>
}

/**
 * How long the next batch waits at most: a batch that itself waits, for a lock of another process or a slow disk, must not
 * delay unrelated ones.
 */
const LONGEST_TURN_MS = 25

/** A scheduler; `longestMs` is for tests. */
export function batchScheduler(longestMs = LONGEST_TURN_MS): BatchScheduler {
  const queue: (() => void)[] = []
  let isTaken = false

  /** Passes the turn on directly, so that nobody slips in between. */
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
