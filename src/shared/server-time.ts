/** Answers carry the time of the database in this header, which a page can read of itself as well. */
export const SERVER_TIME = 'server-timing'

/** A time that an answer carries. */
export interface ServerTime {
  /** Milliseconds since the epoch, at some moment between question and answer. */
  shown: number
  /** It may be so much older than the question: a cache on the way may have kept the answer. */
  keptMs: number
}

/** The value of the header. */
export const serverTiming = ({ shown, keptMs }: ServerTime): string =>
  `time;desc="${Math.trunc(shown)}"${keptMs > 0 ? `;dur=${keptMs}` : ''}`

const WRITTEN = /(?:^|[\s,])time;desc="?(\d{12,14})"?(?:;dur=(\d+))?/

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
  const found = timings.find(({ name }) => name === 'time')
  return found && timeOfHeader(`time;desc=${found.description};dur=${found.duration}`)
}
