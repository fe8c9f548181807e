import { describe, expect, test, vi } from 'vitest'
import { ApiError } from '#client/api-error.ts'
import type { Api } from '#client/endpoints.ts'
import type { Session } from '#client/session.ts'
import type { Cart } from '#features/cart/cart.contract.ts'
import { login, register } from '#features/accounts/screens/auth-slice.ts'
import { fetchUser, updateUser, userReset } from '#features/accounts/screens/user-slice.ts'
import {
  addItem,
  cartReset,
  checkout,
  fetchCart,
  quantityShown,
  updateItem,
} from '#features/cart/screens/cart-slice.ts'
import { downloadTicket, fetchTickets, ticketsCleared } from '#features/tickets/screens/tickets-slice.ts'
import { createStore } from './store.ts'

const refusal = (message: string, status = 409) =>
  new ApiError({ status, message, network: false, detail: message })
const line = (id: number, quantity: number) => ({ id, quantity }) as Cart['items'][number]
const cart = (version: number, ...items: Cart['items']): Cart => ({
  id: 7,
  items,
  is_empty: items.length === 0,
  version,
})

/** A store over an API of which only the named calls exist. */
function storeOver(api: Partial<Record<keyof Api, (...input: never[]) => unknown>>) {
  const start = vi.fn<Session['start']>()
  const session = { start } as unknown as Session
  const store = createStore(undefined, {
    api: () => api as unknown as Api,
    session: () => session,
    texts: () => ({ network: 'no network', unexpected: 'unexpected' }),
  })
  return { store, start, state: store.getState }
}

test('has the four areas of the specification [spec 3.32]', () => {
  expect(Object.keys(storeOver({}).state()).sort()).toEqual(['auth', 'cart', 'tickets', 'user'])
})

describe('auth', () => {
  test('a login stores the tokens and signs in [spec 4.1]', async () => {
    const tokens = { access: 'a', refresh: 'r' }
    const { store, start, state } = storeOver({ login: async () => tokens })
    const running = store.dispatch(login({ username: 'a@b.be', password: 'x' }))
    expect(state().auth).toEqual({ isAuthenticated: false, loading: true, error: null })
    await running.unwrap()
    expect(start).toHaveBeenCalledExactlyOnceWith(tokens)
    expect(state().auth).toEqual({ isAuthenticated: true, loading: false, error: null })
  })

  test('a refused login keeps the words of the server', async () => {
    const { store, start, state } = storeOver({ login: () => Promise.reject(refusal('wrong', 401)) })
    await expect(store.dispatch(login({ username: 'a@b.be', password: 'x' })).unwrap()).rejects.toMatchObject(
      {
        status: 401,
        detail: 'wrong',
      },
    )
    expect(start).not.toHaveBeenCalled()
    expect(state().auth).toEqual({ isAuthenticated: false, loading: false, error: 'wrong' })
  })

  test('a registration does not sign in', async () => {
    const { store, state } = storeOver({ register: async () => undefined })
    await store
      .dispatch(register({ username: 'a', email: 'a@b.be', password: 'x', phone_number: '+33612345678' }))
      .unwrap()
    expect(state().auth.isAuthenticated).toBe(false)
  })
})

describe('user', () => {
  const profile = { username: 'ana', email: 'a@b.be', phone: '', is_staff: false, is_superuser: false }

  test('is loaded, replaced by what an update answers, and forgotten [spec 3.17]', async () => {
    const { store, state } = storeOver({
      profile: async () => profile,
      updateProfile: async () => ({ ...profile, email: 'new@b.be' }),
    })
    await store.dispatch(fetchUser())
    expect(state().user).toEqual({ user: profile, loading: false, error: null })
    await store.dispatch(updateUser({ email: 'new@b.be' }))
    expect(state().user.user?.email).toBe('new@b.be')
    store.dispatch(userReset())
    expect(state().user).toEqual({ user: null, loading: false, error: null })
  })

  test('a failed update keeps the user', async () => {
    const { store, state } = storeOver({
      profile: async () => profile,
      updateProfile: () => Promise.reject(refusal('taken', 400)),
    })
    await store.dispatch(fetchUser())
    await store.dispatch(updateUser({ email: 'x@b.be' }))
    expect(state().user).toEqual({ user: profile, loading: false, error: 'taken' })
  })
})

describe('cart', () => {
  test('is loading, then succeeded; a caller without one has no items [spec 4.20, 4.21, 7.16]', async () => {
    const { store, state } = storeOver({ cart: async () => undefined })
    const running = store.dispatch(fetchCart())
    expect(state().cart.status).toBe('loading')
    await running
    expect(state().cart).toMatchObject({ status: 'succeeded', items: [], error: null })
  })

  test('is emptied when loading fails [spec 4.22]', async () => {
    const answers = [Promise.resolve(cart(1, line(1, 2))), Promise.reject(refusal('down', 500))]
    const { store, state } = storeOver({ cart: () => answers.shift() })
    await store.dispatch(fetchCart())
    await store.dispatch(fetchCart())
    expect(state().cart).toMatchObject({ status: 'failed', items: [], error: 'down' })
  })

  test('is made by the first line added [spec 4.23]', async () => {
    const add = vi.fn<() => Promise<Cart>>(async () => cart(1, line(1, 2)))
    const { store, state } = storeOver({ cart: async () => cart(0), addItem: add })
    await store.dispatch(addItem({ offer_id: 3, quantity: 2 })).unwrap()
    expect(add).toHaveBeenCalledExactlyOnceWith(7, { offer_id: 3, quantity: 2 })
    expect(state().cart).toMatchObject({ cartId: 7, version: 1, items: [{ id: 1, quantity: 2 }] })
  })

  test('keeps its items when a change is refused', async () => {
    const { store, state } = storeOver({
      cart: async () => cart(1, line(1, 2)),
      updateItem: () => Promise.reject(refusal('sold out')),
    })
    await store.dispatch(fetchCart())
    store.dispatch(quantityShown({ itemId: 1, quantity: 9 }))
    expect(state().cart.items[0]?.quantity).toBe(9)
    await store.dispatch(updateItem({ item_id: 1, quantity: 9 }))
    expect(state().cart).toMatchObject({ status: 'succeeded', error: 'sold out' })
    await store.dispatch(fetchCart())
    expect(state().cart.items[0]?.quantity).toBe(2)
  })

  test('an answer that was overtaken does not bring back an older cart', async () => {
    const slow = Promise.withResolvers<Cart>()
    const answers = [slow.promise, Promise.resolve(cart(3, line(1, 3)))]
    const { store, state } = storeOver({
      cart: async () => cart(1, line(1, 1)),
      updateItem: () => answers.shift(),
    })
    await store.dispatch(fetchCart())
    const first = store.dispatch(updateItem({ item_id: 1, quantity: 2 }))
    await store.dispatch(updateItem({ item_id: 1, quantity: 3 }))
    slow.resolve(cart(2, line(1, 2)))
    await first
    expect(state().cart).toMatchObject({ version: 3, items: [{ quantity: 3 }] })
  })

  test('stays as it is while it is checked out, and goes when it is paid [spec 4.27]', async () => {
    const { store, state } = storeOver({
      cart: async () => cart(1, line(1, 1)),
      createOrder: async () => ({ order_id: 'O' }),
    })
    await store.dispatch(fetchCart())
    await expect(store.dispatch(checkout({ country_code: 'BE' })).unwrap()).resolves.toEqual({
      order_id: 'O',
    })
    expect(state().cart.items).toHaveLength(1)
    store.dispatch(cartReset())
    expect(state().cart).toMatchObject({ status: 'idle', items: [], cartId: null })
  })

  test('a fault of ours reaches the screen as the general sentence', async () => {
    const { store } = storeOver({
      cart: async () => cart(1),
      addItem: () => {
        throw new TypeError('x is not a function')
      },
    })
    await expect(store.dispatch(addItem({ offer_id: 1, quantity: 1 })).unwrap()).rejects.toEqual({
      status: 0,
      network: false,
      message: 'unexpected',
    })
  })
})

describe('tickets', () => {
  test('pending sets loading and clears the error, rejected stores the message, a clear empties both [spec 3.31, 4.48-4.50, 4.54, 8.41]', async () => {
    const tickets = [{ id: 't1' }]
    const answers = [Promise.reject(refusal('down', 500)), Promise.resolve(tickets)]
    const { store, state } = storeOver({ tickets: () => answers.shift() })
    await store.dispatch(fetchTickets())
    expect(state().tickets).toEqual({ items: [], loading: false, error: 'down' })
    const running = store.dispatch(fetchTickets())
    expect(state().tickets).toEqual({ items: [], loading: true, error: null })
    await running
    expect(state().tickets).toEqual({ items: tickets, loading: false, error: null })
    store.dispatch(ticketsCleared())
    expect(state().tickets).toEqual({ items: [], loading: false, error: null })
  })

  test('a download hands over the file and keeps nothing of it [spec 4.53, 7.26]', async () => {
    const data = new Blob(['pdf'])
    const { store, state } = storeOver({ downloadTicket: async () => data })
    await expect(store.dispatch(downloadTicket('t1')).unwrap()).resolves.toEqual({ ticketId: 't1', data })
    expect(state().tickets).toEqual({ items: [], loading: false, error: null })
  })

  test('a download toggles loading on its way and after it [spec 4.51]', async () => {
    const file = Promise.withResolvers<Blob>()
    const { store, state } = storeOver({ downloadTicket: () => file.promise })
    const running = store.dispatch(downloadTicket('t1'))
    expect(state().tickets.loading).toBe(true)
    file.resolve(new Blob(['pdf']))
    await running
    expect(state().tickets.loading).toBe(false)
  })

  test('a failed download stores its message [spec 4.52, 8.42]', async () => {
    const { store, state } = storeOver({ downloadTicket: () => Promise.reject(refusal('gone', 404)) })
    await store.dispatch(downloadTicket('t1'))
    expect(state().tickets).toEqual({ items: [], loading: false, error: 'gone' })
  })
})
