import { type ReactNode, useEffect, useId, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { failureOf } from '#client/api-error.ts'
import { useAppNavigate } from '#client/app-link.tsx'
import { failureTexts } from '#client/browser.ts'
import { paths } from '#client/paths.ts'
import { sessionApi } from '#features/accounts/sessions.api.ts'
import { useSettings } from '#client/shell.ts'
import { toast } from '#client/toast.ts'
import { formatDateTime } from '#i18n/format.ts'
import { useTranslations } from '#i18n/translations.tsx'
import { Badge } from '#ui/badge.tsx'
import { Button } from '#ui/button.tsx'
import { Card } from '#ui/card.tsx'
import { EmptyState } from '#ui/empty-state.tsx'
import { EmptyBay } from '#ui/illustrations.tsx'
import { PageHeader } from '#ui/page-header.tsx'
import { ListSkeleton } from '#ui/skeleton.tsx'
import type { OpenSession } from '../accounts.contract.ts'
import { type Ending, EndSessionsDialog } from './end-sessions-dialog.tsx'

/** Where the account is logged in, and the way to end that with the password. */
export function SessionsPage(): ReactNode {
  const t = useTranslations('sessions')
  const title = useTranslations('pages')('sessions.title')
  const [sessions, setSessions] = useState<readonly OpenSession[]>()
  const [failure, setFailure] = useState<string>()
  const [ending, setEnding] = useState<Ending>()
  const navigate = useAppNavigate()
  const place = useRef<HTMLDivElement>(null)

  const read = (): Promise<void> =>
    sessionApi()
      .sessions()
      .then(
        (found) => {
          setFailure(undefined)
          setSessions(found)
        },
        (error: unknown) => setFailure(failureOf(error, failureTexts()).message),
      )
  useEffect(() => void read(), [])

  function done(ended: Ending): void {
    flushSync(() => setEnding((shown) => (shown === ended ? undefined : shown)))
    // This session has ended, too: that page clears what the browser stored.
    if (ended === 'everywhere') return navigate(paths.logout(), { replace: true })
    // The button that opened the dialog is about to be removed.
    place.current?.querySelector('h1')?.focus()
    toast.success(t('ended', { device: ended.device }))
    void read()
  }

  if (!sessions && failure === undefined) return <SessionsSkeleton />
  return (
    <div ref={place} className="page-width grid grid-cols-1 gap-8 py-8 sm:py-12">
      <PageHeader title={title} lead={t('lead')} />
      {failure !== undefined && (
        <div role="alert">
          <EmptyState
            illustration={<EmptyBay />}
            title={t('errorTitle')}
            text={failure}
            action={<Button onClick={() => void read()}>{t('retry')}</Button>}
          />
        </div>
      )}
      {sessions && (
        <>
          <ul className="grid max-w-4xl grid-cols-1 gap-4">
            {sessions.map((session) => (
              <li key={session.id}>
                <SessionCard session={session} onEnd={setEnding} />
              </li>
            ))}
          </ul>
          <section className="grid max-w-4xl justify-items-start gap-3 border-t border-line pt-6">
            <p className="text-muted">{t('everywhereText')}</p>
            <Button variant="secondary" onClick={() => setEnding('everywhere')}>
              {t('everywhere')}
            </Button>
          </section>
        </>
      )}
      <EndSessionsDialog ending={ending} onClose={() => setEnding(undefined)} onDone={done} />
    </div>
  )
}

export function SessionsSkeleton(): ReactNode {
  const t = useTranslations('sessions')
  return <ListSkeleton text={t('loading')} item="h-28" />
}

interface SessionCardProps {
  session: OpenSession
  onEnd: (ending: Ending) => void
}

function SessionCard({ session, onEnd }: SessionCardProps): ReactNode {
  const t = useTranslations('sessions')
  const { timeZone } = useSettings()
  const heading = useId()
  const { id, browser, system } = session
  const known = browser !== null && system !== null ? t('device', { browser, system }) : (browser ?? system)
  const device = known ?? t('unknown')
  const title = known === null ? t('endUnknown') : t('endOf', { device })
  const dated = (iso: string) => ({
    date: formatDateTime(iso, timeZone),
    when: (date: ReactNode) => <time dateTime={iso}>{date}</time>,
  })

  return (
    <Card
      role="article"
      aria-labelledby={heading}
      className="flex flex-wrap items-center justify-between gap-x-6 gap-y-4 p-5 sm:p-6"
    >
      <div className="grid min-w-0 gap-1">
        <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
          <h2 id={heading} className="text-lg leading-snug">
            {device}
          </h2>
          {session.is_current && <Badge tone="success">{t('current')}</Badge>}
        </div>
        <p className="text-sm text-muted">{t.rich('used', dated(session.last_used_at))}</p>
        <p className="text-sm text-muted">{t.rich('started', dated(session.started_at))}</p>
      </div>
      {!session.is_current && (
        <Button
          variant="secondary"
          size="small"
          aria-label={title}
          onClick={() => onEnd({ id, device, title })}
        >
          {t('end')}
        </Button>
      )}
    </Card>
  )
}
