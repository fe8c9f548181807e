import { Download } from 'lucide-react'
import type { ReactNode } from 'react'
import { useSettings } from '#client/shell.ts'
import { ZonedTime } from '#features/offers/screens/zoned-time.tsx'
import { formatDateTime, formatZoneName } from '#i18n/format.ts'
import { useLanguage, useTranslations } from '#i18n/translations.tsx'
import { Badge, type Tone } from '#ui/badge.tsx'
import type { PublicState } from '../public-draws.contract.ts'
import { durationParts } from '../public-draws.rules.ts'
import type { nextStep } from '../timeline.rules.ts'
import { useReadersZone, useSecondsLeft } from './live-draw.ts'

const TONES: Record<PublicState, Tone> = {
  open: 'success',
  closed: 'neutral',
  listed: 'warning',
  sealed: 'signal',
  drawn: 'signal',
  awarded: 'success',
  cancelled: 'error',
}

export const StateBadge = ({ state }: { state: PublicState }): ReactNode => (
  <Badge tone={TONES[state]}>{useTranslations('draws.states')(state)}</Badge>
)

/** An instant in the shop's time zone and in UTC, as the files have it; in the reader's zone, too, where that is another. */
export function DrawInstant({ iso }: { iso: string }): ReactNode {
  const t = useTranslations('draws')
  const language = useLanguage()
  const { timeZone } = useSettings()
  const zone = useReadersZone()
  const zones = useTranslations('frame.zones')
  const own = zone !== undefined && formatDateTime(iso, zone)
  return (
    <span className="inline-flex flex-wrap items-baseline gap-x-3">
      <ZonedTime iso={iso} />
      <span className="text-sm font-normal text-muted tabular-nums">
        {t('utc', { time: iso.slice(0, 19).replace('T', ' ') })}
      </span>
      {own && [timeZone, 'UTC'].every((shown) => formatDateTime(iso, shown) !== own) && (
        <span className="text-sm font-normal text-muted tabular-nums">
          {t('yourTime', { time: own, zone: formatZoneName(iso, zone, language, zones) })}
        </span>
      )}
    </span>
  )
}

/** A duration in words: "7 days", "1 hour 30 minutes". */
export function useDuration(): (seconds: number) => string {
  const t = useTranslations('draws.duration')
  return (total) => {
    const parts = durationParts(total)
    const shown = (['days', 'hours', 'minutes', 'seconds'] as const).filter((unit) => parts[unit] > 0)
    return shown.map((unit) => t(unit, { count: parts[unit] })).join(' ')
  }
}

const two = (value: number): string => String(value).padStart(2, '0')

/** Days, hours, minutes and seconds by the server's clock. Screen readers have the instant beside it. */
export function Clock({ at }: { at: string }): ReactNode {
  const t = useTranslations('draws.duration')
  const { days, hours, minutes, seconds } = durationParts(useSecondsLeft(at))
  return (
    <span aria-hidden="true" className="tabular-nums">
      {days > 0 && `${t('days', { count: days })} `}
      {two(hours)}:{two(minutes)}:{two(seconds)}
    </span>
  )
}

/** What comes next, counted down to; at zero, what is waited for. */
export function NextStep({
  step: { name, at },
}: {
  step: NonNullable<ReturnType<typeof nextStep>>
}): ReactNode {
  const t = useTranslations('draws')
  const isDue = useSecondsLeft(at) === 0 && name !== 'opened'
  return (
    <div className="grid gap-1">
      <p className="text-sm opacity-80">{isDue ? t('result.waiting') : t(`next.${name}`)}</p>
      <p className="font-wide text-title">{isDue ? t(`awaited.${name}`) : <Clock at={at} />}</p>
      <p className="text-sm">
        <ZonedTime iso={at} />
      </p>
    </div>
  )
}

/** A term and its value. */
export const Fact = ({
  term,
  isOnDark = false,
  children,
}: {
  term: ReactNode
  isOnDark?: boolean
  children: ReactNode
}): ReactNode => (
  <div>
    <dt className={`text-sm ${isOnDark ? '' : 'text-muted'}`}>{term}</dt>
    <dd className="mt-0.5 font-medium">{children}</dd>
  </div>
)

/** A file of the draw. It is no page of ours: the server sends it. */
export const FileLink = ({ href, children }: { href: string; children: ReactNode }): ReactNode => (
  <a href={href} className="prose-link inline-flex min-h-11 w-fit items-center gap-2">
    <Download aria-hidden="true" className="size-4 shrink-0" />
    {children}
  </a>
)
