import { describe, expect, it } from 'vitest'
import { announcedMark, timeLeft, untilNextChange } from './countdown.tsx'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

describe('timeLeft', () => {
  it('shows the two largest units', () => {
    expect(timeLeft(3 * DAY + 4 * HOUR + 59 * MINUTE)).toEqual({ kind: 'days', days: 3, hours: 4 })
    expect(timeLeft(23 * HOUR + 59 * MINUTE + 59_999)).toEqual({ kind: 'hours', hours: 23, minutes: 59 })
    expect(timeLeft(DAY)).toEqual({ kind: 'days', days: 1, hours: 0 })
    expect(timeLeft(HOUR)).toEqual({ kind: 'hours', hours: 1, minutes: 0 })
    expect(timeLeft(59 * MINUTE)).toEqual({ kind: 'minutes', minutes: 59 })
  })

  it('never says zero minutes while the contest runs', () => {
    expect(timeLeft(59_999)).toEqual({ kind: 'lastMinute' })
    expect(timeLeft(1)).toEqual({ kind: 'lastMinute' })
  })

  it('is over at the end date itself and after it', () => {
    expect(timeLeft(0)).toEqual({ kind: 'over' })
    expect(timeLeft(-DAY)).toEqual({ kind: 'over' })
  })
})

describe('announcedMark', () => {
  it('speaks once when a mark is passed', () => {
    expect(announcedMark(10 * MINUTE + 1, 10 * MINUTE)).toBe(10)
    expect(announcedMark(10 * MINUTE, 9 * MINUTE)).toBeUndefined()
    expect(announcedMark(6 * MINUTE, 4 * MINUTE)).toBe(5)
  })

  it('after a pause says only the nearest mark', () => {
    expect(announcedMark(HOUR, 30_000)).toBe(1)
  })

  it('is silent far away and at the end', () => {
    expect(announcedMark(DAY, HOUR)).toBeUndefined()
    expect(announcedMark(MINUTE, 0)).toBeUndefined()
  })
})

describe('untilNextChange', () => {
  it('waits for the running minute to pass', () => {
    expect(untilNextChange(2 * MINUTE + 500)).toBe(501)
    expect(timeLeft(2 * MINUTE + 500 - untilNextChange(2 * MINUTE + 500))).toEqual({
      kind: 'minutes',
      minutes: 1,
    })
  })
})
