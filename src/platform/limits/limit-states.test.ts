import { describe, expect, test } from 'vitest'
import { type Bucket, type LimitStates, type Wish, giveBack, grant } from './limit-states.ts'

const bucket = (change: Partial<Bucket> = {}): Bucket => ({
  key: 'one',
  rule: { count: 3, seconds: 60 },
  ...change,
})

function counting() {
  const states: LimitStates = new Map()
  const changed = new Set<string>()
  return {
    states,
    changed,
    ask: (wish: Wish, now = 0) => grant(states, wish, now, changed),
  }
}

const granted = (...counted: string[]) => ({ counted })

describe('a count', () => {
  test('lets so many through within its time, and begins anew after it', () => {
    const { ask } = counting()
    const wish = { buckets: [bucket()] }
    expect([0, 10, 20].map((now) => ask(wish, now))).toEqual(Array(3).fill(granted('one')))
    expect(ask(wish, 30_000)).toEqual({ wait: 30_000 })
    expect(ask(wish, 59_999)).toEqual({ wait: 1 })
    expect(ask(wish, 60_000)).toEqual(granted('one'))
  })

  test('is not prolonged by what it refuses', () => {
    const { ask } = counting()
    const wish = { buckets: [bucket()] }
    for (let now = 0; now < 60_000; now += 100) ask(wish, now)
    expect(ask(wish, 60_000)).toEqual(granted('one'))
  })

  test('of several counts together: all count, or none does', () => {
    const { ask, states, changed } = counting()
    const narrow = bucket({ key: 'narrow', rule: { count: 1, seconds: 60 } })
    expect(ask({ buckets: [bucket(), narrow] })).toEqual(granted('one', 'narrow'))
    changed.clear()
    expect(ask({ buckets: [bucket(), narrow] })).toEqual({ wait: 60_000 })
    expect([states.get('one')?.count, changed.size]).toEqual([1, 0])
  })
})

describe('a doubling count', () => {
  const place = bucket({ doubling: true, rule: { count: 5, seconds: 3_600 } })
  const wish = { buckets: [place] }

  test('has free ones, then waits twice as long each time, up to a quarter of an hour', () => {
    const { ask } = counting()
    let now = 0
    for (let free = 0; free < 5; free += 1) expect(ask(wish, now)).toEqual(granted('one'))
    const waits: number[] = []
    while (waits.length < 8) {
      const answer = ask(wish, now)
      if (!('wait' in answer)) throw new Error('granted too early')
      waits.push(answer.wait / 1000)
      now += answer.wait
      expect(ask(wish, now)).toEqual(granted('one'))
    }
    expect(waits).toEqual([15, 30, 60, 120, 240, 480, 900, 900])
  })

  test('allows far fewer than a hundred in any hour', () => {
    const { ask } = counting()
    let done = 0
    for (let now = 0; now < 3_600_000; now += 1_000) if ('counted' in ask(wish, now)) done += 1
    expect(done).toBe(13)
  })

  test('forgets an hour after the last one', () => {
    const { ask } = counting()
    for (let free = 0; free < 5; free += 1) ask(wish)
    expect(ask(wish, 15_000 + 3_600_000)).toEqual(granted('one'))
    expect(ask(wish, 15_000 + 3_600_000)).toEqual(granted('one'))
  })
})

describe('a known place', () => {
  const wish: Wish = {
    known: 'known',
    buckets: [
      bucket({ key: 'place', doubling: true }),
      bucket({ key: 'account', strangersOnly: true, rule: { count: 1, seconds: 60 } }),
    ],
  }

  test('is not held to the limits of strangers, only to its own', () => {
    const { ask, states, changed } = counting()
    expect(ask(wish)).toEqual(granted('place', 'account'))
    expect(ask(wish)).toEqual({ wait: 60_000 })
    giveBack(states, { less: [], forget: [], know: { key: 'known', seconds: 100 } }, 0, changed)
    expect([ask(wish), ask(wish)]).toEqual([granted('place'), granted('place')])
    expect(ask(wish), 'its own').toEqual({ wait: 15_000 })
    expect(states.get('account')?.count).toBe(1)
  })

  test('is forgotten in time', () => {
    const { ask, states, changed } = counting()
    ask(wish)
    giveBack(states, { less: [], forget: [], know: { key: 'known', seconds: 10 } }, 0, changed)
    expect(ask(wish, 10_000)).toEqual({ wait: 50_000 })
  })
})

test('what did not count falls by one, and never below nothing', () => {
  const { ask, states, changed } = counting()
  ask({ buckets: [bucket()] })
  giveBack(states, { less: ['one', 'one', 'unknown'], forget: [] }, 0, changed)
  expect(states.get('one')?.count).toBe(0)
  expect(states.has('unknown')).toBe(false)
})
