import { formatEur } from '#i18n/format.ts'
import { useLanguage, useTranslations } from '#i18n/translations.tsx'
import { type ApprovalKinds, textOf, titleIn } from '#console-kit/approval-kinds.ts'
import type { CancellationPreview } from '../refunds.contract.ts'
import { PreviewFacts, previewPath } from './cancellation-preview.tsx'

export const approvalKinds = {
  catalogues: ['console.approvals', 'consoleContests'],
  views: {
    'offers.cancel': {
      What: ({ preview }) =>
        useTranslations('console.approvals.what')('cancel', {
          title: titleIn(preview, useLanguage()),
        }),
      Details: ({ preview }) => <PreviewFacts preview={preview as CancellationPreview} />,
      // A contest sells on until its cancellation is approved.
      now: {
        path: (preview) => previewPath(textOf(preview, 'slug')),
        sumOf: (now) => textOf(now, 'amount'),
      },
    },
    'orders.refund': {
      What: ({ preview }) =>
        useTranslations('console.approvals.what')('refund', {
          amount: formatEur(textOf(preview, 'amount'), useLanguage()),
          number: textOf(preview, 'number'),
        }),
    },
  },
} as const satisfies ApprovalKinds
