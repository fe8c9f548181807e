import type { ReactNode } from 'react'
import { useTranslations } from '#i18n/translations.tsx'

/** Says in words, and by a watermark over the positioned element around it, that this is no draw. */
export function RehearsalMarks(): ReactNode {
  const t = useTranslations('draws.rehearsal')
  return (
    <>
      <p className="warned">{t('text')}</p>
      <p aria-hidden="true" className="watermark" data-words={`${t('word')} `.repeat(600)} />
    </>
  )
}
