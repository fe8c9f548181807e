import type { ReactNode } from 'react'
import { formatEur } from '#i18n/format.ts'
import { useLanguage, useTranslations } from '#i18n/translations.tsx'
import { classes } from '#ui/classes.ts'
import type { Prize } from '../offers.contract.ts'

/** Metric horsepower of a kilowatt. */
const HORSEPOWER = 1.35962

/** The prize in figures: what it is worth, and the car. */
export function PrizeFigures({ prize, className }: { prize: Prize; className?: string }): ReactNode {
  const t = useTranslations('contest.prize')
  const language = useLanguage()
  const { value, power_kw: power, zero_to_100: sprint, year, range_km: range } = prize
  const figures: { name: string; figure: string | null; more?: string | null }[] = [
    { name: t('value'), figure: value && formatEur(value, language) },
    {
      name: t('power'),
      figure: power === null ? null : t('kilowatts', { power }),
      more: power === null ? null : t('horsepower', { power: Math.floor(power * HORSEPOWER + 0.5) }),
    },
    { name: t('sprint'), figure: sprint && t('seconds', { seconds: Number(sprint) }) },
    { name: t('year'), figure: year === null ? null : String(year) },
    { name: t('range'), figure: range === null ? null : t('kilometres', { range }) },
  ]
  const known = figures.filter(({ figure }) => figure)
  if (known.length === 0) return null
  return (
    <dl
      className={classes(
        'flex flex-wrap justify-between gap-x-6 gap-y-4 border-y border-line py-5',
        className,
      )}
    >
      {known.map(({ name, figure, more }) => (
        <div key={name} className="flex flex-col-reverse justify-end">
          <dt className="text-sm text-muted">{name}</dt>
          <dd className="font-wide text-xl leading-tight tabular-nums">
            <span translate="no">{figure}</span>
            {more && <span className="ml-2 font-text text-sm text-muted">{more}</span>}
          </dd>
        </div>
      ))}
    </dl>
  )
}
