import type { ReactNode } from 'react'
import { useSettings } from '#client/shell.ts'
import { formatTime } from '#i18n/format.ts'
import { useTranslations } from '#i18n/translations.tsx'

/** @param from milliseconds since the epoch */
export function OldFigures({ from }: { from: number }): ReactNode {
  const t = useTranslations('frame')
  const { timeZone } = useSettings()
  return (
    <p className="border-b border-line bg-sunken px-4 py-1.5 text-center text-xs text-balance">
      {t('shownFrom', { time: formatTime(new Date(from), timeZone) })}
    </p>
  )
}
