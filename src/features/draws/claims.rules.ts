/**
 * `open`: to be submitted; `submitted`: can still be changed; `checked`: a proof of identity was seen; `awarded`: the
 * winner has the prize; `expired`: not submitted in time; `forfeited`: for another reason.
 */
export const CLAIM_STATES = ['open', 'submitted', 'checked', 'awarded', 'expired', 'forfeited'] as const
export type ClaimState = (typeof CLAIM_STATES)[number]

/** Reasons of a forfeiture that two people of staff decide (docs/draw-v1.md, section 10). */
export const DECIDED_REASONS = ['under-age', 'excluded', 'staff', 'postal-rule'] as const
export type DecidedReason = (typeof DECIDED_REASONS)[number]

/**
 * Those, and `unclaimed` of a winner who claimed and showed no proof of identity in time. It counts as decided, so that
 * nobody rejects winners without end by not looking at their proofs (ADR 0071).
 */
export const STAFF_REASONS = [...DECIDED_REASONS, 'unclaimed'] as const
export type StaffReason = (typeof STAFF_REASONS)[number]

/** Every reason of a forfeiture, as in the protocol. */
export const FORFEIT_REASONS = ['unclaimed', 'voided', ...DECIDED_REASONS] as const
export type ForfeitReason = (typeof FORFEIT_REASONS)[number]

export interface ClaimFacts {
  submitted_at: Date | null
  identity_seen_at: Date | null
  awarded_at: Date | null
  forfeited_at: Date | null
  reason: ForfeitReason | null
  /** By the clock of the database. */
  is_over: boolean
}

export function claimState(claim: ClaimFacts): ClaimState {
  if (claim.awarded_at) return 'awarded'
  if (claim.forfeited_at) return claim.reason === 'unclaimed' ? 'expired' : 'forfeited'
  if (claim.identity_seen_at) return 'checked'
  if (claim.submitted_at) return 'submitted'
  return claim.is_over ? 'expired' : 'open'
}

/** A drawn attempt, as the forfeiture that comes by itself sees it. */
export interface ForfeitSituation {
  isSubmitted: boolean
  /** The claim time has passed. */
  isOver: boolean
  /** Null: the entry is valid. `isDecided`: the void counts as decided by the shop. */
  voided: { isDecided: boolean } | null
  /** Forfeitures of this draw that the shop has decided, and may decide. */
  decided: number
  most: number
}

/**
 * Which reason ends a claim without staff; null while it goes on. A void that counts as decided, beyond the limit of the
 * terms, leaves the prize unclaimed, because a void entry cannot be claimed; one that was claimed before has no end that the
 * protocol allows.
 */
export function automaticForfeit({ isSubmitted, isOver, voided, decided, most }: ForfeitSituation): {
  reason: 'unclaimed' | 'voided'
  isDecided: boolean
} | null {
  if (voided && (!voided.isDecided || decided < most))
    return { reason: 'voided', isDecided: voided.isDecided }
  return isOver && !isSubmitted ? { reason: 'unclaimed', isDecided: false } : null
}
