import type { ReactNode } from 'react'
import { useSettings } from '#client/shell.ts'
import { formatDateTime, formatZoneName } from '#i18n/format.ts'
import { useLanguage, useTranslations } from '#i18n/translations.tsx'

/** In the shop's time zone, named for screen readers. */
export function ZonedTime({ iso, children }: { iso: string; children?: ReactNode }): ReactNode {
  const { timeZone } = useSettings()
  const zone = formatZoneName(iso, timeZone, useLanguage(), useTranslations('frame.zones'))
  return (
    <time dateTime={iso} title={zone} className="inline-block tabular-nums">
      {children ?? formatDateTime(iso, timeZone)}
      <span className="sr-only"> ({zone})</span>
    </time>
  )
}
