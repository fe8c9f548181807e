import type { UnknownAction } from 'redux'
import { apiThunk, createAction, isAnyOf } from '#client/actions.ts'
import type { LoginBody, RegisterBody, TokenPair } from '#features/accounts/accounts.contract.ts'
import type { AuthState } from '#client/state.ts'
import { accountsApi } from '../accounts.api.ts'

/** Stores a token pair; the session then reports "started", which loads user and cart. */
export const login = apiThunk<TokenPair, LoginBody>('auth/login', async (body, { extra }) => {
  const tokens = await accountsApi(extra.call()).login(body)
  extra.session().start(tokens)
  return tokens
})

/** Makes an account without logging in (spec section 2, "Registration"). */
export const register = apiThunk<void, RegisterBody>('auth/register', async (body, { extra }) => {
  await accountsApi(extra.call()).register(body)
})

/** Ends the session everywhere in this browser (spec section 2, "/logout"). */
export const logout = apiThunk<void>('auth/logout', async (_, { extra }) => {
  await extra.session().end()
})

export const authenticatedChanged = createAction<boolean>('auth/authenticatedChanged')

const VISITOR: AuthState = { isAuthenticated: false, loading: false, error: null }

const isPending = isAnyOf(login.pending, register.pending)
const isRejected = isAnyOf(login.rejected, register.rejected)

export function authReducer(state: AuthState = VISITOR, action: UnknownAction): AuthState {
  if (isPending(action)) return { ...state, loading: true, error: null }
  if (isRejected(action)) return { ...state, loading: false, error: action.payload.message }
  if (login.fulfilled.match(action)) return { isAuthenticated: true, loading: false, error: null }
  if (register.fulfilled.match(action)) return { ...state, loading: false }
  if (authenticatedChanged.match(action)) return { ...state, isAuthenticated: action.payload }
  return state
}
