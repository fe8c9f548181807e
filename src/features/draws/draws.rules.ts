import type { OfferState } from '#features/offers/offer-states.rules.ts'

/** `undated`: without a draw instant; `cancelled`: contests that have no draw any more. */
export const DRAW_TIMES = ['coming', 'past', 'undated', 'cancelled'] as const
export type DrawTime = (typeof DRAW_TIMES)[number]

/** Where a contest with published terms stands. Times are Unix seconds, durations seconds. */
export interface DrawSituation {
  state: OfferState
  now: number
  closes: number
  draw: number
  objections: number
  sealMargin: number
  /** Whether the log says that it is closed. */
  isClosed: boolean
  /** Tickets whose payment is under way. */
  held: number
  /** The time of the provisional list's leaf. */
  listedAt: number | null
  /** When the round comes that decides the next attempt. */
  roundAt: number | null
}

/** `cancel`: the list can no longer be sealed in time. */
export type DrawStep = 'close' | 'list' | 'seal' | 'draw' | 'cancel'

const LEAD_SECONDS = 60

/** List and seal are made so long before they must be, as far as there is time, for a job runs at intervals. */
const leadOf = ({ closes, draw, objections, sealMargin }: DrawSituation): number =>
  Math.max(0, Math.min(LEAD_SECONDS, Math.floor((draw - closes - objections - sealMargin) / 2)))

/**
 * The latest instants of list and seal. When a worker was down, up to half of the time for objections and of the seal
 * margin may be missing; with less, nobody outside would have seen the list before the round (ADR 0071).
 */
function lastChances({ draw, objections, sealMargin }: DrawSituation): { list: number; seal: number } {
  const seal = draw - sealMargin / 2
  return { list: seal - objections / 2, seal }
}

/** What is due in a draw now; null while it waits. */
export function nextStep(draw: DrawSituation): DrawStep | null {
  const { state, now, roundAt } = draw
  switch (state) {
    case 'closed':
      return now >= lastChances(draw).list ? 'cancel' : stepOfClosed(draw)
    case 'listed':
      return now >= lastChances(draw).seal ? 'cancel' : stepOfListed(draw)
    case 'sealed':
    case 'drawn':
      return roundAt !== null && now >= roundAt ? 'draw' : null
    default:
      return null
  }
}

function stepOfClosed(draw: DrawSituation): DrawStep | null {
  const { now } = draw
  if (!draw.isClosed) return now >= draw.closes ? 'close' : null
  const latest = draw.draw - draw.sealMargin - draw.objections - leadOf(draw)
  return draw.held === 0 || now >= latest ? 'list' : null
}

function stepOfListed(draw: DrawSituation): DrawStep | null {
  const { now, listedAt, objections } = draw
  // The seal has a later time than the list, in whole seconds.
  if (listedAt === null || Math.floor(now) <= listedAt) return null
  const latest = draw.draw - draw.sealMargin
  const isDue = now >= Math.max(listedAt + objections, latest - leadOf(draw))
  return isDue || now >= Math.max(listedAt + objections / 2, latest) ? 'seal' : null
}
