import { type ReactNode, useEffect, useRef, useState } from 'react'
import { Link, useLoaderData } from 'react-router'
import { eventSource } from '#client/browser-parts.ts'
import { formatSum, formatDay } from '#i18n/format.ts'
import { useLanguage, useTranslations } from '#i18n/translations.tsx'
import { consoleCall } from '#console-kit/console-call.ts'
import { type Column, DataTable } from '#console-kit/data-table.tsx'
import { useAskAgain } from '#console-kit/follow.ts'
import { Screen, Section, Time, useTime } from '#console-kit/parts.tsx'
import { rowLink } from '#console-kit/row-keys.ts'
import { SoldOf } from '#console-kit/sold-of.tsx'
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
      <Section title={t('contests')}>
        <Contests contests={contests} />
        {hasMore && <p className="text-sm text-muted">{t('firstToEnd', { count: contests.length })}</p>}
      </Section>
      <Section title={t('days')}>
        <Days days={today.days} />
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

function Contests({ contests }: { contests: Today['contests'] }): ReactNode {
  const t = useTranslations('console.today')
  const none = useTranslations('console.common')('none')
  return (
    <DataTable
      caption={t('contests')}
      rows={contests}
      idOf={({ slug }) => slug}
      linkOf={({ id }) => `/offers/${id}`}
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
        {
          id: 'pace',
          title: t('pace'),
          cell: ({ pace_percent: percent }) =>
            percent >= 100 ? t('soldOutBefore') : t('reaches', { percent }),
        },
      ]}
    />
  )
}

type Sold = Pick<LiveSales, 'orders' | 'tickets' | 'revenue'>

/** The figures of sales, with bars beside them; the figures alone say it all. */
function useSoldColumns<Row extends Sold>(rows: readonly Row[], share: string): Column<Row>[] {
  const t = useTranslations('console.today')
  const language = useLanguage()
  const hasRevenue = rows.some(({ revenue }) => revenue !== null)
  const highest = Math.max(1, ...rows.map(({ revenue }) => Number(revenue)))
  const revenue: Column<Row> = {
    id: 'revenue',
    title: t('revenue'),
    isNumber: true,
    cell: ({ revenue: sum }) => (sum === null ? '' : formatSum(sum, language)),
  }
  const bar: Column<Row> = {
    id: 'bar',
    title: share,
    isExtra: true,
    cell: ({ revenue: sum }) => (
      <svg viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true" className="h-2 w-full min-w-32">
        <rect width={((Number(sum) / highest) * 100).toFixed(1)} height="8" className="fill-signal" />
      </svg>
    ),
  }
  return [
    ...(hasRevenue ? [revenue] : []),
    {
      id: 'orders',
      title: t('orders'),
      isNumber: true,
      cell: ({ orders }) => orders.toLocaleString(language),
    },
    {
      id: 'tickets',
      title: t('tickets'),
      isNumber: true,
      cell: ({ tickets }) => tickets.toLocaleString(language),
    },
    ...(hasRevenue ? [bar] : []),
  ]
}

function Days({ days }: { days: readonly LiveSales[] }): ReactNode {
  const t = useTranslations('console.today')
  const columns = useSoldColumns(days, t('share'))
  return (
    <DataTable
      caption={t('days')}
      rows={days}
      idOf={({ day }) => day}
      empty=""
      columns={[{ id: 'day', title: t('day'), cell: ({ day }) => formatDay(day) }, ...columns]}
    />
  )
}

function Sold({ sold }: { sold: Today['sold'] }): ReactNode {
  const t = useTranslations('console.today')
  const columns = useSoldColumns(sold, t('shareOfContest'))
  return (
    <DataTable
      caption={t('byContest')}
      rows={sold}
      idOf={({ offer_id: id }) => id}
      linkOf={({ offer_id: id }) => `/offers/${id}`}
      empty={t('nothingSold')}
      columns={[{ id: 'contest', title: t('contest'), cell: ({ title }) => title }, ...columns]}
    />
  )
}
