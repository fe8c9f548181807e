import { beforeEach, expect, test, vi } from 'vitest'
import type { ApiCall } from '#client/api-call.ts'
import type { Session, SessionEvent } from '#client/session.ts'

const browser = vi.hoisted(() => ({ signedIn: false, listeners: [] as ((event: SessionEvent) => void)[] }))

vi.mock('#client/browser.ts', () => ({
  browserCall: vi.fn<() => ApiCall>(),
  failureTexts: () => ({ network: '', unexpected: '' }),
  browserSession: () => ({
    isAuthenticated: () => browser.signedIn,
    subscribe: (listener: (event: SessionEvent) => void) => browser.listeners.push(listener),
  }),
}))

const { createStore } = await import('./store.ts')
const { watchSession } = await import('./session-watcher.tsx')
const { fetchTickets } = await import('#features/tickets/screens/tickets-slice.ts')

const PROFILE = { username: 'ana', email: 'a@b.be', phone: '', is_staff: false, is_superuser: false }

/** A channel without other tabs. */
class Silence extends EventTarget {
  postMessage(): void {}
}

beforeEach(() => {
  browser.signedIn = false
  browser.listeners.length = 0
  vi.stubGlobal('document', { documentElement: { dataset: {} } })
  vi.stubGlobal('BroadcastChannel', Silence)
})

/** A watched store over an API of one customer. */
function watched(profile: () => Promise<typeof PROFILE> = async () => PROFILE) {
  const responses: Record<string, () => Promise<unknown>> = {
    '/api/user/profile/': profile,
    '/api/cart/': async () => [{ id: 7, version: 2, is_empty: true, items: [] }],
    '/api/tickets/user/': async () => [{ id: 't1' }],
  }
  const store = createStore(undefined, {
    call: () => ((_, path) => responses[path]?.()) as ApiCall,
    session: () => ({}) as Session,
    texts: () => ({ network: '', unexpected: '' }),
  })
  watchSession(store)
  const become = (signedIn: boolean): void => {
    browser.signedIn = signedIn
    for (const listener of browser.listeners) listener(signedIn ? 'started' : 'ended')
  }
  return { store, become }
}

const empty = { user: { user: null }, cart: { cartId: null, status: 'idle' }, tickets: { items: [] } }

test('user and cart are loaded when somebody signs in [spec 4.57]', async () => {
  const { store, become } = watched()
  expect(store.getState()).toMatchObject(empty)
  become(true)
  await expect.poll(() => store.getState()).toMatchObject({ user: { user: PROFILE }, cart: { cartId: 7 } })
  expect(document.documentElement.dataset['auth']).toBe('in')
})

test('user, cart and tickets are emptied when the session ends [spec 4.59]', async () => {
  const { store, become } = watched()
  become(true)
  await store.dispatch(fetchTickets())
  await expect.poll(() => store.getState().user.user).toEqual(PROFILE)
  become(false)
  expect(store.getState()).toMatchObject(empty)
  expect(document.documentElement.dataset['auth']).toBe('out')
})

test('a response after the end of the session is ignored [spec 4.59]', async () => {
  const late = Promise.withResolvers<typeof PROFILE>()
  const { store, become } = watched(() => late.promise)
  become(true)
  become(false)
  late.resolve(PROFILE)
  // Everything that waits for the response has run when a later turn of the event loop begins.
  await new Promise((resolve) => setImmediate(resolve))
  expect(store.getState()).toMatchObject(empty)
})
