import type { DecidedReason } from '#features/draws/claims.rules.ts'
import { formatEur } from '#i18n/format.ts'
import { useLanguage, useTranslations } from '#i18n/translations.tsx'
import { type ApprovalKinds, textOf, titleIn } from '#console-kit/approval-kinds.ts'

export const approvalKinds = {
  catalogues: ['console.approvals', 'consoleDraws'],
  views: {
    'draws.void': {
      What: ({ preview }) => {
        const reasons = useTranslations('consoleDraws.reasons')
        const language = useLanguage()
        return useTranslations('console.approvals.what')('void', {
          title: titleIn(preview, language),
          numbers: textOf(preview, 'numbers'),
          count: Number(textOf(preview, 'count')),
          reason: reasons(preview['reason'] as DecidedReason),
          refund: formatEur(textOf(preview, 'refund') || '0', language),
        })
      },
    },
  },
} as const satisfies ApprovalKinds
