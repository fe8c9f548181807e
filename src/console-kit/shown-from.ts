import { useMatches } from 'react-router'
import { SERVER_TIME, timeOfHeader } from '#shared/server-time.ts'

/** How old what a screen shows is, where a read replica that is behind has responded (ADR 0112). */
export interface ShownFrom {
  /** Milliseconds since the epoch. */
  from: number
  /** Whole seconds, when it got a response. */
  seconds: number
}

const told = new WeakMap<object, ShownFrom>()

/** Notes from when a response is, if its server says that it is old. */
export function noteResponse(response: unknown, headers: Headers): void {
  const time = timeOfHeader(headers.get(SERVER_TIME))
  if (!time?.from || typeof response !== 'object' || response === null) return
  told.set(response, { from: time.from, seconds: Math.floor((time.shown - time.from) / 1_000) })
}

/** Of the oldest response that the loaders of the screen gave; undefined when none is old. */
export function useShownFrom(): ShownFrom | undefined {
  const parts = useMatches().flatMap(({ loaderData: data }) => [data, ...Object.values(data ?? {})])
  const known = parts.flatMap((part) => (Object(part) === part ? (told.get(part as object) ?? []) : []))
  return known.toSorted((one, other) => one.from - other.from)[0]
}
