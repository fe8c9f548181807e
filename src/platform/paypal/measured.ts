import { nowMs } from '#shared/clock.ts'
import type { Metrics } from '../metrics.ts'
import type { PayPalClient } from './client.ts'
import { ProviderRefused } from './faults.ts'

/** A client whose calls are measured: how long each took and what came of it. */
export function measuredClient(client: PayPalClient, metrics: Pick<Metrics, 'provider'>): PayPalClient {
  const measured =
    <Args extends unknown[], Result>(call: string, send: (...args: Args) => Promise<Result>) =>
    async (...args: Args): Promise<Result> => {
      const begun = nowMs()
      const took = (): number => (nowMs() - begun) / 1000
      try {
        const result = await send(...args)
        metrics.provider(call, 'ok', took())
        return result
      } catch (error) {
        metrics.provider(call, error instanceof ProviderRefused ? 'refused' : 'unknown', took())
        throw error
      }
    }
  return {
    createOrder: measured('create order', (order: object, id: string) => client.createOrder(order, id)),
    getOrder: measured('get order', (id: string) => client.getOrder(id)),
    captureOrder: measured('capture', (id: string, requestId: string) => client.captureOrder(id, requestId)),
    refundCapture: measured('refund', (id: string, body: object, requestId: string) =>
      client.refundCapture(id, body, requestId),
    ),
    getRefund: measured('get refund', (id: string) => client.getRefund(id)),
  }
}
