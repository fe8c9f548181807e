import { type FormEvent, type ReactNode, useState } from 'react'
import { Link, useLoaderData, useNavigate } from 'react-router'
import { ApiError } from '#client/api-error.ts'
import { useTranslations } from '#i18n/translations.tsx'
import { Alert } from '#ui/alert.tsx'
import { Badge } from '#ui/badge.tsx'
import { Button } from '#ui/button.tsx'
import { Field } from '#ui/field.tsx'
import { TextInput } from '#ui/inputs.tsx'
import { Select } from '#ui/select.tsx'
import { consoleCall, sendFile } from '#console/kit/console-call.ts'
import { useMay } from '#console/kit/console-context.tsx'
import { DataTable, useMore } from '#console/kit/data-table.tsx'
import { Screen, Section, Time } from '#console/kit/parts.tsx'
import type { ListedStatement, Statement, StatementList } from '../statements.contract.ts'
import { ReportTabs, shownDay } from './report-parts.tsx'

const STATEMENTS = '/api/staff/reports/statements/'

export const loader = (): Promise<StatementList> => consoleCall('GET', STATEMENTS)

/** PayPal's statements, compared with the ledger of the shop. */
export function Component(): ReactNode {
  const t = useTranslations('consoleReports')
  const may = useMay()
  const { rows, button } = useMore(useLoaderData<StatementList>(), (after) =>
    consoleCall<StatementList>('GET', `${STATEMENTS}?after=${after}`),
  )
  return (
    <Screen title={t('title')} lead={t('statements.lead')}>
      <ReportTabs />
      {may('reports.import') && <Import />}
      <DataTable
        caption={t('statements.listTitle')}
        rows={rows}
        idOf={({ id }) => id}
        linkOf={({ id }) => `/reports/statements/${id}`}
        empty={t('statements.empty')}
        columns={[
          {
            id: 'period',
            title: t('statements.period'),
            cell: ({ from, to }) => t('period', { from: shownDay(from), to: shownDay(to) }),
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
      {button}
    </Screen>
  )
}

function Differences({ row: { differences } }: { row: ListedStatement }): ReactNode {
  const t = useTranslations('consoleReports.statements')
  return (
    <span>
      <Badge tone={differences === 0 ? 'success' : 'error'}>
        {differences === 0 ? t('none') : differences}
      </Badge>
    </span>
  )
}

/** What went wrong with a file; a file that was imported before has its comparison. */
interface Failure {
  text: string
  known?: number
}

function Import(): ReactNode {
  const t = useTranslations('consoleReports.statements')
  const unexpected = useTranslations('console.common')('unexpected')
  const navigate = useNavigate()
  const [isBusy, setBusy] = useState(false)
  const [failure, setFailure] = useState<Failure>()

  async function submit(event: FormEvent<HTMLFormElement>): Promise<void> {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const [file, dates] = [form.get('file'), form.get('dates')]
    if (!(file instanceof File) || file.size === 0) return setFailure({ text: t('choose') })
    setBusy(true)
    setFailure(undefined)
    try {
      const query = typeof dates === 'string' && dates !== '' ? `?dates=${dates}` : ''
      const { id } = await sendFile<Statement>(`${STATEMENTS}${query}`, file, 'text/csv')
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
      <form className="grid gap-4" onSubmit={(event) => void submit(event)}>
        <div className="grid gap-4 md:grid-cols-2">
          <Field label={t('file')} hint={t('fileHint')}>
            {(ids) => <TextInput {...ids} type="file" name="file" accept=".csv,text/csv" />}
          </Field>
          <Field label={t('dates')}>
            {(ids) => (
              <Select {...ids} name="dates" defaultValue="">
                <option value="">{t('datesAuto')}</option>
                <option value="dmy">{t('datesDmy')}</option>
                <option value="mdy">{t('datesMdy')}</option>
              </Select>
            )}
          </Field>
        </div>
        <div role="alert">
          {failure && (
            <Alert tone="error">
              {failure.text}{' '}
              {failure.known !== undefined && (
                <Link to={`/reports/statements/${failure.known}`} className="prose-link">
                  {t('openKnown')}
                </Link>
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
