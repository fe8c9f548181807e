import { expect, test } from 'vitest'
import { mergeCalls } from './merge.ts'
import { type Turnstile, turnstile } from './turnstile.ts'

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

test('what wants through goes one after the other, in the order in which it came, also after a failure', async () => {
  const gate = turnstile(60_000)
  const seen: string[] = []
  let inside = 0
  const work = (name: string, fails = false) =>
    gate.pass(async () => {
      inside += 1
      expect(inside).toBe(1)
      seen.push(name)
      await turn()
      inside -= 1
      if (fails) throw new Error(`${name} failed`)
    })
  const all = await Promise.allSettled([work('a'), work('b', true), work('c')])
  expect(seen).toEqual(['a', 'b', 'c'])
  expect(all.map((one) => one.status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  await work('d')
  expect(seen).toHaveLength(4)
})

test('one that takes long keeps the others waiting for its share of time only', async () => {
  const gate = turnstile(5)
  let end: () => void = () => {}
  const long = gate.pass(() => new Promise((resolve) => (end = resolve)))
  let passed = 0
  await Promise.all([1, 2, 3].map(() => gate.pass(async () => void (passed += 1))))
  expect(passed).toBe(3)
  end()
  await long
  // Its end lets nobody through twice: one at a time again.
  const order: string[] = []
  await Promise.all([
    gate.pass(async () => {
      await turn()
      order.push('first')
    }),
    gate.pass(async () => void order.push('second')),
  ])
  expect(order).toEqual(['first', 'second'])
})

test('a batch that is large enough does not wait for its turn', async () => {
  const gate = turnstile(60_000)
  let end: () => void = () => {}
  const other = gate.pass(() => new Promise((resolve) => (end = resolve)))
  const lane = mergeCalls<number, number>(async (items) => items.map((value) => ({ value })), {
    batch: 100,
    queue: 100,
    turns: gate,
  })
  expect(await Promise.all(Array.from({ length: 40 }, (_, index) => lane(index)))).toHaveLength(40)
  end()
  await other
})

/** Three calls of one lane while another lane is under way. @returns the sizes of the batches they made */
async function batchesBeside(turns?: Turnstile): Promise<number[]> {
  const sizes: number[] = []
  const lane = mergeCalls<number, number>(
    async (items) => {
      sizes.push(items.length)
      return items.map((value) => ({ value }))
    },
    { batch: 10, queue: 10, ...(turns && { turns }) },
  )
  let end: () => void = () => {}
  const other = turns?.pass(() => new Promise((resolve) => (end = resolve)))
  const calls = [lane(1)]
  await turn()
  await turn()
  calls.push(lane(2), lane(3))
  end()
  expect(await Promise.all(calls)).toEqual([1, 2, 3])
  await other
  return sizes
}

test('what comes in while another lane has its turn joins the batch; without turns it makes one of its own', async () => {
  expect(await batchesBeside(turnstile(60_000))).toEqual([3])
  expect(await batchesBeside()).toEqual([1, 2])
})
