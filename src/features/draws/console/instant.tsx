import type { ReactNode } from 'react'
import { formatDateTime } from '#i18n/format.ts'
import { useTranslations } from '#i18n/translations.tsx'
import { Time } from '#console-kit/parts.tsx'

/** In the shop's zone, and in UTC. */
export function Instant({ at }: { at: string | null }): ReactNode {
  if (at === null) return <span className="text-muted">–</span>
  return (
    <span className="grid">
      <Time at={at} />
      <span className="text-xs whitespace-nowrap text-muted">{formatDateTime(at, 'UTC')} UTC</span>
    </span>
  )
}

const UNITS = [
  ['days', 86_400],
  ['hours', 3_600],
  ['minutes', 60],
  ['seconds', 1],
] as const

/** A duration in its largest whole unit: "7 days", "90 minutes". */
export function useDuration(): (seconds: number) => string {
  const t = useTranslations('consoleDraws.page')
  return (seconds) => {
    const [unit, length] = UNITS.find(([, of]) => seconds % of === 0) ?? UNITS[3]
    return t(unit, { count: seconds / length })
  }
}
