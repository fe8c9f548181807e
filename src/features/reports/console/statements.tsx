import { formatDay } from '#i18n/format.ts'
import { type FormEvent, type ReactNode, useRef, useState } from 'react'
import { Link, useLoaderData, useNavigate } from 'react-router'
import { ApiError } from '#client/api-error.ts'
import { useTranslations } from '#i18n/translations.tsx'
import { serverNow } from '#client/server-clock.ts'
import { Alert } from '#ui/alert.tsx'
import { Badge } from '#ui/badge.tsx'
import { Button } from '#ui/button.tsx'
import { consoleCall, sendFile } from '#console-kit/console-call.ts'
import { useMay } from '#console-kit/console-context.tsx'
import { ListTable } from '#console-kit/data-table.tsx'
import { SelectField, TextField } from '#console-kit/fields.tsx'
import { Screen, Section, Time } from '#console-kit/parts.tsx'
import { useScreenActions } from '#console-kit/screen-actions.ts'
import type { ListedStatement, Statement, StatementList } from '../statements.contract.ts'
import { ReportTabs } from './report-parts.tsx'

const STATEMENTS = '/api/staff/reports/statements/'

export const loader = (): Promise<StatementList> => consoleCall('GET', STATEMENTS)

/** PayPal's statements, compared with the ledger of the shop. */
export function Component(): ReactNode {
  const t = useTranslations('consoleReports')
  const may = useMay()
  return (
    <Screen title={t('title')} lead={t('statements.lead')}>
      <ReportTabs />
      {may('reports.import') && <Import />}
      <ListTable
        caption={t('statements.listTitle')}
        first={useLoaderData<StatementList>()}
        more={(after) => `${STATEMENTS}?after=${after}`}
        name="list"
        idOf={({ id }) => id}
        linkOf={({ id }) => `/reports/statements/${id}`}
        empty={t('statements.empty')}
        columns={[
          {
            id: 'period',
            title: t('statements.period'),
            cell: ({ from, to }) => t('period', { from: formatDay(from), to: formatDay(to) }),
          },
          { id: 'differences', title: t('statements.differences'), cell: (row) => <Differences row={row} /> },
          { id: 'agreed', title: t('statements.agreed'), isNumber: true, cell: ({ agreed }) => agreed },
          {
            id: 'imported',
            title: t('statements.imported'),
            cell: ({ imported_at: at }) => <Time at={at} />,
          },
          { id: 'by', title: t('statements.by'), cell: ({ imported_by: name }) => name },
        ]}
      />
    </Screen>
  )
}

function Differences({ row: { differences, at_edge: atEdge } }: { row: ListedStatement }): ReactNode {
  const t = useTranslations('consoleReports.statements')
  const badge =
    differences > 0 ? (
      <Badge tone="error">{differences}</Badge>
    ) : atEdge > 0 ? (
      <Badge tone="warning">{t('atEdge', { count: atEdge })}</Badge>
    ) : (
      <Badge tone="success">{t('none')}</Badge>
    )
  return <span>{badge}</span>
}

/** What went wrong with a file; a file that was imported before has its comparison. */
interface Failure {
  text: string
  known?: number
}

/** The first and the last day of the month before this one, of which a statement usually is. */
function lastMonth(): { from: string; to: string } {
  const now = new Date(serverNow())
  const at = (month: number, day: number): string =>
    new Date(Date.UTC(now.getFullYear(), month, day)).toISOString().slice(0, 10)
  return { from: at(now.getMonth() - 1, 1), to: at(now.getMonth(), 0) }
}

function Import(): ReactNode {
  const t = useTranslations('consoleReports.statements')
  const unexpected = useTranslations('console.common')('unexpected')
  const navigate = useNavigate()
  const [isBusy, setBusy] = useState(false)
  const [failure, setFailure] = useState<Failure>()

  const element = useRef<HTMLFormElement>(null)
  const [period] = useState(lastMonth)
  useScreenActions([
    {
      name: 'importStatement',
      run: () => element.current?.querySelector<HTMLInputElement>('input[type=file]')?.focus(),
    },
  ])

  async function send(again?: 'again'): Promise<void> {
    const form = new FormData(element.current ?? undefined)
    const file = form.get('file')
    if (!(file instanceof File) || file.size === 0) return setFailure({ text: t('choose') })
    setBusy(true)
    setFailure(undefined)
    try {
      const query = new URLSearchParams(again && { again: 'true' })
      for (const name of ['dates', 'from', 'to']) {
        const value = form.get(name)
        if (typeof value === 'string' && value !== '') query.set(name, value)
      }
      const { id } = await sendFile<Statement>(`${STATEMENTS}?${query.toString()}`, file, 'text/csv')
      await navigate(`/reports/statements/${id}`)
    } catch (error) {
      const refusal = error instanceof ApiError ? error : undefined
      const { id } = (refusal?.body ?? {}) as { id?: number }
      const isKnown = refusal?.code === 'reports.statementKnown' && id !== undefined
      setFailure({ text: refusal?.message ?? unexpected, ...(isKnown && { known: id }) })
      setBusy(false)
    }
  }

  return (
    <Section title={t('import')}>
      <form
        ref={element}
        className="grid gap-4"
        onSubmit={(event: FormEvent) => {
          event.preventDefault()
          void send()
        }}
      >
        <div className="grid gap-4 md:grid-cols-2">
          <TextField label={t('file')} hint={t('fileHint')} type="file" name="file" accept=".csv,text/csv" />
          {(['from', 'to'] as const).map((name) => (
            <TextField
              key={name}
              label={t(name)}
              hint={t('periodHint')}
              type="date"
              name={name}
              defaultValue={period[name]}
            />
          ))}
          <SelectField label={t('dates')} name="dates" defaultValue="">
            <option value="">{t('datesAuto')}</option>
            <option value="dmy">{t('datesDmy')}</option>
            <option value="mdy">{t('datesMdy')}</option>
          </SelectField>
        </div>
        <div role="alert">
          {failure && (
            <Alert tone="error">
              {failure.text}{' '}
              {failure.known !== undefined && (
                <span className="grid justify-items-start gap-2">
                  <Link to={`/reports/statements/${failure.known}`} className="prose-link">
                    {t('openKnown')}
                  </Link>
                  <Button variant="secondary" size="small" onClick={() => void send('again')}>
                    {t('again')}
                  </Button>
                </span>
              )}
            </Alert>
          )}
        </div>
        <div>
          <Button type="submit" busy={isBusy}>
            {t('submit')}
          </Button>
        </div>
      </form>
    </Section>
  )
}
