import { type ReactNode, useEffect, useRef, useState } from 'react'
import { Link, useLoaderData } from 'react-router'
import { eventSource } from '#client/browser-parts.ts'
import { serverNow } from '#client/server-clock.ts'
import { formatAxisSum, formatDateTime, formatDay, formatSum, formatTime } from '#i18n/format.ts'
import { useLanguage, useTranslations } from '#i18n/translations.tsx'
import { AsTable, BarList, PaceChart, PaceKey, TimeChart } from '#console-kit/charts.tsx'
import { paceLines } from '#console-kit/charts.rules.ts'
import { consoleCall } from '#console-kit/console-call.ts'
import { useSettings } from '#console-kit/console-context.tsx'
import { type Column, DataTable } from '#console-kit/data-table.tsx'
import { useAskAgain } from '#console-kit/follow.ts'
import { Screen, Section, Time, useTime } from '#console-kit/parts.tsx'
import { rowLink } from '#console-kit/row-keys.ts'
import { SoldOf } from '#console-kit/sold-of.tsx'
import { PACE_DAYS } from '#features/offers/offer-drafts.rules.ts'
import type { LiveSales, Today } from '../reports.contract.ts'

const TODAY = '/api/staff/today/'

export const loader = (): Promise<Today> => consoleCall('GET', TODAY)

/** What needs somebody, and how it sells. */
export function Component(): ReactNode {
  const t = useTranslations('console.today')
  const today = useLoaderData<Today>()
  const { sales, isLive } = useLiveSales(today.today, useAskAgain())
  const { contests, contests_more: hasMore, sold, sold_more: more } = today
  return (
    <Screen title={t('title')}>
      <Needs today={today} />
      <Section title={t('sales')}>
        <div role="status" className="min-h-5 text-sm text-muted">
          {isLive !== undefined && t(isLive ? 'live' : 'liveOff')}
        </div>
        <SalesFigures sales={sales} />
      </Section>
      <Section title={t('days')}>
        <Days days={today.days} />
      </Section>
      <Section title={t('contests')}>
        <Contests contests={contests} />
        {hasMore && <p className="text-sm text-muted">{t('firstToEnd', { count: contests.length })}</p>}
      </Section>
      <Section title={t('byContest')}>
        <Sold sold={sold} />
        {more > 0 && (
          <p className="text-sm text-muted">{t('othersSold', { shown: sold.length, count: more })}</p>
        )}
      </Section>
    </Screen>
  )
}

const LOST_MS = 10_000
/** A refused connection is tried again after this, then after twice as long, and so on; meanwhile the screen asks. */
const RETRY_MS = 60_000
const RETRY_MAX_MS = 960_000

/**
 * The day's sales as the server sends them; another day begins with other figures.
 * @param ask called when the connection ends: with the session everything here does
 * @returns `isLive`: undefined while it connects for the first time
 */
function useLiveSales(first: LiveSales, ask: () => void): { sales: LiveSales; isLive: boolean | undefined } {
  const [sales, setSales] = useState<{ first: LiveSales; sales: LiveSales }>()
  const [isLive, setLive] = useState<boolean>()
  const ended = useRef(ask)
  const newest = useRef(first)
  useEffect(() => {
    ended.current = ask
    newest.current = first
  }, [ask, first])
  useEffect(() => {
    let source: EventSource | undefined
    let lost: ReturnType<typeof setTimeout> | undefined
    let retry: ReturnType<typeof setTimeout> | undefined
    let retryMs = RETRY_MS
    const connect = (): void => {
      const opened = eventSource('/api/staff/today/live/')
      source = opened
      if (!opened) return setLive(false)
      opened.addEventListener('open', () => {
        clearTimeout(lost)
        retryMs = RETRY_MS
        setLive(true)
      })
      opened.addEventListener('message', ({ data }) =>
        setSales({ first: newest.current, sales: JSON.parse(String(data)) as LiveSales }),
      )
      // It connects again by itself, each minute; not once it was refused, which may be because many watch.
      opened.addEventListener('error', () => {
        clearTimeout(lost)
        lost = setTimeout(() => setLive(false), LOST_MS)
        if (opened.readyState === opened.CLOSED) {
          retry = setTimeout(connect, retryMs)
          retryMs = Math.min(RETRY_MAX_MS, retryMs * 2)
        }
        ended.current()
      })
    }
    connect()
    return () => {
      clearTimeout(lost)
      clearTimeout(retry)
      source?.close()
    }
  }, [])
  return { sales: sales && sales.first === first ? sales.sales : first, isLive }
}

const NEEDS = [
  ['alerts', '/alerts'],
  ['approvals', '/approvals'],
  ['review', '/orders?state=review'],
  ['messages', '/messages?state=open'],
  ['letters', '/post/entries?letter=waiting'],
  ['drafts', '/offers?state=draft'],
] as const

function Needs({ today: { needs, deadlines } }: { today: Today }): ReactNode {
  const t = useTranslations('console.today')
  const time = useTime()
  const waiting = [
    ...NEEDS.filter(([name]) => (needs[name] ?? 0) > 0).map(([name, to]) => ({
      to,
      text: t(name, { count: needs[name] ?? 0 }),
    })),
    ...deadlines.map(({ need, offer_id: id, title, at }) => ({
      to: need === 'post' ? '/post' : `/draws/${id}`,
      text: t(`deadlines.${need}`, { title, when: at === null ? '' : time(at) }),
    })),
  ]
  return (
    <Section title={t('needs')}>
      <div aria-live="polite">
        {waiting.length === 0 && <p className="text-muted">{t('nothing')}</p>}
        <ul className="grid gap-3 sm:grid-cols-2 xl:grid-cols-3">
          {waiting.map(({ to, text }) => (
            <li key={`${to} ${text}`}>
              <Link
                {...rowLink}
                to={to}
                className="flex h-full min-h-14 items-center rounded-md border-l-4 border-warning bg-warning-soft px-4 py-3 font-semibold wrap-anywhere no-underline hover:underline"
              >
                {text}
              </Link>
            </li>
          ))}
        </ul>
      </div>
    </Section>
  )
}

function SalesFigures({ sales }: { sales: LiveSales }): ReactNode {
  const t = useTranslations('console.today')
  const language = useLanguage()
  const figures = [
    ...(sales.revenue === null ? [] : [[t('revenue'), formatSum(sales.revenue, language)] as const]),
    [t('orders'), sales.orders.toLocaleString(language)],
    [t('tickets'), sales.tickets.toLocaleString(language)],
  ] as const
  return (
    <dl className="grid gap-4 sm:grid-cols-3">
      {figures.map(([name, value]) => (
        <div key={name} className="grid gap-1 rounded-md bg-sunken p-4">
          <dt className="text-sm text-muted">{name}</dt>
          <dd className="font-wide text-title">{value}</dd>
        </div>
      ))}
    </dl>
  )
}

/** Each against the even pace that sells its tickets out exactly at its end. */
function Contests({ contests }: { contests: Today['contests'] }): ReactNode {
  const t = useTranslations('console.today')
  const none = useTranslations('console.common')('none')
  const outlook = ({ pace_percent: percent }: Today['contests'][number]): string =>
    percent >= 100 ? t('soldOutBefore') : t('reaches', { percent })
  if (contests.length === 0) return <p className="text-muted">{none}</p>
  return (
    <>
      <PaceKey sold={t('sold')} ahead={t('lines.ahead', { days: PACE_DAYS })} even={t('lines.even')} />
      <ul
        className="grid grid-cols-1 gap-x-8 gap-y-8 md:grid-cols-2 xl:grid-cols-3"
        aria-label={t('contests')}
      >
        {contests.map((contest) => (
          <li key={contest.slug} className="min-w-0">
            <Contest contest={contest} outlook={outlook(contest)} />
          </li>
        ))}
      </ul>
      <AsTable>
        <DataTable
          caption={t('contests')}
          rows={contests}
          idOf={({ slug }) => slug}
          empty={none}
          columns={[
            { id: 'contest', title: t('contest'), cell: ({ title }) => title },
            {
              id: 'sold',
              title: t('sold'),
              cell: ({ sold, by_post: post, total }) => (
                <SoldOf words={t('soldOf', { sold, total })} sold={sold} post={post} total={total} />
              ),
            },
            { id: 'ends', title: t('ends'), cell: ({ ends_at: at }) => <Time at={at} /> },
            { id: 'pace', title: t('pace'), cell: outlook },
          ]}
        />
      </AsTable>
    </>
  )
}

function Contest({ contest, outlook }: { contest: Today['contests'][number]; outlook: string }): ReactNode {
  const t = useTranslations('console.today')
  const { timeZone } = useSettings()
  const { id, title, sold, total, opened_at: opened, ends_at: end } = contest
  const now = serverNow()
  const { target, ...lines } = paceLines(contest, now, sinceMidnight(now, timeZone))
  const difference = sold - target
  const state =
    difference === 0
      ? t('atEvenPace')
      : t(difference > 0 ? 'aheadOfPace' : 'behindPace', { count: Math.abs(difference) })
  return (
    <div className="grid grid-cols-1 gap-2">
      <div className="flex flex-wrap items-baseline justify-between gap-x-4">
        <Link {...rowLink} to={`/offers/${id}`} className="prose-link py-1 font-semibold wrap-anywhere">
          {title}
        </Link>
        <span className="tabular-nums">{t('soldOf', { sold, total })}</span>
      </div>
      <PaceChart label={`${title}: ${t('soldOf', { sold, total })}. ${state}, ${outlook}.`} {...lines} />
      <div className="flex flex-wrap justify-between gap-x-3 text-xs text-muted">
        {[opened, end].map((at) => (
          <time key={at} dateTime={at}>
            {formatDateTime(at, timeZone).slice(0, 10)}
          </time>
        ))}
      </div>
      <p className="flex flex-wrap gap-x-3 text-sm">
        <span className={difference < 0 ? 'font-semibold text-warning' : 'font-semibold text-success'}>
          {state}
        </span>
        <span className="text-muted">{outlook}</span>
      </p>
    </div>
  )
}

/** Milliseconds of the present day that have passed by the clocks of a zone. */
function sinceMidnight(now: number, timeZone: string): number {
  const [hours = 0, minutes = 0] = formatTime(new Date(now), timeZone).split(':').map(Number)
  return (hours * 60 + minutes) * 60_000
}

type Sold = Pick<LiveSales, 'orders' | 'tickets' | 'revenue'>

/** What sales are worth, or how many tickets they are for those who may not see that. */
function useSoldWords() {
  const t = useTranslations('console.today')
  const language = useLanguage()
  return {
    /** Euros, or tickets. */
    valueOf: ({ revenue, tickets }: Sold): number => Number(revenue ?? tickets),
    textOf: ({ revenue, orders, tickets }: Sold): string =>
      [
        ...(revenue === null ? [] : [formatSum(revenue, language)]),
        t('soldText', { orders, count: tickets }),
      ].join(' · '),
    axisOf: (rows: readonly Sold[]) => (value: number) =>
      rows[0]?.revenue === null ? value.toLocaleString(language) : formatAxisSum(value, language),
    averageOf: (rows: readonly Sold[], value: number): string =>
      rows[0]?.revenue === null
        ? Math.trunc(value).toLocaleString(language)
        : formatSum(value.toFixed(2), language),
  }
}

function useSoldColumns<Row extends Sold>(rows: readonly Row[]): Column<Row>[] {
  const t = useTranslations('console.today')
  const language = useLanguage()
  const number = (id: 'orders' | 'tickets'): Column<Row> => ({
    id,
    title: t(id),
    isNumber: true,
    cell: (row) => row[id].toLocaleString(language),
  })
  const revenue: Column<Row> = {
    id: 'revenue',
    title: t('revenue'),
    isNumber: true,
    cell: ({ revenue: sum }) => (sum === null ? '' : formatSum(sum, language)),
  }
  return [
    ...(rows.some(({ revenue: sum }) => sum !== null) ? [revenue] : []),
    number('orders'),
    number('tickets'),
  ]
}

/** The present day is not over: the average is of those before it. */
function Days({ days }: { days: readonly LiveSales[] }): ReactNode {
  const t = useTranslations('console.today')
  const columns = useSoldColumns(days)
  const { valueOf, textOf, axisOf, averageOf } = useSoldWords()
  const over = days.slice(1)
  const average = over.reduce((sum, day) => sum + valueOf(day), 0) / Math.max(1, over.length)
  return (
    <>
      <TimeChart
        label={t('chooseDay')}
        axis={axisOf(days)}
        level={{ value: average, text: t('average', { value: averageOf(days, average) }) }}
        points={days.toReversed().map((day) => ({
          id: day.day,
          name: formatDay(day.day),
          value: valueOf(day),
          text: textOf(day),
        }))}
      />
      <AsTable>
        <DataTable
          caption={t('days')}
          rows={days}
          idOf={({ day }) => day}
          empty=""
          columns={[{ id: 'day', title: t('day'), cell: ({ day }) => formatDay(day) }, ...columns]}
        />
      </AsTable>
    </>
  )
}

function Sold({ sold }: { sold: Today['sold'] }): ReactNode {
  const t = useTranslations('console.today')
  const { valueOf, textOf } = useSoldWords()
  const columns = useSoldColumns(sold)
  if (sold.length === 0) return <p className="text-muted">{t('nothingSold')}</p>
  return (
    <>
      <BarList
        label={t('byContest')}
        bars={sold.map((row) => ({
          id: row.offer_id,
          name: row.title,
          to: `/offers/${row.offer_id}`,
          value: valueOf(row),
          text: textOf(row),
        }))}
      />
      <AsTable>
        <DataTable
          caption={t('byContest')}
          rows={sold}
          idOf={({ offer_id: id }) => id}
          empty={t('nothingSold')}
          columns={[{ id: 'contest', title: t('contest'), cell: ({ title }) => title }, ...columns]}
        />
      </AsTable>
    </>
  )
}
