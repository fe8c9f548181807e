import { formatDay } from '#i18n/format.ts'
import { useLanguage, useTranslations } from '#i18n/translations.tsx'
import { type ApprovalKinds, textOf, titleIn } from '#console-kit/approval-kinds.ts'
import { Facts, Hash } from '#console-kit/parts.tsx'
import type { ForfeitBody } from '../claims.contract.ts'

export const approvalKinds = {
  catalogues: ['console.approvals', 'consoleDraws'],
  views: {
    'draws.award': {
      What: ({ preview }) =>
        useTranslations('console.approvals.what')('award', {
          title: titleIn(preview, useLanguage()),
          number: textOf(preview, 'number'),
          day: formatDay(textOf(preview, 'delivered_on')),
        }),
      Details: ({ preview }) => {
        const t = useTranslations('consoleDraws.claim')
        const hash = textOf(preview, 'leaf_hash')
        return (
          <Facts facts={[[t('leafHash'), hash === '' ? t('leafWaits') : <Hash key="leaf" text={hash} />]]} />
        )
      },
    },
    'draws.decide': {
      What: ({ preview }) => {
        const reasons = useTranslations('consoleDraws.reasons')
        return useTranslations('console.approvals.what')('forfeit', {
          title: titleIn(preview, useLanguage()),
          number: textOf(preview, 'number'),
          reason: reasons(preview['reason'] as ForfeitBody['reason']),
        })
      },
    },
  },
} as const satisfies ApprovalKinds
