import { useEffect, useState, useSyncExternalStore } from 'react'
import { useShell } from '#client/shell.ts'
import { nowMs } from '#shared/clock.ts'
import { announcedMark, untilNextChange } from './countdown.ts'

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
export function useTimeLeft(end: string): { left: number; mark: number | undefined } {
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
