import { type ReactNode, useState } from 'react'
import { flushSync } from 'react-dom'
import { useNavigate } from 'react-router'
import type { ApiFailure } from '#client/api-error.ts'
import { AppLink } from '#client/app-link.tsx'
import { paths } from '#client/paths.ts'
import { useAppDispatch } from '#client/state.ts'
import { useTranslations } from '#i18n/translations.tsx'
import { buttonClasses } from '#ui/button.tsx'
import { AuthLayout } from './auth-layout.tsx'
import { useLinkToken } from './link-token.ts'
import { NEW_PASSWORD_FIELDS, type NewPassword, NewPasswordFields } from './new-password.tsx'
import { resetFaults, resetPassword, toResetBody } from './password-reset.ts'
import { CorrectFirst, FormBanner, SubmitButton } from './account-fields.tsx'
import { useAccountForm } from './use-account-form.ts'

const LINK_INVALID = 'reset.invalid'

/** Sets a forgotten password. */
export function ResetPasswordPage(): ReactNode {
  const t = useTranslations('accounts')
  const texts = useTranslations('formErrors')
  const dispatch = useAppDispatch()
  const navigate = useNavigate()
  const [banner, setBanner] = useState<string>()
  const [isRefused, setRefused] = useState(false)
  const token = useLinkToken()
  const form = useAccountForm<NewPassword>({ replacement: '', confirm: '' }, resetFaults)

  const submit = form.handleSubmit(async (values) => {
    setBanner(undefined)
    try {
      const { email } = await dispatch(resetPassword(toResetBody(token ?? '', values))).unwrap()
      await navigate(paths.login(), { replace: true, state: { email, reset: true } })
    } catch (error) {
      const refused = error as ApiFailure
      if (refused.code === LINK_INVALID) return tellRefused()
      setBanner(form.showRefusal(refused, NEW_PASSWORD_FIELDS))
    }
  })
  const { isSubmitting } = form.formState

  /** Focuses the heading, because the form is removed. */
  function tellRefused(): void {
    flushSync(() => setRefused(true))
    document.querySelector<HTMLElement>('main h1')?.focus()
  }

  if (isRefused || token === '') {
    return (
      <AuthLayout title={t('reset.invalidTitle')} lead={texts('reset.invalid')}>
        <AppLink to={paths.forgotPassword()} className={buttonClasses('primary', 'large', { wide: true })}>
          {t('reset.another')}
        </AppLink>
      </AuthLayout>
    )
  }
  return (
    <AuthLayout title={t('reset.title')} lead={t('reset.lead')}>
      <form noValidate method="post" onSubmit={(event) => void submit(event)} className="grid gap-5">
        <FormBanner text={banner} />
        <NewPasswordFields form={form} typed={form.watch('replacement')} />
        <CorrectFirst
          formState={form.formState}
          labels={{ replacement: t('profile.newPassword'), confirm: t('confirm') }}
        />
        <SubmitButton busy={isSubmitting} busyText={t('loading')}>
          {t('reset.submit')}
        </SubmitButton>
      </form>
    </AuthLayout>
  )
}
