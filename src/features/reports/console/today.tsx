import { type ReactNode, useEffect, useState } from 'react'
import { Link, useLoaderData } from 'react-router'
import { formatSum, formatDay } from '#i18n/format.ts'
import { useLanguage, useTranslations } from '#i18n/translations.tsx'
import { Progress } from '#ui/progress.tsx'
import { consoleCall } from '#console/kit/console-call.ts'
import { DataTable } from '#console/kit/data-table.tsx'
import { Screen, Section, Time } from '#console/kit/parts.tsx'
import type { LiveSales, Today } from '../reports.contract.ts'

export const loader = (): Promise<Today> => consoleCall('GET', '/api/staff/today/')

/** What needs somebody, and how it sells. */
export function Component(): ReactNode {
  const t = useTranslations('console.today')
  const today = useLoaderData<Today>()
  const { sales, isLive } = useLiveSales(today.today)
  return (
    <Screen title={t('title')}>
      <Needs needs={today.needs} />
      <Section title={t('sales')}>
        <div role="status" className="min-h-5 text-sm text-muted">
          {isLive !== undefined && t(isLive ? 'live' : 'liveOff')}
        </div>
        <SalesFigures sales={sales} />
      </Section>
      <Section title={t('contests')}>
        <Contests contests={today.contests} />
      </Section>
      <Section title={t('days')}>
        <Days days={today.days} />
      </Section>
    </Screen>
  )
}

const LOST_MS = 10_000

/**
 * The day's sales as the server sends them; another day begins with other figures.
 * @returns `isLive`: undefined while it connects for the first time
 */
function useLiveSales(first: LiveSales): { sales: LiveSales; isLive: boolean | undefined } {
  const [sales, setSales] = useState(first)
  const [isLive, setLive] = useState<boolean>()
  useEffect(() => {
    const source = new EventSource('/api/staff/today/live/')
    let lost: ReturnType<typeof setTimeout> | undefined
    source.addEventListener('open', () => {
      clearTimeout(lost)
      setLive(true)
    })
    // It connects again by itself, each minute.
    source.addEventListener('error', () => {
      clearTimeout(lost)
      lost = setTimeout(() => setLive(false), LOST_MS)
    })
    source.addEventListener('message', ({ data }) => setSales(JSON.parse(String(data)) as LiveSales))
    return () => {
      clearTimeout(lost)
      source.close()
    }
  }, [])
  return { sales, isLive }
}

const NEEDS = [
  ['alerts', '/alerts'],
  ['approvals', '/approvals'],
  ['review', '/orders?state=review'],
  ['messages', '/messages?state=open'],
  ['drafts', '/offers?state=draft'],
] as const

function Needs({ needs }: { needs: Today['needs'] }): ReactNode {
  const t = useTranslations('console.today')
  const waiting = NEEDS.filter(([name]) => (needs[name] ?? 0) > 0)
  return (
    <Section title={t('needs')}>
      {waiting.length === 0 && <p className="text-muted">{t('nothing')}</p>}
      <ul className="grid gap-3 sm:grid-cols-2 xl:grid-cols-3">
        {waiting.map(([name, to]) => (
          <li key={name}>
            <Link
              to={to}
              className="flex min-h-14 items-center rounded-md border-l-4 border-warning bg-warning-soft px-4 py-3 font-semibold no-underline hover:underline"
            >
              {t(name, { count: needs[name] ?? 0 })}
            </Link>
          </li>
        ))}
      </ul>
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
          cell: ({ sold, total }) => (
            <span className="grid min-w-32 gap-1.5">
              {t('soldOf', { sold, total })}
              <Progress value={sold} total={total} label={t('soldOf', { sold, total })} />
            </span>
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

/** Bars beside the figures; the figures alone say it all. */
function Days({ days }: { days: readonly LiveSales[] }): ReactNode {
  const t = useTranslations('console.today')
  const language = useLanguage()
  const hasRevenue = days.some(({ revenue }) => revenue !== null)
  const highest = Math.max(1, ...days.map(({ revenue }) => Number(revenue)))
  const revenue = {
    id: 'revenue',
    title: t('revenue'),
    isNumber: true,
    cell: ({ revenue: sum }: LiveSales) => (sum === null ? '' : formatSum(sum, language)),
  }
  const bar = {
    id: 'bar',
    title: t('share'),
    isExtra: true,
    cell: ({ revenue: sum }: LiveSales) => (
      <svg viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true" className="h-2 w-full min-w-32">
        <rect width={((Number(sum) / highest) * 100).toFixed(1)} height="8" className="fill-signal" />
      </svg>
    ),
  }
  return (
    <DataTable
      caption={t('days')}
      rows={days}
      idOf={({ day }) => day}
      empty=""
      columns={[
        { id: 'day', title: t('day'), cell: ({ day }) => formatDay(day) },
        ...(hasRevenue ? [revenue] : []),
        { id: 'orders', title: t('orders'), isNumber: true, cell: ({ orders }) => orders },
        { id: 'tickets', title: t('tickets'), isNumber: true, cell: ({ tickets }) => tickets },
        ...(hasRevenue ? [bar] : []),
      ]}
    />
  )
}
