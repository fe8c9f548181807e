import type {
  ForgotPasswordBody,
  PasswordReset,
  ResetPasswordBody,
} from '#features/accounts/accounts.contract.ts'
import { apiThunk } from '#client/actions.ts'
import { browserCall } from '#client/browser.ts'
import { passwordsApi } from '#features/accounts/passwords.api.ts'
import type { MessageKey } from '#i18n/keys.ts'
import { Email, ResetPasswordBody as ResetSchema } from '../accounts.contract.ts'
import { NEW_PASSWORD_FIELDS, type NewPassword, newPasswordFaults, toNewPassword } from './new-password.tsx'

export const forgotPassword = apiThunk<{ detail: string }, ForgotPasswordBody>(
  'auth/forgotPassword',
  (body) => passwordsApi(browserCall()).forgotPassword(body),
)

/** Sets the new password and ends the session of this browser, as the server ends all sessions. */
export const resetPassword = apiThunk<PasswordReset, ResetPasswordBody>(
  'auth/resetPassword',
  async (body, { extra }) => {
    const response = await passwordsApi(browserCall()).resetPassword(body)
    if (extra.session().isAuthenticated()) await extra.session().end()
    return response
  },
)

export const toResetBody = (token: string, form: NewPassword): ResetPasswordBody => ({
  token,
  ...toNewPassword(form),
})

export function forgotFaults({ email }: ForgotPasswordBody): { email?: MessageKey } {
  const issue = Email.safeParse(email).error?.issues[0]
  return issue ? { email: issue.message as MessageKey } : {}
}

/** The server checks the token of the link. */
export const resetFaults = (form: NewPassword): Partial<Record<keyof NewPassword, MessageKey>> =>
  newPasswordFaults(
    form,
    ResetSchema.safeParse(toResetBody('any', form)).error?.issues ?? [],
    NEW_PASSWORD_FIELDS,
  )
