/** Responses carry the time of the database in this header, which a page can read of itself as well. */
export const SERVER_TIME = 'server-timing'

/** A time that a response carries. */
export interface ServerTime {
  /** Milliseconds since the epoch, at some moment between request and response. */
  shown: number
  /** It may be so much older than the question: a cache on the way may have kept the response. */
  keptMs: number
  /** From when what the response shows is, where it is old enough to say so, or 0; left out where that cannot be. */
  from?: number
}

/** The value of the header. */
export const serverTiming = ({ shown, keptMs, from }: ServerTime): string =>
  `time;desc="${Math.trunc(shown)}"${keptMs > 0 ? `;dur=${keptMs}` : ''}` +
  (from === undefined ? '' : `, from;desc="${Math.trunc(from)}"`)

const WRITTEN = /(?:^|[\s,])time;desc="?(\d{12,14})"?(?:;dur=(\d+))?(?:,\s*from;desc="?(\d{1,14}))?/

/** The time in a header that proxies may have added to; undefined without one. */
export function timeOfHeader(header: string | null): ServerTime | undefined {
  const [, shown, keptMs = 0, from] = WRITTEN.exec(header ?? '') ?? []
  if (shown === undefined) return undefined
  return { shown: Number(shown), keptMs: Number(keptMs), ...(from !== undefined && { from: Number(from) }) }
}

interface Timing {
  name: string
  description: string
  duration: number
}

/** The same of a page, as the browser keeps it. */
export function timeOfTimings(timings: readonly Timing[]): ServerTime | undefined {
  const [found, from] = ['time', 'from'].map((wanted) => timings.find(({ name }) => name === wanted))
  const told = from ? `, from;desc=${from.description}` : ''
  return found && timeOfHeader(`time;desc=${found.description};dur=${found.duration}${told}`)
}
