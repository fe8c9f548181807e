import { useEffect, useEffectEvent, useState, useSyncExternalStore } from 'react'
import { nowMs } from '#shared/clock.ts'
import { FollowedClock } from '#shared/followed-clock.ts'
import { SERVER_TIME, type ServerTime, timeOfHeader, timeOfTimings } from '#shared/server-time.ts'
import type { Transport } from './api-call.ts'

/** Everything that a page counts or judges by time goes by the database's clock: this machine's may be wrong, set, or asleep. */

/** A smaller correction changes nothing that is shown in seconds. */
const NOTICED_MS = 250
/** This machine's two clocks drift apart by less unless one is set or stands still while the machine sleeps. */
const SLEPT_MS = 2_000
const ASK_AGAIN_MS = 5_000
/** The smallest response, for everybody. */
const ASKED = '/api/settings/'

const followed = new FollowedClock(() => performance.now())
const listeners = new Set<() => void>()
const between = (): number => nowMs() - performance.now()
let clocksWere: number | undefined
let askedAtMs = -Infinity
let shownFrom = 0

/** Milliseconds since the epoch by the database's clock; by this machine's until the server has told it. */
export function serverNow(): number {
  if (typeof window !== 'undefined') lookAround()
  return followed.now() ?? nowMs()
}

function lookAround(): void {
  if (clocksWere === undefined) start()
  else if (Math.abs(between() - clocksWere) > SLEPT_MS) void ask()
}

/** Begins with the time of the page itself. */
function start(): void {
  clocksWere = between()
  const [page] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[]
  // One that the browser kept has the time of then.
  const isFresh = page && page.type !== 'back_forward' && page.transferSize > 0
  const time = isFresh && timeOfTimings(page.serverTiming ?? [])
  if (time) read(time, page.requestStart || page.responseStart, page.responseStart)
  else void ask()
  for (const name of ['pageshow', 'online'] as const) window.addEventListener(name, () => void ask())
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'visible') void ask()
  })
}

function read(time: ServerTime, askedAt: number, respondedAt: number): void {
  clocksWere = between()
  const moved = followed.read(time, askedAt, respondedAt)
  const { from = shownFrom } = time
  const isOther = from !== shownFrom
  shownFrom = from
  if (isOther || Math.abs(moved) > NOTICED_MS) for (const listener of listeners) listener()
}

/** Asks the server for its time: after sleep, or a long time in the background. A failure changes nothing. */
async function ask(): Promise<void> {
  if (performance.now() - askedAtMs < ASK_AGAIN_MS) return
  askedAtMs = performance.now()
  await asked(ASKED, { method: 'HEAD', cache: 'no-store' }).catch(() => undefined)
}

const asked = keepingTime((path, init) => fetch(path, { ...init, credentials: 'same-origin' }))

/** Reads the clock from every response. */
export function keepingTime(transport: Transport): Transport {
  return async (path, init) => {
    const askedAt = performance.now()
    const response = await transport(path, init)
    const time = timeOfHeader(response.headers.get(SERVER_TIME))
    if (time) read(time, askedAt, performance.now())
    return response
  }
}

/** Calls `listener` whenever the server has corrected the clock. @returns ends that */
export function onClockCorrected(listener: () => void): () => void {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

/** `serverNow`, anew after so many milliseconds and whenever the server has corrected the clock. For what is not rendered on the server. */
export function useServerNow(everyMs: number): number {
  const [now, setNow] = useState(serverNow)
  const look = useEffectEvent(() => setNow(serverNow()))
  useEffect(() => {
    const timer = setInterval(() => look(), everyMs)
    const forget = onClockCorrected(() => look())
    return () => {
      clearInterval(timer)
      forget()
    }
  }, [everyMs])
  return now
}

const readShownFrom = (): number => {
  lookAround()
  return shownFrom
}

/**
 * From when what the page shows is, in milliseconds since the epoch, if a read replica that is behind has responded
 * (ADR 0112); 0 for what is new, and while rendered.
 */
export const useShownFrom = (): number => useSyncExternalStore(onClockCorrected, readShownFrom, () => 0)
