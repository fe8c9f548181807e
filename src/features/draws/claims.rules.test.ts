import { expect, test } from 'vitest'
import {
  type ClaimFacts,
  FORFEIT_REASONS,
  type ForfeitSituation,
  automaticForfeit,
  claimState,
} from './claims.rules.ts'
import { FORFEIT_REASONS as OF_PROTOCOL } from '#draw-protocol/formats.ts'

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
  // Such an end of a claim counts as decided, too (docs/draw-v1.md, section 10).
  [null, { voided: DECIDED, decided: 3, isOver: true, isSubmitted: true }],
])('a prize forfeits by itself as %s with %o', (reason, change) => {
  const { voided } = { ...SITUATION, ...change }
  const due = automaticForfeit({ ...SITUATION, ...change })
  const isDecided = reason === 'voided' && voided?.isDecided === true
  expect(due).toEqual(reason === null ? null : { reason, isDecided })
})
