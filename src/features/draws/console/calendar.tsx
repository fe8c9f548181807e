import { ChevronLeft, ChevronRight } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { Link } from 'react-router'
import { titleOf } from '#features/offers/console/offer-words.tsx'
import { formatDay } from '#i18n/format.ts'
import { useLanguage, useTranslations } from '#i18n/translations.tsx'
import { serverNow } from '#client/server-clock.ts'
import { Badge, type Tone } from '#ui/badge.tsx'
import { Button } from '#ui/button.tsx'
import { useSettings } from '#console-kit/console-context.tsx'
import { Fault, Section, useTime } from '#console-kit/parts.tsx'
import { useRead } from '#console-kit/use-read.ts'
import type { DrawCalendar } from '../draws.contract.ts'

type Planned = DrawCalendar['items'][number]

const TONES: Record<Planned['event'], Tone> = {
  closing: 'neutral',
  draw: 'signal',
  claimEnd: 'warning',
  alternate: 'signal',
}

/** "2026-11" in the shop's zone. */
const monthOf = (ms: number, timeZone: string): string =>
  new Intl.DateTimeFormat('sv-SE', { timeZone, year: 'numeric', month: '2-digit' }).format(ms)

function shifted(month: string, by: number): string {
  const [year = 0, number = 1] = month.split('-').map(Number)
  return new Date(Date.UTC(year, number - 1 + by, 1)).toISOString().slice(0, 7)
}

/** The weeks of a month from Monday on; null outside of it. */
function weeksOf(month: string): (string | null)[][] {
  const [year = 0, number = 1] = month.split('-').map(Number)
  const days = new Date(Date.UTC(year, number, 0)).getUTCDate()
  const before = (new Date(Date.UTC(year, number - 1, 1)).getUTCDay() + 6) % 7
  const cells = Array.from({ length: Math.ceil((before + days) / 7) * 7 }, (_, at) => {
    const day = at - before + 1
    return day < 1 || day > days ? null : `${month}-${String(day).padStart(2, '0')}`
  })
  return Array.from({ length: cells.length / 7 }, (_, week) => cells.slice(week * 7, week * 7 + 7))
}

/** What is planned in a month: a table on wide screens, the days with something on narrow ones. */
export function Calendar(): ReactNode {
  const t = useTranslations('consoleDraws')
  const language = useLanguage()
  const { timeZone } = useSettings()
  const [month, setMonth] = useState(() => monthOf(serverNow(), timeZone))
  const { response, error } = useRead<DrawCalendar>(`/api/staff/draw-calendar/?month=${month}`)
  const items = response?.items ?? []
  const of = (day: string): Planned[] => items.filter((one) => one.day === day)
  const name = new Intl.DateTimeFormat(language, { timeZone: 'UTC', month: 'long', year: 'numeric' }).format(
    new Date(`${month}-01T00:00:00Z`),
  )
  const weeks = weeksOf(month)
  const weekdays = weekdayNames(language)
  const days = [...new Set(items.map(({ day }) => day))]
  return (
    <Section
      title={t('calendar')}
      actions={
        <div className="flex items-center gap-2">
          <Button
            size="small"
            variant="ghost"
            aria-label={t('previousMonth')}
            onClick={() => setMonth(shifted(month, -1))}
          >
            <ChevronLeft aria-hidden="true" className="size-5" />
          </Button>
          <p aria-live="polite" className="min-w-36 text-center font-semibold first-letter:uppercase">
            {name}
          </p>
          <Button
            size="small"
            variant="ghost"
            aria-label={t('nextMonth')}
            onClick={() => setMonth(shifted(month, 1))}
          >
            <ChevronRight aria-hidden="true" className="size-5" />
          </Button>
        </div>
      }
    >
      <Fault error={error} />
      {response && items.length === 0 && <p className="text-muted">{t('nothingPlanned')}</p>}
      <ul className="grid gap-4 lg:hidden">
        {days.map((day) => (
          <li key={day} className="grid gap-2">
            <h3 className="font-semibold">{formatDay(day)}</h3>
            <Events items={of(day)} />
          </li>
        ))}
      </ul>
      <table className="w-full table-fixed border-collapse max-lg:hidden">
        <caption className="sr-only">{name}</caption>
        <thead>
          <tr>
            {weekdays.map((weekday) => (
              <th key={weekday} scope="col" className="p-2 text-left text-sm font-normal text-muted">
                {weekday}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {weeks.map((week, at) => (
            <tr key={`${month} ${at}`}>
              {week.map((day, place) => (
                <td key={day ?? `${month} ${at} ${place}`} className="h-20 border border-line p-2 align-top">
                  {day !== null && (
                    <div className="grid gap-2">
                      <span className="text-sm text-muted">{Number(day.slice(-2))}</span>
                      <Events items={of(day)} />
                    </div>
                  )}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </Section>
  )
}

function weekdayNames(language: string): string[] {
  const format = new Intl.DateTimeFormat(language, { timeZone: 'UTC', weekday: 'short' })
  // 2024-01-01 was a Monday.
  return Array.from({ length: 7 }, (_, day) => format.format(new Date(Date.UTC(2024, 0, 1 + day))))
}

function Events({ items }: { items: readonly Planned[] }): ReactNode {
  const t = useTranslations('consoleDraws')
  const contests = useTranslations('consoleContests')
  const language = useLanguage()
  const time = useTime()
  if (items.length === 0) return null
  return (
    <ul className="grid gap-2">
      {items.map((one) => (
        <li key={`${one.offer_id} ${one.event} ${one.at}`} className="grid justify-items-start gap-1">
          <Badge tone={TONES[one.event]}>
            {time(one.at).slice(-5)} {t(`events.${one.event}`)}
          </Badge>
          <Link to={`/draws/${one.offer_id}`} className="prose-link text-sm wrap-anywhere">
            {titleOf(one, language) || contests('untitled')}
          </Link>
        </li>
      ))}
    </ul>
  )
}
