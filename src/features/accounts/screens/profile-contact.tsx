import { Pencil } from 'lucide-react'
import { type ReactNode, useId, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { useTranslations } from '#i18n/translations.tsx'
import { Alert } from '#ui/alert.tsx'
import { buttonClasses } from '#ui/button.tsx'
import { Card } from '#ui/card.tsx'
import type { Profile } from '../accounts.contract.ts'
import { ProfileContactForm } from './profile-contact-form.tsx'
import { toContactForm } from './profile-forms.ts'

/** Name, e-mail and phone: to be read until "edit" is pressed (spec section 4, "Profile edit"). */
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
    // The pressed button goes away with the form; the focus must have somewhere to go.
    flushSync(() => {
      setEditing(false)
      setSaved(outcome === 'saved')
    })
    edit.current?.focus()
  }

  return (
    <Card className="p-5 sm:p-7">
      <section aria-labelledby={heading} className="grid grid-cols-1 gap-5">
        <h2 id={heading} className="text-title">
          {t('profile.contact')}
        </h2>
        <div aria-live="polite" className="empty:absolute">
          {saved && <Alert tone="success">{t('profile.updated')}</Alert>}
        </div>
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
