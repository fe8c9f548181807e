/** A place in the log that a primary writes, in bytes from its beginning, at a time of the primary's own clock. */
interface Written {
  place: number
  /** Milliseconds since the epoch. */
  at: number
  /** By a clock of this process that only goes forward. */
  readAt: number
}

/** How far a primary had written its log at which time, so that the place a standby has reached tells how old its data are. */
export class WalTimes {
  readonly #own: () => number
  readonly #keepMs: number
  /** Both ascend. */
  #written: Written[] = []

  constructor(keepMs: number, own: () => number = () => performance.now()) {
    this.#keepMs = keepMs
    this.#own = own
  }

  /** @param at read before `place` */
  note(place: number, at: number): void {
    const newest: Written = { place, at, readAt: this.#own() }
    // A primary that takes over may have written less, and one without changes nothing.
    this.#written = this.#written.filter(
      (one) => one.place < place && newest.readAt - one.readAt <= this.#keepMs,
    )
    this.#written.push(newest)
  }

  /** The farthest place that is known. */
  get newest(): number | undefined {
    return this.#written.at(-1)?.place
  }

  /** The primary's clock, from its last time on by our own; undefined before the first. */
  now(): number | undefined {
    const newest = this.#written.at(-1)
    return newest && newest.at + this.#own() - newest.readAt
  }

  /** Whoever has replayed the log up to a place has all that there was at this time, or a bit more; undefined when older than what is kept. */
  timeOf(place: number): number | undefined {
    return this.#written.findLast((one) => one.place <= place)?.at
  }
}
