import type { ReactNode } from 'react'
import { useTranslations } from '#i18n/translations.tsx'

/** Says in words, and by a watermark over the whole page, that this is no draw. */
export function RehearsalMarks(): ReactNode {
  const t = useTranslations('draws.rehearsal')
  return (
    <>
      <p className="rounded-md bg-warning-soft p-4 font-semibold text-ink">{t('text')}</p>
      <p aria-hidden="true" className="watermark">
        {`${t('word')} `.repeat(300)}
      </p>
    </>
  )
}
