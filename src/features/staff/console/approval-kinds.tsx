import { useTranslations } from '#i18n/translations.tsx'
import type { StaffRole } from '#shared/staff-permissions.ts'
import { type ApprovalKinds, textOf } from '#console-kit/approval-kinds.ts'

export const approvalKinds = {
  catalogues: ['console.approvals'],
  views: {
    'staff.change': {
      What: ({ preview }) => {
        const t = useTranslations('console')
        return t('approvals.what.staff', {
          name: textOf(preview, 'name'),
          role: t(`roles.${preview['to'] as StaffRole}`),
        })
      },
    },
  },
} as const satisfies ApprovalKinds
