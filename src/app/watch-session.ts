import { browserSession } from '#client/browser.ts'
import { authenticatedChanged } from '#features/accounts/screens/auth-slice.ts'
import { fetchUser, userReset } from '#features/accounts/screens/user-slice.ts'
import { cartReset, fetchCart } from '#features/cart/screens/cart-slice.ts'
import { ticketsCleared } from '#features/tickets/screens/tickets-slice.ts'
import type { AppStore } from '#client/state.ts'

const CART_CHANNEL = 'volant-cart'

/**
 * Keeps the store in step with the session: when authenticated becomes true, user and cart are loaded; when it
 * becomes false, cart, user and tickets are reset (decisions, "When authenticated becomes true").
 */
export function watchSession(store: AppStore): void {
  const session = browserSession()
  let wasAuthenticated = false
  let resetting = false

  function reset(): void {
    resetting = true
    store.dispatch(cartReset())
    store.dispatch(userReset())
    store.dispatch(ticketsCleared())
    resetting = false
  }

  function follow(): void {
    const { isAuthenticated } = store.getState().auth
    document.documentElement.dataset['auth'] = isAuthenticated ? 'in' : 'out'
    const changed = isAuthenticated !== wasAuthenticated
    wasAuthenticated = isAuthenticated
    if (!isAuthenticated && !resetting && (changed || holdsSomebody(store))) reset()
    if (!isAuthenticated || !changed) return
    void store.dispatch(fetchUser())
    if (store.getState().cart.status === 'idle') void store.dispatch(fetchCart())
  }

  session.subscribe(() => void store.dispatch(authenticatedChanged(session.isAuthenticated())))
  store.subscribe(follow)
  follow()
  shareCart(store)
}

/** An answer that was on its way when the session ended still reaches the store. */
function holdsSomebody(store: AppStore): boolean {
  const { user, cart, tickets } = store.getState()
  return user.user !== null || cart.cartId !== null || tickets.items.length > 0
}

/** A cart that changed in one tab shows in the others: a tab that knows less than it hears loads its cart again. */
function shareCart(store: AppStore): void {
  const channel = new BroadcastChannel(CART_CHANNEL)
  let known = 0
  store.subscribe(() => {
    const { auth, cart } = store.getState()
    if (cart.version === known) return
    known = cart.version
    // Version 0 of a signed-in visitor: the cart was paid, whatever the others know is old.
    if (auth.isAuthenticated) channel.postMessage(known === 0 ? Infinity : known)
  })
  channel.addEventListener('message', ({ data }: MessageEvent<number>) => {
    const { auth, cart } = store.getState()
    if (auth.isAuthenticated && data > cart.version) void store.dispatch(fetchCart())
  })
}
