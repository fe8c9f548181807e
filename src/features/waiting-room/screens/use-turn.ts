import { useEffect, useEffectEvent, useState } from 'react'
import type { ApiFailure } from '#client/api-error.ts'
import { tabStore } from '#client/browser-parts.ts'
import type { Place, WaitingRoomState } from '../waiting-room.contract.ts'
import { WAITING_ROOM, lookAgainSeconds, milestoneOf, placeNow } from '../waiting-room.rules.ts'

/** What a buyer asked for, to be asked for again at the turn. */
export interface Wish {
  quantity: number
  answer: string
}

interface Waiting {
  slug: string
  place: Place
  wish: Wish
}

const WAITING = 'volant-waiting'

/** Kept for this tab, so that a reload goes on waiting. The place itself is the account's, at the server. */
const kept = {
  read(slug: string): Waiting | undefined {
    try {
      const waiting = JSON.parse(tabStore.getItem(WAITING) ?? 'null') as Waiting | null
      return waiting?.slug === slug ? waiting : undefined
    } catch {
      return undefined
    }
  },
  write: (waiting: Waiting) => tabStore.setItem(WAITING, JSON.stringify(waiting)),
  forget: () => tabStore.removeItem(WAITING),
}

/** The place in the refusal of a call, if it is one of a waiting room. */
export const placeIn = (failure: ApiFailure | undefined): Place | undefined =>
  failure?.code === WAITING_ROOM ? (failure.body as { place: Place }).place : undefined

/** Without the token, so that caches between may respond. */
async function lineOf(slug: string, signal: AbortSignal): Promise<WaitingRoomState> {
  const address = `/api/offers/${encodeURIComponent(slug)}/waiting-room/`
  const response = await fetch(address, { credentials: 'omit', signal })
  if (!response.ok) throw new Error(`${address} responded with ${response.status}`)
  return (await response.json()) as WaitingRoomState
}

/**
 * Waits for a buyer's turn at a contest in a rush (ADR 0114).
 * @param onTurn called with what the buyer wanted once others are no longer before
 * @param onReturn called with it after a reload in the middle of waiting
 */
export function useTurn(slug: string, onTurn: (wish: Wish) => void, onReturn: (wish: Wish) => void) {
  const [waiting, setWaiting] = useState<Waiting>()
  const turn = useEffectEvent(onTurn)
  const goOn = useEffectEvent((before: Waiting) => {
    setWaiting(before)
    onReturn(before.wish)
  })

  useEffect(() => {
    const before = kept.read(slug)
    // oxlint-disable-next-line react/set-state-in-effect -- the store of the tab is unknown until the page is hydrated
    if (before) goOn(before)
  }, [slug])

  useEffect(() => {
    if (!waiting) return
    const leaving = new AbortController()
    const { place, wish } = waiting
    const look = async (): Promise<void> => {
      const state = await lineOf(slug, leaving.signal).catch(() => undefined)
      if (leaving.signal.aborted) return
      const next = state ? placeNow(place.number, state) : { ...place }
      setWaiting(next && { ...waiting, place: next })
      if (next) return
      kept.forget()
      turn(wish)
    }
    const timer = setTimeout(() => void look(), lookAgainSeconds(place) * 1_000)
    return () => {
      leaving.abort()
      clearTimeout(timer)
    }
  }, [waiting, slug])

  return {
    place: waiting && { ...waiting.place, milestone: milestoneOf(waiting.place) },
    wait: (place: Place, wish: Wish): void => {
      const now = { slug, place, wish }
      kept.write(now)
      setWaiting(now)
    },
  }
}
