import { expect, test } from 'vitest'
import { needOf } from './needs.rules.ts'

const now = new Date('2026-11-23T12:00:00Z')
const inDays = (days: number): Date => new Date(now.getTime() + days * 86_400_000)

test.each<
  [
    name: string,
    wait: string,
    drawIn: number,
    untilIn: number | null,
    isLate: boolean,
    need: string | undefined,
    atIn?: number | null,
  ]
>([
  ['a draw of this week', 'closing', 6, 5, false, 'draw', 6],
  ['a draw that is sealed', 'round', 0.1, 0.1, false, 'draw', 0.1],
  ['a draw of another week', 'closing', 8, 7, false, undefined],
  ['a draw without terms', 'terms', 30, null, false, 'terms', 30],
  ['a draw whose terms are late', 'terms', 30, null, true, 'terms', 30],
  ['payments that keep the list waiting', 'payments', 1, -0.5, true, 'late', -0.5],
  ['a seal that is late', 'seal', 1, -0.5, true, 'late', -0.5],
  ['a silent beacon', 'beacon', -1, -1, true, 'late', -1],
  ['a letter to a winner', 'letter', -1, null, false, 'letter', null],
  ['a claim to check', 'identity', -1, null, false, 'identity', null],
  ['a prize to hand over', 'award', -1, null, false, 'award', null],
  ['a prize whose time runs out', 'claim', -10, 2, false, 'claim', 2],
  ['a prize with time left', 'claim', -1, 12, false, undefined],
  ['an alternate that is awaited', 'round', -1, 1, false, undefined],
])('%s asks for what it needs', (_name, wait, drawIn, untilIn, isLate, need, atIn) => {
  const until = untilIn === null ? null : inDays(untilIn)
  const found = needOf({ now, draw_at: inDays(drawIn), waits: { for: wait, until, is_late: isLate } })
  expect(found).toEqual(
    need === undefined ? undefined : { need, at: atIn === null || atIn === undefined ? null : inDays(atIn) },
  )
})
