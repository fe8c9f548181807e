import { useEffect, useState, useSyncExternalStore } from 'react'
import { browserCall } from '#client/browser.ts'
import { drawsApi } from '#features/draws/draws.api.ts'
import { onClockCorrected } from '#client/server-clock.ts'
import { useShell } from '#client/shell.ts'
import { msUntil, usePolling } from '#features/offers/screens/live-offers.ts'
import type { DrawPage, PublicDraw } from '../public-draws.contract.ts'
import { rehearsalQuery } from '../public-draws.rules.ts'
import { nextStep } from '../timeline.rules.ts'
import type { oneAtATime } from './one-at-a-time.ts'

const FAR_MS = 20_000

/** From so long before an awaited step on, and so long after it, it is looked for at the page's own pace. */
const NEAR_BEFORE_MS = 60_000
const NEAR_AFTER_MS = 900_000

/**
 * The draw as the server last described it. @param nearMs the pace around an awaited step
 * @param evenHidden in a window that another one covers, too: it may be what a stream shows
 * @param through what each call goes through
 */
export function useLiveDraw(
  loaded: PublicDraw,
  nearMs: number,
  { evenHidden = false, through }: { evenHidden?: boolean; through?: ReturnType<typeof oneAtATime> } = {},
): PublicDraw {
  const [state, setState] = useState({ loaded, draw: loaded })
  const draw = state.loaded === loaded ? state.draw : loaded
  const [isNear, setNear] = useState(false)
  const judge = (shown: PublicDraw): void => {
    const step = nextStep(shown)
    const left = step === undefined ? Infinity : msUntil(step.at)
    setNear(left < NEAR_BEFORE_MS && left > -NEAR_AFTER_MS)
  }
  const look = async (signal: AbortSignal): Promise<void> => {
    const now = await drawsApi(browserCall()).draw(
      loaded.contest.slug,
      rehearsalQuery(loaded.rehearsal),
      signal,
    )
    if (signal.aborted) return
    setState({ loaded, draw: now })
    judge(now)
  }
  usePolling(
    (signal) => (through ? through(signal, look) : look(signal)),
    isNear ? nearMs : FAR_MS,
    evenHidden,
  )
  useEffect(() => {
    judge(draw)
    // oxlint-disable-next-line react/exhaustive-deps -- once; from then on with every response
  }, [])
  return draw
}

/** The first page of the list as the server last described it. */
export function useLiveDraws(loaded: DrawPage, query: string): DrawPage {
  const [state, setState] = useState({ loaded, page: loaded })
  usePolling(async (signal) => {
    const page = await drawsApi(browserCall()).draws(query, signal)
    if (!signal.aborted) setState({ loaded, page })
  })
  return state.loaded === loaded ? state.page : loaded
}

/** Whole seconds left until an instant by the database's clock, never below 0. The server renders what the browser hydrates. */
export function useSecondsLeft(at: string): number {
  const { renderedAt } = useShell()
  const [left, setLeft] = useState({ at, ms: Date.parse(at) - renderedAt })
  useEffect(() => {
    const look = (): void => setLeft({ at, ms: msUntil(at) })
    look()
    const timer = setInterval(look, 1_000)
    const forget = onClockCorrected(look)
    return () => {
      forget()
      clearInterval(timer)
    }
  }, [at])
  return Math.max(0, Math.ceil((left.at === at ? left.ms : Date.parse(at) - renderedAt) / 1_000))
}

const never = (): (() => void) => () => undefined

/** The reader's time zone; undefined while rendered and hydrated. */
export const useReadersZone = (): string | undefined =>
  useSyncExternalStore(
    never,
    () => new Intl.DateTimeFormat().resolvedOptions().timeZone,
    () => undefined,
  )
