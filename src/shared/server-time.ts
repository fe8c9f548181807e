/** Answers carry the time of the database in this header, which a page can read of itself as well. */
export const SERVER_TIME = 'server-timing'

const NAME = 'time'

/** The value of the header. @param ms since the epoch */
export const serverTiming = (ms: number): string => `${NAME};desc="${Math.trunc(ms)}"`

const WRITTEN = new RegExp(`(?:^|[\\s,])${NAME};desc="?(\\d{12,14})"?`)

/** Milliseconds since the epoch, of a header that proxies may have added to; undefined without them. */
export function timeOfHeader(header: string | null): number | undefined {
  const [, written] = WRITTEN.exec(header ?? '') ?? []
  return written === undefined ? undefined : Number(written)
}

/** The same of a page, as the browser keeps it. */
export function timeOfTimings(timings: readonly { name: string; description: string }[]): number | undefined {
  const found = timings.find(({ name }) => name === NAME)
  return found && timeOfHeader(serverTiming(Number(found.description)))
}
