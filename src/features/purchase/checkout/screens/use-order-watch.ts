import { useEffect, useEffectEvent, useState } from 'react'
import { ApiError, failureOf } from '#client/api-error.ts'
import { failureTexts } from '#client/browser.ts'
import { checkoutApi } from '#features/purchase/checkout/checkout.api.ts'
import {
  type CaptureReading,
  LONG_AFTER_ATTEMPTS,
  type PaymentEnd,
  pollDelayMs,
  readCapture,
  readCaptureFailure,
  readProgress,
  readRefusal,
} from './payment-reading.ts'

/** Never throws. */
export async function captureOrder(orderId: string): Promise<CaptureReading> {
  try {
    return readCapture(await checkoutApi().captureOrder(orderId))
  } catch (error) {
    return readCaptureFailure(failureOf(error, failureTexts()))
  }
}

/** @returns undefined while the outcome is open */
async function ask(orderId: string): Promise<PaymentEnd | undefined> {
  const status = await checkoutApi().orderStatus(orderId)
  const reading = readProgress(status)
  if (reading === 'wait') return undefined
  if (reading === 'paid') return { result: 'paid', tickets: status.tickets }
  if (reading === 'refused') return readRefusal(status.refusal ?? 'providerRefused')
  if (reading !== 'retryCapture') return { result: reading }
  const capture = await captureOrder(orderId)
  return capture.result === 'unknown' ? undefined : capture
}

/** Polls an order until it ends; undefined polls nothing. */
export function useOrderWatch(
  orderId: string | undefined,
  onEnd: (end: PaymentEnd) => void,
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
      let end: PaymentEnd | undefined
      let unreachable = false
      try {
        end = await ask(id)
      } catch (error) {
        unreachable = error instanceof ApiError && error.network
        if (error instanceof ApiError && error.status === 404) end = { result: 'unknownOrder' }
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
