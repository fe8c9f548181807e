import { expect, test } from 'vitest'
import { serverTiming, timeOfHeader, timeOfTimings } from './server-time.ts'

const AT = Date.parse('2026-03-01T12:00:00.123Z')

test.each([
  [serverTiming(AT), AT],
  [serverTiming(AT + 0.4), AT],
  [`cache;dur=3, ${serverTiming(AT)}, edge;desc="x"`, AT],
  [`time;desc=${AT}`, AT],
  [`othertime;desc="${AT}"`, undefined],
  ['time;desc="soon"', undefined],
  ['time;dur=12', undefined],
  ['', undefined],
  [null, undefined],
])('the header %s is read as %s', (header, time) => {
  expect(timeOfHeader(header)).toBe(time)
})

test('a page has its time among the timings of its answer', () => {
  const other = { name: 'cache', description: '' }
  expect(timeOfTimings([other, { name: 'time', description: String(AT) }])).toBe(AT)
  for (const description of ['', 'soon', '-1', 'Infinity'])
    expect(timeOfTimings([other, { name: 'time', description }])).toBeUndefined()
  expect(timeOfTimings([])).toBeUndefined()
})
