import { type ReactNode, useState } from 'react'
import { Form, Link, type LoaderFunctionArgs, useLoaderData, useSearchParams } from 'react-router'
import { useTranslations } from '#i18n/translations.tsx'
import { Alert } from '#ui/alert.tsx'
import { Button } from '#ui/button.tsx'
import { Dialog } from '#ui/dialog.tsx'
import { Field } from '#ui/field.tsx'
import { Select } from '#ui/select.tsx'
import { consoleCall, downloadFile } from '#console/kit/console-call.ts'
import { useMay } from '#console/kit/console-context.tsx'
import { DataTable, type Page, useMore } from '#console/kit/data-table.tsx'
import { filtersOf } from '#console/kit/filters.tsx'
import { Facts, Screen, Time } from '#console/kit/parts.tsx'
import { useAction } from '#console/kit/use-action.ts'
import type { AuditCheck, AuditRow } from '../staff.contract.ts'
import { useStaffWords } from './staff-words.ts'

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
  const actionOf = useStaffWords('actions')
  const subjectOf = useStaffWords('subjects')
  return (
    <Screen title={t('audit.title')} lead={t('audit.intro')} actions={<Checks />}>
      <Form className="flex flex-wrap items-end gap-3" role="search">
        <Field label={t('audit.filterSubject')}>
          {(ids) => (
            <Choice
              {...ids}
              name="subject_kind"
              chosen={search.get('subject_kind')}
              options={SUBJECTS}
              textOf={subjectOf}
            />
          )}
        </Field>
        <Field label={t('audit.what')}>
          {(ids) => (
            <Choice
              {...ids}
              name="action"
              chosen={search.get('action')}
              options={ACTIONS}
              textOf={actionOf}
            />
          )}
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
          { id: 'what', title: t('audit.what'), cell: ({ action }) => actionOf(action) },
          { id: 'subject', title: t('audit.subject'), cell: (row) => <Subject row={row} /> },
          { id: 'reason', title: t('common.reason'), cell: ({ reason }) => reason ?? '–' },
          {
            id: 'more',
            title: t('audit.change'),
            cell: (row) => (
              <Button size="small" variant="secondary" onClick={() => setShown(row)}>
                {t('audit.show')}
                <span className="sr-only">{row.id}</span>
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
              [t('audit.when'), <Time key="at" at={shown.at} />],
              [t('audit.who'), <Actor key="actor" row={shown} />],
              [t('audit.what'), actionOf(shown.action)],
              [t('audit.subject'), <Subject key="subject" row={shown} />],
              [t('common.reason'), shown.reason ?? '–'],
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

const SUBJECTS = ['offer', 'order', 'customer', 'message', 'postalEntry', 'picture', 'email', 'staff']

/** What the log is looked through for; it may hold other actions as well. */
const ACTIONS = [
  'approvals.alone',
  'approvals.approved',
  'approvals.ask',
  'approvals.refused',
  'approvals.withdrawn',
  'audit.export',
  'customers.email',
  'customers.endSessions',
  'customers.erase',
  'customers.export',
  'customers.read',
  'customers.restore',
  'customers.search',
  'customers.suspend',
  'messages.answer',
  'messages.close',
  'messages.read',
  'messages.reopen',
  'offers.cancel',
  'offers.create',
  'offers.edit',
  'offers.publish',
  'offers.remove',
  'offers.resume',
  'offers.schedule',
  'offers.unschedule',
  'orders.export',
  'orders.note',
  'orders.read',
  'orders.reconcile',
  'orders.refund',
  'orders.release',
  'orders.resendReceipt',
  'post.compare',
  'post.print',
  'post.read',
  'post.register',
  'self.addSecondFactor',
  'self.removeSecondFactor',
  'self.renewRecoveryCodes',
  'session.start',
  'staff.change',
  'staff.endSessions',
  'staff.removeSecondFactors',
  'system.checkInvariants',
  'system.resendEmail',
]

interface ChoiceProps {
  name: string
  /** Of the address, which may name what is no option. */
  chosen: string | null
  options: readonly string[]
  textOf: (code: string) => string
}

function Choice({ name, chosen, options, textOf, ...ids }: ChoiceProps): ReactNode {
  const t = useTranslations('console.audit')
  const all = chosen === null || chosen === '' || options.includes(chosen) ? options : [...options, chosen]
  return (
    <Select {...ids} name={name} defaultValue={chosen ?? ''}>
      <option value="">{t('all')}</option>
      {all.map((code) => (
        <option key={code} value={code}>
          {textOf(code)}
        </option>
      ))}
    </Select>
  )
}

/** Screens of the subjects that have one. */
const SCREENS: Readonly<Record<string, string>> = {
  offer: '/offers/',
  order: '/orders/',
  customer: '/customers/',
  message: '/messages/',
  postalEntry: '/post/entries/',
}

/** What the entry is about, with the way to it. */
function Subject({ row: { subject_kind: kind, subject } }: { row: AuditRow }): ReactNode {
  const nameOf = useStaffWords('subjects')
  if (kind === null || subject === null) return '–'
  const screen = SCREENS[kind]
  const text = `${nameOf(kind)} ${subject}`
  // A contest may be named by its address, and several records by a list.
  if (screen === undefined || !(kind === 'offer' ? /^\d+$/ : /^[\w-]+$/).test(subject)) return text
  return (
    <Link to={screen + subject} className="prose-link">
      {text}
    </Link>
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
