import type { UnknownAction } from 'redux'
import { apiThunk, createAction, isAnyOf } from '#client/actions.ts'
import type { ChangePasswordBody, Profile, ProfileUpdateBody } from '#features/accounts/accounts.contract.ts'
import type { Loading } from '#client/state.ts'
import { accountsApi } from '../accounts.api.ts'

export interface UserState extends Loading {
  user: Profile | null
}

declare module '#client/state.ts' {
  interface RootState {
    user: UserState
  }
}

export const fetchUser = apiThunk<Profile>('user/fetch', (_, { extra }) =>
  accountsApi(extra.call()).profile(),
)

export const updateUser = apiThunk<Profile, ProfileUpdateBody>('user/update', (body, { extra }) =>
  accountsApi(extra.call()).updateProfile(body),
)

/** Sets a new password, which ends the other sessions. */
export const changePassword = apiThunk<void, ChangePasswordBody>(
  'user/changePassword',
  async (body, { extra }) => {
    await accountsApi(extra.call()).changePassword(body)
  },
)

export const userReset = createAction('user/reset')

const NOBODY: UserState = { user: null, loading: false, error: null }

const isPending = isAnyOf(fetchUser.pending, updateUser.pending, changePassword.pending)
const isFulfilled = isAnyOf(fetchUser.fulfilled, updateUser.fulfilled)
const isRejected = isAnyOf(fetchUser.rejected, updateUser.rejected, changePassword.rejected)

export function userReducer(state: UserState = NOBODY, action: UnknownAction): UserState {
  if (isPending(action)) return { ...state, loading: true, error: null }
  if (isFulfilled(action)) return { ...state, loading: false, user: action.payload }
  if (changePassword.fulfilled.match(action)) return { ...state, loading: false }
  if (isRejected(action)) return { ...state, loading: false, error: action.payload.message }
  if (userReset.match(action)) return NOBODY
  return state
}
