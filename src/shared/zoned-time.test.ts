import { expect, test } from 'vitest'
import { instantOf, wallClockOf } from './zoned-time.ts'

test.each([
  ['winter', '2026-01-15T20:00', 'Europe/Brussels', '2026-01-15T19:00:00.000Z'],
  ['summer', '2026-07-15T20:00', 'Europe/Brussels', '2026-07-15T18:00:00.000Z'],
  [
    'the last minute before the clocks go forward',
    '2026-03-29T01:59',
    'Europe/Brussels',
    '2026-03-29T00:59:00.000Z',
  ],
  ['the first minute after it', '2026-03-29T03:00', 'Europe/Brussels', '2026-03-29T01:00:00.000Z'],
  [
    'the last minute before the clocks go back',
    '2026-10-25T01:59',
    'Europe/Brussels',
    '2026-10-24T23:59:00.000Z',
  ],
  ['the first minute after it', '2026-10-25T03:00', 'Europe/Brussels', '2026-10-25T02:00:00.000Z'],
  ['a zone west of Greenwich', '2026-11-01T00:30', 'America/New_York', '2026-11-01T04:30:00.000Z'],
  ['a zone of a quarter of an hour', '2026-06-01T12:00', 'Asia/Kathmandu', '2026-06-01T06:15:00.000Z'],
  [
    'a zone that changes by half an hour',
    '2026-10-04T03:00',
    'Australia/Lord_Howe',
    '2026-10-03T16:00:00.000Z',
  ],
  ['the far east', '2026-06-01T00:00', 'Pacific/Kiritimati', '2026-05-31T10:00:00.000Z'],
  ['no zone', '2026-03-29T02:30', 'UTC', '2026-03-29T02:30:00.000Z'],
  ['a leap day', '2028-02-29T12:00', 'Europe/Brussels', '2028-02-29T11:00:00.000Z'],
])('%s: %s in %s', (_, wallClock, timeZone, iso) => {
  expect(instantOf(wallClock, timeZone)).toEqual(new Date(iso))
  expect(wallClockOf(iso, timeZone)).toBe(wallClock)
})

test.each([
  ['skipped', '2026-03-29T02:00', 'Europe/Brussels'],
  ['skipped', '2026-03-29T02:59', 'Europe/Brussels'],
  ['skipped', '2026-03-08T02:30', 'America/New_York'],
  ['skipped', '2026-10-04T02:15', 'Australia/Lord_Howe'],
  // Samoa went over the date line and had no 30 December.
  ['skipped', '2011-12-30T12:00', 'Pacific/Apia'],
  ['repeated', '2026-10-25T02:00', 'Europe/Brussels'],
  ['repeated', '2026-10-25T02:59', 'Europe/Brussels'],
  ['repeated', '2026-11-01T01:30', 'America/New_York'],
  ['repeated', '2026-04-05T01:45', 'Australia/Lord_Howe'],
  ['invalid', '2026-02-30T10:00', 'Europe/Brussels'],
  ['invalid', '2027-02-29T10:00', 'Europe/Brussels'],
  ['invalid', '2026-13-01T10:00', 'Europe/Brussels'],
  ['invalid', '2026-01-01T24:00', 'Europe/Brussels'],
  ['invalid', '2026-01-01T10:00Z', 'Europe/Brussels'],
  ['invalid', '2026-01-01', 'Europe/Brussels'],
  ['invalid', '', 'Europe/Brussels'],
])('%s: %s in %s', (why, wallClock, timeZone) => {
  expect(instantOf(wallClock, timeZone)).toBe(why)
})

test('every quarter of an hour around a change of clocks is found again, but in the hour that comes twice', () => {
  const found = { skipped: 0, repeated: 0, invalid: 0 }
  const around = (month: number, day: number) =>
    Array.from({ length: 4 * 48 }, (_, quarter) => Date.UTC(2026, month, day, 0, quarter * 15))
  for (const at of [...around(2, 28), ...around(9, 24)]) {
    const instant = instantOf(wallClockOf(new Date(at), 'Europe/Brussels'), 'Europe/Brussels')
    if (typeof instant === 'string') found[instant] += 1
    else if (instant.getTime() !== at) throw new Error(`${at} came back as ${instant.getTime()}`)
  }
  expect(found).toEqual({ skipped: 0, repeated: 8, invalid: 0 })
})
