import { useLanguage, useTranslations } from '#i18n/translations.tsx'
import { type ApprovalKinds, textOf, titleIn } from '#console-kit/approval-kinds.ts'
import type { VoidGround } from '../postal.rules.ts'

export const approvalKinds = {
  catalogues: ['console.approvals'],
  views: {
    'post.void': {
      What: ({ preview }) => {
        const t = useTranslations('console.approvals')
        return t('what.voidCard', {
          entry: textOf(preview, 'number'),
          number: textOf(preview, 'ticket_number'),
          title: titleIn(preview, useLanguage()),
          ground: t(`grounds.${preview['ground'] as VoidGround}`),
        })
      },
    },
  },
} as const satisfies ApprovalKinds
