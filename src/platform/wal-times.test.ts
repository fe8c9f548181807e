import { expect, test } from 'vitest'
import { WalTimes } from './wal-times.ts'

/** A log whose reader's clock the test moves; the primary's is 1,000,000 ms ahead of it. */
function log(keepMs = 10_000) {
  let own = 0
  const times = new WalTimes(keepMs, () => own)
  return {
    times,
    at: (ms: number, place: number) => {
      own = ms
      times.note(place, 1_000_000 + ms)
    },
    wait: (ms: number) => (own += ms),
  }
}

test('what a standby has replayed is as old as the last time at which the primary had written no more', () => {
  const { times, at } = log()
  at(0, 100)
  at(2_000, 150)
  at(4_000, 400)
  const ages = [99, 100, 149, 150, 399, 400, 401].map((place) => times.timeOf(place))
  expect(ages).toEqual([undefined, 1_000_000, 1_000_000, 1_002_000, 1_002_000, 1_004_000, 1_004_000])
})

test('a primary without changes makes nothing old', () => {
  const { times, at } = log()
  for (let ms = 0; ms <= 60_000; ms += 2_000) at(ms, 500)
  expect(times.timeOf(500)).toBe(1_060_000)
  expect(times.timeOf(499)).toBeUndefined()
})

test('times older than what is kept are unknown, and so is everything before the first', () => {
  const { times, at } = log(5_000)
  expect([times.now(), times.timeOf(1), times.newest]).toEqual([undefined, undefined, undefined])
  for (let ms = 0; ms <= 10_000; ms += 1_000) at(ms, 100 + ms)
  expect(times.timeOf(5_099)).toBeUndefined()
  expect(times.timeOf(5_100)).toBe(1_005_000)
})

test('the clock of a primary that does not respond goes on', () => {
  const { times, at, wait } = log()
  at(1_000, 7)
  wait(90_000)
  expect(times.now()).toBe(1_091_000)
  expect(times.timeOf(7)).toBe(1_001_000)
})

test('a standby that took over with a shorter log begins a history of its own', () => {
  const { times, at } = log()
  at(0, 100)
  at(2_000, 300)
  at(4_000, 200)
  expect([times.timeOf(199), times.timeOf(200), times.timeOf(300)]).toEqual([1_000_000, 1_004_000, 1_004_000])
  expect(times.newest).toBe(200)
})
