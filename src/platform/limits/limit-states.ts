/** So many within a time that begins with the first of them. */
export interface LimitRule {
  count: number
  seconds: number
}

/** What is known of one key. Times are milliseconds on the axis of the `now` they are compared with. */
export interface LimitState {
  count: number
  /** From then on the state means nothing. */
  until: number
  /** Refused until then; 0 for never. */
  blocked: number
}

/** One count that a wish has to fit into. */
export interface Bucket {
  key: string
  rule: LimitRule
  /** What comes after `rule.count` is not refused for the rest of the time, but has to wait, longer each time. */
  doubling?: boolean
  /** Does not hold for a wish from a known place. */
  strangersOnly?: boolean
}

/** Something that somebody wants to do. */
export interface Wish {
  buckets: readonly Bucket[]
  /** Key that stands for a known place while it lasts. */
  known?: string
}

/** What became of something that was counted: it does not count after all. */
export interface Return {
  /** Keys whose count falls by one. */
  less: readonly string[]
  /** Keys that are forgotten. */
  forget: readonly string[]
  /** Key of a place that is known from now on, for so many seconds. */
  know?: { key: string; seconds: number }
}

export type LimitStates = Map<string, LimitState>

/** Milliseconds after which trying again makes sense, or the keys under which a granted wish was counted. */
export type Granted = { wait: number } | { counted: readonly string[] }

/** First pause of a doubling bucket, and its longest (reliability, "Login"). */
const FIRST_PAUSE_MS = 15_000
const LONGEST_PAUSE_MS = 900_000

/**
 * Counts a wish in all its buckets, or in none of them.
 * @param states what is known; what changes is changed in it
 * @param changed gathers the keys of what has changed
 */
export function grant(
  states: LimitStates,
  { buckets, known }: Wish,
  now: number,
  changed: Set<string>,
): Granted {
  const isKnown = known !== undefined && (states.get(known)?.until ?? 0) > now
  const asked = buckets.filter((bucket) => !(isKnown && bucket.strangersOnly))
  const wait = Math.max(0, ...asked.map((bucket) => waitOf(states.get(bucket.key), bucket, now)))
  if (wait > 0) return { wait }
  for (const bucket of asked) {
    states.set(bucket.key, raised(states.get(bucket.key), bucket, now))
    changed.add(bucket.key)
  }
  return { counted: asked.map((bucket) => bucket.key) }
}

/** Takes back what was counted. */
export function giveBack(states: LimitStates, back: Return, now: number, changed: Set<string>): void {
  for (const key of back.less) {
    const state = states.get(key)
    if (!state) continue
    states.set(key, { ...state, count: Math.max(0, state.count - 1) })
    changed.add(key)
  }
  for (const key of back.forget) {
    states.delete(key)
    changed.add(key)
  }
  if (back.know) {
    states.set(back.know.key, { count: 1, until: now + back.know.seconds * 1000, blocked: 0 })
    changed.add(back.know.key)
  }
}

/** Milliseconds that a bucket keeps its next wish waiting; 0 for none. */
export function waitOf(
  state: LimitState | undefined,
  { rule, doubling }: Omit<Bucket, 'key'>,
  now: number,
): number {
  if (!state || state.until <= now) return 0
  if (doubling) return Math.max(0, state.blocked - now)
  return state.count >= rule.count ? state.until - now : 0
}

function raised(state: LimitState | undefined, { rule, doubling }: Bucket, now: number): LimitState {
  const live = state && state.until > now ? state : undefined
  const count = (live?.count ?? 0) + 1
  const span = rule.seconds * 1000
  if (!doubling) return { count, until: live?.until ?? now + span, blocked: 0 }
  const blocked = count < rule.count ? 0 : now + pauseMs(count - rule.count)
  return { count, until: Math.max(now, blocked) + span, blocked }
}

const pauseMs = (doublings: number): number =>
  Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(doublings, 20))
