import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { expect, onTestFinished, test, vi } from 'vitest'
import { inThread } from './documents.ts'
import type { sample as draw } from './documents.test-support.ts'

const sample = inThread<typeof draw>(new URL('./documents.test-support.ts', import.meta.url), 'sample')
const read = async (owner: string, name: string) => JSON.parse(String(await sample(owner, name))) as object

const TASKS = '/proc/self/task'
const threads = (): number =>
  readdirSync(TASKS).filter((id) => readFileSync(`${TASKS}/${id}/comm`, 'utf8').trim() === 'WorkerThread')
    .length

// First, while there is no thread whose time has begun with another clock.
test.runIf(existsSync(TASKS))('a thread ends when nothing has been to be drawn for 20 seconds', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const none = threads()
  await read('idle', 'i')
  await vi.advanceTimersByTimeAsync(19_000)
  expect(threads()).toBe(none + 1)
  await vi.advanceTimersByTimeAsync(1_500)
  await expect.poll(threads).toBe(none)
})

test('a document is made outside the main thread, once for concurrent and later calls', async () => {
  const [one, same] = await Promise.all([read('one', 'a'), read('other', 'a')])
  expect(one).toMatchObject({ name: 'a', isMainThread: false })
  expect(same).toEqual(one)
  expect(await read('one', 'a')).toEqual(one)
})

test('the documents of one owner are made one after the other, and a broken one stops no other', async () => {
  const names = ['b1', 'broken', 'b2', 'b3', 'b4', 'b5', 'b6']
  const ended: string[] = []
  const made = await Promise.allSettled(
    names.map((name) => read('one', name).finally(() => void ended.push(name))),
  )
  expect(ended).toEqual(names)
  expect(made.map(({ status }) => status === 'fulfilled')).toEqual([
    true,
    false,
    true,
    true,
    true,
    true,
    true,
  ])
  await expect(sample('one', 'broken')).rejects.toThrow('no document broken')
})

test('beyond 500 that wait, a document is refused for the moment', async () => {
  const all = await Promise.allSettled(
    Array.from({ length: 501 }, (_, index) => sample('crowd', `c${index}`)),
  )
  const refused = all.filter((one) => one.status === 'rejected')
  expect(refused.map(({ reason }) => reason)).toMatchObject([{ status: 503, code: 'request.busy' }])
})
