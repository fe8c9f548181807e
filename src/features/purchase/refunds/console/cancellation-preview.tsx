import type { ReactNode } from 'react'
import { formatSum } from '#i18n/format.ts'
import { useLanguage, useTranslations } from '#i18n/translations.tsx'
import { Facts } from '#console-kit/parts.tsx'
import type { CancellationPreview } from '../refunds.contract.ts'

export const pathOf = (slug: string): string => `/api/staff/offers/${encodeURIComponent(slug)}`
export const previewPath = (slug: string): string => `${pathOf(slug)}/cancellation/preview/`

/** What a cancellation does. A route that shows it loads the messages `consoleContests`. */
export function PreviewFacts({ preview }: { preview: CancellationPreview }): ReactNode {
  const t = useTranslations('consoleContests.cancel')
  const language = useLanguage()
  const count = new Intl.NumberFormat(language)
  const { orders, tickets, emails, letters, tickets_without_order: free } = preview
  return (
    <>
      <Facts
        facts={[
          [t('orders'), count.format(orders)],
          [t('amount'), <strong key="amount">{formatSum(preview.amount, language)}</strong>],
          [t('tickets'), count.format(tickets)],
          free > 0 && [t('ticketsWithoutOrder'), count.format(free)],
          [t('emails'), count.format(emails)],
          letters > 0 && [t('letters'), count.format(letters)],
        ]}
      />
      {preview.payments_in_progress > 0 && (
        <p className="text-sm">{t('paymentsText', { count: preview.payments_in_progress })}</p>
      )}
      {preview.in_review > 0 && <p className="text-sm">{t('review', { count: preview.in_review })}</p>}
    </>
  )
}
