import { expect, test, vi } from 'vitest'
import { oneAtATime } from './one-at-a-time.ts'

const { signal } = new AbortController()

test('a call that hangs is given up after 15 s, and none begins beside it', async () => {
  vi.useFakeTimers()
  const once = oneAtATime()
  const read = vi.fn<(own: AbortSignal) => Promise<void>>(
    (own) =>
      new Promise<void>((_, reject) => own.addEventListener('abort', () => reject(new Error('given up')))),
  )
  const hanging = once(signal, read).catch((error: Error) => error.message)
  await once(signal, read)
  expect(read).toHaveBeenCalledTimes(1)
  await vi.advanceTimersByTimeAsync(15_000)
  expect(await hanging).toBe('given up')
  void once(signal, read).catch(() => undefined)
  expect(read).toHaveBeenCalledTimes(2)
  vi.useRealTimers()
})

test('whoever leaves ends the call', async () => {
  const leaving = new AbortController()
  const seen: boolean[] = []
  const reading = oneAtATime()(leaving.signal, async (own) => {
    leaving.abort()
    seen.push(own.aborted)
  })
  await reading
  expect(seen).toEqual([true])
})
