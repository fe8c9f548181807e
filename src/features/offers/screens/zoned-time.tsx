import type { ReactNode } from 'react'
import { useSettings } from '#client/shell.ts'
import { formatDateTime, formatZoneName } from '#i18n/format.ts'
import { useLanguage, useTranslations } from '#i18n/translations.tsx'

interface ZonedTimeProps {
  iso: string
  children?: ReactNode
  /** Names the zone for everybody. */
  isZoneShown?: boolean
}

/** In the shop's time zone, named at least for screen readers. */
export function ZonedTime({ iso, children, isZoneShown = false }: ZonedTimeProps): ReactNode {
  const { timeZone } = useSettings()
  const zone = formatZoneName(iso, timeZone, useLanguage(), useTranslations('frame.zones'))
  return (
    <time dateTime={iso} title={zone} className="inline-block tabular-nums">
      {children ?? formatDateTime(iso, timeZone)}{' '}
      <span className={isZoneShown ? 'inline-block max-w-full font-text text-sm text-muted' : 'sr-only'}>
        ({zone})
      </span>
    </time>
  )
}
