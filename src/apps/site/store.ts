import { type Middleware, applyMiddleware, combineReducers, legacy_createStore } from 'redux'
import { browserCall, browserSession, failureTexts } from '#client/browser.ts'
import { paths } from '#client/paths.ts'
import type { AppStore, RootState, ThunkExtra } from '#client/state.ts'
import { authReducer } from '#features/accounts/screens/auth-slice.ts'
import { userReducer } from '#features/accounts/screens/user-slice.ts'
import { cartReducer } from '#features/purchase/cart/screens/cart-slice.ts'
import { ticketsReducer } from '#features/tickets/screens/tickets-slice.ts'

const reducer = combineReducers({
  auth: authReducer,
  user: userReducer,
  cart: cartReducer,
  tickets: ticketsReducer,
})

const browserExtra: ThunkExtra = { call: browserCall, session: browserSession, texts: failureTexts }

const thunks =
  (extra: ThunkExtra): Middleware =>
  (store) => {
    const dispatch: typeof store.dispatch = (action) => store.dispatch(action)
    const getState = (): unknown => store.getState()
    return (next) => (action) =>
      typeof action === 'function' ? action(dispatch, getState, extra) : next(action)
  }

/** The client store. Redux Toolkit would cost every visitor 5.5 kB more (docs/adr/0013-page-weight-budgets.md). */
export const createStore = (
  preloadedState?: Partial<RootState>,
  extra: ThunkExtra = browserExtra,
): AppStore => legacy_createStore(reducer, preloadedState, applyMiddleware(thunks(extra))) as AppStore

/** The state that the server renders and the browser hydrates. */
export const VISITOR_STATE: RootState = reducer(undefined, { type: '@@volant/init' })

let browserStore: AppStore | undefined

/** One store in the browser, a new one for each rendering on the server. */
export function pageStore(): AppStore {
  if (typeof window === 'undefined') return createStore()
  // What a page that logs out asks for would be refused.
  const isAuthenticated = browserSession().isAuthenticated() && window.location.pathname !== paths.logout()
  browserStore ??= createStore({ auth: { ...VISITOR_STATE.auth, isAuthenticated } })
  return browserStore
}
