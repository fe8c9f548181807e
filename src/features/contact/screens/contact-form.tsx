import { type ReactNode, useEffect, useState } from 'react'
import { localStore } from '#client/browser-parts.ts'
import { pageLanguage } from '#client/browser.ts'
import { useSettings } from '#client/shell.ts'
import { useAppSelector } from '#client/state.ts'
import { useTranslations } from '#i18n/translations.tsx'
import { PROMISES } from '#shared/promises.ts'
import { CorrectFirst, SubmitButton } from '#features/accounts/screens/account-fields.tsx'
import { useAccountForm } from '#features/accounts/screens/use-account-form.ts'
import { Alert } from '#ui/alert.tsx'
import { Field } from '#ui/field.tsx'
import { TextArea, TextInput } from '#ui/inputs.tsx'
import { ContactMessage, messageFaults } from '../contact.contract.ts'
import { type EmailClient, failureText, sendMessage } from './send-message.ts'

const EMPTY: ContactMessage = { user_name: '', user_email: '', message: '' }

type Outcome = { kind: 'sent'; to: string } | { kind: 'failed'; text: string }

// Loaded with the first message, not with the page.
const loadClient = async (): Promise<EmailClient> => await import('@emailjs/browser')

export function ContactForm(): ReactNode {
  const t = useTranslations('contact')
  const translate = useTranslations()
  const { emailService, contactEmail } = useSettings()
  const userEmail = useAppSelector(({ user }) => user.user?.email) ?? ''
  const [outcome, setOutcome] = useState<Outcome>()
  const form = useAccountForm<ContactMessage>(EMPTY, messageFaults)
  const { isSubmitting } = form.formState
  const { getValues, setValue } = form
  useEffect(() => {
    if (userEmail !== '' && getValues('user_email') === '') setValue('user_email', userEmail)
  }, [userEmail, getValues, setValue])

  const submit = form.handleSubmit(async (values) => {
    setOutcome(undefined)
    const message = ContactMessage.parse(values)
    try {
      await sendMessage(message, {
        load: loadClient,
        service: emailService,
        origin: window.location.origin,
        language: pageLanguage(),
        storage: localStore,
      })
      form.reset({ ...EMPTY, user_email: userEmail })
      setOutcome({ kind: 'sent', to: message.user_email })
    } catch (error) {
      const text = failureText(error, (name) => translate(name, { email: contactEmail }))
      setOutcome({ kind: 'failed', text })
    }
  })

  return (
    <form
      noValidate
      method="post"
      onSubmit={(event) => void submit(event)}
      className="grid grid-cols-1 gap-5 noscript:hidden"
    >
      <Field label={t('name')} error={form.errorOf('user_name')}>
        {(ids) => <TextInput {...ids} {...form.control('user_name')} autoComplete="name" />}
      </Field>
      <Field label={t('email')} hint={t('emailHint')} error={form.errorOf('user_email')}>
        {(ids) => (
          <TextInput
            {...ids}
            {...form.control('user_email')}
            type="email"
            autoComplete="email"
            inputMode="email"
          />
        )}
      </Field>
      <Field label={t('message')} error={form.errorOf('message')}>
        {(ids) => <TextArea {...ids} {...form.control('message')} rows={6} />}
      </Field>
      <CorrectFirst
        formState={form.formState}
        labels={{ user_name: t('name'), user_email: t('email'), message: t('message') }}
      />
      <div aria-live="polite" className="empty:hidden">
        {outcome?.kind === 'sent' && (
          <Alert tone="success" title={t('sent')} className="wrap-anywhere">
            {t('sentNote', { ...PROMISES, email: outcome.to })}
          </Alert>
        )}
        {outcome?.kind === 'failed' &&
          (outcome.text.includes(contactEmail) ? (
            <Alert tone="error" className="wrap-anywhere">
              {outcome.text}
            </Alert>
          ) : (
            <Alert tone="error" title={outcome.text} className="wrap-anywhere">
              {t('failed.kept', { email: contactEmail })}
            </Alert>
          ))}
      </div>
      <SubmitButton busy={isSubmitting} busyText={t('sending')}>
        {t('submit')}
      </SubmitButton>
    </form>
  )
}
