import { expect, test } from 'vitest'
import {
  type ClaimFacts,
  FORFEIT_REASONS,
  type ForfeitSituation,
  automaticForfeit,
  claimState,
} from './claims.rules.ts'
import { type WaitingDraw, waitOf } from './draw-waits.rules.ts'
import { FORFEIT_REASONS as OF_PROTOCOL } from './protocol/formats.ts'

test('the reasons of forfeitures are those of the protocol', () => {
  expect(FORFEIT_REASONS).toEqual(OF_PROTOCOL)
})

const AT = new Date('2026-11-24T12:00:00Z')
const NOTHING: ClaimFacts = {
  submitted_at: null,
  identity_seen_at: null,
  awarded_at: null,
  forfeited_at: null,
  reason: null,
  is_over: false,
}

test.each<[string, Partial<ClaimFacts>]>([
  ['open', {}],
  ['expired', { is_over: true }],
  ['submitted', { submitted_at: AT }],
  // A claim that was submitted in time does not expire.
  ['submitted', { submitted_at: AT, is_over: true }],
  ['checked', { submitted_at: AT, identity_seen_at: AT, is_over: true }],
  ['awarded', { submitted_at: AT, identity_seen_at: AT, awarded_at: AT, is_over: true }],
  ['expired', { forfeited_at: AT, reason: 'unclaimed', is_over: true }],
  ['forfeited', { submitted_at: AT, forfeited_at: AT, reason: 'under-age' }],
])('a claim is %s with %o', (state, facts) => {
  expect(claimState({ ...NOTHING, ...facts })).toBe(state)
})

const SITUATION: ForfeitSituation = { isSubmitted: false, isOver: false, voided: null, decided: 0, most: 3 }
const [FREE, DECIDED] = [{ isDecided: false }, { isDecided: true }]

test.each<[string | null, Partial<ForfeitSituation>]>([
  [null, {}],
  [null, { isSubmitted: true, isOver: true }],
  ['unclaimed', { isOver: true }],
  ['voided', { voided: FREE }],
  ['voided', { voided: FREE, decided: 3 }],
  ['voided', { voided: DECIDED, isSubmitted: true }],
  ['voided', { voided: DECIDED, decided: 2 }],
  // Beyond the limit a void entry is as good as one that nobody claims.
  [null, { voided: DECIDED, decided: 3 }],
  ['unclaimed', { voided: DECIDED, decided: 3, isOver: true }],
  ['unclaimed', { voided: DECIDED, decided: 3, isOver: true, isSubmitted: true }],
])('a prize forfeits by itself as %s with %o', (reason, change) => {
  const { voided } = { ...SITUATION, ...change }
  const due = automaticForfeit({ ...SITUATION, ...change })
  const isDecided = reason === 'voided' && voided?.isDecided === true
  expect(due).toEqual(reason === null ? null : { reason, isDecided })
})

const DRAW_AT = new Date(AT.getTime() + 86_400_000)
const later = (seconds: number): Date => new Date(AT.getTime() + seconds * 1000)
const DRAW: WaitingDraw = {
  state: 'closed',
  now: AT,
  closes_at: later(-30),
  draw_at: DRAW_AT,
  hasTerms: true,
  held: 0,
  listed_at: null,
  objections_seconds: 3_600,
  seal_margin_seconds: 7_200,
  round_at: null,
  claim: null,
}
const claim = (state: NonNullable<WaitingDraw['claim']>['state'], seconds: number, letterWaits = false) => ({
  state: 'drawn' as const,
  claim: { state, until: later(seconds), letter_waits: letterWaits },
})

test.each<[wait: string, until: number | null, isLate: boolean, Partial<WaitingDraw>]>([
  ['draft', null, false, { state: 'scheduled' }],
  ['noDraw', null, false, { state: 'open', draw_at: null }],
  ['terms', null, false, { state: 'open', hasTerms: false }],
  ['closing', 60, false, { state: 'open', closes_at: later(60) }],
  ['list', -30, false, {}],
  ['list', -90, true, { closes_at: later(-90) }],
  ['payments', 86_400 - 7_200 - 3_600, false, { held: 2 }],
  ['seal', 86_400 - 7_200, false, { state: 'listed', listed_at: later(-10) }],
  ['seal', 82_800, false, { state: 'listed', listed_at: later(79_200) }],
  ['round', 30, false, { state: 'sealed', round_at: later(30) }],
  ['beacon', -30, false, { state: 'sealed', round_at: later(-30) }],
  ['beacon', -300, true, { state: 'sealed', round_at: later(-300) }],
  ['claim', null, false, { state: 'drawn' }],
  ['claim', 500, false, claim('open', 500)],
  ['letter', null, false, claim('open', 500, true)],
  ['identity', null, false, claim('submitted', -500)],
  ['award', null, false, claim('checked', -500)],
  ['forfeiture', -500, true, claim('expired', -500)],
  ['forfeiture', null, false, claim('forfeited', 500)],
  ['round', 900, false, { ...claim('expired', -500), round_at: later(900) }],
  ['nothing', null, false, { state: 'awarded' }],
  ['nothing', null, false, { state: 'cancelled' }],
])('a draw waits for %s until %s (late: %s)', (wait, until, isLate, change) => {
  expect(waitOf({ ...DRAW, ...change })).toEqual({
    for: wait,
    until: until === null ? null : later(until),
    is_late: isLate,
  })
})
