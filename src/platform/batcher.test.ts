import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { type BatchScheduler, type Outcome, batchCalls, batchScheduler } from './batcher.ts'

const tick = () => new Promise((resolve) => setImmediate(resolve))
const statuses = (settled: readonly PromiseSettledResult<unknown>[]) => settled.map(({ status }) => status)
const databaseError = (code: string): Error => Object.assign(new Error(code), { code })

/** A batch function whose batches end when the test says so. */
function gated() {
  const batches: number[][] = []
  const gates: (() => void)[] = []
  const run = async (items: readonly number[]): Promise<Outcome<number>[]> => {
    batches.push([...items])
    await new Promise<void>((resolve) => gates.push(resolve))
    return items.map((item) => (item < 0 ? { refused: new Error(`no ${item}`) } : { value: item * 10 }))
  }
  const next = async (times = 1) => {
    for (let time = 0; time < times; time += 1) {
      gates.shift()?.()
      await tick()
    }
  }
  return { batches, run, next }
}

/** A batcher that answers at once, or fails; with the batches that it ran. */
function recorded(
  options: Partial<Parameters<typeof batchCalls>[1]> = {},
  failure?: (items: readonly number[], lockTimeoutMs?: number) => unknown,
) {
  const batches: number[][] = []
  const call = batchCalls<number, number>(
    async (items, { lockTimeoutMs }) => {
      batches.push([...items])
      await failure?.(items, lockTimeoutMs)
      return items.map((value) => ({ value }))
    },
    { batch: 100, queue: 100, ...options },
  )
  return { call, batches }
}

describe('concurrent calls', () => {
  test('run as one batch after the batch in progress, in the order of arrival', async () => {
    const { batches, run, next } = gated()
    const call = batchCalls(run, { batch: 10, queue: 100 })
    const first = call(1)
    await tick()
    const others = [2, 3, 4].map(call)
    await tick()
    expect(batches).toEqual([[1]])
    await next()
    expect(await first).toBe(10)
    expect(batches).toEqual([[1], [2, 3, 4]])
    await next()
    expect(await Promise.all(others)).toEqual([20, 30, 40])
  })

  test('run alone and at once with a batch size of one', async () => {
    const { batches, run, next } = gated()
    const all = Promise.allSettled([1, -2, 3].map(batchCalls(run, { batch: 1, queue: 1 })))
    expect(batches).toEqual([[1], [-2], [3]])
    await next(3)
    expect(statuses(await all)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  })

  test('are split at the batch size', async () => {
    const { batches, run, next } = gated()
    const all = [1, 2, 3, 4, 5].map(batchCalls(run, { batch: 2, queue: 100 }))
    await tick()
    await next(3)
    expect(await Promise.all(all)).toEqual([10, 20, 30, 40, 50])
    expect(batches).toEqual([[1, 2], [3, 4], [5]])
  })

  test('are refused one by one: the others of the batch get their result', async () => {
    const { run, next } = gated()
    const all = Promise.allSettled([1, -2, 3].map(batchCalls(run, { batch: 10, queue: 100 })))
    await tick()
    await next()
    expect(await all).toMatchObject([{ value: 10 }, { reason: { message: 'no -2' } }, { value: 30 }])
  })

  test('run alone when their batch fails as a whole, so that only the faulty one fails', async () => {
    const { call, batches } = recorded({}, (items) => {
      if (items.includes(13)) throw new Error('bad luck')
    })
    const all = await Promise.allSettled([1, 13, 3].map(call))
    expect(statuses(all)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
    expect(batches).toEqual([[1, 13, 3], [1], [13], [3]])
    expect(await call(5)).toBe(5)
  })

  test('are all refused after a lost connection, since their batch may have been committed', async () => {
    const { call, batches } = recorded({}, () => {
      throw databaseError('57P01')
    })
    const all = await Promise.allSettled([1, 2, 3].map(call))
    expect(statuses(all)).toEqual(['rejected', 'rejected', 'rejected'])
    expect(batches).toEqual([[1, 2, 3]])
  })

  test('are refused as busy while the queue is full', async () => {
    const { run, next } = gated()
    const call = batchCalls(run, { batch: 2, queue: 2 })
    const running = call(1)
    await tick()
    const queued = [call(2), call(3)]
    await expect(call(4)).rejects.toMatchObject({ code: 'request.busy', status: 503 })
    await next()
    await running
    const later = call(5)
    await next(3)
    expect(await Promise.all([...queued, later])).toEqual([20, 30, 50])
  })

  test('fail when the batch returns another number of outcomes', async () => {
    const call = batchCalls<number, number>(async () => [], { batch: 10, queue: 10 })
    await expect(call(1)).rejects.toThrow(/another number/)
  })
})

describe('after a lock timeout', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'Date'] }))
  afterEach(() => void vi.useRealTimers())

  /** Lock timeout of a connection. */
  const TIMEOUT_MS = 3_000

  /** A batcher whose odd items wait for a lock that is never released. */
  const lockedBatcher = () =>
    recorded({}, async (items, lockTimeoutMs = TIMEOUT_MS) => {
      if (items.every((item) => item % 2 === 0)) return
      await new Promise((resolve) => setTimeout(resolve, lockTimeoutMs))
      throw databaseError('55P03')
    })

  test.each([
    ['the others succeed soon', 30, (index: number) => index, 2],
    ['many locked calls are refused soon', 90, (index: number) => 2 * index + 1, 3],
  ])('%s', async (_what, count, itemOf, timeouts) => {
    const { call, batches } = lockedBatcher()
    const began = Date.now()
    const items = Array.from({ length: count }, (_, index) => itemOf(index))
    const all = Promise.allSettled(items.map(call))
    await vi.runAllTimersAsync()
    expect(statuses(await all)).toEqual(items.map((item) => (item % 2 === 0 ? 'fulfilled' : 'rejected')))
    // One after the other, each with the full timeout, they would take far longer.
    expect(Date.now() - began).toBeLessThan(timeouts * TIMEOUT_MS)
    expect(batches.length).toBeLessThan(90)
  })

  test('items get a short lock timeout for a while, and the usual one later', async () => {
    const { call } = lockedBatcher()
    const wait = async (): Promise<number> => {
      const began = Date.now()
      const one = call(1).catch(() => Date.now() - began)
      await vi.runAllTimersAsync()
      return one
    }
    expect(await wait()).toBe(TIMEOUT_MS)
    expect(await wait()).toBeLessThan(TIMEOUT_MS / 2)
    vi.setSystemTime(Date.now() + 60_000)
    expect(await wait()).toBe(TIMEOUT_MS)
  })
})

describe('a scheduler', () => {
  /** A batch that has its turn until `end`. */
  function busy(scheduler: BatchScheduler) {
    const work = Promise.withResolvers<void>()
    const done = scheduler.run(() => work.promise)
    return () => {
      work.resolve()
      return done
    }
  }

  test('runs batches one after the other, in the order of arrival, also after a failure', async () => {
    const scheduler = batchScheduler(60_000)
    const seen: string[] = []
    let inside = 0
    const work = (name: string, fails = false) =>
      scheduler.run(async () => {
        inside += 1
        expect(inside).toBe(1)
        seen.push(name)
        await tick()
        inside -= 1
        if (fails) throw new Error(`${name} failed`)
      })
    const all = await Promise.allSettled([work('a'), work('b', true), work('c')])
    expect(seen).toEqual(['a', 'b', 'c'])
    expect(statuses(all)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
    await work('d')
    expect(seen).toHaveLength(4)
  })

  test('lets a slow batch delay the others for a short time only', async () => {
    const scheduler = batchScheduler(5)
    const end = busy(scheduler)
    let passed = 0
    await Promise.all([1, 2, 3].map(() => scheduler.run(async () => void (passed += 1))))
    expect(passed).toBe(3)
    await end()
    // Its end releases no second turn: one at a time again.
    const order: string[] = []
    const slow = scheduler.run(() => tick().then(() => void order.push('first')))
    await Promise.all([slow, scheduler.run(async () => void order.push('second'))])
    expect(order).toEqual(['first', 'second'])
  })

  test('does not delay a large batch', async () => {
    const scheduler = batchScheduler(60_000)
    const end = busy(scheduler)
    const { call } = recorded({ scheduler })
    expect(await Promise.all(Array.from({ length: 40 }, (_, index) => call(index)))).toHaveLength(40)
    await end()
  })

  test.each([
    ['joins calls that arrive during another batch', batchScheduler(60_000), [[1, 2, 3]]],
    ['is optional: without one they make a batch of their own', undefined, [[1], [2, 3]]],
  ])('%s', async (_what, scheduler, expected) => {
    const { call, batches } = recorded(scheduler && { scheduler })
    const end = scheduler && busy(scheduler)
    const calls = [call(1)]
    await tick()
    await tick()
    calls.push(call(2), call(3))
    await Promise.all([...calls, end?.()])
    expect(batches).toEqual(expected)
  })
})
