/**
 * The one timeline of a draw (docs/draw-v1.md, ADR 0071): what comes when, what is late and what is next. The job that moves
 * draws, the alerts, the console, the API and the public pages read it, so that all of them say the same.
 */
import type { OfferState } from '#features/offers/offer-states.rules.ts'
import type { ClaimState } from './claims.rules.ts'
import type { Delay, DrawFacts, PublicDraw } from './public-draws.contract.ts'

/** The tabs of the console. `undated`: without a draw instant; `cancelled`: contests that have no draw any more. */
export const DRAW_TIMES = ['coming', 'past', 'undated', 'cancelled'] as const
export type DrawTime = (typeof DRAW_TIMES)[number]

/** A row of the database has `Date`, a response ISO 8601 in UTC. */
type Instant = Date | string

/** Of the published terms, in seconds. */
export interface Durations {
  objections: number
  seal_margin: number
  /** How long the signature of a round is waited for. */
  beacon_patience: number
  claim: number
}

/** What is stored of a contest and its draw, named as in the responses of the API. */
export interface TimelineFacts {
  state: OfferState
  published_at: Instant | null
  closes_at: Instant | null
  draw_at: Instant | null
  cancelled: { at: Instant } | null
  provisional: { at: Instant } | null
  sealed?: { at: Instant } | null
  attempts: readonly {
    round_at: Instant
    /** `claim`: null until it is opened. */
    drawn: {
      at: Instant
      claim: { until: Instant; by_letter: boolean; claimed_at: Instant | null } | null
    } | null
  }[]
  /** Tickets whose payment is under way. */
  held: number
}

/** The steps of a draw in their order. A contest without published terms only opens and closes. */
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

/** Instants are Unix milliseconds. */
export interface Step {
  name: StepName
  /** `current`: the next one; `off`: it will not come any more. */
  state: 'done' | 'current' | 'coming' | 'off'
  /** When it was done, as far as that is stored, else `planned`: ISO 8601 in UTC. */
  at: string | null
  /** When the terms say that it comes, `atLatest` or just then; null when that is not fixed. */
  planned: number | null
  atLatest: boolean
}

interface Promised {
  /** From when on the job makes it. */
  due: number | null
  /** The last instant that keeps the promise of the terms, and what is late afterwards. */
  by: number | null
  delay: Delay | null
  /** From when on the contest ends without it: a draw, when the beacon is silent. */
  ends: number | null
}

export interface Timeline {
  steps: readonly (Step & Promised)[]
  /** The step that is waited for. */
  next: (Step & Promised) | undefined
  /** What should have come by an instant, and how many seconds ago. */
  late: { delay: Delay; by: number; seconds: number } | null
}

/**
 * How long after its instant the protocol lets a job make what nothing can prepare (docs/draw-v1.md, section 13,
 * `close-late`); the same for a round, a forfeiture, terms and entries of the log, for which it gives no figure.
 */
export const ALLOWED_SECONDS = 60
const ALLOWED = ALLOWED_SECONDS * 1000

/** List and seal are made so long before they must be, as far as there is time, for a job runs at intervals. */
const LEAD = 60_000

/** Each has what those before it have. */
const REACHED: readonly OfferState[] = ['listed', 'sealed', 'drawn', 'awarded']

const ms = (at: Instant): number => new Date(at).getTime()
const maybe = (at: Instant | null | undefined): number | null => (at ? ms(at) : null)
/** The latest instants of list and seal: the time for objections is over when the list is sealed (section 7). */
export function deadlinesOf(
  drawAt: number,
  { objections, seal_margin }: Pick<Durations, 'objections' | 'seal_margin'>,
) {
  const seal = drawAt - seal_margin * 1000
  return { list: seal - objections * 1000, seal }
}

/**
 * The timeline of a draw at a moment.
 *
 * A step is **late** when the last instant is over at which docs/draw-v1.md has nothing to remark: 60 s after `closes`
 * (section 13, `close-late`); `draw` - `seal-margin` for the seal (`seal-late`), and `objections` before that for the list,
 * or the seal could not keep both of its times (section 7), though never before the closing is late; 60 s after the round
 * for a draw, after the end of the claim for a forfeiture, and after the publication of the contest for its terms.
 *
 * When a worker was down, up to half of the time for objections and of the seal margin may be missing; with less, nobody
 * outside would have seen the list before the round, and the contest ends (ADR 0071).
 * @param terms null before they are published
 * @param now by the clock of the database
 */
export function schedule(terms: Durations | null, facts: TimelineFacts, now: Date): Timeline {
  // Nothing of a cancelled contest goes on.
  const clock = Math.min(now.getTime(), maybe(facts.cancelled?.at) ?? Infinity)
  const steps = stepsAt(terms, facts, clock).map((step) => ({ ...step, ...promiseOf(step, terms, facts) }))
  const next = steps.find(({ state }) => state === 'current')
  const promised = steps.find(({ state, by }) => (state === 'current' || state === 'coming') && by !== null)
  const { by, delay } = promisedTerms(terms, facts, clock) ?? promised ?? { by: null, delay: null }
  // Nothing is late of a draft.
  const late =
    by && delay && clock > by && next?.name !== 'opened' ? { delay, by, seconds: (clock - by) / 1000 } : null
  return { steps, next, late }
}

/** A contest from before the protocol has no terms either; its draw is not of this shop's making. */
function promisedTerms(terms: Durations | null, facts: TimelineFacts, clock: number) {
  const { state, published_at, draw_at } = facts
  const isAwaited = !terms && draw_at && clock <= ms(draw_at) && (state === 'open' || state === 'closed')
  const by = ms(published_at ?? '') + ALLOWED
  return isAwaited && clock > by ? ({ by, delay: 'terms' } as const) : undefined
}

/** What is promised of a step, and when the job makes it. */
function promiseOf({ name, planned }: Step, terms: Durations | null, facts: TimelineFacts): Promised {
  const nothing = { due: null, by: null, delay: null, ends: null }
  const closes = maybe(facts.closes_at) ?? -Infinity
  const { objections = 0, seal_margin = 0, beacon_patience = 0 } = terms ?? {}
  const [hearing, margin] = [objections * 1000, seal_margin * 1000]
  const latest = deadlinesOf(maybe(facts.draw_at) ?? 0, { objections, seal_margin })
  const lead = Math.max(0, Math.min(LEAD, Math.floor((latest.list - closes) / 2000) * 1000))
  if (planned === null) return nothing
  switch (name) {
    case 'closes':
      return { ...nothing, due: planned, by: planned + ALLOWED, delay: 'close' }
    case 'list': {
      const due = facts.held === 0 ? closes : planned - lead
      return {
        due,
        by: Math.max(planned, closes + ALLOWED),
        delay: 'list',
        ends: planned + (hearing + margin) / 2,
      }
    }
    case 'seal': {
      const listed = maybe(facts.provisional?.at)
      const inTime = listed && Math.max(listed + hearing, planned - lead)
      const shortened = listed && Math.max(listed + hearing / 2, planned)
      // The seal has a later time than the list, in whole seconds.
      const due = listed && inTime && shortened && Math.max(listed + 1000, Math.min(inTime, shortened))
      return { due, by: planned, delay: 'seal', ends: planned + margin / 2 }
    }
    case 'draw':
    case 'alternate': {
      const due = facts.attempts.length > 0 ? planned : null
      return { due, by: planned + ALLOWED, delay: 'beacon', ends: planned + beacon_patience * 1000 }
    }
    case 'claim':
      // What is due after it is the forfeiture.
      return {
        ...nothing,
        due: planned,
        by: facts.attempts.at(-1)?.drawn?.claim ? planned + ALLOWED : null,
        delay: 'forfeiture',
      }
    default:
      return nothing
  }
}

/** The steps alone: pages need no more. */
function stepsAt(terms: Durations | null, facts: TimelineFacts, clock: number): Step[] {
  const { state, attempts } = facts
  const [closes, drawAt] = [maybe(facts.closes_at), maybe(facts.draw_at)]
  const isMade = (one: OfferState, at: number | null = null): boolean =>
    at !== null || REACHED.indexOf(state) >= REACHED.indexOf(one)
  const steps: Step[] = []
  let waiting: Step['state'] = state === 'cancelled' ? 'off' : 'current'
  const add = (
    name: StepName,
    isDone: boolean,
    planned: number | null,
    doneAt: number | null = null,
    atLatest = false,
  ) => {
    const at = doneAt ?? planned
    const isoAt = at === null ? null : new Date(at).toISOString()
    steps.push({ name, state: isDone ? 'done' : waiting, at: isoAt, planned, atLatest })
    if (!isDone && waiting === 'current') waiting = 'coming'
  }
  add('opened', state !== 'draft' && state !== 'scheduled', maybe(facts.published_at))
  // Stopped by the organiser, a contest is closed and its end is still to come; a list is made after the end.
  add('closes', isMade('listed') || (state !== 'open' && clock >= (closes ?? Infinity)), closes)
  if (!terms || drawAt === null) return steps
  const [listed, sealed] = [maybe(facts.provisional?.at), maybe(facts.sealed?.at)]
  const latest = deadlinesOf(drawAt, terms)
  const objected = listed && listed + terms.objections * 1000
  const isSealed = isMade('sealed', sealed)
  add('list', isMade('listed', listed), latest.list, listed, true)
  add('objections', isSealed || clock >= (objected ?? Infinity), objected ?? latest.seal, null, !objected)
  add('seal', isSealed, latest.seal, sealed, true)
  if (attempts.length === 0) add('draw', isMade('drawn'), drawAt)
  attempts.forEach(({ round_at, drawn }, index) =>
    add(index ? 'alternate' : 'draw', drawn !== null, ms(round_at), maybe(drawn?.at)),
  )
  const last = attempts.at(-1)?.drawn
  const until = last ? (maybe(last.claim?.until) ?? ms(last.at) + terms.claim * 1000) : null
  const claimed = maybe(last?.claim?.claimed_at)
  add('claim', isMade('awarded', claimed), until, claimed, true)
  add('award', isMade('awarded'), null)
  return steps
}

/** The step of that name; of a draw without terms there may be none. */
export const stepNamed = ({ steps }: Timeline, wanted: StepName | undefined): Timeline['next'] =>
  steps.find(({ name }) => name === wanted)

// The job -------------------------------------------------------------------------------------------------------------

/** `cancel`: the list can no longer be sealed in time. */
export type JobStep = 'close' | 'list' | 'seal' | 'draw' | 'cancel'

interface JobFacts {
  state: OfferState
  /** Whether the log says so. */
  is_log_closed: boolean
  now: Date
}

/** What the job makes of a draw now; null while it waits. */
export function jobStep(timeline: Timeline, { state, is_log_closed, now }: JobFacts): JobStep | null {
  const isOver = (at: number | null | undefined): boolean => typeof at === 'number' && now.getTime() >= at
  const file = state === 'closed' ? 'list' : state === 'listed' ? 'seal' : undefined
  if (!file) return isOver(drawOf(timeline)?.due) ? 'draw' : null
  const step = stepNamed(timeline, file)
  if (isOver(step?.ends)) return 'cancel'
  if (file === 'list' && !is_log_closed) return isOver(stepNamed(timeline, 'closes')?.due) ? 'close' : null
  return isOver(step?.due) ? file : null
}

/** The draw, or the alternate, that waits for its round. */
export const drawOf = ({ next }: Timeline): Timeline['next'] =>
  next?.name === 'draw' || next?.name === 'alternate' ? next : undefined

// The console ---------------------------------------------------------------------------------------------------------

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
type DrawWait = (typeof DRAW_WAITS)[number]

/** What a draw waits for, until when, and whether that is late. @param claim of the last drawn attempt */
export function waitOf(terms: Durations | null, facts: TimelineFacts, now: Date, claim: ClaimState | null) {
  const timeline = schedule(terms, facts, now)
  const wait = waitFor(terms, facts, timeline, claim, now)
  const planned = stepNamed(timeline, wait === 'seal' ? 'seal' : timeline.next?.name)?.planned
  // When an entry became void is not known here.
  const isTimeless =
    ['draft', 'terms', 'letter', 'noDraw'].includes(wait) || (wait === 'forfeiture' && claim === 'forfeited')
  return {
    for: wait,
    until: planned && !isTimeless ? new Date(planned) : null,
    is_late: timeline.late !== null,
  }
}

function waitFor(
  terms: Durations | null,
  { state, draw_at, held, attempts }: TimelineFacts,
  { next }: Timeline,
  claim: ClaimState | null,
  now: Date,
): DrawWait {
  if (state === 'cancelled' || state === 'awarded') return 'nothing'
  if (next?.name === 'opened') return 'draft'
  if (draw_at === null) return 'noDraw'
  if (!terms) return 'terms'
  if (next?.name === 'closes') return 'closing'
  if (next?.name === 'list') return held > 0 ? 'payments' : 'list'
  if (next?.name === 'objections' || next?.name === 'seal') return 'seal'
  if (next?.name === 'draw' || next?.name === 'alternate')
    return now.getTime() < (next.planned ?? Infinity) ? 'round' : 'beacon'
  if (claim === 'submitted') return 'identity'
  if (claim === 'checked') return 'award'
  if (claim === 'expired' || claim === 'forfeited') return 'forfeiture'
  return attempts.at(-1)?.drawn?.claim?.by_letter ? 'letter' : 'claim'
}

// The public ----------------------------------------------------------------------------------------------------------

/** The first thing that is late, or that the list waits for. @param isBehind entries are missing in the log */
export function delayOf(
  timeline: Timeline,
  { state, held }: Pick<TimelineFacts, 'state' | 'held'>,
  isBehind: boolean,
): Delay | null {
  const { late, next } = timeline
  const isBeforeList = state === 'open' || state === 'closed'
  if (isBeforeList && isBehind && late?.delay !== 'terms') return 'entries'
  if (late) return late.delay
  return state === 'closed' && next?.name !== 'closes' && held > 0 ? 'payments' : null
}

/**
 * The steps of a draw that the API has described. A response does not tell its moment: what is over by the clock of the
 * database stands in it, and no clock of a browser is asked.
 */
export function publicSteps(draw: DrawFacts): readonly Step[] {
  const { plan, provisional, cancelled, closes_at, published_at, stopped } = draw
  const isHeard = plan?.objections_over && provisional && !cancelled
  const seen = isHeard
    ? ms(provisional.at) + plan.objections * 1000
    : ms(cancelled?.at ?? (stopped ? published_at : closes_at))
  return stepsAt(plan, { ...draw, held: 0 }, seen)
}

/** Delays of something else than the awaited step. */
const ASIDE: ReadonlySet<DrawFacts['delay']> = new Set([null, 'terms', 'entries', 'payments'])

/**
 * The step that is counted down to: the awaited one, when its instant is known and nothing keeps it from coming in time.
 * The handover of a prize has none.
 */
export function nextStep(draw: DrawFacts) {
  const step = publicSteps(draw).find(({ state }) => state === 'current')
  if (!step?.at || !ASIDE.has(draw.delay)) return undefined
  return step as Step & { at: string; name: Exclude<StepName, 'award'> }
}

/**
 * Who vouches for the times of a draw so far (docs/draw-v1.md, section 13): the witnesses when they had confirmed the terms
 * before the end and the sealed list before the draw, `waiting` while they still can, otherwise stamps of an authority that came
 * in time.
 */
export function voucherOf({
  attested,
  stamped,
  sealed,
  state,
  closes_at,
  draw_at,
}: Pick<PublicDraw, 'attested' | 'stamped' | 'sealed' | 'state' | 'closes_at' | 'draw_at'>):
  | 'shop'
  | 'stamps'
  | 'witnesses'
  | 'waiting' {
  const isIn = (at: string | null, until: string | null): boolean =>
    at !== null && until !== null && Date.parse(at) < Date.parse(until)
  const lacks = (times: PublicDraw['stamped']) =>
    [
      { at: times?.opened ?? null, until: closes_at, canFollow: state === 'open' },
      ...(sealed ? [{ at: times?.sealed ?? null, until: draw_at, canFollow: state === 'sealed' }] : []),
    ].filter(({ at, until }) => !isIn(at, until))
  const open = lacks(attested)
  if (open.length === 0) return 'witnesses'
  if (attested && open.every(({ at, canFollow }) => at === null && canFollow)) return 'waiting'
  return lacks(stamped).length === 0 ? 'stamps' : 'shop'
}
