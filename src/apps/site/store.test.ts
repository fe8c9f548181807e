import { describe, expect, test, vi } from 'vitest'
import { ApiError } from '#client/api-error.ts'
import type { ApiCall } from '#client/api-call.ts'
import type { Session } from '#client/session.ts'
import type { Cart } from '#features/purchase/cart/cart.contract.ts'
import { login, register } from '#features/accounts/screens/auth-slice.ts'
import { fetchUser, updateUser, userReset } from '#features/accounts/screens/user-slice.ts'
import {
  addItem,
  cartReset,
  fetchCart,
  quantityShown,
  updateItem,
} from '#features/purchase/cart/screens/cart-slice.ts'
import { checkout } from '#features/purchase/checkout/screens/use-payment.ts'
import { downloadTicket, fetchTickets, ticketsCleared } from '#features/tickets/screens/tickets-slice.ts'
import { createStore } from './store.ts'

const refused = (message: string, status = 409) =>
  Promise.reject(new ApiError({ status, message, network: false, detail: message }))
const line = (id: number, quantity: number) => ({ id, quantity }) as Cart['items'][number]
const cart = (version: number, ...items: Cart['items']): Cart => ({
  id: 7,
  items,
  is_empty: items.length === 0,
  version,
})

type Responses = Record<string, (body?: object) => unknown>

/** The calls of an API of which only those named exist, as "GET /api/cart/". */
const callOf = (responses: Responses): ApiCall =>
  (async (method, path, options) => {
    const respond = responses[`${method} ${path}`]
    if (!respond) throw new Error(`nobody expected ${method} ${path}`)
    return await respond(options?.body as object | undefined)
  }) as ApiCall

/** A store over an API of which only the named calls exist. */
function storeOver(responses: Responses) {
  const start = vi.fn<Session['start']>()
  const store = createStore(undefined, {
    call: () => callOf(responses),
    session: () => ({ start }) as unknown as Session,
    texts: () => ({ network: 'no network', unexpected: 'unexpected' }),
  })
  return { store, start, state: store.getState, dispatch: store.dispatch }
}

test('has the four areas of the specification [spec 3.32]', () => {
  expect(Object.keys(storeOver({}).state()).sort()).toEqual(['auth', 'cart', 'tickets', 'user'])
})

describe('auth', () => {
  const credentials = { username: 'a@b.be', password: 'x' }

  test('a login stores the tokens and signs in [spec 4.1]', async () => {
    const tokens = { access: 'a', refresh: 'r' }
    const { dispatch, start, state } = storeOver({ 'POST /api/token/': async () => tokens })
    const running = dispatch(login(credentials))
    expect(state().auth).toEqual({ isAuthenticated: false, loading: true, error: null })
    await running.unwrap()
    expect(start).toHaveBeenCalledExactlyOnceWith(tokens)
    expect(state().auth).toEqual({ isAuthenticated: true, loading: false, error: null })
  })

  test('a refused login keeps the message of the server', async () => {
    const { dispatch, start, state } = storeOver({ 'POST /api/token/': () => refused('wrong', 401) })
    const failure = { status: 401, detail: 'wrong' }
    await expect(dispatch(login(credentials)).unwrap()).rejects.toMatchObject(failure)
    expect(start).not.toHaveBeenCalled()
    expect(state().auth).toEqual({ isAuthenticated: false, loading: false, error: 'wrong' })
  })

  test('a registration does not sign in', async () => {
    const { dispatch, state } = storeOver({ 'POST /api/user/register/': async () => undefined })
    const body = { username: 'a', email: 'a@b.be', password: 'x', phone_number: '+33612345678' }
    await dispatch(register(body)).unwrap()
    expect(state().auth.isAuthenticated).toBe(false)
  })
})

describe('user', () => {
  const user = { username: 'ana', email: 'a@b.be', phone: '', is_staff: false, is_superuser: false }
  const changed = { ...user, email: 'new@b.be' }

  test('is loaded, replaced by the response of an update, kept after a failed one, and reset [spec 3.17]', async () => {
    const responses = [async () => changed, () => refused('taken', 400)]
    const { dispatch, state } = storeOver({
      'GET /api/user/profile/': async () => user,
      'PUT /api/user/profile/': () => responses.shift()?.(),
    })
    await dispatch(fetchUser())
    expect(state().user).toEqual({ user, loading: false, error: null })
    await dispatch(updateUser({ email: 'new@b.be' }))
    expect(state().user).toEqual({ user: changed, loading: false, error: null })
    await dispatch(updateUser({ email: 'x@b.be' }))
    expect(state().user).toEqual({ user: changed, loading: false, error: 'taken' })
    dispatch(userReset())
    expect(state().user).toEqual({ user: null, loading: false, error: null })
  })
})

describe('cart', () => {
  test('is loading, then succeeded; a caller without one has no items [spec 4.20, 4.21, 7.16]', async () => {
    const { dispatch, state } = storeOver({ 'GET /api/cart/': async () => [] })
    const running = dispatch(fetchCart())
    expect(state().cart.status).toBe('loading')
    await running
    expect(state().cart).toMatchObject({ status: 'succeeded', items: [], error: null })
  })

  test('is emptied when loading fails [spec 4.22]', async () => {
    const responses = [async () => [cart(1, line(1, 2))], () => refused('down', 500)]
    const { dispatch, state } = storeOver({ 'GET /api/cart/': () => responses.shift()?.() })
    await dispatch(fetchCart())
    await dispatch(fetchCart())
    expect(state().cart).toMatchObject({ status: 'failed', items: [], error: 'down' })
  })

  test('is made by the first line added [spec 4.23]', async () => {
    const add = vi.fn<() => Promise<Cart>>(async () => cart(1, line(1, 2)))
    const { dispatch, state } = storeOver({
      'GET /api/cart/': async () => [cart(0)],
      'POST /api/cart/7/add_item/': add,
    })
    await dispatch(addItem({ offer_id: 3, quantity: 2 })).unwrap()
    expect(add).toHaveBeenCalledExactlyOnceWith({ offer_id: 3, quantity: 2 })
    expect(state().cart).toMatchObject({ cartId: 7, version: 1, items: [{ id: 1, quantity: 2 }] })
  })

  test('shows a quantity before it is stored, and the stored one after a refusal', async () => {
    const { dispatch, state } = storeOver({
      'GET /api/cart/': async () => [cart(1, line(1, 2))],
      'POST /api/cart/7/update_item/': () => refused('sold out'),
    })
    await dispatch(fetchCart())
    dispatch(quantityShown({ itemId: 1, quantity: 9 }))
    expect(state().cart.items[0]?.quantity).toBe(9)
    await dispatch(updateItem({ item_id: 1, quantity: 9 }))
    expect(state().cart).toMatchObject({ status: 'succeeded', error: 'sold out' })
    await dispatch(fetchCart())
    expect(state().cart.items[0]?.quantity).toBe(2)
  })

  test('ignores a response with an older version', async () => {
    const slow = Promise.withResolvers<Cart>()
    const responses = [slow.promise, Promise.resolve(cart(3, line(1, 3)))]
    const { dispatch, state } = storeOver({
      'GET /api/cart/': async () => [cart(1, line(1, 1))],
      'POST /api/cart/7/update_item/': () => responses.shift(),
    })
    await dispatch(fetchCart())
    const first = dispatch(updateItem({ item_id: 1, quantity: 2 }))
    await dispatch(updateItem({ item_id: 1, quantity: 3 }))
    slow.resolve(cart(2, line(1, 2)))
    await first
    expect(state().cart).toMatchObject({ version: 3, items: [{ quantity: 3 }] })
  })

  test('stays as it is during the checkout, and is reset after the payment [spec 4.27]', async () => {
    const order = { order_id: 'O' }
    const { dispatch, state } = storeOver({
      'GET /api/cart/': async () => [cart(1, line(1, 1))],
      'POST /api/paypal/create-order/': async () => order,
    })
    await dispatch(fetchCart())
    await expect(dispatch(checkout({ country_code: 'BE' })).unwrap()).resolves.toEqual(order)
    expect(state().cart.items).toHaveLength(1)
    dispatch(cartReset())
    expect(state().cart).toMatchObject({ status: 'idle', items: [], cartId: null })
  })

  test('hides a programming error behind the general message', async () => {
    const { dispatch } = storeOver({
      'GET /api/cart/': async () => [cart(1)],
      'POST /api/cart/7/add_item/': () => {
        throw new TypeError('x is not a function')
      },
    })
    const failure = { status: 0, network: false, message: 'unexpected' }
    await expect(dispatch(addItem({ offer_id: 1, quantity: 1 })).unwrap()).rejects.toEqual(failure)
  })
})

describe('tickets', () => {
  const idle = { items: [], loading: false, error: null }

  test('pending sets loading and clears the error, rejected stores the message, a clear empties both [spec 3.31, 4.48-4.50, 4.54, 8.41]', async () => {
    const items = [{ id: 't1' }]
    const responses = [() => refused('down', 500), async () => items]
    const { dispatch, state } = storeOver({ 'GET /api/tickets/user/': () => responses.shift()?.() })
    await dispatch(fetchTickets())
    expect(state().tickets).toEqual({ ...idle, error: 'down' })
    const running = dispatch(fetchTickets())
    expect(state().tickets).toEqual({ ...idle, loading: true })
    await running
    expect(state().tickets).toEqual({ ...idle, items })
    dispatch(ticketsCleared())
    expect(state().tickets).toEqual(idle)
  })

  test('a download is loading until its file arrives, which is not kept [spec 4.51, 4.53, 7.26]', async () => {
    const data = new Blob(['pdf'])
    const { dispatch, state } = storeOver({ 'GET /api/tickets/t1/download/': async () => data })
    const running = dispatch(downloadTicket('t1'))
    expect(state().tickets).toEqual({ ...idle, loading: true })
    await expect(running.unwrap()).resolves.toEqual({ ticketId: 't1', data })
    expect(state().tickets).toEqual(idle)
  })

  test('a failed download stores its message [spec 4.52, 8.42]', async () => {
    const { dispatch, state } = storeOver({ 'GET /api/tickets/t1/download/': () => refused('gone', 404) })
    await dispatch(downloadTicket('t1'))
    expect(state().tickets).toEqual({ ...idle, error: 'gone' })
  })
})
