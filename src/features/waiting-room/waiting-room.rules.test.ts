import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  type Room,
  firstRate,
  loadOf,
  lookAgainSeconds,
  mayEnter,
  milestoneOf,
  placeNow,
  placeOf,
  stepped,
} from './waiting-room.rules.ts'

const room = (given: Partial<Room> = {}): Room => ({
  arrived: 1_000,
  frontier: 100,
  rate: 50,
  sinceStep: 1,
  sinceSlowed: 60,
  ...given,
})

/** A room in which so many buyers a second arrive, after some seconds. */
function after(seconds: number, arrivals: number, load: 'calm' | 'even' | 'busy', from: Room): Room {
  let now = from
  for (let second = 0; second < seconds; second += 1) {
    const { frontier, rate, isSlowed } = stepped({ ...now, sinceStep: 1 }, load)
    now = {
      ...now,
      arrived: now.arrived + arrivals,
      frontier,
      rate,
      sinceSlowed: isSlowed ? 0 : now.sinceSlowed + 1,
    }
  }
  return now
}

describe('the line', () => {
  test('moves on with the rate and the time since the last step', () => {
    expect(stepped(room({ sinceStep: 0.5 }), 'even')).toEqual({ frontier: 125, rate: 50, isSlowed: false })
  })

  test('moves on equally far however many processes step, and however often', () => {
    fc.assert(
      fc.property(
        fc.array(fc.double({ min: 0.001, max: 0.5, noNaN: true }), { minLength: 1, maxLength: 50 }),
        (pauses) => {
          let now = room({ arrived: 100_000 })
          for (const sinceStep of pauses) now = { ...now, ...stepped({ ...now, sinceStep }, 'even') }
          const total = pauses.reduce((sum, one) => sum + one, 0)
          expect(now.frontier).toBeCloseTo(100 + 50 * total, 3)
        },
      ),
    )
  })

  test('never moves back, whatever the rate does', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.tuple(
            fc.constantFrom('calm', 'even', 'busy'),
            fc.nat(300),
            fc.double({ min: -1, max: 600, noNaN: true }),
          ),
          { maxLength: 40 },
        ),
        (steps) => {
          let now = room({ arrived: 0, frontier: 50 })
          for (const [load, arrivals, sinceStep] of steps) {
            const next = stepped({ ...now, sinceStep }, load)
            expect(next.frontier).toBeGreaterThanOrEqual(now.frontier)
            expect(next.frontier - now.frontier).toBeLessThanOrEqual(next.rate * 2 + 1e-6)
            now = { ...now, ...next, arrived: now.arrived + arrivals, sinceSlowed: next.isSlowed ? 0 : 5 }
          }
        },
      ),
    )
  })

  test('without anybody in it lets in what one second bears, not what it could have let in', () => {
    const empty = after(600, 0, 'even', room({ arrived: 10, frontier: 10 }))
    expect(empty.frontier).toBe(10 + 50)
  })

  test.each([
    ['an outage of the shop', 600],
    ['a clock that was set forward', 86_400],
  ])('lets in two seconds’ worth after %s', (_, sinceStep) => {
    expect(stepped(room({ sinceStep }), 'even').frontier).toBe(100 + 50 * 2)
  })

  test('stands still while the clock of the database goes back', () => {
    expect(stepped(room({ sinceStep: -3_600 }), 'even').frontier).toBe(100)
  })
})

describe('the rate', () => {
  test('falls once a second while a process is busy, however many are', () => {
    const first = stepped(room(), 'busy')
    expect(first).toMatchObject({ rate: 40, isSlowed: true })
    expect(stepped(room({ rate: first.rate, sinceSlowed: 0.4 }), 'busy')).toMatchObject({
      rate: 40,
      isSlowed: false,
    })
  })

  test('rises by a fifth each second once it has been calm for three, while somebody waits', () => {
    expect(stepped(room(), 'calm').rate).toBeCloseTo(60)
    expect(stepped(room({ sinceSlowed: 2 }), 'calm').rate).toBe(50)
    expect(stepped(room({ arrived: 100 }), 'calm').rate).toBe(50)
    expect(stepped(room(), 'even').rate).toBe(50)
  })

  test('finds its way down from far too much, and up again', () => {
    const down = after(40, 500, 'busy', room({ rate: 1_000 }))
    expect(down.rate).toBeLessThan(30)
    expect(after(600, 0, 'busy', down).rate).toBe(5)
    const up = after(60, 500, 'calm', down)
    expect(up.rate).toBeGreaterThan(100)
  })

  test.each([
    [0, 5],
    [37, 37],
    [10_000_000, 100_000],
  ])('after %d calls in a second begins with %d', (calls, rate) => expect(firstRate(calls)).toBe(rate))

  test.each([
    [501, 'busy'],
    [500, 'even'],
    [250, 'even'],
    [249, 'calm'],
    [0, 'calm'],
  ])('with %d of 500 calls a process is %s', (underWay, load) => expect(loadOf(underWay, 500)).toBe(load))
})

describe('a place', () => {
  test('is the position in line and the time at the present rate', () => {
    expect(placeOf(4_310, { frontier: 100, rate: 20 })).toEqual({
      number: 4_310,
      position: 4_210,
      seconds: 211,
    })
    expect(placeOf(101, { frontier: 100.4, rate: 20 })).toEqual({ number: 101, position: 1, seconds: 1 })
  })

  test('whose number is reached may enter', () => {
    expect(mayEnter(100, { frontier: 100 })).toBe(true)
    expect(mayEnter(101, { frontier: 100.9 })).toBe(false)
  })

  test('is the same in a browser, until its turn and until the room closes', () => {
    const state = { is_open: true, admitted: 100, per_minute: 1_200 }
    expect(placeNow(4_310, state)).toEqual({ number: 4_310, position: 4_210, seconds: 211 })
    expect(placeNow(100, state)).toBeUndefined()
    expect(placeNow(4_310, { is_open: false, admitted: 0, per_minute: 0 })).toBeUndefined()
  })

  test('is told at milestones, however often it changes', () => {
    const told = Array.from({ length: 4_000 }, (_, second) => milestoneOf({ seconds: 4_000 - second }))
    expect([...new Set(told)]).toEqual([Infinity, 1_800, 600, 300, 120, 60])
  })

  test.each([
    [1, 2],
    [30, 10],
    [3_600, 30],
  ])('of %d s is looked at again after about %d s, not by everybody at once', (seconds, again) => {
    const numbers = Array.from({ length: 1_000 }, (_, index) => index + 1)
    const waits = numbers.map((number) => lookAgainSeconds({ number, seconds }) / again)
    const tenths = Map.groupBy(waits, (wait) => Math.floor((wait - 0.8) * 25))
    expect([...tenths.keys()].toSorted((one, other) => one - other)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
    for (const some of tenths.values()) expect(some.length).toBeLessThan(110)
  })
})
