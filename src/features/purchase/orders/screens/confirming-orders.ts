import { useSyncExternalStore } from 'react'
import { ordersApi } from '../orders.api.ts'
import type { AppStore } from '#client/state.ts'
import { unfinishedOrders } from '#features/purchase/orders/screens/unfinished-orders.ts'
import type { BuyerOrder } from '../orders.contract.ts'

type Orders = readonly BuyerOrder[]

const NONE: Orders = []

/** How often a page asks while a payment waits. */
const POLL_MS = 20_000

let orders: Orders = NONE
const listeners = new Set<() => void>()

/** The mark beside the cart's icon is on every page and shown by `data-confirming`. */
function set(read: Orders): void {
  orders = read
  document.documentElement.toggleAttribute('data-confirming', read.length > 0)
  for (const listener of listeners) listener()
}

const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** The signed-in buyer's payments that wait to be confirmed. */
export const useConfirmingOrders = (): Orders =>
  useSyncExternalStore(
    subscribe,
    () => orders,
    () => NONE,
  )

/** Keeps them and the unfinished ones up to date: at login, on focus, and every few seconds while there are any. */
export function watchConfirmingOrders(store: AppStore): void {
  let wasAuthenticated = false
  let timer: ReturnType<typeof setTimeout> | undefined
  const isAuthenticated = (): boolean => store.getState().auth.isAuthenticated

  async function read(): Promise<void> {
    clearTimeout(timer)
    if (!isAuthenticated() || document.visibilityState === 'hidden') return
    const response = await ordersApi()
      .confirmingOrders()
      .catch(() => undefined)
    // The session may have ended meanwhile.
    if (!isAuthenticated()) return
    if (response && (response.orders.length > 0 || orders.length > 0)) set(response.orders)
    const unfinished = response?.unfinished ?? []
    if (response) unfinishedOrders.set(unfinished)
    clearTimeout(timer)
    if (orders.length > 0 || unfinished.length > 0) timer = setTimeout(() => void read(), POLL_MS)
  }

  function follow(): void {
    const now = isAuthenticated()
    if (now === wasAuthenticated) return
    wasAuthenticated = now
    if (now) return void read()
    set(NONE)
    unfinishedOrders.set([])
  }

  unfinishedOrders.keep(() => void read())
  window.addEventListener('focus', () => void read())
  document.addEventListener('visibilitychange', () => void read())
  store.subscribe(follow)
  follow()
}
