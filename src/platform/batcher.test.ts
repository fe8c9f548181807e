import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { type BatchScheduler, type Outcome, batchCalls, batchScheduler } from './batcher.ts'

const tick = () => new Promise((resolve) => setImmediate(resolve))

/** A batch function whose batches end when the test says so. */
function gated() {
  const batches: number[][] = []
  const gates: (() => void)[] = []
  const run = async (items: readonly number[]): Promise<Outcome<number>[]> => {
    batches.push([...items])
    await new Promise<void>((resolve) => gates.push(resolve))
    return items.map((item) => (item < 0 ? { refused: new Error(`no ${item}`) } : { value: item * 10 }))
  }
  return { batches, run, next: () => gates.shift()?.() }
}

describe('calls that wait at the same moment', () => {
  test('go out as one batch while another is under way, in the order in which they came', async () => {
    const { batches, run, next } = gated()
    const call = batchCalls(run, { batch: 10, queue: 100 })
    const first = call(1)
    await tick()
    const others = [2, 3, 4].map(call)
    await tick()
    expect(batches).toEqual([[1]])
    next()
    expect(await first).toBe(10)
    await tick()
    expect(batches).toEqual([[1], [2, 3, 4]])
    next()
    expect(await Promise.all(others)).toEqual([20, 30, 40])
  })

  test('go out alone and at once when a batch is one', async () => {
    const { batches, run, next } = gated()
    const call = batchCalls(run, { batch: 1, queue: 1 })
    const all = Promise.allSettled([1, -2, 3].map(call))
    expect(batches).toEqual([[1], [-2], [3]])
    for (const _ of [1, 2, 3]) next()
    expect((await all).map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  })

  test('are split when they are more than a batch holds', async () => {
    const { batches, run, next } = gated()
    const call = batchCalls(run, { batch: 2, queue: 100 })
    const all = [1, 2, 3, 4, 5].map(call)
    for (let round = 0; round < 3; round++) {
      await tick()
      next()
    }
    expect(await Promise.all(all)).toEqual([10, 20, 30, 40, 50])
    expect(batches).toEqual([[1, 2], [3, 4], [5]])
  })

  test('are refused one by one: the others of the batch get their result', async () => {
    const { run, next } = gated()
    const call = batchCalls(run, { batch: 10, queue: 100 })
    const all = Promise.allSettled([1, -2, 3].map(call))
    await tick()
    next()
    expect(await all).toMatchObject([
      { status: 'fulfilled', value: 10 },
      { status: 'rejected', reason: { message: 'no -2' } },
      { status: 'fulfilled', value: 30 },
    ])
  })

  test('run alone when their batch fails as a whole, so that only the one at fault fails', async () => {
    const sizes: number[] = []
    const call = batchCalls<number, number>(
      async (items) => {
        sizes.push(items.length)
        if (items.includes(13)) throw new Error('bad luck')
        return items.map((value) => ({ value }))
      },
      { batch: 10, queue: 100 },
    )
    const all = await Promise.allSettled([1, 13, 3].map(call))
    expect(all.map((one) => one.status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
    expect(sizes).toEqual([3, 1, 1, 1])
    expect(await call(5)).toBe(5)
  })

  test('are refused as busy beyond the bound of the queue, and taken again when it is shorter', async () => {
    const { run, next } = gated()
    const call = batchCalls(run, { batch: 2, queue: 2 })
    const running = call(1)
    await tick()
    const queued = [call(2), call(3)]
    await expect(call(4)).rejects.toMatchObject({ code: 'request.busy', status: 503 })
    next()
    await running
    await tick()
    const later = call(5)
    for (let round = 0; round < 3; round++) {
      next()
      await tick()
    }
    expect(await Promise.all([...queued, later])).toEqual([20, 30, 50])
  })

  test('fail loudly when the batch answers another number of items', async () => {
    const call = batchCalls<number, number>(async () => [], { batch: 10, queue: 10 })
    await expect(call(1)).rejects.toThrow(/another number/)
  })

  test('are all refused when the connection was lost: it is unknown whether their batch was committed', async () => {
    const batches: number[][] = []
    const call = batchCalls<number, number>(
      async (items) => {
        batches.push([...items])
        throw databaseError('57P01')
      },
      { batch: 10, queue: 100 },
    )
    const all = await Promise.allSettled([1, 2, 3].map(call))
    expect(all.map((one) => one.status)).toEqual(['rejected', 'rejected', 'rejected'])
    expect(batches).toEqual([[1, 2, 3]])
  })
})

const databaseError = (code: string): Error => Object.assign(new Error(code), { code })

describe('calls of which some run into a lock timeout', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'Date'] }))
  afterEach(() => void vi.useRealTimers())

  /** As long as a connection waits by itself. */
  const PATIENCE_MS = 3_000

  /** A batcher whose odd items wait for a lock that nobody releases. */
  function lockedBatcher() {
    const batches: number[][] = []
    const call = batchCalls<number, number>(
      async (items, { lockTimeoutMs = PATIENCE_MS }) => {
        batches.push([...items])
        if (items.every((item) => item % 2 === 0)) return items.map((value) => ({ value }))
        await new Promise((resolve) => setTimeout(resolve, lockTimeoutMs))
        throw databaseError('55P03')
      },
      { batch: 100, queue: 100 },
    )
    return { call, batches }
  }

  test('keep the others waiting briefly, and the others get through', async () => {
    const { call } = lockedBatcher()
    const began = Date.now()
    const all = Promise.allSettled(Array.from({ length: 30 }, (_, index) => call(index)))
    await vi.runAllTimersAsync()
    const statuses = (await all).map((one) => one.status)
    expect(statuses).toEqual(statuses.map((_, index) => (index % 2 === 0 ? 'fulfilled' : 'rejected')))
    // Of fifteen that wait one after the other, each as long as the batch, it would be 48 seconds.
    expect(Date.now() - began).toBeLessThan(2 * PATIENCE_MS)
  })

  test('are told so in the end, however many they are', async () => {
    const { call, batches } = lockedBatcher()
    const began = Date.now()
    const all = Promise.allSettled(Array.from({ length: 90 }, (_, index) => call(2 * index + 1)))
    await vi.runAllTimersAsync()
    expect((await all).every((one) => one.status === 'rejected')).toBe(true)
    expect(Date.now() - began).toBeLessThan(3 * PATIENCE_MS)
    expect(batches.length).toBeLessThan(90)
  })

  test('get the short lock timeout for a while, and the usual one later', async () => {
    const { call } = lockedBatcher()
    const wait = async (): Promise<number> => {
      const began = Date.now()
      const one = call(1).catch(() => Date.now() - began)
      await vi.runAllTimersAsync()
      return one
    }
    expect(await wait()).toBe(PATIENCE_MS)
    expect(await wait()).toBeLessThan(PATIENCE_MS / 2)
    vi.setSystemTime(Date.now() + 60_000)
    expect(await wait()).toBe(PATIENCE_MS)
  })
})

test('scheduled batches run one after the other, in the order in which they came, also after a failure', async () => {
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
  expect(all.map((one) => one.status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  await work('d')
  expect(seen).toHaveLength(4)
})

test('a slow batch delays the others by its turn only', async () => {
  const scheduler = batchScheduler(5)
  let end: () => void = () => {}
  const long = scheduler.run(() => new Promise((resolve) => (end = resolve)))
  let passed = 0
  await Promise.all([1, 2, 3].map(() => scheduler.run(async () => void (passed += 1))))
  expect(passed).toBe(3)
  end()
  await long
  // Its end releases no second turn: one at a time again.
  const order: string[] = []
  await Promise.all([
    scheduler.run(async () => {
      await tick()
      order.push('first')
    }),
    scheduler.run(async () => void order.push('second')),
  ])
  expect(order).toEqual(['first', 'second'])
})

test('a large batch does not wait for its turn', async () => {
  const scheduler = batchScheduler(60_000)
  let end: () => void = () => {}
  const other = scheduler.run(() => new Promise((resolve) => (end = resolve)))
  const call = batchCalls<number, number>(async (items) => items.map((value) => ({ value })), {
    batch: 100,
    queue: 100,
    scheduler,
  })
  expect(await Promise.all(Array.from({ length: 40 }, (_, index) => call(index)))).toHaveLength(40)
  end()
  await other
})

/** Three calls of one batcher while another one has its turn. @returns the sizes of their batches */
async function batchesBeside(scheduler?: BatchScheduler): Promise<number[]> {
  const sizes: number[] = []
  const call = batchCalls<number, number>(
    async (items) => {
      sizes.push(items.length)
      return items.map((value) => ({ value }))
    },
    { batch: 10, queue: 10, ...(scheduler && { scheduler }) },
  )
  let end: () => void = () => {}
  const other = scheduler?.run(() => new Promise((resolve) => (end = resolve)))
  const calls = [call(1)]
  await tick()
  await tick()
  calls.push(call(2), call(3))
  end()
  expect(await Promise.all(calls)).toEqual([1, 2, 3])
  await other
  return sizes
}

test('calls that come in while another batcher has its turn join the batch; without a scheduler they make a batch of their own', async () => {
  expect(await batchesBeside(batchScheduler(60_000))).toEqual([3])
  expect(await batchesBeside()).toEqual([1, 2])
})
