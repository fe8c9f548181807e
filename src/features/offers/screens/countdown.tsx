import { type ReactNode, useEffect, useState, useSyncExternalStore } from 'react'
import { useTranslations } from '#i18n/translations.tsx'
import { useShell } from '#client/shell.ts'
import { nowMs } from '#shared/clock.ts'

/** The time until a contest ends, to the minute. Spoken only when 10, 5 and 1 minutes are left (storefront U8). */
export function Countdown({ end }: { end: string }): ReactNode {
  const t = useTranslations('offers.countdown')
  const { left, mark } = useTimeLeft(end)
  const span = timeLeft(left)
  return (
    <>
      <span className="tabular-nums">
        {span.kind === 'over' && t('over')}
        {span.kind === 'lastMinute' && t('lastMinute')}
        {span.kind === 'minutes' && t('minutes', { minutes: span.minutes })}
        {span.kind === 'hours' && t('hours', { hours: span.hours, minutes: span.minutes })}
        {span.kind === 'days' && t('days', { days: span.days, hours: span.hours })}
      </span>
      <span className="sr-only" role="status">
        {mark !== undefined && left > 0 && t('announce', { minutes: mark })}
      </span>
    </>
  )
}

const REDUCED_MOTION = '(prefers-reduced-motion: reduce)'

/** Longest timeout browsers keep, in milliseconds. */
const LONGEST_TIMEOUT = 2_147_483_647

/** How far the visitor's clock is behind the server's, in milliseconds: the document carries the time it was made. */
function clockSkew(renderedAt: number): number {
  const [navigation] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[]
  return navigation ? renderedAt - (performance.timeOrigin + navigation.responseStart) : 0
}

function subscribeToMotion(listener: () => void): () => void {
  const query = window.matchMedia(REDUCED_MOTION)
  query.addEventListener('change', listener)
  return () => query.removeEventListener('change', listener)
}

/** Whether the visitor asked for less motion; nothing then changes by itself. */
const useReducedMotion = (): boolean =>
  useSyncExternalStore(
    subscribeToMotion,
    () => window.matchMedia(REDUCED_MOTION).matches,
    () => true,
  )

/**
 * Milliseconds until a moment, by the server's clock, renewed each minute. Under reduced motion the figure stands still,
 * only the end itself still arrives.
 * @returns `mark` when 10, 5 or 1 minutes have just been passed
 */
function useTimeLeft(end: string): { left: number; mark: number | undefined } {
  const { renderedAt } = useShell()
  const still = useReducedMotion()
  const leftNow = (): number => Date.parse(end) - (nowMs() + clockSkew(renderedAt))
  const [state, setState] = useState<{ left: number; mark: number | undefined }>(() => ({
    left: leftNow(),
    mark: undefined,
  }))

  useEffect(() => {
    let timer: ReturnType<typeof setTimeout>
    const wait = (left: number): void => {
      if (left <= 0) return
      timer = setTimeout(renew, Math.min(still ? left + 1 : untilNextChange(left), LONGEST_TIMEOUT))
    }
    const renew = (): void => {
      const left = leftNow()
      setState((before) => ({ left, mark: announcedMark(before.left, left) ?? before.mark }))
      wait(left)
    }
    wait(leftNow())
    return () => clearTimeout(timer)
    // oxlint-disable-next-line react/exhaustive-deps -- `leftNow` reads `end` and the fixed time of the document
  }, [end, still])

  return state
}

/** What remains until a contest ends, in the two largest units a person needs. */
type TimeLeft =
  | { kind: 'over' }
  | { kind: 'lastMinute' }
  | { kind: 'minutes'; minutes: number }
  | { kind: 'hours'; hours: number; minutes: number }
  | { kind: 'days'; days: number; hours: number }

const MINUTE_MS = 60_000
const HOUR_MINUTES = 60
const DAY_MINUTES = 24 * HOUR_MINUTES

/** The minutes at which a screen reader is told, once each (storefront U8). */
const ANNOUNCED_MINUTES = [10, 5, 1] as const

/** Splits a span into days and hours, hours and minutes, or minutes. Started minutes do not count. */
export function timeLeft(leftMs: number): TimeLeft {
  if (leftMs <= 0) return { kind: 'over' }
  const minutes = Math.floor(leftMs / MINUTE_MS)
  if (minutes < 1) return { kind: 'lastMinute' }
  if (minutes < HOUR_MINUTES) return { kind: 'minutes', minutes }
  const hours = Math.floor(minutes / HOUR_MINUTES)
  if (minutes < DAY_MINUTES) return { kind: 'hours', hours, minutes: minutes % HOUR_MINUTES }
  return { kind: 'days', days: Math.floor(minutes / DAY_MINUTES), hours: hours % 24 }
}

/**
 * The mark (10, 5 or 1 minutes) that was passed between two looks at the clock; undefined when none was.
 * After a long pause only the smallest one passed is worth saying.
 */
export function announcedMark(previousMs: number, leftMs: number): number | undefined {
  if (leftMs <= 0) return undefined
  return ANNOUNCED_MINUTES.findLast((mark) => previousMs > mark * MINUTE_MS && leftMs <= mark * MINUTE_MS)
}

/** Milliseconds until the shown text can change: the rest of the running minute. */
export const untilNextChange = (leftMs: number): number => (leftMs % MINUTE_MS) + 1
