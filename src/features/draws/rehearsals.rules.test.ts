import { expect, test } from 'vitest'
import type { PublicDraw } from './public-draws.contract.ts'
import { ALTERNATE_PLAYS, rehearsalAt } from './rehearsals.rules.ts'

const PLAYS = new Date('2026-11-26T20:00:00.000Z')
const after = (seconds: number): Date => new Date(PLAYS.getTime() + seconds * 1000)
const attempt = (index: number, number: number) => ({
  attempt: index,
  round: 100 + index,
  round_at: '2026-11-20T00:00:00.000Z',
  drawn: { number },
})

/** What the pages show in the end; only what the rules read. */
function end(given: { numbers: number[]; forfeited?: boolean; cancelled?: boolean }): PublicDraw {
  const { numbers, forfeited = false, cancelled = false } = given
  const names = [
    'terms.txt',
    'list.txt',
    ...numbers.map((_, at) => `result-${at}.txt`),
    ...(forfeited ? ['forfeiture-0.txt', 'statement-0.txt'] : []),
  ]
  const draw: unknown = {
    state: cancelled ? 'cancelled' : 'drawn',
    log: { size: 9 },
    attempts: numbers.map((number, at) => attempt(at, number)),
    cancelled: cancelled ? { reason: 'no-entries' } : null,
    beacon: { round: 100 },
    files: names.map((name) => ({ name, hash: '' })),
  }
  return draw as PublicDraw
}

/** Its state, its numbers, the end of its countdown and the files of attempts at a moment. */
function seen(draw: PublicDraw, seconds: number) {
  const { state, attempts, files, cancelled, log } = rehearsalAt(draw, PLAYS, after(seconds))
  const waits = attempts.find(({ drawn }) => drawn === null)?.round_at
  return {
    state,
    numbers: attempts.map(({ drawn }) => drawn?.number ?? '–').join(' '),
    waits: waits === undefined ? null : (Date.parse(waits) - PLAYS.getTime()) / 1000,
    files: files.map(({ name }) => name.replace('.txt', '')).join(' '),
    isOver: log !== null,
    isCancelled: cancelled !== null,
  }
}

const sealed = {
  state: 'sealed',
  numbers: '–',
  waits: 0,
  files: 'terms list',
  isOver: false,
  isCancelled: false,
}

test('before it plays the list is sealed, and then the number is there', () => {
  const draw = end({ numbers: [7] })
  expect(seen(draw, -1)).toEqual(sealed)
  const drawn = { state: 'drawn', numbers: '7', waits: null, isOver: true, isCancelled: false }
  expect(seen(draw, 0)).toEqual({ ...drawn, files: 'terms list result-0' })
})

test('the alternate follows its forfeiture after a countdown', () => {
  const draw = end({ numbers: [7, 9], forfeited: true })
  const { forfeits, draws } = ALTERNATE_PLAYS
  const shown = { state: 'drawn', isOver: false, isCancelled: false, waits: null }
  expect(seen(draw, -1)).toEqual(sealed)
  expect(seen(draw, 0)).toEqual({ ...shown, numbers: '7', files: 'terms list result-0' })
  const forfeited = { numbers: '7 –', waits: draws, files: 'terms list result-0 forfeiture-0 statement-0' }
  expect(seen(draw, forfeits)).toEqual({ ...shown, ...forfeited })
  expect(seen(draw, draws)).toMatchObject({ numbers: '7 9', isOver: true, waits: null })
})

test('without a valid number the contest ends when it plays, or when its only winner forfeits', () => {
  const none = end({ numbers: [], cancelled: true })
  expect(seen(none, -1)).toEqual(sealed)
  expect(seen(none, 0)).toMatchObject({ state: 'cancelled', numbers: '', isCancelled: true })
  const one = end({ numbers: [7], forfeited: true, cancelled: true })
  expect(seen(one, 0)).toMatchObject({ state: 'drawn', numbers: '7', isCancelled: false })
  expect(seen(one, ALTERNATE_PLAYS.forfeits)).toMatchObject({ state: 'cancelled', isCancelled: true })
})
