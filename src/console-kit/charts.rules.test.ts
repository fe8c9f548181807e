import { expect, test } from 'vitest'
import { axisTop, daysBetween, monthsBetween, paceLines } from './charts.rules.ts'

test.each([
  [0, 2],
  [2, 2],
  [3, 4],
  [9, 10],
  [101, 200],
  [4_200, 6_000],
  [999_999, 1_000_000],
])('the axis of values up to %d ends at %d', (highest, top) => {
  expect(axisTop(highest)).toBe(top)
})

test('a chart has every day and month of its period, those without sales included', () => {
  expect(daysBetween('2026-02-27', '2026-03-02')).toEqual([
    '2026-02-27',
    '2026-02-28',
    '2026-03-01',
    '2026-03-02',
  ])
  expect(monthsBetween('2025-12-31', '2026-02-01')).toEqual(['2025-12', '2026-01', '2026-02'])
})

const HOUR = 3_600_000
const OPENED = Date.parse('2026-11-01T00:00:00Z')
const contest = {
  sold: 60,
  total: 100,
  opened_at: '2026-11-01T00:00:00Z',
  ends_at: '2026-11-11T00:00:00Z',
  days: [10, 5],
  pace_percent: 140,
}

test('the line of a contest runs from its opening through each day to now, then ahead to its end', () => {
  const { sold, ahead, target } = paceLines(contest, OPENED + 108 * HOUR, 12 * HOUR)
  expect(sold).toEqual([
    [0, 0],
    [0.3, 0.45],
    [0.4, 0.55],
    [0.45, 0.6],
  ])
  expect(ahead).toEqual([
    [0.45, 0.6],
    [1, 1],
  ])
  expect(target).toBe(45)
})

test('a contest that opened today begins there, whatever its days say', () => {
  const { sold } = paceLines({ ...contest, days: [0, 60] }, OPENED + 6 * HOUR, 12 * HOUR)
  expect(sold).toEqual([
    [0, 0],
    [0.025, 0.6],
  ])
})
