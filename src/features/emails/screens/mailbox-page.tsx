import { RotateCw } from 'lucide-react'
import type { ReactNode } from 'react'
import { AppLink } from '#client/app-link.tsx'
import { paths } from '#client/paths.ts'
import { useSettings } from '#client/shell.ts'
import { formatDateTime } from '#i18n/format.ts'
import { useTranslations } from '#i18n/translations.tsx'
import { Button, buttonClasses } from '#ui/button.tsx'
import { Card } from '#ui/card.tsx'
import { controlClasses } from '#ui/classes.ts'
import { EmptyState } from '#ui/empty-state.tsx'
import { BlankPlate } from '#ui/blank-plate.tsx'
import { PageHeader } from '#ui/page-header.tsx'
import { EMAIL_TOPICS, SEARCH_MAX } from '../email-kinds.rules.ts'
import type { Mailbox, MailboxFilters } from '../emails.contract.ts'

/** The emails that a demonstration keeps instead of sending, the newest first. */
export function MailboxPage({ emails, filters }: { emails: Mailbox; filters: MailboxFilters }): ReactNode {
  const t = useTranslations('mailbox')
  const { timeZone } = useSettings()
  const isFiltered = !!filters.topic || !!filters.q
  return (
    <div className="page-width grid grid-cols-1 gap-8 py-8 sm:py-12">
      <PageHeader
        title={t('title')}
        lead={t('lead')}
        actions={
          <a href={paths.mailbox()} className={buttonClasses('secondary', 'small')}>
            <RotateCw aria-hidden="true" className="size-4" />
            {t('refresh')}
          </a>
        }
      />
      {(isFiltered || emails.length > 0) && (
        <Filters key={`${filters.topic} ${filters.q}`} filters={filters} />
      )}
      {isFiltered && emails.length === 0 ? (
        <p role="status" className="text-muted">
          {t('noneFound')}
        </p>
      ) : emails.length === 0 ? (
        <EmptyState
          illustration={<BlankPlate />}
          title={t('empty')}
          text={t('emptyText')}
          action={
            <AppLink to={paths.offers()} className={buttonClasses('secondary')}>
              {t('toOffers')}
            </AppLink>
          }
        />
      ) : (
        <Card>
          <ul className="grid grid-cols-1 divide-y divide-line">
            {emails.map((email) => (
              <li key={email.id}>
                <AppLink
                  to={paths.mailbox(email.id)}
                  prefetch="none"
                  className="grid gap-x-6 gap-y-1 px-5 py-4 no-underline hover:bg-sunken sm:grid-cols-[minmax(0,1fr)_auto]"
                >
                  <span lang={email.language} className="font-semibold wrap-anywhere">
                    {email.subject}
                  </span>
                  <span className="text-sm text-muted tabular-nums sm:text-right">
                    {formatDateTime(email.queued_at, timeZone)}
                  </span>
                  <span className="text-sm wrap-anywhere text-muted">{email.to}</span>
                </AppLink>
              </li>
            ))}
          </ul>
        </Card>
      )}
    </div>
  )
}

/** Links and a form of the document, not of the page: they work without scripts, and Back leads to the former filters. */
function Filters({ filters: { topic = '', q = '' } }: { filters: MailboxFilters }): ReactNode {
  const t = useTranslations('mailbox')
  return (
    <div className="grid grid-cols-1 gap-4">
      <nav aria-label={t('topic')} className="flex flex-wrap gap-2">
        {(['', ...EMAIL_TOPICS] as const).map((one) => (
          <a
            key={one}
            href={addressOf({ topic: one, q })}
            aria-current={one === topic ? 'true' : undefined}
            className={buttonClasses(one === topic ? 'primary' : 'secondary', 'small')}
          >
            {one === '' ? t('anyTopic') : t(`topics.${one}`)}
          </a>
        ))}
      </nav>
      <form role="search" action={paths.mailbox()} className="flex flex-wrap items-end gap-3">
        {topic !== '' && <input type="hidden" name="topic" value={topic} />}
        <label className="grid grow gap-1.5 font-semibold">
          {t('search')}
          <input type="search" name="q" defaultValue={q} maxLength={SEARCH_MAX} className={controlClasses} />
        </label>
        <Button type="submit" variant="secondary">
          {t('filter')}
        </Button>
        {q !== '' && (
          <a href={addressOf({ topic })} className={buttonClasses('ghost')}>
            {t('all')}
          </a>
        )}
      </form>
    </div>
  )
}

function addressOf({ topic = '', q = '' }: MailboxFilters): string {
  const query = new URLSearchParams({ ...(topic !== '' && { topic }), ...(q !== '' && { q }) }).toString()
  return query === '' ? paths.mailbox() : `${paths.mailbox()}?${query}`
}
