import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { throttledReport } from './throttled-report.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const MINUTE = 60_000

test('the first time of a network is reported at once, the others as a count each minute, and nothing when there were none', () => {
  const reported: number[] = []
  const note = throttledReport((times) => reported.push(times))
  for (let index = 0; index < 1_000; index += 1) note('192.0.2.7')
  note('198.51.100.1')
  note('::ffff:192.0.2.7')
  expect(reported).toEqual([1, 1])
  vi.advanceTimersByTime(MINUTE)
  expect(reported).toEqual([1, 1, 1_000])
  note('192.0.2.7')
  expect(reported).toHaveLength(3)
  vi.advanceTimersByTime(MINUTE)
  expect(reported).toEqual([1, 1, 1_000, 1])
  vi.advanceTimersByTime(10 * MINUTE)
  expect(reported).toHaveLength(4)
  note('192.0.2.7')
  expect(reported).toEqual([1, 1, 1_000, 1, 1])
})

test('however many networks there are, the lines of a minute stay bounded and no time is lost', () => {
  const reported: number[] = []
  const note = throttledReport((times) => reported.push(times))
  for (let index = 0; index < 5_000; index += 1) note(`10.0.${index >> 8}.${index & 255}`)
  expect(reported).toHaveLength(1_001)
  vi.advanceTimersByTime(MINUTE)
  expect(reported).toHaveLength(1_002)
  expect(reported.reduce((sum, times) => sum + times, 0)).toBe(5_000)
})
