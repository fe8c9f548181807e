import { Download } from 'lucide-react'
import { type FormEvent, type ReactNode, useState } from 'react'
import { Form, type LoaderFunctionArgs, useLoaderData, useSearchParams } from 'react-router'
import { formatAxisSum, formatDay, formatPercent } from '#i18n/format.ts'
import { useLanguage, useTranslations } from '#i18n/translations.tsx'
import { countriesIn, countryName } from '#shared/countries.ts'
import { Button } from '#ui/button.tsx'
import { classes } from '#ui/classes.ts'
import { BarList, TimeChart } from '#console-kit/charts.tsx'
import { daysBetween, monthsBetween } from '#console-kit/charts.rules.ts'
import { consoleCall, downloadFile } from '#console-kit/console-call.ts'
import { ChoiceFilter, filtersOf } from '#console-kit/filters.tsx'
import { DataTable, type Page, useRows, wholeList } from '#console-kit/data-table.tsx'
import { TextField } from '#console-kit/fields.tsx'
import { Fault, Screen, Section } from '#console-kit/parts.tsx'
import { useScreenActions } from '#console-kit/screen-actions.ts'
import { useAction } from '#console-kit/use-action.ts'
import type { SalesFigures, SalesReport, SalesRow, Subscriptions } from '../sales.contract.ts'
import { SALES_GROUPS, isPeriod } from '../sales.rules.ts'
import { ReportTabs, Sum, useSum } from './report-parts.tsx'

const SALES = '/api/staff/reports/sales/'
const SUBSCRIPTIONS = '/api/staff/reports/subscriptions/'
const FILTERS = ['from', 'to', 'offer', 'country', 'group'] as const

interface Loaded {
  report: SalesReport
  rows: Page<SalesRow>
  subscriptions: Subscriptions
}

export async function loader({ request }: LoaderFunctionArgs, kept?: Loaded): Promise<Loaded> {
  const query = filtersOf(FILTERS, new URL(request.url).searchParams)
  const [report, subscriptions] = await Promise.all([
    consoleCall<SalesReport>('GET', `${SALES}?${query}`),
    kept?.subscriptions ?? consoleCall<Subscriptions>('GET', SUBSCRIPTIONS),
  ])
  return { report, rows: wholeList(report.rows), subscriptions }
}

/** What was sold and refunded in a period, by filters that are in the address. */
export function Component(): ReactNode {
  const t = useTranslations('consoleReports')
  const sum = useSum()
  const { report, rows, subscriptions } = useLoaderData<Loaded>()
  const [params, setParams] = useSearchParams()
  const query = filtersOf(FILTERS, params)
  const { total, unsold, from, to } = report
  return (
    <Screen title={t('title')} lead={t('lead')} actions={<Csv query={query} />}>
      <ReportTabs />
      <Filters key={query} query={query} report={report} onChange={(next) => setParams(next)} />
      <Section title={t('period', { from: formatDay(from), to: formatDay(to) })}>
        <Totals total={total} />
        {total.fees_unknown > 0 && (
          <p className="text-sm text-muted">{t('sales.unknownFees', { count: total.fees_unknown })}</p>
        )}
        {unsold && unsold.payments + unsold.refunds > 0 && (
          <p className="text-sm text-muted">
            {t('sales.unsold', {
              payments: unsold.payments,
              taken: sum(unsold.taken),
              fees: sum(unsold.fees),
              returned: sum(unsold.returned),
            })}
          </p>
        )}
      </Section>
      {report.rows.length > 0 && (
        <Section title={t('chart.title')}>
          <Chart key={query} report={report} />
        </Section>
      )}
      <Rows report={report} first={rows} query={query} />
      <EmailReports subscriptions={subscriptions} />
    </Screen>
  )
}

function Totals({ total }: { total: SalesFigures }): ReactNode {
  const t = useTranslations('consoleReports')
  const sum = useSum()
  const language = useLanguage()
  const figures = [
    [t('figures.gross'), sum(total.gross), `${t('figures.vat')} ${sum(total.vat)}`],
    [
      t('figures.refunded'),
      sum(total.refunded),
      `${t('sales.refundCount', { count: total.refunds })} · ${t('figures.vat')} ${sum(total.refunded_vat)}`,
    ],
    [t('figures.left'), sum(total.left), `${t('figures.vat')} ${sum(total.left_vat)}`],
    [t('figures.fees'), sum(total.fees), ''],
    [
      t('figures.orders'),
      total.orders.toLocaleString(language),
      `${t('figures.tickets')} ${total.tickets.toLocaleString(language)}`,
    ],
  ] as const
  return (
    <dl className="grid grid-cols-[repeat(auto-fit,minmax(min(100%,14rem),1fr))] gap-4">
      {figures.map(([name, value, more]) => (
        <div key={name} className="grid content-start gap-1 rounded-md bg-sunken p-4">
          <dt className="text-sm text-muted">{name}</dt>
          <dd className="font-wide text-lg whitespace-nowrap tabular-nums">{value}</dd>
          {more !== '' && <dd className="text-sm text-muted">{more}</dd>}
        </div>
      ))}
    </dl>
  )
}

/** Those with a VAT of their own show it below. */
const AMOUNTS = [
  ['net'],
  ['vat'],
  ['gross'],
  ['refunded', 'refunded_vat'],
  ['left', 'left_vat'],
  ['fees'],
] as const

/** The links are those of the table below it. */
function Chart({ report }: { report: SalesReport }): ReactNode {
  const t = useTranslations('consoleReports')
  const sum = useSum()
  const language = useLanguage()
  const nameOf = useRowName()
  const { group, rows, from, to, today } = report
  const textOf = ({ gross, orders }: Pick<SalesRow, 'gross' | 'orders'>): string =>
    `${sum(gross)} · ${t('chart.orders', { count: orders })}`
  if (group !== 'day' && group !== 'month')
    return (
      <BarList
        label={t('figures.gross')}
        bars={rows
          .map((row) => ({
            id: row.key,
            name: nameOf(row),
            value: Number(row.gross),
            text: textOf(row),
          }))
          .toSorted((one, other) => other.value - one.value)}
      />
    )
  // Nothing is sold yet on the days to come.
  const end = to < today ? to : today
  const known = new Map(rows.map((row) => [row.key, row]))
  const keys = group === 'day' ? daysBetween(from, end) : monthsBetween(from, end)
  const points = keys.map((key) => {
    const row = known.get(key) ?? { gross: '0.00', orders: 0 }
    return { id: key, name: formatDay(key), value: Number(row.gross), text: textOf(row) }
  })
  const average = points.reduce((all, { value }) => all + value, 0) / Math.max(1, points.length)
  return (
    <TimeChart
      label={t(`chart.choose.${group}`)}
      axis={(value) => formatAxisSum(value, language)}
      level={{
        value: average,
        text: t(`chart.average.${group}`, { value: sum(average.toFixed(2)) }),
      }}
      points={points}
    />
  )
}

/** What a row of the report is about. */
function useRowName(): (row: SalesRow) => string {
  const language = useLanguage()
  return ({ key, title, country, rate }) => {
    if (country === null) return title ?? formatDay(key)
    const name = countryName(country, language)
    return rate === null ? name : `${name}, ${formatPercent(rate, language)}`
  }
}

interface RowsProps {
  report: SalesReport
  first: Page<SalesRow>
  query: string
}

function Rows({ report, first, query }: RowsProps): ReactNode {
  const t = useTranslations('consoleReports')
  const sum = useSum()
  const nameOf = useRowName()
  const { group } = report
  const { rows, news, isGone } = useRows(first, ({ key }) => key)
  return (
    <>
      {news}
      <DataTable
        caption={t(`groups.${group}`)}
        rows={rows}
        isGone={isGone}
        idOf={({ key }) => key}
        {...(group !== 'day' && { linkOf: (row: SalesRow) => linkOf(report, row, query) })}
        empty={t('sales.empty')}
        columns={[
          {
            id: 'name',
            title: t(`groups.${group}`),
            cell: (row) => (
              <span className={classes((group === 'day' || group === 'month') && 'whitespace-nowrap')}>
                {nameOf(row)}
              </span>
            ),
          },
          { id: 'orders', title: t('figures.orders'), isNumber: true, cell: ({ orders }) => orders },
          { id: 'tickets', title: t('figures.tickets'), isNumber: true, cell: ({ tickets }) => tickets },
          ...AMOUNTS.map(([amount, vat]) => ({
            id: amount,
            title: t(`figures.${amount}`),
            isNumber: true,
            cell: (row: SalesRow) => (
              <span className="grid">
                <Sum sum={row[amount]} />
                {vat && (
                  <span className="text-xs whitespace-nowrap text-muted">
                    {t('figures.vat')} {sum(row[vat])}
                  </span>
                )}
              </span>
            ),
          })),
        ]}
      />
    </>
  )
}

/** A month, contest or country leads to its days. */
function linkOf({ group, from, to }: SalesReport, { key, country }: SalesRow, query: string): string {
  const next = new URLSearchParams(query)
  next.set('group', 'day')
  next.set('from', from)
  next.set('to', to)
  if (group === 'month') {
    const [year, month] = key.split('-').map(Number)
    const end = new Date(Date.UTC(year ?? 0, month ?? 0, 0)).toISOString().slice(0, 10)
    next.set('from', [from, `${key}-01`].toSorted().at(-1) ?? '')
    next.set('to', [to, end].toSorted()[0] ?? '')
  }
  if (group === 'contest') next.set('offer', key)
  if (country !== null) next.set('country', country)
  return `/reports?${next.toString()}`
}

/** Filters for the whole month that is so many months after that of a day. @param query the other filters */
function monthOf(day: string, months: number, query: string): string {
  const [year = 0, month = 1] = day.split('-').map(Number)
  const at = (monthIndex: number, date: number): string =>
    new Date(Date.UTC(year, monthIndex, date)).toISOString().slice(0, 10)
  const next = new URLSearchParams(query)
  next.set('from', at(month - 1 + months, 1))
  next.set('to', at(month + months, 0))
  return next.toString()
}

function Filters({
  query,
  report,
  onChange,
}: {
  query: string
  report: SalesReport
  onChange: (query: string) => void
}): ReactNode {
  const t = useTranslations('consoleReports')
  const language = useLanguage()
  const [isWrong, setWrong] = useState(false)
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault()
    const next = filtersOf(FILTERS, new FormData(event.currentTarget))
    const chosen = new URLSearchParams(next)
    const isRight = isPeriod(chosen.get('from') ?? '', chosen.get('to') ?? '')
    setWrong(!isRight)
    if (isRight) onChange(next)
  }
  const { today } = report
  return (
    <Form role="search" aria-label={t('filters.label')} className="grid gap-4" onSubmit={submit}>
      <div className="grid grid-cols-[repeat(auto-fill,minmax(min(100%,11rem),1fr))] gap-4">
        {(['from', 'to'] as const).map((name) => (
          <TextField
            key={name}
            label={t(`filters.${name}`)}
            error={name === 'to' && isWrong ? t('filters.wrongPeriod') : undefined}
            type="date"
            name={name}
            required
            defaultValue={report[name]}
          />
        ))}
        <ChoiceFilter
          label={t('filters.contest')}
          name="offer"
          any={t('filters.anyContest')}
          choices={report.contests.map(({ slug, title }) => [slug, title] as const)}
        />
        <ChoiceFilter
          label={t('filters.country')}
          name="country"
          any={t('filters.anyCountry')}
          choices={countriesIn(language).map(({ code, name }) => [code, name] as const)}
        />
        <ChoiceFilter
          label={t('filters.group')}
          name="group"
          usual={report.group}
          choices={SALES_GROUPS.map((group) => [group, t(`groups.${group}`)] as const)}
        />
      </div>
      <div className="flex flex-wrap gap-3">
        <Button type="submit" variant="secondary">
          {t('filters.apply')}
        </Button>
        <Button variant="ghost" onClick={() => onChange(monthOf(today, 0, query))}>
          {t('filters.thisMonth')}
        </Button>
        <Button variant="ghost" onClick={() => onChange(monthOf(today, -1, query))}>
          {t('filters.lastMonth')}
        </Button>
      </div>
    </Form>
  )
}

function Csv({ query }: { query: string }): ReactNode {
  const t = useTranslations('consoleReports.sales')
  const action = useAction()
  const save = (): void => void action.run(() => downloadFile('GET', `${SALES}csv/?${query}`))
  useScreenActions([{ name: 'exportSales', run: save }])
  return (
    <div className="grid justify-items-end gap-2">
      <Button variant="secondary" title={t('csvHint')} busy={action.isBusy} onClick={save}>
        <Download aria-hidden="true" className="size-5" />
        {t('csv')}
      </Button>
      <Fault error={action.error} />
    </div>
  )
}

function EmailReports({ subscriptions }: { subscriptions: Subscriptions }): ReactNode {
  const t = useTranslations('consoleReports.subscriptions')
  const action = useAction()
  const [wanted, setWanted] = useState(subscriptions)
  const save = async (next: Subscriptions): Promise<void> => {
    setWanted(next)
    const isSaved = await action.run(() => consoleCall('PUT', SUBSCRIPTIONS, { body: next }), t('saved'))
    if (!isSaved) setWanted(wanted)
  }
  return (
    <Section title={t('title')}>
      <p className="text-sm text-muted">{t('text')}</p>
      <div className="grid">
        {(['month', 'week'] as const).map((period) => (
          <label key={period} className="flex min-h-11 items-start gap-3 py-2">
            <input
              type="checkbox"
              className="mt-0.5 size-5 shrink-0"
              checked={wanted[period]}
              disabled={action.isBusy}
              onChange={(event) => void save({ ...wanted, [period]: event.target.checked })}
            />
            {t(period)}
          </label>
        ))}
      </div>
      <Fault error={action.error} />
    </Section>
  )
}
