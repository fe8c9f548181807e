import { type PayloadAction, createSlice } from '@reduxjs/toolkit'
import type { LoginBody, RegisterBody, TokenPair } from '#features/accounts/accounts.contract.ts'
import type { AuthState } from '#client/state.ts'
import { apiThunk } from '#client/thunk.ts'

/** Gets a token pair and stores it; the session then says "started", which loads user and cart. */
export const login = apiThunk<TokenPair, LoginBody>('auth/login', async (body, { extra }) => {
  const tokens = await extra.api().login(body)
  extra.session().start(tokens)
  return tokens
})

/** Makes an account. It does not log in: the person does (spec section 2, "Registration"). */
export const register = apiThunk<void, RegisterBody>('auth/register', async (body, { extra }) => {
  await extra.api().register(body)
})

/** Ends the session everywhere in this browser (spec section 2, "/logout"). */
export const logout = apiThunk<void>('auth/logout', async (_, { extra }) => {
  await extra.session().end()
})

const initialState: AuthState = { isAuthenticated: false, loading: false, error: null }

const auth = createSlice({
  name: 'auth',
  initialState,
  reducers: {
    /** The session has begun or ended, here or in another tab. */
    authenticatedChanged(state, { payload }: PayloadAction<boolean>) {
      state.isAuthenticated = payload
    },
    authErrorCleared(state) {
      state.error = null
    },
  },
  extraReducers: (builder) => {
    builder
      .addCase(login.fulfilled, (state) => {
        state.loading = false
        state.isAuthenticated = true
      })
      .addCase(register.fulfilled, (state) => {
        state.loading = false
      })
    for (const action of [login, register]) {
      builder
        .addCase(action.pending, (state) => {
          state.loading = true
          state.error = null
        })
        .addCase(action.rejected, (state, { payload }) => {
          state.loading = false
          state.error = payload?.message ?? null
        })
    }
  },
})

export const { authenticatedChanged, authErrorCleared } = auth.actions
export const authReducer = auth.reducer
