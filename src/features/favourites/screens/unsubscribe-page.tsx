import { type FormEvent, type ReactNode, useState } from 'react'
import { flushSync } from 'react-dom'
import { failureOf } from '#client/api-error.ts'
import { AppLink } from '#client/app-link.tsx'
import { browserCall, failureTexts } from '#client/browser.ts'
import { paths } from '#client/paths.ts'
import { useLanguage, useTranslations } from '#i18n/translations.tsx'
import { localized } from '#shared/localized-text.ts'
import { Alert } from '#ui/alert.tsx'
import { Button, buttonClasses } from '#ui/button.tsx'
import { EmptyState } from '#ui/empty-state.tsx'
import type { Unsubscribing } from '../favourites.contract.ts'
import { unsubscribeApi } from '../unsubscribe.api.ts'

/** The link of a reminder. Nothing ends before the button is pressed, because mail scanners open links. */
export function UnsubscribePage({ link, token }: { link: Unsubscribing; token: string }): ReactNode {
  const t = useTranslations('unsubscribe')
  const [state, setState] = useState<'open' | 'busy' | 'done'>('open')
  const [failure, setFailure] = useState<string>()
  const title = localized(link, 'title', useLanguage()).text

  async function stop(event: FormEvent): Promise<void> {
    event.preventDefault()
    setState('busy')
    setFailure(undefined)
    try {
      await unsubscribeApi(browserCall()).use(token)
      flushSync(() => setState('done'))
      // The focused button is removed.
      document.querySelector<HTMLElement>('main h1')?.focus()
    } catch (error) {
      setState('open')
      setFailure(failureOf(error, failureTexts()).message)
    }
  }

  if (state === 'done')
    return (
      <Message
        title={t('doneTitle')}
        text={t('done')}
        action={
          <AppLink to={paths.draw(link.slug)} className={buttonClasses()}>
            {t('toContest')}
          </AppLink>
        }
      />
    )
  return (
    <Message
      title={t('title')}
      text={
        <>
          {t(link.kind, { title })} {t('text')}
        </>
      }
      action={
        // Without scripts the form is what an email program sends.
        <form method="post" onSubmit={(event) => void stop(event)}>
          <input type="hidden" name="List-Unsubscribe" value="One-Click" />
          <div aria-live="assertive" className="mb-4 text-left empty:hidden">
            {failure !== undefined && <Alert tone="error">{failure}</Alert>}
          </div>
          <Button type="submit" size="large" busy={state === 'busy'} busyText={t('working')}>
            {t('action')}
          </Button>
        </form>
      }
    />
  )
}

export function UnsubscribeInvalid(): ReactNode {
  const t = useTranslations('unsubscribe')
  return (
    <Message
      title={t('invalidTitle')}
      text={t('invalid')}
      action={
        <AppLink to={paths.contact()} className={buttonClasses()}>
          {t('toContact')}
        </AppLink>
      }
    />
  )
}

const Message = (props: { title: string; text: ReactNode; action: ReactNode }): ReactNode => (
  <EmptyState as="h1" className="page-width wrap-anywhere" {...props} />
)
