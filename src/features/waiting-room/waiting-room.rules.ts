import type { Place, WaitingRoomState } from './waiting-room.contract.ts'

/** Code of the refusal that gives a place in line. */
export const WAITING_ROOM = 'offer.waitingRoom'

/** The line in front of a contest (ADR 0114). Times are seconds by the clock of the database. */
export interface Room {
  /** The last number given. */
  arrived: number
  /** Everybody with a number up to it may enter. */
  frontier: number
  /** Buyers who enter in a second. */
  rate: number
  sinceStep: number
  /** Since a process was last too busy. */
  sinceSlowed: number
}

/** Of the process that moves the line. */
export type Load = 'calm' | 'even' | 'busy'

/** After a rush so many seconds must be calm before more buyers enter than before. */
const CALM_SECONDS = 3
/** Share by which the rate rises in a calm second. */
const RISE = 0.2
/** What a busy second leaves of the rate. */
const SLOWED = 0.8
const [RATE_MIN, RATE_MAX] = [5, 100_000]
/** An outage must not let in everybody who could have entered meanwhile. */
const STEP_MAX_SECONDS = 2

/** A process with so many calls under way is busy above the bound, and calm below half of it. */
export const loadOf = (underWay: number, bound: number): Load =>
  underWay > bound ? 'busy' : underWay * 2 < bound ? 'calm' : 'even'

/** The rate with which a room opens, from the calls that one process let in within a second. */
export const firstRate = (calls: number): number => Math.min(RATE_MAX, Math.max(RATE_MIN, calls))

/** Moves the line on by the time since the last step. Many processes may do so, as often as they like. */
export function stepped(room: Room, load: Load): { frontier: number; rate: number; isSlowed: boolean } {
  const { arrived, frontier, rate: before, sinceSlowed } = room
  const seconds = Math.min(STEP_MAX_SECONDS, Math.max(0, room.sinceStep))
  const isSlowed = load === 'busy' && sinceSlowed >= 1
  const rises = load === 'calm' && sinceSlowed >= CALM_SECONDS && arrived > frontier
  const factor = isSlowed ? SLOWED : rises ? 1 + RISE * Math.min(1, seconds) : 1
  const rate = Math.min(RATE_MAX, Math.max(RATE_MIN, before * factor))
  // Who comes while nobody waits enters at once, but no more than in one second.
  const furthest = Math.max(frontier, arrived + rate)
  return { frontier: Math.min(furthest, frontier + rate * seconds), rate, isSlowed }
}

export const mayEnter = (number: number, { frontier }: Pick<Room, 'frontier'>): boolean => number <= frontier

/** The place of somebody who may not enter yet. */
export function placeOf(number: number, { frontier, rate }: Pick<Room, 'frontier' | 'rate'>): Place {
  const position = Math.max(1, Math.ceil(number - frontier))
  return { number, position, seconds: Math.max(1, Math.ceil(position / rate)) }
}

/** The same in a browser, from the public state; undefined when it is this buyer's turn. */
export function placeNow(number: number, state: WaitingRoomState): Place | undefined {
  if (!state.is_open) return undefined
  const room = { frontier: state.admitted, rate: Math.max(1, state.per_minute) / 60 }
  return mayEnter(number, room) ? undefined : placeOf(number, room)
}

const MILESTONES = [60, 120, 300, 600, 1_800]

/** The times before the turn that are told to people who cannot see the number change. */
export const milestoneOf = ({ seconds }: Pick<Place, 'seconds'>): number =>
  MILESTONES.find((one) => seconds <= one) ?? Infinity

const [LOOK_MIN_SECONDS, LOOK_MAX_SECONDS, LOOKS] = [2, 30, 3]

/** Its multiples lie evenly between whole numbers. */
const GOLDEN = 0.618_033_988_75

/** When a browser looks again: some times until its turn. By their numbers, not all look at once. */
export function lookAgainSeconds({ number, seconds }: Pick<Place, 'number' | 'seconds'>): number {
  const wait = Math.min(LOOK_MAX_SECONDS, Math.max(LOOK_MIN_SECONDS, seconds / LOOKS))
  return wait * (0.8 + 0.4 * ((number * GOLDEN) % 1))
}
