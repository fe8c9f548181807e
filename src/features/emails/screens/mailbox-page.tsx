import { RotateCw } from 'lucide-react'
import type { ReactNode } from 'react'
import { AppLink } from '#client/app-link.tsx'
import { paths } from '#client/paths.ts'
import { useSettings } from '#client/shell.ts'
import { formatDateTime } from '#i18n/format.ts'
import { useTranslations } from '#i18n/translations.tsx'
import { buttonClasses } from '#ui/button.tsx'
import { Card } from '#ui/card.tsx'
import { EmptyState } from '#ui/empty-state.tsx'
import { BlankPlate } from '#ui/blank-plate.tsx'
import { PageHeader } from '#ui/page-header.tsx'
import type { Mailbox } from '../emails.contract.ts'

/** The emails that a demonstration keeps instead of sending, the newest first. */
export function MailboxPage({ emails }: { emails: Mailbox }): ReactNode {
  const t = useTranslations('mailbox')
  const { timeZone } = useSettings()
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
      {emails.length === 0 ? (
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
