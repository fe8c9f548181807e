import { type ReactNode, useState } from 'react'
import { emailLinkApi } from '#features/accounts/email-link.api.ts'
import { failureOf } from '#client/api-error.ts'
import { failureTexts } from '#client/browser.ts'
import { useAppDispatch } from '#client/state.ts'
import { useTranslations } from '#i18n/translations.tsx'
import { Alert } from '#ui/alert.tsx'
import { Button } from '#ui/button.tsx'
import type { Profile } from '../accounts.contract.ts'
import { fetchUser } from './user-slice.ts'

/** What the address of an account waits for: a change, or the link of the registration. */
export function AddressNotice({ user }: { user: Profile }): ReactNode {
  const t = useTranslations('address')
  const dispatch = useAppDispatch()
  const [busy, setBusy] = useState(false)
  const [news, setNews] = useState<{ tone: 'success' | 'error'; text: string }>()
  const { email, pending_email: pending, pending_link: awaited } = user

  async function act(call: () => Promise<string>): Promise<void> {
    setNews(undefined)
    setBusy(true)
    try {
      setNews({ tone: 'success', text: await call() })
    } catch (error) {
      setNews({ tone: 'error', text: failureOf(error, failureTexts()).message })
    }
    setBusy(false)
    // Also after a refusal: the change may be over.
    void dispatch(fetchUser())
  }
  const resend = async (): Promise<string> => (await emailLinkApi().resend()).detail
  async function cancel(): Promise<string> {
    await emailLinkApi().cancelChange()
    return t('cancelled')
  }

  const actions = (
    <>
      <Button variant="secondary" size="small" disabled={busy} onClick={() => void act(resend)}>
        {t('resend')}
      </Button>
      {pending !== undefined && (
        <Button variant="secondary" size="small" disabled={busy} onClick={() => void act(cancel)}>
          {t('cancel')}
        </Button>
      )}
    </>
  )
  return (
    <>
      <div aria-live="polite" className="empty:absolute">
        {pending !== undefined && (
          <Alert title={t('pendingTitle')} actions={actions}>
            {t(awaited === 'present' ? 'pendingPresent' : 'pendingNew', { email, pending })}
          </Alert>
        )}
        {pending === undefined && !user.email_confirmed && (
          <Alert title={t('unconfirmedTitle')} actions={actions}>
            {t('unconfirmed', { email })}
          </Alert>
        )}
      </div>
      <div aria-live="polite" className="empty:absolute">
        {news && <Alert tone={news.tone}>{news.text}</Alert>}
      </div>
    </>
  )
}
