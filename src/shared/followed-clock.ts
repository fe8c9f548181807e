import type { ServerTime } from './server-time.ts'

/** Two good clocks drift apart by less, as a share of the time that passes. */
const DRIFT = 0.0005

/** Follows a clock that is only seen through responses, each of which takes its time. */
export class FollowedClock {
  readonly #own: () => number
  /** `ahead`: of our own clock; wrong by at most `doubt` when it was read, `readAt`. */
  #known: { ahead: number; doubt: number; readAt: number } | undefined

  /** @param own milliseconds of a clock that nobody sets */
  constructor(own: () => number) {
    this.#own = own
  }

  /**
   * Keeps the better of two readings, and the later one where both cannot be true. `askedAt` and `respondedAt` are by
   * our own clock, which only has to go forward evenly. @returns milliseconds by which that moved the clock
   */
  read({ shown, keptMs }: ServerTime, askedAt: number, respondedAt: number): number {
    const doubt = Math.max(0, respondedAt - askedAt) / 2 + keptMs
    const ahead = shown - (askedAt + respondedAt) / 2
    const before = this.#known
    if (before) {
      const grown = before.doubt + (respondedAt - before.readAt) * DRIFT
      const canBothBe = Math.abs(ahead - before.ahead) <= doubt + grown
      if (canBothBe && grown <= doubt) return 0
    }
    this.#known = { ahead, doubt, readAt: respondedAt }
    return before ? ahead - before.ahead : Infinity
  }

  /** Milliseconds since the epoch; undefined before the first reading. */
  now(): number | undefined {
    return this.#known && this.#own() + this.#known.ahead
  }
}
