import { createContext, use, useSyncExternalStore } from 'react'
import type { Dispatch, Store, UnknownAction } from 'redux'
import type { Profile } from '#features/accounts/accounts.contract.ts'
import type { CartItem } from '#features/cart/cart.contract.ts'
import type { Ticket } from '#features/tickets/tickets.contract.ts'
import type { FailureTexts } from './api-error.ts'
import type { Api } from './endpoints.ts'
import type { Session } from './session.ts'

type LoadStatus = 'idle' | 'loading' | 'succeeded' | 'failed'

/** Spec section 3, "Auth state". */
export interface AuthState {
  /** Initially true if an access token is stored. */
  isAuthenticated: boolean
  loading: boolean
  error: string | null
}

/** Spec section 3, "User data held in the client". */
export interface UserState {
  user: Profile | null
  loading: boolean
  error: string | null
}

/** Spec section 4, "Cart". */
export interface CartState {
  status: LoadStatus
  /** null until the first answer: the calls need it. */
  cartId: number | null
  version: number
  items: CartItem[]
  error: string | null
}

/** Spec section 3, "Tickets store". */
export interface TicketsState {
  items: Ticket[]
  loading: boolean
  error: string | null
}

/** The areas of the client store (spec section 3). Their reducers live in their slices. */
export interface RootState {
  auth: AuthState
  user: UserState
  cart: CartState
  tickets: TicketsState
}

/** What thunks reach the world through. */
export interface ThunkExtra {
  api: () => Api
  session: () => Session
  texts: () => FailureTexts
}

/** An action that is a function: it may dispatch others, now and later. */
export type Thunk<Result> = (dispatch: AppDispatch, state: () => RootState, extra: ThunkExtra) => Result

export type AppDispatch = Dispatch & (<Result>(thunk: Thunk<Result>) => Result)

export type AppStore = Omit<Store<RootState, UnknownAction>, 'dispatch'> & { dispatch: AppDispatch }

/** The store of the page, and the state that the server has rendered. Set once, in the root. */
export const StoreContext = createContext<{ store: AppStore; serverState: RootState } | null>(null)

export const useAppDispatch = (): AppDispatch => usePageStore().store.dispatch

/**
 * A part of the store, drawn again when it changes.
 * @param select gives a value or a part of the state itself, never a fresh object
 */
export function useAppSelector<Selected>(select: (state: RootState) => Selected): Selected {
  const { store, serverState } = usePageStore()
  return useSyncExternalStore(
    store.subscribe,
    () => select(store.getState()),
    () => select(serverState),
  )
}

function usePageStore(): { store: AppStore; serverState: RootState } {
  const page = use(StoreContext)
  if (!page) throw new Error('there is no store around this component')
  return page
}

export const useIsAuthenticated = (): boolean => useAppSelector((state) => state.auth.isAuthenticated)

/** Sum of the quantities of all lines: the cart's badge (spec section 9). */
export const useCartCount = (): number =>
  useAppSelector((state) => state.cart.items.reduce((sum, item) => sum + item.quantity, 0))
