import { combineReducers, configureStore } from '@reduxjs/toolkit'
import { browserApi, browserSession, failureTexts } from '#client/browser.ts'
import type { RootState, ThunkExtra } from '#client/state.ts'
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

/** The client store (spec section 3, "Client store areas"). Downloaded files pass through actions, so they are not checked. */
export const createStore = (preloadedState?: Partial<RootState>, extra: ThunkExtra = browserExtra) =>
  configureStore({
    reducer,
    ...(preloadedState && { preloadedState }),
    middleware: (defaults) => defaults({ thunk: { extraArgument: extra }, serializableCheck: false }),
    devTools: import.meta.env?.DEV ?? false,
  })

export type AppStore = ReturnType<typeof createStore>

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
