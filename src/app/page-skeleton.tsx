import type { ReactNode } from 'react'
import { useTranslations } from '#i18n/translations.tsx'

/** What a guarded page is before the browser knows who looks at it: the same for everybody. */
export function PageSkeleton(): ReactNode {
  const t = useTranslations('pages')
  return (
    <p role="status" aria-busy="true">
      {t('loading')}
    </p>
  )
}
