import type { OfferState } from '#features/offers/offer-states.rules.ts'
import type { ClaimState } from './claims.rules.ts'

/** Instants of a draw that the console shows, in their order. */
export const DRAW_MOMENTS = [
  'publication',
  'closing',
  'list',
  'seal',
  'draw',
  'award',
  'cancellation',
] as const
export type DrawMoment = (typeof DRAW_MOMENTS)[number]

/** What a draw can wait for. */
export const DRAW_WAITS = [
  'draft',
  'closing',
  'terms',
  'payments',
  'list',
  'seal',
  'round',
  'beacon',
  'letter',
  'claim',
  'identity',
  'award',
  'forfeiture',
  'nothing',
  'noDraw',
] as const
export type DrawWait = (typeof DRAW_WAITS)[number]

export interface WaitingDraw {
  state: OfferState
  now: Date
  closes_at: Date | null
  draw_at: Date | null
  hasTerms: boolean
  /** Tickets whose payment is under way. */
  held: number
  listed_at: Date | null
  objections_seconds: number
  seal_margin_seconds: number
  /** The time of the round that the next attempt waits for. */
  round_at: Date | null
  /** Of the last drawn attempt; null while nobody is drawn. */
  claim: { state: ClaimState; until: Date; letter_waits: boolean } | null
}

/** A job runs each second; only after so long something is late. */
const LATE_MS = 60_000

/** What a draw waits for, until when, and whether that is late. */
export function waitOf(draw: WaitingDraw): { for: DrawWait; until: Date | null; is_late: boolean } {
  const [wait, until] = unjudged(draw)
  // A winner takes the time that there is.
  const isLate = until !== null && wait !== 'claim' && draw.now.getTime() - until.getTime() > LATE_MS
  return { for: wait, until, is_late: isLate }
}

function unjudged(draw: WaitingDraw): [DrawWait, Date | null] {
  const { state, now, draw_at: drawAt } = draw
  if (state === 'cancelled' || state === 'awarded') return ['nothing', null]
  if (state === 'draft' || state === 'scheduled') return ['draft', null]
  if (drawAt === null) return ['noDraw', null]
  switch (state) {
    case 'open':
      return draw.hasTerms ? ['closing', draw.closes_at] : ['terms', null]
    case 'closed':
      if (!draw.hasTerms) return ['terms', null]
      return draw.held > 0
        ? ['payments', later(drawAt, -draw.seal_margin_seconds - draw.objections_seconds)]
        : ['list', draw.closes_at]
    case 'listed': {
      const latest = later(drawAt, -draw.seal_margin_seconds)
      const objected = draw.listed_at && later(draw.listed_at, draw.objections_seconds)
      return ['seal', objected && objected > latest ? objected : latest]
    }
    default:
      if (draw.round_at) return [now < draw.round_at ? 'round' : 'beacon', draw.round_at]
      return waitOfClaim(draw.claim)
  }
}

function waitOfClaim(claim: WaitingDraw['claim']): [DrawWait, Date | null] {
  switch (claim?.state) {
    case 'submitted':
      return ['identity', null]
    case 'checked':
      return ['award', null]
    case 'expired':
      return ['forfeiture', claim.until]
    case 'forfeited':
      return ['forfeiture', null]
    default:
      return claim?.letter_waits ? ['letter', null] : ['claim', claim?.until ?? null]
  }
}

const later = (at: Date, seconds: number): Date => new Date(at.getTime() + seconds * 1000)
