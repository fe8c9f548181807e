import { describe, expect, test } from 'vitest'
import { type Bucket, type LimitStates, type Attempt, reverse, grant } from './limit-states.ts'

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
    ask: (attempt: Attempt, now = 0) => grant(states, attempt, now, changed),
  }
}

const granted = (...counted: string[]) => ({ counted })

describe('a count', () => {
  test('lets so many through within its time, and begins anew after it', () => {
    const { ask } = counting()
    const attempt = { buckets: [bucket()] }
    expect([0, 10, 20].map((now) => ask(attempt, now))).toEqual(Array(3).fill(granted('one')))
    expect(ask(attempt, 30_000)).toEqual({ wait: 30_000 })
    expect(ask(attempt, 59_999)).toEqual({ wait: 1 })
    expect(ask(attempt, 60_000)).toEqual(granted('one'))
  })

  test('is not prolonged by what it refuses', () => {
    const { ask } = counting()
    const attempt = { buckets: [bucket()] }
    for (let now = 0; now < 60_000; now += 100) ask(attempt, now)
    expect(ask(attempt, 60_000)).toEqual(granted('one'))
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
  const attempt = { buckets: [place] }

  test('has free ones, then waits twice as long each time, up to a quarter of an hour', () => {
    const { ask } = counting()
    let now = 0
    for (let free = 0; free < 5; free += 1) expect(ask(attempt, now)).toEqual(granted('one'))
    const waits: number[] = []
    while (waits.length < 8) {
      const answer = ask(attempt, now)
      if (!('wait' in answer)) throw new Error('granted too early')
      waits.push(answer.wait / 1000)
      now += answer.wait
      expect(ask(attempt, now)).toEqual(granted('one'))
    }
    expect(waits).toEqual([15, 30, 60, 120, 240, 480, 900, 900])
  })

  test('allows far fewer than a hundred in any hour', () => {
    const { ask } = counting()
    let done = 0
    for (let now = 0; now < 3_600_000; now += 1_000) if ('counted' in ask(attempt, now)) done += 1
    expect(done).toBe(13)
  })

  test('forgets an hour after the last one', () => {
    const { ask } = counting()
    for (let free = 0; free < 5; free += 1) ask(attempt)
    expect(ask(attempt, 15_000 + 3_600_000)).toEqual(granted('one'))
    expect(ask(attempt, 15_000 + 3_600_000)).toEqual(granted('one'))
  })
})

describe('a trusted network', () => {
  const attempt: Attempt = {
    trusted: 'trusted',
    buckets: [
      bucket({ key: 'place', doubling: true }),
      bucket({ key: 'account', untrustedOnly: true, rule: { count: 1, seconds: 60 } }),
    ],
  }

  test('is not counted under the limits of untrusted networks, only under its own', () => {
    const { ask, states, changed } = counting()
    expect(ask(attempt)).toEqual(granted('place', 'account'))
    expect(ask(attempt)).toEqual({ wait: 60_000 })
    reverse(states, { less: [], forget: [], trust: { key: 'trusted', seconds: 100 } }, 0, changed)
    expect([ask(attempt), ask(attempt)]).toEqual([granted('place'), granted('place')])
    expect(ask(attempt), 'its own').toEqual({ wait: 15_000 })
    expect(states.get('account')?.count).toBe(1)
  })

  test('is trusted for a time only', () => {
    const { ask, states, changed } = counting()
    ask(attempt)
    reverse(states, { less: [], forget: [], trust: { key: 'trusted', seconds: 10 } }, 0, changed)
    expect(ask(attempt, 10_000)).toEqual({ wait: 50_000 })
  })
})

test('a reversed attempt lowers its counts by one, and never below zero', () => {
  const { ask, states, changed } = counting()
  ask({ buckets: [bucket()] })
  reverse(states, { less: ['one', 'one', 'unknown'], forget: [] }, 0, changed)
  expect(states.get('one')?.count).toBe(0)
  expect(states.has('unknown')).toBe(false)
})
