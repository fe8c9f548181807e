import { expect, test } from 'vitest'
import { serverTiming, timeOfHeader, timeOfTimings } from './server-time.ts'

const AT = Date.parse('2026-03-01T12:00:00.123Z')
const FRESH = { shown: AT, keptMs: 0 }
/** As a cache may have kept it for a second. */
const KEPT = { shown: AT, keptMs: 1_000 }
/** Of a read replica: as old as said, and not worth saying. */
const OLD = { ...FRESH, from: AT - 100_000 }
const NEW = { ...KEPT, from: 0 }

test.each([
  [serverTiming(FRESH), FRESH],
  [serverTiming({ ...FRESH, shown: AT + 0.4 }), FRESH],
  [serverTiming(KEPT), KEPT],
  [`cache;dur=3, ${serverTiming(FRESH)}, edge;desc="x"`, FRESH],
  [`cache;dur=3, ${serverTiming(KEPT)}, edge;dur=7`, KEPT],
  [serverTiming(OLD), OLD],
  [serverTiming(NEW), NEW],
  [`cache;dur=3, ${serverTiming(OLD)}, edge;desc="x"`, OLD],
  [`${serverTiming(FRESH)}, from;desc="long ago"`, FRESH],
  [`${serverTiming(FRESH)}, xfrom;desc="1"`, FRESH],
  ['from;desc="1"', undefined],
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

test('a page has its time among the timings of its response', () => {
  const other = { name: 'cache', description: '', duration: 3 }
  for (const time of [FRESH, KEPT, OLD, NEW]) {
    const own = { name: 'time', description: String(AT), duration: time.keptMs }
    const from = 'from' in time ? [{ name: 'from', description: String(time.from), duration: 0 }] : []
    expect(timeOfTimings([other, ...from, own])).toEqual(time)
  }
  for (const description of ['', 'soon', '-1', 'Infinity'])
    expect(timeOfTimings([other, { name: 'time', description, duration: 0 }])).toBeUndefined()
  expect(timeOfTimings([])).toBeUndefined()
})
