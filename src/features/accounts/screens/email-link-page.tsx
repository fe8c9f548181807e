import { type ReactNode, useState } from 'react'
import { flushSync } from 'react-dom'
import { emailLinkApi } from '#features/accounts/email-link.api.ts'
import { failureOf } from '#client/api-error.ts'
import { AppLink } from '#client/app-link.tsx'
import { browserSession, failureTexts } from '#client/browser.ts'
import { paths } from '#client/paths.ts'
import { useTranslations } from '#i18n/translations.tsx'
import { Alert } from '#ui/alert.tsx'
import { Button, buttonClasses } from '#ui/button.tsx'
import { EmptyState } from '#ui/empty-state.tsx'
import { Spinner } from '#ui/spinner.tsx'
import { LINK_PURPOSES, type UsedEmailLink } from '../accounts.contract.ts'
import { useLinkToken } from './link-token.ts'

/** Codes after which the link is of no use any more. */
const SPENT = ['emailLink.invalid', 'email.taken']

/** A link about an address. The server does nothing before the button is pressed, because mail scanners open links. */
export function EmailLinkPage(): ReactNode {
  const t = useTranslations('pages.emailLink')
  const token = useLinkToken()
  if (token === undefined) return <Message title={t('title')} text="" action={<Spinner />} />
  return <EmailLink key={token} token={token} />
}

type Outcome = { used: UsedEmailLink } | { spent: string } | { failed: string }

function EmailLink({ token }: { token: string }): ReactNode {
  const t = useTranslations('emailLink')
  const [busy, setBusy] = useState(false)
  const [outcome, setOutcome] = useState<Outcome>()
  const purpose = LINK_PURPOSES.find((one) => token.startsWith(`${one}.`))

  function show(next: Outcome): void {
    flushSync(() => {
      setBusy(false)
      setOutcome(next)
    })
    // The focused button is removed.
    if (!('failed' in next)) document.querySelector<HTMLElement>('main h1')?.focus()
  }

  async function use(): Promise<void> {
    setBusy(true)
    try {
      const used = await emailLinkApi().use(token)
      // The server has ended all sessions.
      if (used.purpose === 'undo' && browserSession().isAuthenticated()) await browserSession().end()
      show({ used })
    } catch (error) {
      const { code = '', message } = failureOf(error, failureTexts())
      show(SPENT.includes(code) ? { spent: message } : { failed: message })
    }
  }

  const toData = (
    <AppLink to={paths.profileData()} className={buttonClasses()}>
      {t('toData')}
    </AppLink>
  )
  if (outcome && 'used' in outcome) {
    const { purpose: done, email } = outcome.used
    return (
      <Message
        title={t(`${done}.doneTitle`)}
        text={t(`${done}.done`, { email })}
        action={done === 'change' || done === 'confirm' ? toData : undefined}
      />
    )
  }
  const spent = outcome && 'spent' in outcome ? outcome.spent : undefined
  const failed = outcome && 'failed' in outcome ? outcome.failed : undefined
  if (!purpose || spent !== undefined)
    return <Message title={t('invalidTitle')} text={spent ?? t('invalid')} action={toData} />
  return (
    <Message
      title={t(`${purpose}.title`)}
      text={t(`${purpose}.text`)}
      action={
        <>
          <div aria-live="assertive" className="mb-4 text-left empty:hidden">
            {failed !== undefined && <Alert tone="error">{failed}</Alert>}
          </div>
          <Button size="large" busy={busy} busyText={t('working')} onClick={() => void use()}>
            {t(`${purpose}.action`)}
          </Button>
        </>
      }
    />
  )
}

const Message = (props: { title: string; text: string; action: ReactNode }): ReactNode => (
  <EmptyState as="h1" className="page-width wrap-anywhere" {...props} />
)
