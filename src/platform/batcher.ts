import { AsyncLocalStorage } from 'node:async_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
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
  /** For how long an item waits for a locked row; then it is refused with the database's error. */
  patienceMs?: number
  /** Batchers that share a scheduler run in turn, so that their batches grow. */
  scheduler?: BatchScheduler
}

export interface BatchOptions<Item> extends BatchBounds {
  meter?: BatchMeter
  /** Whether another transaction has locked a row that an item needs, for each. */
  areLocked?: (items: readonly Item[]) => Promise<readonly boolean[]>
}

/** A batch of this size does not wait for its turn. */
const ENOUGH = 24

/** So long after a lock timeout each batch leaves out the items whose rows are locked. */
const CAREFUL_FOR_MS = 2_000
/** A row that is locked for longer keeps the batcher careful. */
const LONG_MS = 100
/** They are looked at again after this time: soon at first, and later when they are many. */
const LOOK_AGAIN_MS = { first: 10, most: 50, each: 0.1 }

/** Concurrency of the items of a batch after a lock timeout. */
const ALONE_AT_ONCE = 3

/** To be passed on to `transact`. */
export interface RunOptions {
  patienceMs?: number | undefined
}

type Run<Item, Result> = (items: readonly Item[], options: RunOptions) => Promise<readonly Outcome<Result>[]>

const unscheduled: BatchScheduler = { run: (work) => work() }

interface Waiting<Item, Result> {
  item: Item
  sinceMs: number
  parkedMs?: number
  resolve: (result: Result) => void
  reject: (reason: unknown) => void
}

/**
 * Runs concurrent calls as batches. A failed one is repeated item by item, except after a lost connection: it may have
 * been committed. After a lock timeout the items whose rows are locked wait apart, so that others go on (ADR 0015).
 * @param run runs a batch, all or nothing, and returns an outcome for each item, in order
 */
export function batchCalls<Item, Result>(
  run: Run<Item, Result>,
  { batch, queue, patienceMs = 3_000, meter, scheduler = unscheduled, areLocked }: BatchOptions<Item>,
): (item: Item) => Promise<Result> {
  if (batch === 1) return (item) => runAlone(run, item, meter)
  let waiting: Waiting<Item, Result>[] = []
  /** Their rows are locked. */
  let parked: Waiting<Item, Result>[] = []
  let running = false
  let carefulUntil = 0
  let busy: unknown
  // A batch belongs to no request: its log lines must not carry the id of the request that started it.
  const detached = AsyncLocalStorage.snapshot()
  meter?.watch(() => {
    const all = [...parked, ...waiting]
    const oldest = Math.min(...all.map((one) => one.sinceMs))
    return { waiting: all.length, oldestMs: all.length > 0 ? nowMs() - oldest : 0 }
  })

  async function attempt(items: readonly Waiting<Item, Result>[], options: RunOptions): Promise<void> {
    const outcomes = await run(
      items.map((one) => one.item),
      options,
    )
    if (outcomes.length !== items.length) throw new Error('a batch answered another number of items')
    items.forEach((one, index) => {
      const outcome = outcomes[index] as Outcome<Result>
      if ('value' in outcome) one.resolve(outcome.value)
      else one.reject(outcome.refused)
    })
  }

  async function runOne(all: readonly Waiting<Item, Result>[]): Promise<void> {
    const isCareful = areLocked !== undefined && nowMs() < carefulUntil
    const items = isCareful ? await parkLocked(all) : all
    if (items.length === 0) return
    try {
      await attempt(items, { patienceMs: 0 })
    } catch (error) {
      const trouble = databaseTrouble(error)
      if (trouble === 'busy' && areLocked && !isCareful) {
        carefulUntil = nowMs() + CAREFUL_FOR_MS
        busy = error
        return runOne(items)
      }
      if (trouble === 'busy') void runEach(items, error)
      else if (items.length === 1 || trouble === 'down') for (const one of items) one.reject(error)
      else await runEach(items)
    }
    meter?.batch(items.length)
  }

  /** Sets items apart whose rows are locked. @returns the others */
  async function parkLocked(items: readonly Waiting<Item, Result>[]) {
    const locked = await areLocked?.(items.map((one) => one.item)).catch(() => undefined)
    for (const one of items.filter((_, index) => locked?.[index])) {
      const now = nowMs()
      one.parkedMs ??= now
      if (now - one.sinceMs >= patienceMs || parked.length >= queue) one.reject(busy)
      else parked.push(one)
      if (now - one.parkedMs >= LONG_MS) carefulUntil = now + CAREFUL_FOR_MS
    }
    if (parked.length > 0 && !isLooking) void detached(lookAgain)
    return items.filter((_, index) => !locked?.[index])
  }

  let isLooking = false
  async function lookAgain(): Promise<void> {
    isLooking = true
    const { first, most, each } = LOOK_AGAIN_MS
    for (let turn = 0; parked.length > 0; turn += 1) {
      await sleep(Math.min(most, first * 2 ** turn) + parked.length * each)
      const items = parked
      parked = []
      waiting = [...(await parkLocked(items)), ...waiting]
      start()
    }
    isLooking = false
  }

  /** Runs each item alone. @param locked the lock timeout of their batch, with which late items are refused */
  async function runEach(items: readonly Waiting<Item, Result>[], locked?: unknown): Promise<void> {
    const left = items.values()
    const until = nowMs() + patienceMs
    const workers = Array.from({ length: locked ? ALONE_AT_ONCE : 1 }, async () => {
      for (const one of left) {
        if (locked && nowMs() >= until) one.reject(locked)
        else await attempt([one], {}).catch(one.reject)
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

  function start(): void {
    if (running || waiting.length === 0) return
    running = true
    void detached(drain)
  }

  return (item) =>
    new Promise((resolve, reject) => {
      if (waiting.length >= queue) {
        return reject(new Refusal('request.busy', 503, 'errors.request.busy', { retryAfter: 1 }))
      }
      waiting.push({ item, sinceMs: nowMs(), resolve, reject })
      start()
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
