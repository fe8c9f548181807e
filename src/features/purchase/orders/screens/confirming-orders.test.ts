import { beforeEach, expect, test, vi } from 'vitest'
import type { AppStore } from '#client/state.ts'

const browser = vi.hoisted(() => ({
  orders: [] as { number: string }[],
  unfinished: [] as { number: string }[],
  calls: 0,
}))
vi.mock('../orders.api.ts', () => ({
  ordersApi: () => ({
    confirmingOrders: async () => {
      browser.calls += 1
      return { orders: browser.orders, unfinished: browser.unfinished, next: null }
    },
  }),
}))

const { unfinishedOrders } = await import('./unfinished-orders.ts')
const { watchConfirmingOrders } = await import('./confirming-orders.ts')

let marked = false
beforeEach(() => {
  marked = false
  Object.assign(browser, { orders: [], unfinished: [], calls: 0 })
  unfinishedOrders.set([])
  const toggleAttribute = (_: string, to: boolean) => void (marked = to)
  vi.stubGlobal('window', new EventTarget())
  vi.stubGlobal(
    'document',
    Object.assign(new EventTarget(), { visibilityState: 'visible', documentElement: { toggleAttribute } }),
  )
  return () => vi.useRealTimers()
})

/** A watched store of a buyer. */
function watched(isAuthenticated: boolean) {
  const auth = { isAuthenticated }
  let listen = (): void => undefined
  const store = {
    getState: () => ({ auth }),
    subscribe: (listener: () => void) => {
      listen = listener
      return () => undefined
    },
  }
  watchConfirmingOrders(store as unknown as AppStore)
  const become = (signedIn: boolean) => {
    auth.isAuthenticated = signedIn
    listen()
  }
  return { become }
}

test('a payment that waits is marked at login and no more after logout', async () => {
  browser.orders = [{ number: 'K7QM-2F9P' }]
  const { become } = watched(false)
  expect([browser.calls, marked]).toEqual([0, false])
  become(true)
  await expect.poll(() => marked).toBe(true)
  become(false)
  expect(marked).toBe(false)
  window.dispatchEvent(new Event('focus'))
  expect(browser.calls).toBe(1)
})

test('the mark appears on focus, and goes once the payment is confirmed', async () => {
  vi.useFakeTimers()
  watched(true)
  await vi.advanceTimersByTimeAsync(60_000)
  expect([browser.calls, marked]).toEqual([1, false])
  browser.orders = [{ number: 'K7QM-2F9P' }]
  window.dispatchEvent(new Event('focus'))
  await vi.advanceTimersByTimeAsync(0)
  expect(marked).toBe(true)
  browser.orders = []
  await vi.advanceTimersByTimeAsync(20_000)
  expect([browser.calls, marked]).toEqual([3, false])
})

test('what is approved and not finished is told at login and after a refresh, hidden during a payment, and gone after logout', async () => {
  const numbers = () => unfinishedOrders.read().map(({ number }) => number)
  browser.unfinished = [{ number: 'K7QM-2F9P' }]
  const { become } = watched(true)
  await expect.poll(numbers).toEqual(['K7QM-2F9P'])
  unfinishedOrders.hide(true)
  expect(numbers()).toEqual([])
  unfinishedOrders.hide(false)
  expect(numbers()).toEqual(['K7QM-2F9P'])
  browser.unfinished = [{ number: 'K7QM-2F9P' }, { number: 'AB2C-9XYZ' }]
  unfinishedOrders.refresh()
  await expect.poll(numbers).toHaveLength(2)
  expect(marked).toBe(false)
  become(false)
  expect(numbers()).toEqual([])
})

test('what is not finished is asked about again, until it is', async () => {
  vi.useFakeTimers()
  browser.unfinished = [{ number: 'K7QM-2F9P' }]
  watched(true)
  await vi.advanceTimersByTimeAsync(20_000)
  expect(browser.calls).toBe(2)
  browser.unfinished = []
  await vi.advanceTimersByTimeAsync(60_000)
  expect(browser.calls).toBe(3)
  expect(unfinishedOrders.read()).toEqual([])
})
