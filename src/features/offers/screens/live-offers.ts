import { offersApi } from '../offers.api.ts'
import { useEffect, useEffectEvent, useState } from 'react'
import { browserCall } from '#client/browser.ts'
import { onClockCorrected, serverNow } from '#client/server-clock.ts'
import type { ListedOffer, OfferDetail } from '../offers.contract.ts'

const POLL_MS = 20_000

/** Longest timeout that browsers support, in milliseconds. */
export const LONGEST_TIMEOUT = 2_147_483_647

/** @param end an instant (ISO 8601) @returns milliseconds left by the database's clock; in the browser only */
export const msUntil = (end: string): number => Date.parse(end) - serverNow()

/**
 * Calls `look` with the milliseconds left until the instant `end` (ISO 8601): after hydration, again after the time
 * in milliseconds that it returns, if any, and when the clock was corrected.
 */
export function useTimeLeft(
  end: string | undefined,
  look: (left: number, end: string) => number | void,
): void {
  const call = useEffectEvent((until: string) => look(msUntil(until), until))

  useEffect(() => {
    if (end === undefined) return
    let timer: ReturnType<typeof setTimeout> | undefined
    const step = (): void => {
      clearTimeout(timer)
      const wait = call(end)
      if (typeof wait === 'number') timer = setTimeout(step, Math.min(wait, LONGEST_TIMEOUT))
    }
    step()
    const forget = onClockCorrected(step)
    return () => {
      forget()
      clearTimeout(timer)
    }
  }, [end])
}

/** False during hydration, then true from the instant `end` (ISO 8601) on by the server's clock. */
export function useHasEnded(end: string | undefined): boolean {
  const [endedAt, setEndedAt] = useState<string>()
  useTimeLeft(end, (left, until) => (left <= 0 ? setEndedAt(until) : left + 1))
  return end !== undefined && endedAt === end
}

const MINUTE_MS = 60_000

/** @returns the whole minutes left until `end` (ISO 8601), once they are at most `within`; undefined before and during hydration */
export function useLastMinutes(end: string | undefined, within: number): number | undefined {
  const [shown, setShown] = useState<{ end: string; minutes: number }>()
  useTimeLeft(end, (left, until) => {
    if (left <= 0) return setShown(undefined)
    const minutes = Math.floor(left / MINUTE_MS)
    const isNear = minutes < within
    setShown(isNear ? { end: until, minutes } : undefined)
    return isNear ? (left % MINUTE_MS) + 1 : left - within * MINUTE_MS + 1
  })
  return shown?.end === end ? shown?.minutes : undefined
}

/** An offer that stops being active at its end, without a request. */
export function useEnding<Shown extends Pick<ListedOffer, 'is_active' | 'end_date'>>(offer: Shown): Shown {
  const hasEnded = useHasEnded(offer.end_date)
  return hasEnded && offer.is_active ? { ...offer, is_active: false } : offer
}

/** Calls `read` every 20 s while the page is visible, and when it becomes visible again. A failure changes nothing. */
export function usePolling(
  read: (signal: AbortSignal) => Promise<void>,
  everyMs = POLL_MS,
  evenHidden = false,
): void {
  const call = useEffectEvent(read)
  useEffect(() => {
    const leaving = new AbortController()
    const { signal } = leaving
    const look = (): void => {
      if (evenHidden || document.visibilityState === 'visible') void call(signal).catch(() => undefined)
    }
    const timer = setInterval(look, everyMs)
    document.addEventListener('visibilitychange', look, { signal })
    return () => {
      leaving.abort()
      clearInterval(timer)
    }
  }, [everyMs, evenHidden])
}

/** The offer as the server last described it. */
export function useLiveOffer(loaded: OfferDetail): OfferDetail {
  const [state, setState] = useState({ loaded, offer: loaded })
  usePolling(async (signal) => {
    const offer = await offersApi(browserCall()).offer(loaded.slug, signal)
    if (!signal.aborted) setState({ loaded, offer })
  })
  return useEnding(state.loaded === loaded ? state.offer : loaded)
}

/** The same list with figures of now: no card appears or disappears while somebody reads. */
export function useLiveOffers(loaded: readonly ListedOffer[]): readonly ListedOffer[] {
  const [state, setState] = useState({ loaded, offers: loaded })
  usePolling(async (signal) => {
    const now = new Map((await offersApi(browserCall()).offers(signal)).map((offer) => [offer.id, offer]))
    if (signal.aborted) return
    const offers = loaded.map((offer) => {
      const { is_active, tickets_sold, tickets_reserved, end_date, stopped_as } = now.get(offer.id) ?? {
        ...offer,
        is_active: false,
      }
      return { ...offer, is_active, tickets_sold, tickets_reserved, end_date, stopped_as }
    })
    setState({ loaded, offers })
  })
  return state.loaded === loaded ? state.offers : loaded
}
