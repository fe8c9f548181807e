import { expect, test } from 'vitest'
import { drawInstant, durationParts, nextStep, stepsOf, winnerOf } from './draw-steps.rules.ts'
import type { DrawFacts } from './public-draws.contract.ts'

const at = (hour: number): string =>
  `2026-12-0${1 + Math.floor(hour / 24)}T${String(hour % 24).padStart(2, '0')}:00:00.000Z`
const list = { hash: 'a', root: null, paid: 1, postal: 0, demo: 0, valid: 1, log_size: 2 }
const attempt = (number: number, round_at: string, drawnAt?: string): DrawFacts['attempts'][number] => ({
  attempt: number,
  round: 1,
  round_at,
  forfeited: null,
  drawn:
    drawnAt === undefined
      ? null
      : {
          at: drawnAt,
          relay: 'r',
          randomness: 'b',
          remaining: 1,
          tries: 1,
          value: 'c',
          index: 0,
          number: 7 + number,
          winner: null,
          claim: null,
        },
})

const open: DrawFacts = {
  state: 'open',
  published_at: at(0),
  closes_at: at(1),
  stopped: false,
  draw_at: at(10),
  terms: { hash: 'd' },
  plan: {
    list_by: at(4),
    seal_at: at(6),
    objections_over: false,
    objections: 7_200,
    seal_margin: 14_400,
    beacon_patience: 60,
    claim: 3_600,
  },
  log: null,
  provisional: null,
  sealed: null,
  attempts: [attempt(0, at(10))],
  cancelled: null,
  delay: null,
}
const listed: DrawFacts = { ...open, state: 'listed', provisional: { ...list, at: at(2) } }
const undisputed: DrawFacts = { ...listed, plan: { ...open.plan!, objections_over: true } }
const sealed: DrawFacts = { ...listed, state: 'sealed', sealed: { ...list, root: 'e', at: at(5) } }
const drawn: DrawFacts = { ...sealed, state: 'drawn', attempts: [attempt(0, at(10), at(11))] }
const alternate: DrawFacts = { ...drawn, attempts: [attempt(0, at(10), at(11)), attempt(1, at(30))] }

test.each([
  ['open', open, 'closes', at(1)],
  ['closed', { ...open, state: 'closed' }, 'list', at(4)],
  ['closed by the organiser before its end', { ...open, state: 'closed', stopped: true }, 'closes', at(1)],
  ['listed', listed, 'objections', at(4)],
  ['listed, when the time for objections is over', undisputed, 'seal', at(6)],
  ['sealed', sealed, 'draw', at(10)],
  ['drawn', drawn, 'claim', at(12)],
  ['drawn, with an alternate to come', alternate, 'alternate', at(30)],
] as const)('the next step of a draw that is %s', (_, draw, name, instant) => {
  expect(nextStep(draw)).toMatchObject({ name, at: instant, state: 'current' })
  const states = stepsOf(draw).map(({ state }) => state)
  // What was done, the next step, what follows.
  expect(states.join(' ')).toMatch(/^(done )+current( coming)*$/)
})

test('a prize is claimed by the instant of its claim, and then handed over at an instant that nobody knows', () => {
  const [first] = drawn.attempts
  const withClaim = (claimed_at: string | null): DrawFacts => ({
    ...drawn,
    attempts: [
      { ...first!, drawn: { ...first!.drawn!, claim: { until: at(13), by_letter: false, claimed_at } } },
    ],
  })
  expect(nextStep(withClaim(null))).toMatchObject({ name: 'claim', at: at(13) })
  const claimed = withClaim(at(12))
  expect(nextStep(claimed)).toBeUndefined()
  expect(stepsOf(claimed).slice(-2)).toMatchObject([
    { name: 'claim', at: at(12), state: 'done' },
    { name: 'award', at: null, state: 'current' },
  ])
})

test.each([
  ['close', open],
  ['list', { ...open, state: 'closed' as const }],
  ['seal', listed],
  ['beacon', sealed],
  ['forfeiture', drawn],
] as const)('nothing is counted down to an instant that is over: %s', (delay, draw) => {
  expect(nextStep(draw)).toBeDefined()
  expect(nextStep({ ...draw, delay })).toBeUndefined()
  expect(nextStep({ ...draw, delay: 'entries' })).toBeDefined()
})

test('planned lists have their latest instants, published ones their own', () => {
  const step = (draw: DrawFacts, wanted: string) => stepsOf(draw).find(({ name }) => name === wanted)
  expect(step(open, 'list')).toMatchObject({ at: at(4), atLatest: true })
  expect(step(listed, 'list')).toMatchObject({ at: at(2), atLatest: false, state: 'done' })
  // Two hours after the list was published, not after it had to be.
  expect(step(listed, 'objections')).toMatchObject({ at: at(4), atLatest: false })
  expect(step(sealed, 'seal')).toMatchObject({ at: at(5), state: 'done' })
})

test('nothing follows in a cancelled contest, and an awarded prize is the last step', () => {
  const cancelled = (hour: number) => ({
    ...listed,
    state: 'cancelled' as const,
    cancelled: { reason: 'shop' as const, at: at(hour), words: '' },
  })
  expect(stepsOf(cancelled(3)).map(({ name, state }) => `${name} ${state}`)).toEqual([
    'opened done',
    'closes done',
    'list done',
    'objections off',
    'seal off',
    'draw off',
    'claim off',
    'award off',
  ])
  expect(stepsOf(cancelled(0))[1]).toMatchObject({ name: 'closes', state: 'off' })
  expect(nextStep(cancelled(3))).toBeUndefined()
  expect(nextStep({ ...drawn, state: 'awarded' })).toBeUndefined()
})

test('a contest without published terms has no steps of a draw', () => {
  const plain = { ...open, terms: null, plan: null, attempts: [] }
  for (const draw_at of [null, at(10)])
    expect(stepsOf({ ...plain, draw_at }).map(({ name }) => name)).toEqual(['opened', 'closes'])
})

test('the winner is that of the last attempt, and nobody while an alternate is waited for', () => {
  expect([open, sealed, drawn, alternate].map(winnerOf)).toEqual([undefined, undefined, 7, undefined])
  expect(winnerOf({ ...alternate, attempts: [attempt(0, at(10), at(11)), attempt(1, at(30), at(31))] })).toBe(
    8,
  )
  expect(winnerOf({ ...drawn, state: 'cancelled' })).toBeUndefined()
  expect(drawInstant({ ...open, attempts: [] })).toBe(at(10))
})

test.each([
  [0, [0, 0, 0, 0]],
  [59, [0, 0, 0, 59]],
  [3_600, [0, 1, 0, 0]],
  [90_061, [1, 1, 1, 1]],
  [604_800, [7, 0, 0, 0]],
])('%i seconds as days, hours, minutes and seconds', (seconds, [days, hours, minutes, rest]) => {
  expect(durationParts(seconds)).toEqual({ days, hours, minutes, seconds: rest })
})
