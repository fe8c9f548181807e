import { type ReactNode, useEffect, useState, useSyncExternalStore } from 'react'
import { matchesMedia, onMediaChange } from '#client/browser-parts.ts'
import { useTranslations } from '#i18n/translations.tsx'
import { onClockCorrected } from '#client/server-clock.ts'
import { LONGEST_TIMEOUT, msUntil } from './live-offers.ts'

/** Announced when 10, 5 and 1 minutes are left (storefront U8). */
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

const subscribeToMotion = (listener: () => void): (() => void) => onMediaChange(REDUCED_MOTION, listener)

const useReducedMotion = (): boolean =>
  useSyncExternalStore(
    subscribeToMotion,
    () => matchesMedia(REDUCED_MOTION),
    () => true,
  )

interface Remaining {
  left: number
  /** One of `ANNOUNCED_MINUTES`, when just passed. */
  mark: number | undefined
}

/** Milliseconds left by the database's clock, updated each minute; with reduced motion only at the end. */
function useTimeLeft(end: string): Remaining {
  const still = useReducedMotion()
  const [state, setState] = useState<Remaining>(() => ({ left: msUntil(end), mark: undefined }))

  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const wait = (left: number): void => {
      if (left <= 0) return
      timer = setTimeout(renew, Math.min(still ? left + 1 : untilNextChange(left), LONGEST_TIMEOUT))
    }
    const renew = (): void => {
      clearTimeout(timer)
      const left = msUntil(end)
      setState((before) => ({ left, mark: announcedMark(before.left, left) ?? before.mark }))
      wait(left)
    }
    wait(msUntil(end))
    const forget = onClockCorrected(renew)
    return () => {
      forget()
      clearTimeout(timer)
    }
  }, [end, still])

  return state
}

type TimeLeft =
  | { kind: 'over' }
  | { kind: 'lastMinute' }
  | { kind: 'minutes'; minutes: number }
  | { kind: 'hours'; hours: number; minutes: number }
  | { kind: 'days'; days: number; hours: number }

const MINUTE_MS = 60_000
const HOUR_MINUTES = 60
const DAY_MINUTES = 24 * HOUR_MINUTES

/** Announced once each (storefront U8). */
const ANNOUNCED_MINUTES = [10, 5, 1] as const

/** Rounds down to the two largest units. */
export function timeLeft(leftMs: number): TimeLeft {
  if (leftMs <= 0) return { kind: 'over' }
  const minutes = Math.floor(leftMs / MINUTE_MS)
  if (minutes < 1) return { kind: 'lastMinute' }
  if (minutes < HOUR_MINUTES) return { kind: 'minutes', minutes }
  const hours = Math.floor(minutes / HOUR_MINUTES)
  if (minutes < DAY_MINUTES) return { kind: 'hours', hours, minutes: minutes % HOUR_MINUTES }
  return { kind: 'days', days: Math.floor(minutes / DAY_MINUTES), hours: hours % 24 }
}

/** The smallest of `ANNOUNCED_MINUTES` passed between two readings of the clock. */
export function announcedMark(previousMs: number, leftMs: number): number | undefined {
  if (leftMs <= 0) return undefined
  return ANNOUNCED_MINUTES.findLast((mark) => previousMs > mark * MINUTE_MS && leftMs <= mark * MINUTE_MS)
}

export const untilNextChange = (leftMs: number): number => (leftMs % MINUTE_MS) + 1
