import { browserCall } from '#client/browser.ts'
import type { BuyerOrders } from './orders.contract.ts'

/** Calls about the orders of a buyer, apart because few pages load them. */
export const ordersApi = () => {
  const call = browserCall()
  return {
    orders: (after?: string) =>
      call<BuyerOrders>('GET', `/api/orders/${after === undefined ? '' : `?after=${after}`}`),
    confirmingOrders: () => call<BuyerOrders>('GET', '/api/orders/?confirming=true'),
    receipt: (number: string) => call<Blob>('GET', `/api/orders/${encodeURIComponent(number)}/receipt/`),
  }
}
