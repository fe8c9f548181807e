import { formatDay } from '#i18n/format.ts'
import type { ReactNode } from 'react'
import { Link, type LoaderFunctionArgs, useLoaderData } from 'react-router'
import { useLanguage, useTranslations } from '#i18n/translations.tsx'
import { Alert } from '#ui/alert.tsx'
import { consoleCall } from '#console-kit/console-call.ts'
import { DataTable, useMore } from '#console-kit/data-table.tsx'
import { Facts, Screen, Section, Time } from '#console-kit/parts.tsx'
import type { DifferencePage, Statement } from '../statements.contract.ts'
import { ReportTabs, Sum } from './report-parts.tsx'

const STATEMENTS = '/api/staff/reports/statements/'

export const loader = ({ params }: LoaderFunctionArgs): Promise<Statement> =>
  consoleCall('GET', `${STATEMENTS}${encodeURIComponent(params['id'] ?? '')}/`)

/** A statement of PayPal: what differs from the ledger, and its sums. */
export function Component(): ReactNode {
  const t = useTranslations('consoleReports.statement')
  const outer = useTranslations('consoleReports.statements')
  const statement = useLoaderData<Statement>()
  const { counts, sums, from, to } = statement
  const all = Object.values(counts).reduce((sum, count) => sum + count, 0)
  return (
    <Screen title={t('title', { from: formatDay(from), to: formatDay(to) })}>
      <ReportTabs />
      <Section title={t('summary')}>
        <div role="status">{all === 0 && <Alert tone="success">{t('allAgree')}</Alert>}</div>
        <Facts
          facts={[
            [t('agreed'), statement.agreed],
            [t('rows'), statement.rows],
            [t('unbooked'), statement.unbooked],
            statement.run > 1 && [t('run'), statement.run],
            [outer('imported'), <Time key="at" at={statement.imported_at} />],
            [outer('by'), statement.imported_by],
            [t('hash'), <code key="hash">{statement.file_hash}</code>],
          ]}
        />
      </Section>
      {all > 0 && <Differences statement={statement} />}
      <Sums sums={sums} />
    </Screen>
  )
}

type Item = Statement['items'][number]

function Differences({ statement }: { statement: Statement }): ReactNode {
  const t = useTranslations('consoleReports.statement')
  const idOf = ({ transaction_id: id, difference }: Item): string => `${id} ${difference}`
  const { rows, button, news, isGone } = useMore<Item>(
    statement,
    (after) => consoleCall<DifferencePage>('GET', `${STATEMENTS}${statement.id}/differences/?after=${after}`),
    { idOf },
  )
  const amount = (sum: string | null): ReactNode => (sum === null ? '–' : <Sum sum={sum} />)
  return (
    <Section title={t('differences')}>
      {news}
      <DataTable
        caption={t('differences')}
        rows={rows}
        isGone={isGone}
        idOf={idOf}
        empty=""
        columns={[
          { id: 'entry', title: t('entry'), isCode: true, cell: (item) => <Entry item={item} /> },
          { id: 'difference', title: t('difference'), cell: (item) => <Kind item={item} /> },
          { id: 'day', title: t('day'), cell: ({ day }) => formatDay(day) },
          { id: 'ours', title: t('ours'), isNumber: true, cell: ({ ours }) => amount(ours) },
          { id: 'theirs', title: t('theirs'), isNumber: true, cell: ({ theirs }) => amount(theirs) },
          { id: 'order', title: t('order'), cell: ({ order }) => <OrderLink order={order} /> },
        ]}
      />
      {button}
    </Section>
  )
}

function Entry({ item: { entry, transaction_id: id } }: { item: Item }): ReactNode {
  const t = useTranslations('consoleReports.statement.entries')
  return (
    <span className="grid">
      <span className="font-semibold">{t(entry)}</span>
      <code className="text-xs wrap-anywhere">{id}</code>
    </span>
  )
}

function Kind({ item: { difference, at_edge: isAtEdge } }: { item: Item }): ReactNode {
  const t = useTranslations('consoleReports.statement')
  return (
    <span className="grid">
      {t(`kinds.${difference}`)}
      {isAtEdge && <span className="text-xs text-muted">{t('atEdge')}</span>}
    </span>
  )
}

function OrderLink({ order }: { order: string | null }): ReactNode {
  const t = useTranslations('consoleReports.statement')
  if (order === null) return <span className="text-muted">{t('noOrder')}</span>
  return (
    <Link to={`/orders/${order}`} className="prose-link inline-block py-1.5 whitespace-nowrap">
      {order}
    </Link>
  )
}

function Sums({ sums }: Pick<Statement, 'sums'>): ReactNode {
  const t = useTranslations('consoleReports.statement')
  const language = useLanguage()
  const amount = (sum: string, currency: string): string =>
    new Intl.NumberFormat(language, { style: 'currency', currency, currencyDisplay: 'code' }).format(
      sum as Intl.StringNumericLiteral,
    )
  return (
    <Section title={t('sums')}>
      <DataTable
        caption={t('sums')}
        rows={sums}
        idOf={({ kind, type, currency }) => `${kind} ${type} ${currency}`}
        empty=""
        columns={[
          {
            id: 'type',
            title: t('type'),
            cell: ({ type, kind }) => <span className="font-semibold">{type || t(`entries.${kind}`)}</span>,
          },
          { id: 'kind', title: t('kind'), cell: ({ kind }) => t(`entries.${kind}`) },
          { id: 'count', title: t('count'), isNumber: true, cell: ({ count }) => count },
          ...(['gross', 'fee', 'net'] as const).map((name) => ({
            id: name,
            title: t(name),
            isNumber: true,
            cell: (row: Statement['sums'][number]) => (
              <span className="whitespace-nowrap tabular-nums">{amount(row[name], row.currency)}</span>
            ),
          })),
        ]}
      />
    </Section>
  )
}
