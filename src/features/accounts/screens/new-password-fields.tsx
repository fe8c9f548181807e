import type { ReactNode } from 'react'
import type { UseFormRegisterReturn } from 'react-hook-form'
import { useTranslations } from '#i18n/translations.tsx'
import { PasswordField } from './account-fields.tsx'
import type { NewPassword } from './new-password.ts'
import { PasswordChecklist } from './password-checklist.tsx'

interface NewPasswordFieldsProps {
  form: {
    control: (name: keyof NewPassword) => UseFormRegisterReturn
    errorOf: (name: keyof NewPassword) => string | undefined
  }
  /** The password as far as it is typed. */
  typed: string
}

/** A new password with what it must have, and the same once more. */
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
