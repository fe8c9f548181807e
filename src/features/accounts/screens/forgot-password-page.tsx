import { type ReactNode, useId, useState } from 'react'
import { useLocation } from 'react-router'
import type { ApiFailure } from '#client/api-error.ts'
import { AppLink } from '#client/app-link.tsx'
import { paths } from '#client/paths.ts'
import { useAppDispatch } from '#client/state.ts'
import { useTranslations } from '#i18n/translations.tsx'
import { Alert } from '#ui/alert.tsx'
import type { ForgotPasswordBody } from '../accounts.contract.ts'
import { AuthLayout } from './auth-layout.tsx'
import { forgotFaults, forgotPassword } from './password-reset.ts'
import { CorrectFirst, EmailField, FormBanner, SubmitButton } from './account-fields.tsx'
import { readFormFailure, useAccountForm } from './use-account-form.ts'

/** Asks for a reset link; the response is the same for every address. */
export function ForgotPasswordPage(): ReactNode {
  const t = useTranslations('accounts')
  const dispatch = useAppDispatch()
  const arrived = useLocation().state as { email?: string } | null
  const [outcome, setOutcome] = useState<{ sent: string } | { banner: string | undefined }>()
  const form = useAccountForm<ForgotPasswordBody>({ email: arrived?.email ?? '' }, forgotFaults)
  const news = useId()

  const submit = form.handleSubmit(async ({ email }) => {
    setOutcome(undefined)
    try {
      const { detail } = await dispatch(forgotPassword({ email: email.trim() })).unwrap()
      setOutcome({ sent: detail })
      document.getElementById(news)?.focus()
    } catch (error) {
      const failure = readFormFailure<'email'>(error as ApiFailure, ['email'])
      if (failure.fields.email)
        form.setError('email', { message: failure.fields.email }, { shouldFocus: true })
      setOutcome({ banner: failure.banner })
    }
  })
  const { isSubmitting } = form.formState

  return (
    <AuthLayout title={t('forgot.title')} lead={t('forgot.lead')}>
      <form noValidate method="post" onSubmit={(event) => void submit(event)} className="grid gap-5">
        <FormBanner text={outcome && 'banner' in outcome ? outcome.banner : undefined} />
        <div id={news} tabIndex={-1} aria-live="polite" className="empty:hidden">
          {outcome && 'sent' in outcome && (
            <Alert tone="success" title={t('forgot.sentTitle')}>
              <p>{outcome.sent}</p>
              <p className="mt-2">{t('forgot.nothing')}</p>
            </Alert>
          )}
        </div>
        <EmailField form={form} autoComplete="username" />
        <CorrectFirst formState={form.formState} labels={{ email: t('email') }} />
        <SubmitButton busy={isSubmitting} busyText={t('loading')}>
          {t('forgot.submit')}
        </SubmitButton>
      </form>
      <p>
        <AppLink to={paths.login()} className="prose-link inline-block py-1">
          {t('forgot.toLogin')}
        </AppLink>
      </p>
    </AuthLayout>
  )
}
