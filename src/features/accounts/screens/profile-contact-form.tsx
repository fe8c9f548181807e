import { type ReactNode, useEffect, useState } from 'react'
import type { ApiFailure } from '#client/api-error.ts'
import { useAppDispatch } from '#client/state.ts'
import { useTranslations } from '#i18n/translations.tsx'
import { Button } from '#ui/button.tsx'
import type { Profile } from '../accounts.contract.ts'
import { readFormFailure } from './form-failure.ts'
import {
  type ContactForm,
  contactFaults,
  toContactForm,
  toProfileBody,
  withOwnWords,
} from './profile-forms.ts'
import { stayInField } from './submit-button.tsx'
import { CorrectFirst, EmailField, FormBanner, PhoneFields } from './account-fields.tsx'
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
      form.showRefusal(failure.fields)
      setBanner(failure.banner)
    }
  })
  const { isSubmitting } = form.formState

  return (
    <form
      noValidate
      method="post"
      onSubmit={(event) => void submit(event)}
      className="grid grid-cols-1 gap-5"
    >
      <FormBanner text={banner} />
      <EmailField form={form} hint={t('profile.emailHint')} autoComplete="email" />
      <PhoneFields
        form={form}
        dialCode={form.watch('dialCode')}
        onCountry={() => form.clearErrors('phone')}
        optional
      />
      <CorrectFirst formState={form.formState} labels={{ email: t('email'), phone: t('phone') }} />
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
