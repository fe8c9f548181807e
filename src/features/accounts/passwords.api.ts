import type { ApiCall } from '#client/api-call.ts'
import type { ForgotPasswordBody, PasswordReset, ResetPasswordBody } from './accounts.contract.ts'

/** Calls of somebody who forgot a password. */
export const passwordsApi = (call: ApiCall) => ({
  forgotPassword: (body: ForgotPasswordBody) =>
    call<{ detail: string }>('POST', '/api/user/forgot-password/', { body, anonymous: true }),
  resetPassword: (body: ResetPasswordBody) =>
    call<PasswordReset>('POST', '/api/user/reset-password/', { body, anonymous: true }),
})
