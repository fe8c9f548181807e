import type { CalculateTaxBody, TaxResult } from '#features/cart/cart.contract.ts'
import type { CaptureAnswer, OpenOrder, OrderStatus } from '#features/checkout/checkout.contract.ts'
import type { BuyerOrders } from '#features/orders/orders.contract.ts'
import { browserCall } from './browser.ts'

/** Calls for orders, apart because only the pages of a purchase load them. */
export const orderApi = () => {
  const call = browserCall()
  return {
    calculateTax: (body: CalculateTaxBody, signal?: AbortSignal) =>
      call<TaxResult>('POST', '/api/cart/calculate_tax/', { body, ...(signal && { signal }) }),

    openOrder: (signal?: AbortSignal) =>
      call<OpenOrder | null>('GET', '/api/paypal/open-order/', signal && { signal }),
    captureOrder: (orderId: string) =>
      call<CaptureAnswer>('POST', '/api/paypal/capture-payment/', { body: { order_id: orderId } }),
    cancelOrder: (orderId: string) =>
      call<OrderStatus>('POST', '/api/paypal/cancel-order/', { body: { order_id: orderId } }),
    extendHold: (orderId: string) =>
      call<OrderStatus>('POST', '/api/paypal/extend-hold/', { body: { order_id: orderId } }),
    orderStatus: (orderId: string) =>
      call<OrderStatus>('GET', `/api/paypal/orders/${encodeURIComponent(orderId)}/`),

    orders: (after?: string) =>
      call<BuyerOrders>('GET', `/api/orders/${after === undefined ? '' : `?after=${after}`}`),
    confirmingOrders: () => call<BuyerOrders>('GET', '/api/orders/?confirming=true'),
    receipt: (number: string) => call<Blob>('GET', `/api/orders/${encodeURIComponent(number)}/receipt/`),
  }
}
