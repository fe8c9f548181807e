import { browserCall } from '#client/browser.ts'
import type { CaptureResponse, OpenOrder, OrderStatus } from './checkout.contract.ts'

/** Calls of a payment, apart because only the pages of a purchase load them. */
export const checkoutApi = () => {
  const call = browserCall()
  return {
    openOrder: (signal?: AbortSignal) =>
      call<OpenOrder | null>('GET', '/api/paypal/open-order/', signal && { signal }),
    captureOrder: (orderId: string) =>
      call<CaptureResponse>('POST', '/api/paypal/capture-payment/', { body: { order_id: orderId } }),
    cancelOrder: (orderId: string) =>
      call<OrderStatus>('POST', '/api/paypal/cancel-order/', { body: { order_id: orderId } }),
    extendHold: (orderId: string) =>
      call<OrderStatus>('POST', '/api/paypal/extend-hold/', { body: { order_id: orderId } }),
    orderStatus: (orderId: string) =>
      call<OrderStatus>('GET', `/api/paypal/orders/${encodeURIComponent(orderId)}/`),
  }
}
