import type { ApiCall } from '#client/api-call.ts'
import type {
  ChangePasswordBody,
  LoginBody,
  Profile,
  ProfileUpdateBody,
  RegisterBody,
  TokenPair,
} from './accounts.contract.ts'

/** Calls of accounts that every page may make (spec section 7). Paths end in a slash. */
export const accountsApi = (call: ApiCall) => ({
  login: (body: LoginBody) => call<TokenPair>('POST', '/api/token/', { body, anonymous: true }),
  register: (body: RegisterBody) => call<unknown>('POST', '/api/user/register/', { body, anonymous: true }),
  profile: () => call<Profile>('GET', '/api/user/profile/'),
  updateProfile: (body: ProfileUpdateBody) => call<Profile>('PUT', '/api/user/profile/', { body }),
  changePassword: (body: ChangePasswordBody) => call<unknown>('PUT', '/api/user/change-password/', { body }),
})
