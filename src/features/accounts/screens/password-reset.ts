import type {
  ForgotPasswordBody,
  PasswordReset,
  ResetPasswordBody,
} from '#features/accounts/accounts.contract.ts'
import { apiThunk } from '#client/thunk.ts'
import type { MessageKey } from '#i18n/keys.ts'
import { Email, ResetPasswordBody as ResetSchema } from '../accounts.contract.ts'

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

/** The form of the new password as it is filled in. */
export interface ResetForm {
  replacement: string
  confirm: string
}

/** Where the API's fields stand in the form. */
export const RESET_FIELDS = { new_password: 'replacement', confirm_password: 'confirm' } as const

export const toResetBody = (token: string, { replacement, confirm }: ResetForm): ResetPasswordBody => ({
  token,
  new_password: replacement,
  confirm_password: confirm,
})

export function forgotFaults({ email }: ForgotPasswordBody): { email?: MessageKey } {
  const issue = Email.safeParse(email).error?.issues[0]
  return issue ? { email: issue.message as MessageKey } : {}
}

/** What is wrong with the form, the first broken rule of each field (spec section 5, "New password"). */
export function resetFaults(form: ResetForm): Partial<Record<keyof ResetForm, MessageKey>> {
  const faults: Partial<Record<keyof ResetForm, MessageKey>> = {}
  // The link's token is the server's matter.
  for (const issue of ResetSchema.safeParse(toResetBody('any', form)).error?.issues ?? []) {
    const field = RESET_FIELDS[issue.path[0] as keyof typeof RESET_FIELDS]
    faults[field] ??= issue.message as MessageKey
  }
  // The schema compares only passwords that are good by themselves; people want to hear of everything at once.
  if (form.confirm !== '' && form.confirm !== form.replacement) faults.confirm ??= 'errors.password.mismatch'
  return faults
}
