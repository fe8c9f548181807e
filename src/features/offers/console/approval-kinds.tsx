import { useLanguage, useTranslations } from '#i18n/translations.tsx'
import { type ApprovalKinds, titleIn } from '#console-kit/approval-kinds.ts'
import type { DescriptionChange } from '../descriptions.contract.ts'
import { DescribedChange } from './described.tsx'

export const approvalKinds = {
  catalogues: ['console.approvals', 'console.change'],
  views: {
    'offers.describe': {
      What: ({ preview }) =>
        useTranslations('console.approvals.what')('describe', {
          title: titleIn(preview, useLanguage()),
        }),
      Details: ({ preview }) => <DescribedChange change={preview as DescriptionChange} />,
    },
  },
} as const satisfies ApprovalKinds
