import { describe, expect, test } from 'vitest'
import { type Attempt, type Bucket, type LimitStates, grant, reverse } from './limit-states.ts'

const bucket = (change: Partial<Bucket> = {}): Bucket => ({
  key: 'one',
  rule: { count: 3, seconds: 60 },
  ...change,
})
const HOUR = 3_600_000

function counting(...buckets: Bucket[]) {
  const states: LimitStates = new Map()
  const changed = new Set<string>()
  const ask = (now = 0, attempt: Attempt = { buckets }) => grant(states, attempt, now, changed)
  return { states, changed, ask }
}

const granted = (...counted: string[]) => ({ counted })

describe('a count', () => {
  test('admits so many within its time, and starts anew after it; a refusal does not prolong it', () => {
    const { ask } = counting(bucket())
    expect([0, 10, 20].map((now) => ask(now))).toEqual(Array(3).fill(granted('one')))
    for (let now = 30; now < 60_000; now += 100) expect(ask(now)).toEqual({ wait: 60_000 - now })
    expect(ask(60_000)).toEqual(granted('one'))
  })

  test('of several counts together: all count, or none does', () => {
    const narrow = bucket({ key: 'narrow', rule: { count: 1, seconds: 60 } })
    const { ask, states, changed } = counting(bucket(), narrow)
    expect(ask()).toEqual(granted('one', 'narrow'))
    changed.clear()
    expect(ask()).toEqual({ wait: 60_000 })
    expect([states.get('one')?.count, changed.size]).toEqual([1, 0])
  })

  test('is lowered by one for a reversed attempt, never below zero', () => {
    const { ask, states, changed } = counting(bucket())
    ask()
    reverse(states, { less: ['one', 'one', 'unknown'], forget: [] }, 0, changed)
    expect(states.get('one')?.count).toBe(0)
    expect(states.has('unknown')).toBe(false)
  })
})

describe('a doubling count', () => {
  const doubling = bucket({ doubling: true, rule: { count: 5, seconds: 3_600 } })

  test('has free attempts, then doubles each wait up to a quarter of an hour', () => {
    const { ask } = counting(doubling)
    let now = 0
    for (let free = 0; free < 5; free += 1) expect(ask(now)).toEqual(granted('one'))
    const waits: number[] = []
    while (waits.length < 8) {
      const response = ask(now)
      if (!('wait' in response)) throw new Error('granted too early')
      waits.push(response.wait / 1000)
      now += response.wait
      expect(ask(now)).toEqual(granted('one'))
    }
    expect(waits).toEqual([15, 30, 60, 120, 240, 480, 900, 900])
  })

  test('expires an hour after the last attempt', () => {
    const { ask } = counting(doubling)
    for (let free = 0; free < 5; free += 1) ask()
    for (const _ of [1, 2]) expect(ask(15_000 + HOUR)).toEqual(granted('one'))
  })
})

describe('a trusted network', () => {
  const buckets = [
    bucket({ key: 'place', doubling: true }),
    bucket({ key: 'account', untrustedOnly: true, rule: { count: 1, seconds: 60 } }),
  ]
  const attempt: Attempt = { trusted: 'trusted', buckets }
  const trust = (seconds: number) => ({ less: [], forget: [], trust: { key: 'trusted', seconds } })

  test('is counted under its own limits only', () => {
    const { ask, states, changed } = counting()
    expect(ask(0, attempt)).toEqual(granted('place', 'account'))
    expect(ask(0, attempt)).toEqual({ wait: 60_000 })
    reverse(states, trust(100), 0, changed)
    expect([ask(0, attempt), ask(0, attempt)]).toEqual([granted('place'), granted('place')])
    expect(ask(0, attempt), 'its own').toEqual({ wait: 15_000 })
    expect(states.get('account')?.count).toBe(1)
  })

  test('is trusted for a time only', () => {
    const { ask, states, changed } = counting()
    ask(0, attempt)
    reverse(states, trust(10), 0, changed)
    expect(ask(10_000, attempt)).toEqual({ wait: 50_000 })
  })
})
