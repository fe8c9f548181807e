import { useEffect, useEffectEvent, useRef, useState } from 'react'
import type { LeafResponse, TicketOutcome } from '#draw-protocol/check.ts'
import { serverNow } from '#client/server-clock.ts'
import { oneAtATime } from '../one-at-a-time.ts'
import { askWorker } from './ask-worker.ts'

/** What a ticket's check has said, or why there was none; `broken`: the browser could not do it. */
export type Shown =
  | TicketOutcome
  | { outcome: 'checking' }
  | { outcome: 'unreachable' }
  | { outcome: 'broken' }

export interface Reading {
  shown: Shown
  /** Of the terms that were checked: nothing can be won. */
  isDemonstration: boolean
}

const nothing = (shown: Shown): Reading => ({ shown, isDemonstration: false })

/** A shop that cannot be reached, or does not respond as one. */
class Unreachable extends Error {
  override message = 'the shop did not respond'
}

/** What the public files of a draw say of a proof link; `openWorker` starts the worker that computes it. */
export async function readTicket(
  contest: string,
  proof: string,
  openWorker: () => Worker,
  signal: AbortSignal,
): Promise<Reading> {
  const number = Number(/^#(\d{1,8})\./.exec(proof)?.[1] ?? 0)
  if (number === 0) return nothing({ outcome: 'malformed' })
  const address = `/draws/${encodeURIComponent(contest)}`
  const [leaf, terms] = await Promise.all(
    [`${address}/leaf?number=${number}`, `${address}/terms.txt`].map((path) => fetch(path, { signal })),
  ).catch(() => {
    throw new Unreachable()
  })
  if (leaf!.status === 404) return nothing({ outcome: 'absent', number })
  if (!leaf!.ok || !terms!.ok) throw new Unreachable()
  const [text, bytes] = await Promise.all([leaf!.text(), terms!.arrayBuffer()]).catch(() => {
    throw new Unreachable()
  })
  const response = parsed(text)
  const asked = { contest, proof, terms: new Uint8Array(bytes), response }
  const shown = await askWorker(openWorker, { type: 'leaf', ...asked }, signal).catch(
    () => ({ outcome: 'broken' }) as const,
  )
  if (shown.outcome !== 'found') return nothing(shown)
  const isDemonstration = /^demonstration: yes$/m.test(new TextDecoder().decode(bytes))
  return { shown, isDemonstration }
}

function parsed(text: string): LeafResponse {
  try {
    return JSON.parse(text) as LeafResponse
  } catch {
    // What a network puts before pages, such as that of a hotel.
    throw new Unreachable()
  }
}

/** How long after a check without an answer it begins again; each time twice as long. */
const AGAIN_MS = { first: 10_000, most: 300_000 }

export interface TicketState {
  proof: string
  reading: Reading
  /** When the shop last responded, in Unix milliseconds; null as long as it does. */
  staleSince: number | null
}

/**
 * The ticket of a proof link, checked again whenever `moment` changes, and by itself when the shop did not respond or does
 * not have the number yet.
 */
export function useTicket(
  contest: string,
  proof: string,
  openWorker: () => Worker,
  moment: string,
): TicketState {
  const [state, setState] = useState<TicketState & { at: number }>()
  const look = useRef<() => void>(() => undefined)
  const momentNow = useEffectEvent(() => moment)
  useEffect(() => {
    const leaving = new AbortController()
    const { signal } = leaving
    const once = oneAtATime()
    let [tries, timer]: [number, ReturnType<typeof setTimeout> | undefined] = [0, undefined]
    const later = (): void => {
      clearTimeout(timer)
      timer = setTimeout(begin, Math.min(AGAIN_MS.most, AGAIN_MS.first * 2 ** tries))
      tries += 1
    }
    const read = async (own: AbortSignal): Promise<void> => {
      const begun = momentNow()
      try {
        const reading = await readTicket(contest, proof, openWorker, own)
        if (signal.aborted) return
        setState({ proof, reading, staleSince: null, at: serverNow() })
        if (reading.shown.outcome === 'absent') later()
        else tries = 0
      } catch {
        if (signal.aborted) return
        // What was found stays, with the time of it.
        setState((was) =>
          was?.proof === proof && was.reading.shown.outcome === 'found'
            ? { ...was, staleSince: was.at }
            : { proof, reading: nothing({ outcome: 'unreachable' }), staleSince: null, at: 0 },
        )
        later()
      }
      // What has changed meanwhile.
      if (momentNow() !== begun) setTimeout(begin)
    }
    function begin(): void {
      if (!signal.aborted) void once(signal, read)
    }
    look.current = begin
    begin()
    window.addEventListener('online', begin, { signal })
    return () => {
      leaving.abort()
      clearTimeout(timer)
    }
  }, [contest, proof, openWorker])
  // The first check has begun already.
  useEffect(() => look.current(), [moment])
  return state?.proof === proof
    ? state
    : { proof, reading: nothing({ outcome: 'checking' }), staleSince: null }
}
