import { expect, test } from 'vitest'
import { serverTiming, timeOfHeader, timeOfTimings } from './server-time.ts'

const AT = Date.parse('2026-03-01T12:00:00.123Z')
const FRESH = { shown: AT, keptMs: 0 }
/** As a cache may have kept it for a second. */
const KEPT = { shown: AT, keptMs: 1_000 }

test.each([
  [serverTiming(FRESH), FRESH],
  [serverTiming({ ...FRESH, shown: AT + 0.4 }), FRESH],
  [serverTiming(KEPT), KEPT],
  [`cache;dur=3, ${serverTiming(FRESH)}, edge;desc="x"`, FRESH],
  [`cache;dur=3, ${serverTiming(KEPT)}, edge;dur=7`, KEPT],
  [`time;desc=${AT}`, FRESH],
  [`time;desc=${AT}, edge;dur=7`, FRESH],
  [`othertime;desc="${AT}"`, undefined],
  ['time;desc="soon"', undefined],
  ['time;dur=12', undefined],
  ['', undefined],
  [null, undefined],
])('the header %s is read as %j', (header, time) => {
  expect(timeOfHeader(header)).toEqual(time)
})

test('a page has its time among the timings of its answer', () => {
  const other = { name: 'cache', description: '', duration: 3 }
  for (const time of [FRESH, KEPT]) {
    const own = { name: 'time', description: String(AT), duration: time.keptMs }
    expect(timeOfTimings([other, own])).toEqual(time)
  }
  for (const description of ['', 'soon', '-1', 'Infinity'])
    expect(timeOfTimings([other, { name: 'time', description, duration: 0 }])).toBeUndefined()
  expect(timeOfTimings([])).toBeUndefined()
})
