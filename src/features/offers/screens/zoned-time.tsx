import type { ReactNode } from 'react'
import { useSettings } from '#client/shell.ts'
import { formatDateTime, formatZoneName } from '#i18n/format.ts'
import { useLanguage } from '#i18n/translations.tsx'

interface ZonedTimeProps {
  iso: string
  /** Other words for the moment than dd/MM/yyyy HH:mm. */
  children?: ReactNode
}

/** A moment in the shop's zone; who listens also hears the zone's name (decisions, "Dates"). */
export function ZonedTime({ iso, children }: ZonedTimeProps): ReactNode {
  const { timeZone } = useSettings()
  const zone = formatZoneName(iso, timeZone, useLanguage())
  return (
    <time dateTime={iso} title={zone} className="inline-block tabular-nums">
      {children ?? formatDateTime(iso, timeZone)}
      <span className="sr-only"> ({zone})</span>
    </time>
  )
}
