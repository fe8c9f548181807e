import { createSlice } from '@reduxjs/toolkit'
import type { Profile, ProfileUpdateBody } from '#features/accounts/accounts.contract.ts'
import type { UserState } from '#client/state.ts'
import { apiThunk } from '#client/thunk.ts'

export const fetchUser = apiThunk<Profile>('user/fetch', (_, { extra }) => extra.api().profile())

export const updateUser = apiThunk<Profile, ProfileUpdateBody>('user/update', (body, { extra }) =>
  extra.api().updateProfile(body),
)

const initialState: UserState = { user: null, loading: false, error: null }

const user = createSlice({
  name: 'user',
  initialState,
  reducers: {
    /** Nobody is signed in any more. */
    userReset: () => initialState,
  },
  extraReducers: (builder) => {
    for (const action of [fetchUser, updateUser]) {
      builder
        .addCase(action.pending, (state) => {
          state.loading = true
          state.error = null
        })
        .addCase(action.fulfilled, (state, { payload }) => {
          state.loading = false
          state.user = payload
        })
        .addCase(action.rejected, (state, { payload }) => {
          state.loading = false
          state.error = payload?.message ?? null
        })
    }
  },
})

export const { userReset } = user.actions
export const userReducer = user.reducer
