import { type Middleware, applyMiddleware, combineReducers, legacy_createStore } from 'redux'
import { browserApi, browserSession, failureTexts } from '#client/browser.ts'
import type { AppStore, RootState, ThunkExtra } from '#client/state.ts'
import { authReducer } from '#features/accounts/screens/auth-slice.ts'
import { userReducer } from '#features/accounts/screens/user-slice.ts'
import { cartReducer } from '#features/cart/screens/cart-slice.ts'
import { ticketsReducer } from '#features/tickets/screens/tickets-slice.ts'

const reducer = combineReducers({
  auth: authReducer,
  user: userReducer,
  cart: cartReducer,
  tickets: ticketsReducer,
})

const browserExtra: ThunkExtra = { api: browserApi, session: browserSession, texts: failureTexts }

/** Runs actions that are functions; all that is needed of middleware (spec section 3, "Client store areas"). */
const thunks =
  (extra: ThunkExtra): Middleware =>
  (store) => {
    const dispatch: typeof store.dispatch = (action) => store.dispatch(action)
    const getState = (): unknown => store.getState()
    return (next) => (action) =>
      typeof action === 'function' ? action(dispatch, getState, extra) : next(action)
  }

/**
 * The client store. It is put together by hand, and reducers are plain functions: the toolkit's own store and slices
 * bring a proxy library that costs every visitor 5.5 kB before the first click (docs/adr/0013-page-weight-budgets.md).
 */
export const createStore = (
  preloadedState?: Partial<RootState>,
  extra: ThunkExtra = browserExtra,
): AppStore => legacy_createStore(reducer, preloadedState, applyMiddleware(thunks(extra))) as AppStore

/** The state of a visitor: what the server renders and what the browser hydrates before it looks at its own storage. */
export const VISITOR_STATE: RootState = reducer(undefined, { type: '@@volant/init' })

let browserStore: AppStore | undefined

/** One store in the browser, a fresh one for each rendering on the server. */
export function pageStore(): AppStore {
  if (typeof window === 'undefined') return createStore()
  const isAuthenticated = browserSession().isAuthenticated()
  browserStore ??= createStore({ auth: { ...VISITOR_STATE.auth, isAuthenticated } })
  return browserStore
}
