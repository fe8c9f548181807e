import { type ReactNode, useState } from 'react'
import { useNavigate, useSearchParams } from 'react-router'
import type { ApiFailure } from '#client/api-error.ts'
import { AppLink } from '#client/app-link.tsx'
import { paths } from '#client/paths.ts'
import { useSettings } from '#client/shell.ts'
import { useAppDispatch } from '#client/state.ts'
import { useTranslations } from '#i18n/translations.tsx'
import { asAddress } from '#shared/email-address.ts'
import { DEFAULT_DIAL_CODE } from '#shared/phone.ts'
import { Field } from '#ui/field.tsx'
import { TextInput } from '#ui/inputs.tsx'
import { AuthLayout } from './auth-layout.tsx'
import { register } from './auth-slice.ts'
import { keepForLogin } from './first-login.ts'
import { OtherPage } from './other-page.tsx'
import { PasswordChecklist, PasswordsMatch } from './new-password.tsx'
import { type Registration, registrationFaults, toRegisterBody } from './registration.ts'
import {
  CorrectFirst,
  EmailField,
  FormBanner,
  PasswordField,
  PhoneField,
  SubmitButton,
} from './account-fields.tsx'
import { useAccountForm } from './use-account-form.ts'

/** Form fields by API field: a username error is shown below the e-mail (spec section 8). */
const RENAME = { username: 'email', phone_number: 'phone' } as const

/**
 * Registration (spec sections 2 and 5). Leads to the login with everything filled in, so that one tap is left.
 * @param wanted the contest that led here
 */
export function RegisterPage({ wanted }: { wanted?: ReactNode }): ReactNode {
  const t = useTranslations('accounts')
  const settings = useSettings()
  const dispatch = useAppDispatch()
  const navigate = useNavigate()
  const [search] = useSearchParams()
  const next = search.get('next') ?? undefined
  const partnerCode = search.get('code') ?? ''
  const [banner, setBanner] = useState<string>()
  const form = useAccountForm<Registration>(
    {
      username: '',
      email: '',
      dialCode: DEFAULT_DIAL_CODE,
      phone: '',
      password: '',
      confirm: '',
      code: partnerCode,
    },
    (values) => registrationFaults(values, settings.passwordPolicy),
  )

  const submit = form.handleSubmit(async (values) => {
    setBanner(undefined)
    try {
      await dispatch(register(toRegisterBody(values))).unwrap()
      const state = { email: asAddress(values.email), registered: true }
      keepForLogin(state.email, values.password)
      await navigate(paths.login(next === undefined ? {} : { next }), { replace: true, state })
    } catch (error) {
      setBanner(form.showRefusal(error as ApiFailure, RENAME))
    }
  })
  const { isSubmitting } = form.formState

  return (
    <AuthLayout title={t('register.title')} lead={t('register.lead')} wanted={wanted}>
      <OtherPage question={t('register.hasAccount')} to={paths.login(next === undefined ? {} : { next })}>
        {t('register.toLogin')}
      </OtherPage>
      <form noValidate method="post" onSubmit={(event) => void submit(event)} className="grid gap-5">
        <FormBanner text={banner} />
        <Field label={t('username')} hint={t('register.usernameHint')} error={form.errorOf('username')}>
          {(ids) => <TextInput {...ids} {...form.control('username')} autoComplete="nickname" />}
        </Field>
        <EmailField form={form} autoComplete="username" />
        <PhoneField
          form={form}
          dialCode={form.watch('dialCode')}
          onCountry={(dialCode) => {
            form.setValue('dialCode', dialCode)
            form.clearErrors('phone')
          }}
        />
        <PasswordField
          form={form}
          name="password"
          label={t('password')}
          hint={
            <PasswordChecklist
              password={form.watch('password')}
              demanded={settings.passwordPolicy === 'strong'}
            />
          }
          autoComplete="new-password"
        />
        <PasswordField
          form={form}
          name="confirm"
          label={t('confirm')}
          hint={<PasswordsMatch password={form.watch('password')} again={form.watch('confirm')} />}
          autoComplete="new-password"
        />
        {(settings.registerCodeField || partnerCode !== '') && (
          <Field label={t('code')} mark={t('optional')} error={form.errorOf('code')}>
            {(ids) => <TextInput {...ids} {...form.control('code')} autoComplete="off" />}
          </Field>
        )}
        <CorrectFirst
          formState={form.formState}
          labels={{
            username: t('username'),
            email: t('email'),
            phone: t('phone'),
            password: t('password'),
            confirm: t('confirm'),
            code: t('code'),
          }}
        />
        <p className="text-sm text-balance text-muted">
          {t.rich('register.acceptRules', {
            rules: (text) => (
              <AppLink to={paths.terms()} className="prose-link">
                {text}
              </AppLink>
            ),
          })}
        </p>
        <SubmitButton busy={isSubmitting} busyText={t('loading')}>
          {t('register.submit')}
        </SubmitButton>
      </form>
    </AuthLayout>
  )
}
