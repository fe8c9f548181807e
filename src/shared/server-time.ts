/** Answers carry the time of the database in this header, which a page can read of itself as well. */
export const SERVER_TIME = 'server-timing'

const NAME = 'time'

/** A time that an answer carries. */
export interface ServerTime {
  /** Milliseconds since the epoch. */
  shown: number
  /** A cache on the way may have kept the answer for so many milliseconds. */
  keptMs: number
}

/** The value of the header. */
export const serverTiming = ({ shown, keptMs }: ServerTime): string =>
  `${NAME};desc="${Math.trunc(shown)}"${keptMs > 0 ? `;dur=${keptMs}` : ''}`

const WRITTEN = new RegExp(`(?:^|[\\s,])${NAME};desc="?(\\d{12,14})"?(?:;dur=(\\d{1,6}))?`)

/** The time in a header that proxies may have added to; undefined without one. */
export function timeOfHeader(header: string | null): ServerTime | undefined {
  const [, shown, keptMs = 0] = WRITTEN.exec(header ?? '') ?? []
  return shown === undefined ? undefined : { shown: Number(shown), keptMs: Number(keptMs) }
}

interface Timing {
  name: string
  description: string
  duration: number
}

/** The same of a page, as the browser keeps it. */
export function timeOfTimings(timings: readonly Timing[]): ServerTime | undefined {
  const found = timings.find(({ name }) => name === NAME)
  return found && timeOfHeader(serverTiming({ shown: Number(found.description), keptMs: found.duration }))
}
