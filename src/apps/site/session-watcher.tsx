import { useEffect } from 'react'
import { useAppNavigate } from '#client/app-link.tsx'
import { browserSession } from '#client/browser.ts'
import { openChannel } from '#client/browser-parts.ts'
import { needsNewDocument } from '#client/documents.ts'
import { paths, safeNext } from '#client/paths.ts'
import {
  ENDED_ELSEWHERE,
  SESSION_EXPIRED,
  clearToasts,
  leaveNotice,
  takeNotice,
  toast,
} from '#client/toast.ts'
import { useTranslations } from '#i18n/translations.tsx'
import { authenticatedChanged } from '#features/accounts/screens/auth-slice.ts'
import { fetchUser, userReset } from '#features/accounts/screens/user-slice.ts'
import { cartReset, fetchCart } from '#features/purchase/cart/screens/cart-slice.ts'
import { ticketsCleared } from '#features/tickets/screens/tickets-slice.ts'
import type { AppStore } from '#client/state.ts'

/** Opens the login when the session expires or ends in another tab, also before this component was mounted. */
export function SessionWatcher(): null {
  const t = useTranslations('errors')
  const navigate = useAppNavigate()

  useEffect(() => {
    const session = browserSession()
    function notify(notice: string): void {
      if (notice === ENDED_ELSEWHERE) toast.warning(t('reconnect'))
      if (notice === SESSION_EXPIRED) toast.warning(t('sessionExpired'), { description: t('logInAgain') })
    }
    function toLogin(login: string, notice: string, replace: boolean): void {
      const crosses = needsNewDocument(window.location.pathname, login)
      // A toast would end with its document, to which "Back" would lead without the guard.
      if (crosses) leaveNotice(notice)
      else notify(notice)
      navigate(login, { replace: replace || crosses })
    }
    function leave(): void {
      const { pathname, search } = window.location
      if (pathname === paths.login()) return notify(SESSION_EXPIRED)
      // Replaced, since the login leads back to this page: "Back" would stay on it.
      toLogin(paths.login({ next: `${pathname}${search}` }), SESSION_EXPIRED, true)
    }
    /** A login in any tab leads back in each that waits for one. */
    function goBack(): void {
      const { pathname, search } = window.location
      const next = new URLSearchParams(search).get('next')
      if (pathname === paths.login() && next !== null) navigate(safeNext(next), { replace: true })
    }

    // The former page, which left the notice, may mount this component again while it is replaced.
    if (window.location.pathname === paths.login()) notify(takeNotice() ?? '')
    if (session.takeExpired()) leave()
    // A login in another tab may come while this page still loads.
    else if (session.isAuthenticated()) goBack()
    return session.subscribe((event) => {
      if (event !== 'started' && event !== 'started-elsewhere') clearToasts()
      if (event === 'ended-elsewhere') toLogin(paths.login(), ENDED_ELSEWHERE, false)
      if (event === 'expired-elsewhere' || (event === 'expired' && session.takeExpired())) leave()
      if (event === 'started-elsewhere') goBack()
      // The page shows data of another account.
      if (event === 'replaced-elsewhere') window.location.reload()
    })
  }, [navigate, t])

  return null
}

const CART_CHANNEL = 'volant-cart'

/** Above every version: the cart was paid. */
const NEWEST = Number.MAX_SAFE_INTEGER

/** Loads user and cart at login, and resets cart, user and tickets at logout. */
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
    if (!isAuthenticated && !resetting && (changed || hasUserData(store))) reset()
    if (!isAuthenticated || !changed) return
    void store.dispatch(fetchUser())
    if (store.getState().cart.status === 'idle') void store.dispatch(fetchCart())
  }

  session.subscribe(() => void store.dispatch(authenticatedChanged(session.isAuthenticated())))
  store.subscribe(follow)
  follow()
  shareCart(store)
}

/** A late response may arrive after the end of the session. */
function hasUserData(store: AppStore): boolean {
  const { user, cart, tickets } = store.getState()
  return user.user !== null || cart.cartId !== null || tickets.items.length > 0
}

/** Sends the cart's version to other tabs; a tab with an older one loads it again. */
function shareCart(store: AppStore): void {
  const post = openChannel(CART_CHANNEL, (version) => {
    const { auth, cart } = store.getState()
    if (auth.isAuthenticated && Number(version) > cart.version) void store.dispatch(fetchCart())
  })
  let known = 0
  store.subscribe(() => {
    const { auth, cart } = store.getState()
    if (cart.version === known) return
    known = cart.version
    // Version 0 means that the cart was paid, so every other version is older.
    if (auth.isAuthenticated) post(known === 0 ? NEWEST : known)
  })
}
