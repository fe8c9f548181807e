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

/** A batcher that responds at once, or fails; with the batches that it ran. */
function recorded(
  options: Partial<Parameters<typeof batchCalls<number, number>>[1]> = {},
  failure?: (items: readonly number[]) => unknown,
) {
  const batches: number[][] = []
  const call = batchCalls<number, number>(
    async (items) => {
      batches.push([...items])
      await failure?.(items)
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

  const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
  const isOdd = (item: number): boolean => item % 2 === 1
  const numbers = (count: number): number[] => Array.from({ length: count }, (_, index) => index)

  /** A batcher whose odd items wait for a lock, which is held until the test releases it. */
  function lockedBatcher(options: Partial<Parameters<typeof batchCalls<number, number>>[1]> = {}) {
    const lock = { isHeld: true }
    const areLocked = async (items: readonly number[]) => items.map((item) => lock.isHeld && isOdd(item))
    const made = recorded({ areLocked, patienceMs: 3_000, ...options }, async (items) => {
      if (!lock.isHeld || !items.some(isOdd)) return
      await pause(100)
      throw databaseError('55P03')
    })
    return { lock, ...made }
  }

  test('items that need no locked row go on; those that do follow when it is free', async () => {
    const { lock, call, batches } = lockedBatcher()
    const began = Date.now()
    const responded: number[] = []
    const all = numbers(30).map((item) => call(item).then(() => void responded.push(item)))
    await vi.advanceTimersByTimeAsync(100)
    expect(responded).toEqual(numbers(30).filter((item) => !isOdd(item)))
    // Nobody waits for the lock any more, whoever comes.
    const later = [32, 33, 34].map((item) => call(item).then(() => Date.now() - began))
    expect(await Promise.all([later[0], later[2]])).toEqual([100, 100])
    expect(batches.slice(1).flat().some(isOdd)).toBe(false)
    lock.isHeld = false
    await vi.advanceTimersByTimeAsync(100)
    await Promise.all([...all, ...later])
    expect(
      batches
        .flat()
        .toSorted((one, other) => one - other)
        .filter(isOdd),
    ).toEqual([...numbers(30), ...numbers(30), 33].filter(isOdd).toSorted((one, other) => one - other))
  })

  test.each([
    ['when their patience is over', 30, {}],
    ['at once when too many wait already', 30, { queue: 30, patienceMs: Infinity }],
  ])('items whose row stays locked are refused %s', async (_what, count, options) => {
    const { call } = lockedBatcher(options)
    const all = Promise.allSettled(numbers(count).map((item) => call(2 * item + 1)))
    await vi.advanceTimersByTimeAsync(200)
    const late = Promise.allSettled([call(101), call(103)])
    await vi.advanceTimersByTimeAsync(3_300)
    const settled = await ('queue' in options ? late : all)
    expect(settled.every((one) => one.status === 'rejected' && one.reason.code === '55P03')).toBe(true)
  })

  test('an item that is locked unseen runs alone and delays nobody', async () => {
    const { lock, call, batches } = lockedBatcher({ areLocked: async (items) => items.map(() => false) })
    const all = Promise.allSettled([1, 2, 4].map(call))
    await vi.advanceTimersByTimeAsync(250)
    expect(await call(6)).toBe(6)
    expect(batches).toEqual([[1, 2, 4], [1, 2, 4], [1], [2], [4], [6]])
    lock.isHeld = false
    await vi.runAllTimersAsync()
    expect(statuses(await all)).toEqual(['rejected', 'fulfilled', 'fulfilled'])
  })

  test('after a while without a lock batches run as before', async () => {
    const { lock, call } = lockedBatcher()
    const looks = vi.fn<(items: readonly number[]) => Promise<boolean[]>>()
    looks.mockImplementation(async (items) => items.map(() => lock.isHeld))
    const other = lockedBatcher({ areLocked: looks })
    const first = other.call(1)
    await vi.advanceTimersByTimeAsync(100)
    other.lock.isHeld = lock.isHeld = false
    await vi.advanceTimersByTimeAsync(100)
    await first
    await call(1)
    const before = looks.mock.calls.length
    await vi.advanceTimersByTimeAsync(6_000)
    await other.call(3)
    expect(looks.mock.calls.length).toBe(before)
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
