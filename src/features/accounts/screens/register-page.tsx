import { type ReactNode, useState } from 'react'
import { useNavigate, useSearchParams } from 'react-router'
import type { ApiFailure } from '#client/api-error.ts'
import { AppLink } from '#client/app-link.tsx'
import { paths } from '#client/paths.ts'
import { useSettings } from '#client/shell.ts'
import { useAppDispatch } from '#client/state.ts'
import { useLanguage, useTranslations } from '#i18n/translations.tsx'
import { findCountry } from '#shared/countries.ts'
import { DEFAULT_DIAL_CODE, PHONE_COUNTRIES, findPhoneCountry } from '#shared/phone.ts'
import { Alert } from '#ui/alert.tsx'
import { Button } from '#ui/button.tsx'
import { Field } from '#ui/field.tsx'
import { PasswordInput } from '#ui/password-input.tsx'
import { Select } from '#ui/select.tsx'
import { TextInput } from '#ui/text-input.tsx'
import { AuthLayout } from './auth-layout.tsx'
import { register } from './auth-slice.ts'
import { readFormFailure } from './form-failure.ts'
import { PasswordChecklist } from './password-checklist.tsx'
import { type Registration, registrationFaults, toRegisterBody } from './registration.ts'
import { stayInField } from './stay-in-field.ts'
import { useAccountForm } from './use-account-form.ts'

const FIELDS = ['username', 'email', 'phone', 'password', 'confirm', 'code'] as const
/** Where the API's fields stand in the form: a username error under the e-mail field (spec section 8). */
const RENAME = { username: 'email', phone_number: 'phone' } as const

/** Registration (spec sections 2 and 5). After it the visitor goes to the login, with the e-mail filled in. */
export function RegisterPage(): ReactNode {
  const t = useTranslations('accounts')
  const te = useTranslations('errors')
  const language = useLanguage()
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
  const password = form.watch('password')
  const dialCode = form.watch('dialCode')

  const submit = form.handleSubmit(async (values) => {
    setBanner(undefined)
    try {
      await dispatch(register(toRegisterBody(values))).unwrap()
      const state = { email: values.email.trim(), registered: true }
      await navigate(paths.login(next === undefined ? {} : { next }), { replace: true, state })
    } catch (error) {
      const failure = readFormFailure<(typeof FIELDS)[number]>(error as ApiFailure, FIELDS, RENAME)
      for (const [field, message] of Object.entries(failure.fields)) {
        form.setError(field as keyof Registration, { message }, { shouldFocus: true })
      }
      setBanner(failure.banner)
    }
  })
  const { isSubmitting, isSubmitted, errors } = form.formState
  const passwordTexts = { showText: t('showPassword'), hideText: t('hidePassword') }

  return (
    <AuthLayout title={t('register.title')} lead={t('register.lead')}>
      <form noValidate method="post" onSubmit={(event) => void submit(event)} className="grid gap-5">
        <div aria-live="assertive" className="empty:hidden">
          {banner && <Alert tone="error">{banner}</Alert>}
        </div>
        <Field label={t('username')} hint={t('register.usernameHint')} error={form.errorOf('username')}>
          {(ids) => <TextInput {...ids} {...form.control('username')} autoComplete="nickname" />}
        </Field>
        <Field label={t('email')} error={form.errorOf('email')}>
          {(ids) => (
            <TextInput
              {...ids}
              {...form.control('email')}
              type="email"
              autoComplete="username"
              inputMode="email"
            />
          )}
        </Field>
        <div className="grid gap-x-3 gap-y-5 sm:grid-cols-[11rem_minmax(0,1fr)]">
          <Field label={t('dialCode')}>
            {(ids) => (
              <Select {...ids} {...form.control('dialCode')} autoComplete="tel-country-code">
                {PHONE_COUNTRIES.map((country) => (
                  <option key={country.dialCode} value={country.dialCode}>
                    {findCountry(country.country)?.name[language]} {country.dialCode}
                  </option>
                ))}
              </Select>
            )}
          </Field>
          <Field label={t('phone')} hint={t('register.phoneHint')} error={form.errorOf('phone')}>
            {(ids) => (
              <TextInput
                {...ids}
                {...form.control('phone')}
                type="tel"
                inputMode="tel"
                autoComplete="tel-national"
                placeholder={findPhoneCountry(dialCode)?.example}
              />
            )}
          </Field>
        </div>
        <Field
          label={t('password')}
          hint={<PasswordChecklist password={password} />}
          error={form.errorOf('password')}
        >
          {(ids) => (
            <PasswordInput
              {...ids}
              {...form.control('password')}
              {...passwordTexts}
              autoComplete="new-password"
            />
          )}
        </Field>
        <Field label={t('confirm')} error={form.errorOf('confirm')}>
          {(ids) => (
            <PasswordInput
              {...ids}
              {...form.control('confirm')}
              {...passwordTexts}
              autoComplete="new-password"
            />
          )}
        </Field>
        {(settings.registerCodeField || partnerCode !== '') && (
          <Field label={t('code')} mark={t('optional')} error={form.errorOf('code')}>
            {(ids) => <TextInput {...ids} {...form.control('code')} autoComplete="off" />}
          </Field>
        )}
        {isSubmitted && Object.keys(errors).length > 0 && (
          <p className="text-sm text-error">{te('correctFirst')}</p>
        )}
        <Button
          type="submit"
          onMouseDown={stayInField}
          size="large"
          wide
          busy={isSubmitting}
          busyText={t('loading')}
        >
          {t('register.submit')}
        </Button>
      </form>
      <p>
        {t('register.hasAccount')}{' '}
        <AppLink
          to={paths.login(next === undefined ? {} : { next })}
          className="prose-link inline-block py-1"
        >
          {t('register.toLogin')}
        </AppLink>
      </p>
    </AuthLayout>
  )
}
