import { nowMs } from '#shared/clock.ts'
import type { PayPalClient } from './client.ts'
import { ProviderAway, ProviderUnknown } from './faults.ts'

export interface BreakerSettings {
  /** Calls without an answer, one after the other, after which PayPal counts as away. */
  failures: number
  /** How long it is then left alone, in milliseconds. */
  pauseMs: number
  now?: () => number
}

const SETTINGS: BreakerSettings = { failures: 8, pauseMs: 10_000 }

/**
 * Leaves PayPal alone once it has stopped answering (reliability, row 36): nobody waits out the time limit in vain, and
 * a provider that gets up is not run over. After the pause one call tries; its answer opens the way for all.
 */
export function withBreaker(
  client: PayPalClient,
  { failures, pauseMs, now = nowMs }: BreakerSettings = SETTINGS,
): PayPalClient {
  let inARow = 0
  let awayUntil = 0
  let trying = false

  async function guarded<Result>(call: () => Promise<Result>): Promise<Result> {
    const isAway = inARow >= failures
    if (isAway && (trying || now() < awayUntil)) throw new ProviderAway()
    if (isAway) trying = true
    try {
      const result = await call()
      inARow = 0
      return result
    } catch (error) {
      // A refusal is an answer, too.
      inARow = error instanceof ProviderUnknown ? inARow + 1 : 0
      if (inARow >= failures) awayUntil = now() + pauseMs
      throw error
    } finally {
      if (isAway) trying = false
    }
  }

  return {
    createOrder: (order, requestId) => guarded(() => client.createOrder(order, requestId)),
    getOrder: (id) => guarded(() => client.getOrder(id)),
    captureOrder: (id, requestId) => guarded(() => client.captureOrder(id, requestId)),
    refundCapture: (id, refund, requestId) => guarded(() => client.refundCapture(id, refund, requestId)),
    getRefund: (id) => guarded(() => client.getRefund(id)),
  }
}
