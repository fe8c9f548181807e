import { expect, test } from 'vitest'
import { FollowedClock } from './followed-clock.ts'

const START = Date.parse('2026-03-01T12:00:00Z')

/** A clock of ours at `own` milliseconds, and theirs, which is always right. */
function clocks() {
  let own = 1_000
  let theirs = START
  const followed = new FollowedClock(() => own)
  return {
    followed,
    pass: (ms: number, rate = 1) => {
      own += ms * rate
      theirs += ms
    },
    /** Such as while a machine sleeps. */
    stand: (ms: number) => (theirs += ms),
    /** Asks; the other clock is read after `there` milliseconds of `there + back`. */
    ask(there: number, back: number, kept = { forMs: 0, keptMs: 0 }): number {
      const askedAt = own
      this.pass(there)
      const shown = theirs - kept.forMs
      this.pass(back)
      return followed.read({ shown, keptMs: kept.keptMs }, askedAt, own)
    },
    error: () => (followed.now() ?? 0) - theirs,
  }
}

test('knows nothing before the first reading', () => {
  expect(new FollowedClock(() => 5).now()).toBeUndefined()
})

test.each([
  [20, 20, 0],
  [0, 300, -150],
  [300, 0, 150],
])('takes %i ms there and %i ms back as equally long', (there, back, error) => {
  const pair = clocks()
  expect(pair.ask(there, back)).toBe(Infinity)
  expect(pair.error()).toBe(error)
})

test('keeps a quick reading before slow ones, however uneven', () => {
  const pair = clocks()
  pair.ask(5, 5)
  for (const [there, back] of [
    [0, 9_000],
    [9_000, 0],
    [400, 10],
  ] as const) {
    pair.pass(1_000)
    expect(pair.ask(there, back)).toBe(0)
  }
  expect(Math.abs(pair.error())).toBeLessThan(1)
})

test.each([0, 400, 1_000])(
  'does not follow a response that a cache has had for %i of up to 1,000 ms, once it knows better',
  (forMs) => {
    const kept = { forMs, keptMs: 1_000 }
    const pair = clocks()
    pair.ask(10, 10, kept)
    expect(Math.abs(pair.error())).toBe(forMs)
    pair.pass(100)
    pair.ask(40, 40)
    expect(pair.error()).toBe(0)
    pair.pass(5_000)
    expect(pair.ask(1, 1, kept)).toBe(0)
    expect(pair.error()).toBe(0)
  },
)

test('replaces a slow reading by a quicker one', () => {
  const pair = clocks()
  pair.ask(0, 4_000)
  expect(Math.abs(pair.error())).toBe(2_000)
  expect(Math.abs(pair.ask(10, 10))).toBe(2_000)
  expect(pair.error()).toBe(0)
})

test.each([3_600_000, 90_000, 5_000])(
  'believes a response that shows that our clock stood still for %i ms',
  (ms) => {
    const pair = clocks()
    pair.ask(5, 5)
    pair.stand(ms)
    expect(pair.error()).toBe(-ms)
    expect(pair.ask(50, 150)).toBe(ms - 50)
    expect(pair.error()).toBe(-50)
  },
)

test('follows a clock that was set back', () => {
  const pair = clocks()
  pair.ask(5, 5)
  pair.stand(-7_200_000)
  pair.ask(5, 5)
  expect(pair.error()).toBe(0)
})

test('stays near a clock that runs at another speed', () => {
  const pair = clocks()
  pair.ask(5, 5)
  for (let round = 0; round < 200; round += 1) {
    pair.pass(20_000, 1.0002)
    pair.ask(30, 50)
    expect(Math.abs(pair.error())).toBeLessThan(200)
  }
})
