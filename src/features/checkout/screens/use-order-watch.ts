import { useEffect, useEffectEvent, useState } from 'react'
import { ApiError, failureOf } from '#client/api-error.ts'
import { browserApi, failureTexts } from '#client/browser.ts'
import type { Ticket } from '#features/tickets/tickets.contract.ts'
import {
  type CaptureReading,
  type Gone,
  LONG_AFTER_ATTEMPTS,
  pollDelayMs,
  readCapture,
  readCaptureFailure,
  readProgress,
} from './payment-reading.ts'

/** How an order under watch ended. */
export type WatchedEnd =
  | { end: 'paid'; tickets: readonly Ticket[] }
  | { end: Gone | 'declined' | 'unknownOrder' }
  | { end: 'refused'; message: string; reference?: string }

/** Sends the capture call and says what its answer means; never throws. */
export async function captureOrder(orderId: string): Promise<CaptureReading> {
  try {
    return readCapture(await browserApi().captureOrder(orderId))
  } catch (error) {
    return readCaptureFailure(failureOf(error, failureTexts()))
  }
}

/** One question about the order; undefined while its end is open. */
async function ask(orderId: string): Promise<WatchedEnd | undefined> {
  const status = await browserApi().orderStatus(orderId)
  const reading = readProgress(status)
  if (reading === 'wait') return undefined
  if (reading === 'paid') return { end: 'paid', tickets: status.tickets }
  if (reading !== 'captureAgain') return { end: reading }
  const capture = await captureOrder(orderId)
  if (capture.result === 'paid') return { end: 'paid', tickets: capture.tickets }
  if (capture.result === 'unknown') return undefined
  if (capture.result === 'declined' || capture.result === 'takenBack') return { end: capture.result }
  const { message, reference } = capture
  return { end: 'refused', message, ...(reference !== undefined && { reference }) }
}

/**
 * Keeps asking about an order whose payment is being confirmed, first quickly, then patiently, until its end is known.
 * @param orderId undefined while there is nothing to watch
 */
export function useOrderWatch(
  orderId: string | undefined,
  onEnd: (end: WatchedEnd) => void,
): { long: boolean; offline: boolean } {
  const [looked, setLooked] = useState({ orderId, attempts: 0 })
  const [offline, setOffline] = useState(false)
  const tellEnd = useEffectEvent(onEnd)

  useEffect(() => {
    if (orderId === undefined) return
    let stopped = false
    let timer: ReturnType<typeof setTimeout>

    const next = (attempt: number): void => {
      timer = setTimeout(() => void look(orderId, attempt), pollDelayMs(attempt))
    }
    async function look(id: string, attempt: number): Promise<void> {
      let end: WatchedEnd | undefined
      let unreachable = false
      try {
        end = await ask(id)
      } catch (error) {
        unreachable = error instanceof ApiError && error.network
        if (error instanceof ApiError && error.status === 404) end = { end: 'unknownOrder' }
      }
      if (stopped) return
      setOffline(unreachable)
      setLooked({ orderId: id, attempts: attempt + 1 })
      if (end) tellEnd(end)
      else next(attempt + 1)
    }

    next(0)
    return () => {
      stopped = true
      clearTimeout(timer)
    }
  }, [orderId])

  const isLong = looked.orderId === orderId && looked.attempts >= LONG_AFTER_ATTEMPTS
  return { long: isLong, offline }
}
