import { type ReactNode, useEffect, useId, useState } from 'react'
import { failureOf } from '#client/api-error.ts'
import { useAppNavigate } from '#client/app-link.tsx'
import { failureTexts } from '#client/browser.ts'
import { paths } from '#client/paths.ts'
import { sessionApi } from '#client/session-endpoints.ts'
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
import { LoadingRegion, Skeleton } from '#ui/skeleton.tsx'
import type { OpenSession } from '../accounts.contract.ts'

/** Where the account is logged in, and the way to end that. */
export function SessionsPage(): ReactNode {
  const t = useTranslations('sessions')
  const title = useTranslations('pages')('sessions.title')
  const [sessions, setSessions] = useState<readonly OpenSession[]>()
  const [failure, setFailure] = useState<string>()

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

  if (!sessions && failure === undefined) return <SessionsSkeleton />
  return (
    <div className="page-width grid grid-cols-1 gap-8 py-8 sm:py-12">
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
                <SessionCard session={session} onEnded={read} />
              </li>
            ))}
          </ul>
          <EndAll />
        </>
      )}
    </div>
  )
}

export function SessionsSkeleton(): ReactNode {
  const t = useTranslations('sessions')
  return (
    <LoadingRegion text={t('loading')} className="page-width grid grid-cols-1 gap-8 py-8 sm:py-12">
      <Skeleton className="h-12 w-72 max-w-full" />
      <Skeleton className="h-28 max-w-4xl" />
      <Skeleton className="h-28 max-w-4xl" />
    </LoadingRegion>
  )
}

interface SessionCardProps {
  session: OpenSession
  onEnded: () => Promise<void>
}

function SessionCard({ session, onEnded }: SessionCardProps): ReactNode {
  const t = useTranslations('sessions')
  const { timeZone } = useSettings()
  const heading = useId()
  const [busy, setBusy] = useState(false)
  const { browser, system } = session
  const device =
    browser !== null && system !== null
      ? t('device', { browser, system })
      : (browser ?? system ?? t('unknown'))
  const dated = (iso: string) => ({
    date: formatDateTime(iso, timeZone),
    when: (date: ReactNode) => <time dateTime={iso}>{date}</time>,
  })

  async function end(): Promise<void> {
    setBusy(true)
    try {
      await sessionApi().endSession(session.id)
      toast.success(t('ended', { device }))
    } catch (error) {
      toast.error(t('failed'), { description: failureOf(error, failureTexts()).message })
    }
    // Also after a failure: it may have ended elsewhere.
    await onEnded()
    setBusy(false)
  }

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
          aria-label={t('endOf', { device })}
          busy={busy}
          onClick={() => void end()}
        >
          {t('end')}
        </Button>
      )}
    </Card>
  )
}

function EndAll(): ReactNode {
  const t = useTranslations('sessions')
  const navigate = useAppNavigate()
  const [busy, setBusy] = useState(false)

  async function endAll(): Promise<void> {
    setBusy(true)
    try {
      await sessionApi().endAllSessions()
      // This session has ended, too: that page clears what the browser stored.
      navigate(paths.logout(), { replace: true })
    } catch (error) {
      toast.error(t('failed'), { description: failureOf(error, failureTexts()).message })
      setBusy(false)
    }
  }

  return (
    <section className="grid max-w-4xl justify-items-start gap-3 border-t border-line pt-6">
      <p className="text-muted">{t('everywhereText')}</p>
      <Button variant="secondary" busy={busy} onClick={() => void endAll()}>
        {t('everywhere')}
      </Button>
    </section>
  )
}
