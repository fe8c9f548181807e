import { type ReactNode, useEffect, useState } from 'react'
import type { ApiFailure } from '#client/api-error.ts'
import { useAppDispatch } from '#client/state.ts'
import { useLanguage, useTranslations } from '#i18n/translations.tsx'
import { findCountry } from '#shared/countries.ts'
import { PHONE_COUNTRIES, findPhoneCountry } from '#shared/phone.ts'
import { Alert } from '#ui/alert.tsx'
import { Button } from '#ui/button.tsx'
import { Field } from '#ui/field.tsx'
import { Select } from '#ui/select.tsx'
import { TextInput } from '#ui/text-input.tsx'
import type { Profile } from '../accounts.contract.ts'
import { readFormFailure } from './form-failure.ts'
import {
  type ContactForm,
  contactFaults,
  toContactForm,
  toProfileBody,
  withOwnWords,
} from './profile-forms.ts'
import { stayInField } from './stay-in-field.ts'
import { useAccountForm } from './use-account-form.ts'
import { updateUser } from './user-slice.ts'

interface ProfileContactFormProps {
  user: Profile
  /** Saved, or given up: both lead back to reading. */
  onDone: (outcome: 'saved' | 'canceled') => void
}

/** Edits e-mail and phone (spec section 5, "Profile email", "Phone patterns"). */
export function ProfileContactForm({ user, onDone }: ProfileContactFormProps): ReactNode {
  const t = useTranslations('accounts')
  const te = useTranslations('errors')
  const language = useLanguage()
  const dispatch = useAppDispatch()
  const [banner, setBanner] = useState<string>()
  const form = useAccountForm<ContactForm>(toContactForm(user), contactFaults)
  const { setFocus } = form
  useEffect(() => setFocus('email'), [setFocus])

  const submit = form.handleSubmit(async (values) => {
    setBanner(undefined)
    try {
      await dispatch(updateUser(toProfileBody(values))).unwrap()
      onDone('saved')
    } catch (error) {
      const told = withOwnWords(error as ApiFailure, t('profile.failed'))
      const failure = readFormFailure<keyof ContactForm>(told, ['email', 'phone'], { countryCode: 'phone' })
      for (const [field, message] of Object.entries(failure.fields))
        form.setError(field as keyof ContactForm, { message }, { shouldFocus: true })
      setBanner(failure.banner)
    }
  })
  const { isSubmitting, isSubmitted, errors } = form.formState
  const dialCode = form.control('dialCode')

  return (
    <form
      noValidate
      method="post"
      onSubmit={(event) => void submit(event)}
      className="grid grid-cols-1 gap-5"
    >
      <div aria-live="assertive" className="empty:hidden">
        {banner && <Alert tone="error">{banner}</Alert>}
      </div>
      <Field label={t('email')} hint={t('profile.emailHint')} error={form.errorOf('email')}>
        {(ids) => (
          <TextInput
            {...ids}
            {...form.control('email')}
            type="email"
            autoComplete="email"
            inputMode="email"
          />
        )}
      </Field>
      <div className="grid grid-cols-1 gap-x-3 gap-y-5 sm:grid-cols-[11rem_minmax(0,1fr)]">
        <Field label={t('dialCode')}>
          {(ids) => (
            <Select
              {...ids}
              {...dialCode}
              onChange={(event) => {
                // What was said about the number was said about the other country.
                form.clearErrors('phone')
                void dialCode.onChange(event)
              }}
              autoComplete="tel-country-code"
            >
              {PHONE_COUNTRIES.map((country) => (
                <option key={country.dialCode} value={country.dialCode}>
                  {findCountry(country.country)?.name[language]} {country.dialCode}
                </option>
              ))}
            </Select>
          )}
        </Field>
        <Field
          label={t('phone')}
          mark={t('optional')}
          hint={t('register.phoneHint')}
          error={form.errorOf('phone')}
        >
          {(ids) => (
            <TextInput
              {...ids}
              {...form.control('phone')}
              type="tel"
              inputMode="tel"
              autoComplete="tel-national"
              placeholder={findPhoneCountry(form.watch('dialCode'))?.example}
            />
          )}
        </Field>
      </div>
      {isSubmitted && Object.keys(errors).length > 0 && (
        <p className="text-sm text-error">{te('correctFirst')}</p>
      )}
      <div className="flex flex-wrap gap-3">
        <Button type="submit" onMouseDown={stayInField} busy={isSubmitting} busyText={t('loading')}>
          {t('profile.save')}
        </Button>
        <Button
          variant="secondary"
          disabled={isSubmitting}
          onMouseDown={stayInField}
          onClick={() => onDone('canceled')}
        >
          {t('profile.cancel')}
        </Button>
      </div>
    </form>
  )
}
