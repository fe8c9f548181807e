import type { ReactNode } from 'react'
import { useTranslations } from '#i18n/translations.tsx'
import { timeLeft } from './countdown.ts'
import { useTimeLeft } from './use-time-left.ts'

/** The time until a contest ends, to the minute. Spoken only when 10, 5 and 1 minutes are left (storefront U8). */
export function Countdown({ end }: { end: string }): ReactNode {
  const t = useTranslations('offers.countdown')
  const { left, mark } = useTimeLeft(end)
  const span = timeLeft(left)
  return (
    <>
      <span className="tabular-nums">
        {span.kind === 'over' && t('over')}
        {span.kind === 'lastMinute' && t('lastMinute')}
        {span.kind === 'minutes' && t('minutes', { minutes: span.minutes })}
        {span.kind === 'hours' && t('hours', { hours: span.hours, minutes: span.minutes })}
        {span.kind === 'days' && t('days', { days: span.days, hours: span.hours })}
      </span>
      <span className="sr-only" role="status">
        {mark !== undefined && left > 0 && t('announce', { minutes: mark })}
      </span>
    </>
  )
}
