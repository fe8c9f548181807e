import { describe, expect, test } from 'vitest'
import type { PublicDraw } from './public-draws.contract.ts'
import { beforeNumber, heldUntil, liveOptions, liveSearch } from './live.rules.ts'
import { winnerOf } from './public-draws.rules.ts'

const USUAL = { overlay: false, second: undefined, pace: 1.5, hold: 0, wrong: [] }

describe('the address of the live page', () => {
  test.each([
    ['', {}],
    ['?lang=fr&rehearsal=x', {}],
    ['?overlay=1', { overlay: true }],
    ['?overlay=0', {}],
    ['?overlay=yes', { wrong: ['overlay'] }],
    ['?second=nl', { second: 'nl' }],
    ['?second=fr', { wrong: ['second'] }],
    ['?second=de', { wrong: ['second'] }],
    ['?pace=0.3&hold=120', { pace: 0.3, hold: 120 }],
    ['?pace=10&hold=0', { pace: 10 }],
    ['?pace=0.2&hold=121', { wrong: ['pace', 'hold'] }],
    ['?pace=10.1', { wrong: ['pace'] }],
    ['?pace=&hold=-1', { wrong: ['pace', 'hold'] }],
    ['?pace=1e1&hold=0x10', { wrong: ['pace', 'hold'] }],
  ])('%j of a French page', (search, expected) =>
    expect(liveOptions(search, 'fr')).toEqual({ ...USUAL, ...expected }),
  )
})

test.each([
  ['?lang=fr', { overlay: false, second: undefined, pace: 1.5, hold: 0 }],
  ['?lang=fr&second=nl&pace=0.5&hold=30&overlay=1', { overlay: true, second: 'nl', pace: 0.5, hold: 30 }],
] as const)('%s is built of the look that it asks for', (search, look) => {
  expect(liveSearch('fr', look)).toBe(search)
  expect(liveOptions(search, 'fr')).toEqual({ ...look, wrong: [] })
  expect(liveSearch('fr', look, 'x')).toBe(search.replace('lang=fr', 'lang=fr&rehearsal=x'))
})

const drawn = { at: '2026-06-01T18:00:02.000Z', number: 7 }
const draw = (attempts: number, state: PublicDraw['state'] = 'drawn'): PublicDraw =>
  ({
    state,
    delay: null,
    attempts: Array.from({ length: attempts }, (_, attempt) => ({ attempt, drawn })),
  }) as unknown as PublicDraw

describe('the hold', () => {
  test.each([
    [0, null, null],
    [30, null, '2026-06-01T18:00:32.000Z'],
    [30, '2026-06-01T18:00:00.000Z', '2026-06-01T18:00:32.000Z'],
    [30, '2026-06-01T19:00:00.000Z', '2026-06-01T19:00:30.000Z'],
  ])('of %s s, with the number expected at %s, ends at %s', (hold, awaited, until) =>
    expect(heldUntil(draw(1), hold, awaited)).toBe(until),
  )

  test('of a draw without a number holds nothing', () => {
    expect(heldUntil(beforeNumber(draw(1)), 30, null)).toBeNull()
    expect(heldUntil(draw(0), 30, null)).toBeNull()
  })

  test.each([
    [1, 'sealed'],
    [2, 'drawn'],
  ] as const)('hides the number of attempt %s, and leaves the state %s', (attempts, state) => {
    const held = beforeNumber(draw(attempts))
    expect([winnerOf(held), held.state]).toEqual([undefined, state])
    expect(held.attempts.slice(0, -1).map((one) => one.drawn?.number)).toEqual(Array(attempts - 1).fill(7))
  })
})
