/** At most `count` within `seconds` from the first. */
export interface LimitRule {
  count: number
  seconds: number
}

/** Times are milliseconds on the axis of the `now` they are compared with. */
export interface LimitState {
  count: number
  until: number
  /** End of the refusals; 0 for none. */
  blocked: number
}

export interface Bucket {
  key: string
  rule: LimitRule
  /** From `rule.count` on, each attempt doubles the pause, instead of waiting for the end of the period. */
  doubling?: boolean
  /** Not counted for attempts from a trusted network. */
  untrustedOnly?: boolean
  /** Of all callers together: a proof of work replaces it. */
  isGlobal?: boolean
}

export interface Attempt {
  buckets: readonly Bucket[]
  /** Key that exists while the caller's network is trusted. */
  trusted?: string
}

export interface Reversal {
  less: readonly string[]
  forget: readonly string[]
  /** A network to trust from now on. */
  trust?: { key: string; seconds: number }
}

export type LimitStates = Map<string, LimitState>

/** Milliseconds until the next try. `isGlobal`: only buckets of all callers together are full. */
export interface Wait {
  wait: number
  isGlobal?: true
}

/** The wait, or the keys under which a granted attempt was counted. */
export type Granted = Wait | { counted: readonly string[] }

const FIRST_PAUSE_MS = 15_000
const LONGEST_PAUSE_MS = 900_000

/** Counts an attempt in all its buckets or in none. Updates `states` and adds changed keys to `changed`. */
export function grant(
  states: LimitStates,
  { buckets, trusted }: Attempt,
  now: number,
  changed: Set<string>,
): Granted {
  const isTrusted = trusted !== undefined && (states.get(trusted)?.until ?? 0) > now
  const asked = buckets.filter((bucket) => !(isTrusted && bucket.untrustedOnly))
  const full = asked.flatMap((bucket) => {
    const wait = waitOf(states.get(bucket.key), bucket, now)
    return wait > 0 ? [{ wait, isGlobal: bucket.isGlobal }] : []
  })
  if (full.length > 0) {
    const wait = Math.max(...full.map((one) => one.wait))
    return { wait, ...(full.every((one) => one.isGlobal) && { isGlobal: true as const }) }
  }
  for (const bucket of asked) {
    states.set(bucket.key, raised(states.get(bucket.key), bucket, now))
    changed.add(bucket.key)
  }
  return { counted: asked.map((bucket) => bucket.key) }
}

export function reverse(states: LimitStates, back: Reversal, now: number, changed: Set<string>): void {
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
  if (back.trust) {
    states.set(back.trust.key, { count: 1, until: now + back.trust.seconds * 1000, blocked: 0 })
    changed.add(back.trust.key)
  }
}

/** Milliseconds until the next attempt is admitted; 0 when it is admitted at once. */
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
