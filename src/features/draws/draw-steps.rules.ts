import type { DrawFacts, PublicDraw } from './public-draws.contract.ts'

/** The steps of a draw in their order (docs/draw-v1.md). */
export type StepName =
  | 'opened'
  | 'closes'
  | 'list'
  | 'objections'
  | 'seal'
  | 'draw'
  | 'alternate'
  | 'claim'
  | 'award'

export interface Step {
  name: StepName
  /** ISO 8601 in UTC; null when it is not fixed. */
  at: string | null
  /** `current`: the next one; `off`: it will not come any more. */
  state: 'done' | 'current' | 'coming' | 'off'
  /** Whether `at` is the latest instant. */
  atLatest: boolean
}

const later = (at: string, seconds: number): string => new Date(Date.parse(at) + seconds * 1000).toISOString()

/** The last attempt: the draw itself, or the alternate that took its place. */
export const lastAttempt = ({
  attempts,
}: Pick<DrawFacts, 'attempts'>): DrawFacts['attempts'][number] | undefined => attempts.at(-1)

/** The number that has won; undefined while a draw or an alternate is waited for, and of a cancelled contest. */
export const winnerOf = (draw: Pick<DrawFacts, 'attempts' | 'state'>): number | undefined =>
  draw.state === 'cancelled' ? undefined : lastAttempt(draw)?.drawn?.number

/** The instant of the draw: that of its round, once it is fixed. */
export const drawInstant = ({ attempts, draw_at }: Pick<DrawFacts, 'attempts' | 'draw_at'>): string | null =>
  attempts[0]?.round_at ?? draw_at

/** What was done and what is to come. A contest without published terms only opens and closes. */
export function stepsOf(draw: DrawFacts): Step[] {
  const { state, plan, provisional, sealed, attempts } = draw
  const isClosed = draw.cancelled ? draw.cancelled.at > draw.closes_at : state !== 'open' && !draw.stopped
  const objections = provisional && plan && later(provisional.at, plan.objections)
  const last = lastAttempt(draw)
  const all: { name: StepName; at: string | null; done: boolean; atLatest?: boolean }[] = [
    { name: 'opened', at: draw.published_at, done: true },
    { name: 'closes', at: draw.closes_at, done: isClosed },
  ]
  if (plan) {
    all.push(
      {
        name: 'list',
        at: provisional?.at ?? plan.list_by,
        done: provisional !== null,
        atLatest: !provisional,
      },
      {
        name: 'objections',
        at: objections ?? plan.seal_at,
        done: plan.objections_over || sealed !== null,
        atLatest: !objections,
      },
      { name: 'seal', at: sealed?.at ?? plan.seal_at, done: sealed !== null, atLatest: !sealed },
      {
        name: 'draw',
        at: attempts[0]?.drawn?.at ?? drawInstant(draw),
        done: Boolean(attempts[0]?.drawn),
      },
    )
  }
  for (const { drawn, round_at } of attempts.slice(1))
    all.push({ name: 'alternate', at: drawn?.at ?? round_at, done: drawn !== null })
  if (plan) {
    const claim = last?.drawn?.claim
    const until = claim?.until ?? (last?.drawn ? later(last.drawn.at, plan.claim) : null)
    const isClaimed = state === 'awarded' || Boolean(claim?.claimed_at)
    all.push(
      { name: 'claim', at: claim?.claimed_at ?? until, done: isClaimed, atLatest: true },
      { name: 'award', at: null, done: state === 'awarded' },
    )
  }
  const next = all.findIndex(({ done }) => !done)
  return all.map(({ name, at, done, atLatest = false }, index) => ({
    name,
    at,
    atLatest,
    state: done ? 'done' : state === 'cancelled' ? 'off' : index === next ? 'current' : 'coming',
  }))
}

/** Delays of the step itself: its instant is over. */
const OVERDUE: ReadonlySet<DrawFacts['delay']> = new Set(['close', 'list', 'seal', 'beacon', 'forfeiture'])

/**
 * The step that is waited for, when its instant is known and nothing keeps it from coming in time. The handover of a prize
 * has none.
 */
export function nextStep(
  draw: DrawFacts,
): (Step & { at: string; name: Exclude<StepName, 'award'> }) | undefined {
  const step = stepsOf(draw).find(({ state }) => state === 'current')
  if (!step || step.at === null || step.name === 'award' || OVERDUE.has(draw.delay)) return undefined
  return { ...step, at: step.at, name: step.name }
}

/** What the addresses of a rehearsal have behind those of the draw. */
export const rehearsalQuery = (id: string | null): string => (id ? `?rehearsal=${id}` : '')

/** Where the files of a draw or of a rehearsal are. */
export const filesOf = ({ contest, rehearsal }: Pick<PublicDraw, 'contest' | 'rehearsal'>): string =>
  `/${rehearsal ? `rehearsals/${rehearsal}` : `draws/${contest.slug}`}/`

/** The greatest whole unit first: 90061 s are 1 day, 1 hour, 1 minute, 1 second. */
export function durationParts(seconds: number): {
  days: number
  hours: number
  minutes: number
  seconds: number
} {
  return {
    days: Math.floor(seconds / 86_400),
    hours: Math.floor(seconds / 3_600) % 24,
    minutes: Math.floor(seconds / 60) % 60,
    seconds: seconds % 60,
  }
}
