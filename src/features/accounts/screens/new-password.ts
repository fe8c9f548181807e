import type { MessageKey } from '#i18n/keys.ts'

/** A new password as it is filled in, wherever one is chosen in place of another. */
export interface NewPassword {
  replacement: string
  confirm: string
}

/** Where the API's fields of a new password stand in its form. */
export const NEW_PASSWORD_FIELDS = { new_password: 'replacement', confirm_password: 'confirm' } as const

export const toNewPassword = ({ replacement, confirm }: NewPassword) => ({
  new_password: replacement,
  confirm_password: confirm,
})

/**
 * What is wrong with a form that has a new password, the first broken rule of each field (spec section 5, "New password").
 * @param issues what the schema of the API's body says of the form
 * @param fields where the body's fields stand in the form
 */
export function newPasswordFaults<Field extends string>(
  { replacement, confirm }: NewPassword,
  issues: readonly { path: readonly PropertyKey[]; message: string }[],
  fields: Readonly<Record<string, Field | 'confirm'>>,
): Partial<Record<Field | 'confirm', MessageKey>> {
  const faults: Partial<Record<string, MessageKey>> = {}
  for (const { path, message } of issues) {
    const field = fields[String(path[0])]
    if (field) faults[field] ??= message as MessageKey
  }
  // The schema compares only passwords that are good by themselves; people want to hear of everything at once.
  if (confirm !== '' && confirm !== replacement) faults['confirm'] ??= 'errors.password.mismatch'
  return faults as Partial<Record<Field | 'confirm', MessageKey>>
}
