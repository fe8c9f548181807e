import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { nameAt, timeOf } from './folder.ts'
import { superfluous } from './rotation.rules.ts'

const dated = (...times: string[]) => times.map((time) => ({ name: time, at: new Date(`${time}Z`) }))
const nightly = (nights: number, first = '2026-01-01T03:40:00Z') =>
  Array.from({ length: nights }, (_, night) => {
    const at = new Date(Date.parse(first) + night * 24 * 3_600_000)
    return { name: at.toISOString().slice(0, 10), at }
  })

describe('of backups', () => {
  test('the newest of each of the last days, weeks and months stays', () => {
    const all = nightly(100)
    const leaving = new Set(
      superfluous(all, { days: 3, weeks: 2, months: 2 }, new Date('2026-04-10T04:00:00Z')),
    )
    const kept = all.map(({ name }) => name).filter((name) => !leaving.has(name))
    // The tenth of April 2026 is a Friday; the week before ended on the fifth.
    expect(kept).toEqual(['2026-03-31', '2026-04-05', '2026-04-08', '2026-04-09', '2026-04-10'])
  })

  test('several of one day leave the last of it, once they are two days old', () => {
    const all = dated(
      '2026-01-01T03:00:00',
      '2026-01-01T12:00:00',
      '2026-01-02T03:00:00',
      '2026-01-02T12:00:00',
    )
    const keep = { days: 2, weeks: 0, months: 0 }
    const at = (time: string) => superfluous(all, keep, new Date(time))
    expect(at('2026-01-02T13:00:00Z')).toEqual([])
    expect(at('2026-01-03T04:00:00Z')).toEqual(['2026-01-01T03:00:00'])
    expect(at('2026-01-09T00:00:00Z')).toEqual(['2026-01-02T03:00:00', '2026-01-01T03:00:00'])
  })

  test('the one that was just written stays beside one of the future', () => {
    const all = dated(
      '2099-01-01T00:00:00',
      '2026-01-02T03:00:00',
      '2026-01-01T03:00:00',
      '2025-01-01T03:00:00',
    )
    const leaving = superfluous(all, { days: 1, weeks: 0, months: 0 }, new Date('2026-01-02T03:00:00Z'))
    expect(leaving).toEqual(['2025-01-01T03:00:00'])
  })

  test('those of a shop that rested for a year stay as many as of one that did not', () => {
    const all = [...nightly(3, '2025-01-10T03:00:00Z'), ...nightly(1, '2026-06-01T03:00:00Z')]
    expect(superfluous(all, { days: 3, weeks: 0, months: 0 }, new Date('2026-06-02'))).toEqual(['2025-01-10'])
  })

  test('the newest never goes, nor one of two days, whatever the clock says and however few are kept', () => {
    const at = fc.date({ min: new Date('2020-01-01'), max: new Date('2021-01-01'), noInvalidDate: true })
    const number = fc.nat({ max: 5 })
    const keeps = fc.record({ days: fc.integer({ min: 1, max: 5 }), weeks: number, months: number })
    fc.assert(
      fc.property(fc.array(at, { minLength: 1 }), at, keeps, (times, now, keep) => {
        const all = times.map((time, index) => ({ name: String(index), at: time }))
        const leaving = superfluous(all, keep, now)
        const kept = all.filter(({ name }) => !leaving.includes(name))
        const newest = Math.max(...times.map((time) => time.getTime()))
        expect(kept.some((one) => one.at.getTime() === newest)).toBe(true)
        const young = all.filter((one) => now.getTime() - one.at.getTime() <= 2 * 24 * 3_600_000)
        for (const one of young) expect(kept).toContain(one)
        expect(kept.length - young.length).toBeLessThanOrEqual(keep.days + keep.weeks + keep.months)
        expect(new Set(leaving).size).toBe(leaving.length)
      }),
    )
  })
})

test('the name of a backup is its time in UTC', () => {
  const at = new Date('2026-01-31T23:40:12Z')
  expect([nameAt(at), timeOf(nameAt(at))]).toEqual(['volant-2026-01-31T234012Z', at])
  for (const name of ['volant-2026-01-31', 'volant-2026-01-31T234012Z.part', 'other-2026-01-31T234012Z'])
    expect(timeOf(name)).toBeUndefined()
})
