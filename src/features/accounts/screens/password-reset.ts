import type {
  ForgotPasswordBody,
  PasswordReset,
  ResetPasswordBody,
} from '#features/accounts/accounts.contract.ts'
import { apiThunk } from '#client/actions.ts'
import type { MessageKey } from '#i18n/keys.ts'
import { Email, ResetPasswordBody as ResetSchema } from '../accounts.contract.ts'
import { NEW_PASSWORD_FIELDS, type NewPassword, newPasswordFaults, toNewPassword } from './new-password.tsx'

/** Asks for a link by mail. */
export const forgotPassword = apiThunk<{ detail: string }, ForgotPasswordBody>(
  'auth/forgotPassword',
  (body, { extra }) => extra.api().forgotPassword(body),
)

/** Sets the new password. All sessions of the account are over then; so is the one of this browser. */
export const resetPassword = apiThunk<PasswordReset, ResetPasswordBody>(
  'auth/resetPassword',
  async (body, { extra }) => {
    const answer = await extra.api().resetPassword(body)
    if (extra.session().isAuthenticated()) await extra.session().end()
    return answer
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

/** What is wrong with the form. The link's token is the server's matter. */
export const resetFaults = (form: NewPassword): Partial<Record<keyof NewPassword, MessageKey>> =>
  newPasswordFaults(
    form,
    ResetSchema.safeParse(toResetBody('any', form)).error?.issues ?? [],
    NEW_PASSWORD_FIELDS,
  )
