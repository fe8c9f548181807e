import { expect, test } from 'vitest'
import { hoursOf, momentsIn } from './hours.ts'
import { seededRandom } from './random.ts'

const HOUR_MS = 3_600_000
const ZONE = 'Europe/Brussels'

test.each([1, 7, 500, 20_000])('%i moments come in the order of time and within it', (count) => {
  // Neither begins nor ends with a whole hour; summer time ends in between.
  const [begin, end] = [Date.UTC(2026, 9, 20, 5, 17), Date.UTC(2026, 10, 3, 11, 40)]
  const moments = [...momentsIn(hoursOf(begin, end, ZONE), count, seededRandom(3))]
  expect(moments).toHaveLength(count)
  expect(moments).toEqual(moments.toSorted((one, other) => one - other))
  expect(moments.filter((at) => at < begin || at > end)).toEqual([])
  expect([...momentsIn(hoursOf(begin, end, ZONE), count, seededRandom(3))]).toEqual(moments)
})

test('the evening of a Saturday sells more than a night, and a new contest at once', () => {
  const begin = Date.UTC(2026, 9, 4)
  const hours = hoursOf(begin, begin + 7 * 24 * HOUR_MS, ZONE)
  const weightAt = (hour: number): number => hours[hour]?.weight ?? 0
  // 21:00 in Brussels is 19:00 UTC in summer; the fourth is a Sunday.
  const saturday = weightAt(6 * 24 + 19)
  expect(saturday).toBe(Math.max(...hours.map(({ weight }) => weight)))
  expect(saturday).toBeGreaterThan(20 * weightAt(6 * 24 + 1))
  const [first] = hoursOf(begin, begin + HOUR_MS, ZONE, true)
  expect(first?.weight).toBeCloseTo(9 * weightAt(0))
})
