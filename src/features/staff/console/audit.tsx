import { type ReactNode, useState } from 'react'
import { Form, type LoaderFunctionArgs, useLoaderData, useSearchParams } from 'react-router'
import { useTranslations } from '#i18n/translations.tsx'
import { Alert } from '#ui/alert.tsx'
import { Button } from '#ui/button.tsx'
import { Dialog } from '#ui/dialog.tsx'
import { Field } from '#ui/field.tsx'
import { TextInput } from '#ui/inputs.tsx'
import { consoleCall, downloadFile } from '#console/kit/console-call.ts'
import { useMay } from '#console/kit/console-context.tsx'
import { DataTable, type Page, useMore } from '#console/kit/data-table.tsx'
import { filtersOf } from '#console/kit/filters.tsx'
import { Facts, Screen, Time } from '#console/kit/parts.tsx'
import { useAction } from '#console/kit/use-action.ts'
import type { AuditCheck, AuditRow } from '../staff.contract.ts'

const AUDIT = '/api/staff/audit/'
const FILTERS = ['subject_kind', 'subject', 'action', 'actor'] as const

export const loader = ({ request }: LoaderFunctionArgs): Promise<Page<AuditRow>> =>
  consoleCall('GET', `${AUDIT}?${filtersOf(FILTERS, new URL(request.url).searchParams)}`)

/** Who did what, and the check that nobody has changed it. */
export function Component(): ReactNode {
  const t = useTranslations('console')
  const first = useLoaderData<Page<AuditRow>>()
  const [search] = useSearchParams()
  const { rows, button } = useMore(first, (after) =>
    consoleCall('GET', `${AUDIT}?${filtersOf(FILTERS, search, { after })}`),
  )
  const [shown, setShown] = useState<AuditRow>()
  return (
    <Screen title={t('audit.title')} lead={t('audit.intro')} actions={<Checks />}>
      <Form className="flex flex-wrap items-end gap-3" role="search">
        <Field label={t('audit.filterSubject')}>
          {(ids) => (
            <TextInput {...ids} name="subject_kind" defaultValue={search.get('subject_kind') ?? ''} />
          )}
        </Field>
        <Field label={t('audit.what')}>
          {(ids) => <TextInput {...ids} name="action" defaultValue={search.get('action') ?? ''} />}
        </Field>
        <Button type="submit" variant="secondary">
          {t('common.filter')}
        </Button>
      </Form>
      <DataTable
        caption={t('audit.title')}
        rows={rows}
        idOf={({ id }) => id}
        empty={t('audit.empty')}
        columns={[
          { id: 'when', title: t('audit.when'), cell: ({ at }) => <Time at={at} /> },
          { id: 'who', title: t('audit.who'), cell: (row) => <Actor row={row} /> },
          { id: 'what', title: t('audit.what'), cell: ({ action }) => <code>{action}</code> },
          {
            id: 'subject',
            title: t('audit.subject'),
            cell: ({ subject_kind: kind, subject }) => (kind === null ? '–' : `${kind} ${subject}`),
          },
          { id: 'reason', title: t('common.reason'), cell: ({ reason }) => reason ?? '–' },
          {
            id: 'more',
            title: t('audit.change'),
            cell: (row) => (
              <Button
                size="small"
                variant="ghost"
                aria-label={t('audit.details', { id: row.id })}
                onClick={() => setShown(row)}
              >
                {row.id}
              </Button>
            ),
          },
        ]}
      />
      {button}
      <Dialog
        open={shown !== undefined}
        onClose={() => setShown(undefined)}
        title={shown ? t('audit.details', { id: shown.id }) : ''}
        closeText={t('common.close')}
      >
        {shown && (
          <Facts
            facts={[
              [t('audit.before'), <Value key="before" value={shown.before} />],
              [t('audit.after'), <Value key="after" value={shown.after} />],
              ['SHA-256', <code key="hash">{shown.hash}</code>],
            ]}
          />
        )}
      </Dialog>
    </Screen>
  )
}

const Value = ({ value }: { value: unknown }): ReactNode =>
  value === null || value === undefined ? (
    '–'
  ) : (
    <pre className="font-[inherit] text-xs whitespace-pre-wrap">{JSON.stringify(value, null, 2)}</pre>
  )

function Actor({ row }: { row: AuditRow }): ReactNode {
  const t = useTranslations('console.audit')
  if (row.actor_id !== null) return row.actor
  return row.actor === 'system' ? t('system') : t('commandLine')
}

/** The check of the chain, and the export. */
function Checks(): ReactNode {
  const t = useTranslations('console.audit')
  const mayExport = useMay()('audit.export')
  const action = useAction()
  const [checked, setChecked] = useState<AuditCheck>()
  const verify = (): Promise<boolean> =>
    action.run(async () => setChecked(await consoleCall<AuditCheck>('POST', `${AUDIT}verify/`)))
  return (
    <div className="grid gap-3">
      <div className="flex flex-wrap gap-3">
        <Button size="small" variant="secondary" busy={action.isBusy} onClick={() => void verify()}>
          {t('verify')}
        </Button>
        {mayExport && (
          <Button
            size="small"
            variant="secondary"
            onClick={() => void action.run(() => downloadFile('POST', `${AUDIT}export/`))}
          >
            {t('export')}
          </Button>
        )}
      </div>
      <div role="status">
        {checked && (
          <Alert tone={checked.broken_at === null ? 'success' : 'error'}>
            {checked.broken_at === null
              ? t('whole', { entries: checked.entries })
              : t('broken', { id: checked.broken_at })}
            <span className="block text-xs wrap-anywhere">
              {t('hash')}: <code>{checked.hash}</code>
            </span>
          </Alert>
        )}
      </div>
      <div role="alert">{action.error !== undefined && <Alert tone="error">{action.error}</Alert>}</div>
    </div>
  )
}
