import type { UnfinishedOrder } from '../orders.contract.ts'

type Orders = readonly UnfinishedOrder[]

const NONE: Orders = []

/** Of their notice, which links lead to. */
export const UNFINISHED_ID = 'unfinished'

let orders: Orders = NONE
let isPaying = false
let ask = (): void => undefined
const listeners = new Set<() => void>()

const tell = (): void => {
  for (const listener of listeners) listener()
}

/**
 * What the signed-in buyer approved at the provider and has to finish or to give back. A part of every page, and therefore
 * small: `confirming-orders.ts` keeps it up to date.
 */
export const unfinishedOrders = {
  read: (): Orders => (isPaying ? NONE : orders),
  readOnServer: (): Orders => NONE,

  set(read: Orders): void {
    if (read.length === 0 && orders.length === 0) return
    orders = read
    tell()
  },

  /** Hides them during a payment of this page, which captures what it has approved. */
  hide(whilePaying: boolean): void {
    isPaying = whilePaying
    tell()
  },

  /** @param askServer reads them anew */
  keep(askServer: () => void): void {
    ask = askServer
  },

  /** To be called when they have changed. */
  refresh: (): void => ask(),

  subscribe: (listener: () => void): (() => void) => {
    listeners.add(listener)
    return () => listeners.delete(listener)
  },
}
