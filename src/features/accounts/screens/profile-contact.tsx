import { Pencil } from 'lucide-react'
import { type ReactNode, useEffect, useId, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import type { ApiFailure } from '#client/api-error.ts'
import { useAppDispatch } from '#client/state.ts'
import { useTranslations } from '#i18n/translations.tsx'
import { Alert } from '#ui/alert.tsx'
import { Button, buttonClasses } from '#ui/button.tsx'
import { Card } from '#ui/card.tsx'
import type { Profile } from '../accounts.contract.ts'
import { AddressNotice } from './address-notice.tsx'
import {
  type ContactForm,
  contactFaults,
  isOtherEmail,
  toContactForm,
  toProfileBody,
  withFallback,
} from './profile-forms.ts'
import {
  CorrectFirst,
  EmailField,
  FormBanner,
  PasswordField,
  PhoneField,
  stayInField,
} from './account-fields.tsx'
import { useAccountForm } from './use-account-form.ts'
import { updateUser } from './user-slice.ts'

/** Name, e-mail and phone, read-only until "edit" is pressed (spec section 4, "Profile edit"). */
export function ProfileContact({ user }: { user: Profile }): ReactNode {
  const t = useTranslations('accounts')
  const [editing, setEditing] = useState(false)
  const [saved, setSaved] = useState(false)
  const edit = useRef<HTMLButtonElement>(null)
  const heading = useId()

  function open(): void {
    setSaved(false)
    setEditing(true)
  }
  function close(outcome: 'saved' | 'canceled'): void {
    // The form is removed with the focused button.
    flushSync(() => {
      setEditing(false)
      setSaved(outcome === 'saved')
    })
    edit.current?.focus()
  }

  return (
    <Card className="p-5 wrap-anywhere sm:p-7">
      <section aria-labelledby={heading} className="grid grid-cols-1 gap-5">
        <h2 id={heading} className="text-title">
          {t('profile.contact')}
        </h2>
        <div aria-live="polite" className="empty:absolute">
          {saved && <Alert tone="success">{t('profile.updated')}</Alert>}
        </div>
        <AddressNotice user={user} />
        {editing ? (
          <ProfileContactForm user={user} onDone={close} />
        ) : (
          <>
            <ContactDetails user={user} />
            <button
              ref={edit}
              type="button"
              className={buttonClasses('secondary', 'medium', { className: 'justify-self-start' })}
              onClick={open}
            >
              <Pencil aria-hidden="true" className="size-4" />
              {t('profile.edit')}
            </button>
          </>
        )}
      </section>
    </Card>
  )
}

function ContactDetails({ user }: { user: Profile }): ReactNode {
  const t = useTranslations('accounts')
  const { dialCode, phone } = toContactForm(user)
  const number = phone.startsWith('+') ? phone : `${dialCode} ${phone}`
  const details = [
    [t('username'), user.username],
    [t('email'), user.email],
    [t('phone'), phone === '' ? t('profile.noPhone') : number],
  ]
  return (
    <dl className="grid grid-cols-1 gap-4">
      {details.map(([name, value]) => (
        <div key={name} className="grid gap-0.5">
          <dt className="text-sm text-muted">{name}</dt>
          <dd className="font-semibold wrap-anywhere">{value}</dd>
        </div>
      ))}
    </dl>
  )
}

interface ProfileContactFormProps {
  user: Profile
  onDone: (outcome: 'saved' | 'canceled') => void
}

function ProfileContactForm({ user, onDone }: ProfileContactFormProps): ReactNode {
  const t = useTranslations('accounts')
  const dispatch = useAppDispatch()
  const [banner, setBanner] = useState<string>()
  const tAddress = useTranslations('address')
  const form = useAccountForm<ContactForm>(toContactForm(user), (values) => contactFaults(values, user))
  const { setFocus } = form
  const asksPassword = isOtherEmail(form.watch('email'), user)
  useEffect(() => setFocus('email'), [setFocus])

  const submit = form.handleSubmit(async (values) => {
    setBanner(undefined)
    try {
      await dispatch(updateUser(toProfileBody(values, user))).unwrap()
      onDone('saved')
    } catch (error) {
      const refusal = withFallback(error as ApiFailure, t('profile.failed'))
      setBanner(form.showRefusal(refusal, { countryCode: 'phone', current_password: 'current' }))
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
      {asksPassword && (
        <PasswordField
          form={form}
          name="current"
          label={t('profile.currentPassword')}
          hint={tAddress('passwordHint')}
          autoComplete="current-password"
        />
      )}
      <PhoneField
        form={form}
        dialCode={form.watch('dialCode')}
        onCountry={(dialCode) => {
          form.setValue('dialCode', dialCode)
          form.clearErrors('phone')
        }}
        optional
      />
      <CorrectFirst
        formState={form.formState}
        labels={{ email: t('email'), current: t('profile.currentPassword'), phone: t('phone') }}
      />
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
