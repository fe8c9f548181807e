const STORED = 'volant-pending-order'

/**
 * The order whose payment was approved but not yet confirmed: a reload of the page goes on asking about it instead of
 * offering to pay a second time. Kept for this tab only.
 */
export const pendingOrder = {
  read(): string | undefined {
    try {
      return window.sessionStorage.getItem(STORED) ?? undefined
    } catch {
      return undefined
    }
  },
  remember(orderId: string): void {
    try {
      window.sessionStorage.setItem(STORED, orderId)
    } catch {
      // Storage is forbidden here: the server still refuses a second payment of the same cart.
    }
  },
  forget(): void {
    try {
      window.sessionStorage.removeItem(STORED)
    } catch {
      // Nothing was stored.
    }
  },
}
