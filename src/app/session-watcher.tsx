import { useEffect } from 'react'
import { useAppNavigate } from '#client/app-link.tsx'
import { browserSession } from '#client/browser.ts'
import { crossesDocuments, paths } from '#client/paths.ts'
import { SESSION_EXPIRED, leaveNotice, takeNotice, toast } from '#client/toast.ts'
import { useTranslations } from '#i18n/translations.tsx'
import { authenticatedChanged } from '#features/accounts/screens/auth-slice.ts'
import { fetchUser, userReset } from '#features/accounts/screens/user-slice.ts'
import { cartReset, fetchCart } from '#features/cart/screens/cart-slice.ts'
import { ticketsCleared } from '#features/tickets/screens/tickets-slice.ts'
import type { AppStore } from '#client/state.ts'

/**
 * Takes the visitor to the login when the session ends under a page: refused for good, or ended in another tab. The
 * first calls leave before the page has started, so an end may have come before anybody listened.
 */
export function SessionWatcher(): null {
  const t = useTranslations('errors')
  const navigate = useAppNavigate()

  useEffect(() => {
    const tell = (): void => toast.warning(t('sessionExpired'), { description: t('logInAgain') })
    const session = browserSession()
    function leave(): void {
      if (!session.takeExpired()) return
      const { pathname, search } = window.location
      if (pathname === paths.login()) return tell()
      const login = paths.login({ next: `${pathname}${search}` })
      if (crossesDocuments(pathname, login)) leaveNotice(SESSION_EXPIRED)
      else tell()
      navigate(login)
    }

    // The notice is for the login: the page that left it may start to listen while it is still being replaced.
    if (window.location.pathname === paths.login() && takeNotice() === SESSION_EXPIRED) tell()
    leave()
    return session.subscribe((event) => {
      if (event === 'ended-elsewhere') {
        toast.warning(t('reconnect'))
        navigate(paths.login())
      }
      if (event === 'expired') leave()
      // What the page shows is another person's, so nothing of it may stay.
      if (event === 'replaced-elsewhere') window.location.reload()
    })
  }, [navigate, t])

  return null
}

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
    Object.assign(document.documentElement.dataset, { auth: isAuthenticated ? 'in' : 'out' })
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
