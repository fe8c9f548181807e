import type { ThunkDispatch, UnknownAction } from '@reduxjs/toolkit'
import { type TypedUseSelectorHook, useDispatch, useSelector } from 'react-redux'
import type { Profile } from '#features/accounts/accounts.contract.ts'
import type { CartItem } from '#features/cart/cart.contract.ts'
import type { Ticket } from '#features/tickets/tickets.contract.ts'
import type { ApiFailure, FailureTexts } from './api-error.ts'
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

/** Types of every thunk: failures arrive as `ApiFailure`, also from `unwrap()`. */
export interface ThunkTypes {
  state: RootState
  extra: ThunkExtra
  rejectValue: ApiFailure
}

export type AppDispatch = ThunkDispatch<RootState, ThunkExtra, UnknownAction>

export const useAppDispatch = useDispatch.withTypes<AppDispatch>()
export const useAppSelector: TypedUseSelectorHook<RootState> = useSelector

export const useIsAuthenticated = (): boolean => useAppSelector((state) => state.auth.isAuthenticated)

/** Sum of the quantities of all lines: the cart's badge (spec section 9). */
export const useCartCount = (): number =>
  useAppSelector((state) => state.cart.items.reduce((sum, item) => sum + item.quantity, 0))
