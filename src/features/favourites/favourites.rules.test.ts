import { expect, test } from 'vitest'
import { remindersPossible } from './favourites.rules.ts'

const NOW = Date.parse('2026-12-01T12:00:00Z')
const HOUR = 3_600_000
const contest = (
  endHours: number,
  drawHours: number | null,
  stopped_as: 'cancelled' | 'stopped' | null = null,
) => ({
  end_date: new Date(NOW + endHours * HOUR).toISOString(),
  draw_at: drawHours === null ? null : new Date(NOW + drawHours * HOUR).toISOString(),
  stopped_as,
})

test.each([
  ['a contest that runs for days', contest(25, 48), ['closing', 'draw', 'result']],
  ['a contest that closes in exactly a day', contest(24, 48), ['draw', 'result']],
  ['a contest that is drawn in exactly an hour', contest(-1, 1), ['result']],
  ['a contest that is being drawn', contest(-1, 0), []],
  ['a contest without a draw instant', contest(25, null), ['closing']],
  ['a cancelled contest', contest(25, 48, 'cancelled'), []],
  ['a stopped contest, which may sell again', contest(25, 48, 'stopped'), ['closing', 'draw', 'result']],
])('of %s one can still ask for what is to come', (_, offer, possible) => {
  expect(remindersPossible(offer, NOW)).toEqual(possible)
})
