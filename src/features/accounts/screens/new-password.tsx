import type { ReactNode } from 'react'
import type { UseFormRegisterReturn } from 'react-hook-form'
import { Check, Circle } from 'lucide-react'
import { useTranslations } from '#i18n/translations.tsx'
import { classes } from '#ui/classes.ts'
import type { MessageKey } from '#i18n/keys.ts'
import { PasswordField } from './account-fields.tsx'
import { NEW_PASSWORD_RULES } from '../accounts.rules.ts'

interface NewPasswordFieldsProps {
  form: {
    control: (name: keyof NewPassword) => UseFormRegisterReturn
    errorOf: (name: keyof NewPassword) => string | undefined
  }
  typed: string
}

/** A new password with its checklist, and its repetition. */
export function NewPasswordFields({ form, typed }: NewPasswordFieldsProps): ReactNode {
  const t = useTranslations('accounts')
  return (
    <>
      <PasswordField
        form={form}
        name="replacement"
        label={t('profile.newPassword')}
        hint={<PasswordChecklist password={typed} demanded />}
        autoComplete="new-password"
      />
      <PasswordField form={form} name="confirm" label={t('confirm')} autoComplete="new-password" />
    </>
  )
}

/** The rules of a strong password, checked while typing; only advice unless demanded. */
export function PasswordChecklist({
  password,
  demanded = false,
}: {
  password: string
  demanded?: boolean
}): ReactNode {
  const t = useTranslations('accounts')
  return (
    <div className="@container grid gap-1.5">
      <p>{t(demanded ? 'strength.demanded' : 'strength.title')}</p>
      <ul className="grid gap-x-4 gap-y-1 @sm:grid-cols-2 @sm:*:last:col-span-2">
        {NEW_PASSWORD_RULES.map(({ name, pattern }) => {
          const met = pattern.test(password)
          const Icon = met ? Check : Circle
          return (
            <li key={name} className={classes('flex items-center gap-2', met && 'text-success')}>
              <Icon aria-hidden="true" className="size-4 shrink-0" />
              <span>{t(`strength.${name}`)}</span>
              {met && <span className="sr-only">({t('strength.met')})</span>}
            </li>
          )
        })}
      </ul>
    </div>
  )
}

/** Says while somebody types that the repetition is right. */
export function PasswordsMatch({ password, again }: { password: string; again: string }): ReactNode {
  const t = useTranslations('accounts')
  if (again === '' || again !== password) return null
  return (
    <span className="flex items-center gap-2 text-success">
      <Check aria-hidden="true" className="size-4 shrink-0" />
      {t('strength.same')}
    </span>
  )
}

export interface NewPassword {
  replacement: string
  confirm: string
}

export const NEW_PASSWORD_FIELDS = { new_password: 'replacement', confirm_password: 'confirm' } as const

export const toNewPassword = ({ replacement, confirm }: NewPassword) => ({
  new_password: replacement,
  confirm_password: confirm,
})

/** The first broken rule of each field (spec section 5, "New password"). @param fields form fields by API field */
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
  // The schema compares the passwords only when they have no other fault.
  if (confirm !== '' && confirm !== replacement) faults['confirm'] ??= 'formErrors.password.mismatch'
  return faults as Partial<Record<Field | 'confirm', MessageKey>>
}
