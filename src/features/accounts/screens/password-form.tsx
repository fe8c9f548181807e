import { type ReactNode, useState } from 'react'
import { failureOf } from '#client/api-error.ts'
import { failureTexts } from '#client/browser.ts'
import type { MessageKey } from '#i18n/keys.ts'
import { useTranslations } from '#i18n/translations.tsx'
import { Button } from '#ui/button.tsx'
import { FormBanner, PasswordField, stayInField } from './account-fields.tsx'
import { useAccountForm } from './use-account-form.ts'

const passwordFaults = ({ current }: { current: string }): { current?: MessageKey } =>
  current === '' ? { current: 'formErrors.password.currentRequired' } : {}

interface PasswordFormProps {
  submitText: string
  isDanger?: boolean
  /** Beside the password: undefined when the form may be sent. */
  fault?: () => string | undefined
  act: (password: string) => Promise<void>
  onClose: () => void
  children?: ReactNode
}

/** Asks for the current password before something is done with the account. */
export function PasswordForm(props: PasswordFormProps): ReactNode {
  const { submitText, isDanger = false, fault, act, onClose, children } = props
  const t = useTranslations('accounts')
  const [banner, setBanner] = useState<string>()
  const form = useAccountForm({ current: '' }, passwordFaults, 'onSubmit')
  const { isSubmitting } = form.formState
  const submit = form.handleSubmit(async ({ current }) => {
    const wrong = fault?.()
    setBanner(wrong)
    if (wrong !== undefined) return
    try {
      await act(current)
    } catch (error) {
      setBanner(form.showRefusal(failureOf(error, failureTexts()), { current_password: 'current' }))
    }
  })
  return (
    <form
      noValidate
      method="post"
      onSubmit={(event) => void submit(event)}
      className="grid grid-cols-1 gap-5"
    >
      {children}
      <FormBanner text={banner} />
      <PasswordField
        form={form}
        name="current"
        label={t('profile.currentPassword')}
        autoComplete="current-password"
      />
      <div className="flex flex-wrap justify-end gap-3 max-sm:*:grow">
        <Button variant="secondary" disabled={isSubmitting} onMouseDown={stayInField} onClick={onClose}>
          {t('profile.cancel')}
        </Button>
        <Button
          type="submit"
          variant={isDanger ? 'danger' : 'primary'}
          onMouseDown={stayInField}
          busy={isSubmitting}
          busyText={t('loading')}
        >
          {submitText}
        </Button>
      </div>
    </form>
  )
}
