import { type ReactNode, useId, useState } from 'react'
import type { ApiFailure } from '#client/api-error.ts'
import { useAppDispatch } from '#client/state.ts'
import { useTranslations } from '#i18n/translations.tsx'
import { Alert } from '#ui/alert.tsx'
import { Button } from '#ui/button.tsx'
import { Card } from '#ui/card.tsx'
import { NewPasswordFields } from './new-password.tsx'
import {
  PASSWORD_FIELDS,
  type PasswordForm,
  passwordFaults,
  toPasswordBody,
  withFallback,
} from './profile-forms.ts'
import { CorrectFirst, PasswordField, stayInField } from './account-fields.tsx'
import { useAccountForm } from './use-account-form.ts'
import { changePassword } from './user-slice.ts'

/** Changes the password (spec section 5, "New password"). @param email for password managers */
export function ProfilePassword({ email }: { email: string }): ReactNode {
  const t = useTranslations('accounts')
  const dispatch = useAppDispatch()
  const [outcome, setOutcome] = useState<'changed' | { banner: string | undefined }>()
  const form = useAccountForm<PasswordForm>({ current: '', replacement: '', confirm: '' }, passwordFaults)
  const heading = useId()

  const submit = form.handleSubmit(async (values) => {
    setOutcome(undefined)
    try {
      await dispatch(changePassword(toPasswordBody(values))).unwrap()
      // The message is below the heading, and leaving an emptied field would show its error.
      document.getElementById(heading)?.focus()
      form.reset()
      setOutcome('changed')
    } catch (error) {
      const refusal = withFallback(error as ApiFailure, t('profile.passwordFailed'))
      setOutcome({ banner: form.showRefusal(refusal, PASSWORD_FIELDS) })
    }
  })
  const { isSubmitting } = form.formState

  return (
    <Card className="p-5 wrap-anywhere sm:p-7">
      <section aria-labelledby={heading}>
        <form
          noValidate
          method="post"
          onSubmit={(event) => void submit(event)}
          className="grid grid-cols-1 gap-5"
        >
          <h2 id={heading} tabIndex={-1} className="text-title">
            {t('profile.changePassword')}
          </h2>
          <div aria-live="polite" className="empty:absolute">
            {outcome === 'changed' && (
              <Alert tone="success" title={t('passwordUpdated')}>
                {t('profile.sessionsEnded')}
              </Alert>
            )}
            {typeof outcome === 'object' && outcome.banner && <Alert tone="error">{outcome.banner}</Alert>}
          </div>
          <input type="text" autoComplete="username" value={email} readOnly hidden />
          <PasswordField
            form={form}
            name="current"
            label={t('profile.currentPassword')}
            autoComplete="current-password"
          />
          <NewPasswordFields form={form} typed={form.watch('replacement')} />
          <CorrectFirst
            formState={form.formState}
            labels={{
              current: t('profile.currentPassword'),
              replacement: t('profile.newPassword'),
              confirm: t('confirm'),
            }}
          />
          <Button
            type="submit"
            className="justify-self-start"
            onMouseDown={stayInField}
            busy={isSubmitting}
            busyText={t('loading')}
          >
            {t('profile.changePassword')}
          </Button>
        </form>
      </section>
    </Card>
  )
}
