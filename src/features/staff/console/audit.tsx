import { type ReactNode, useState } from 'react'
import { type LoaderFunctionArgs, useLoaderData, useSearchParams } from 'react-router'
import { useTranslations } from '#i18n/translations.tsx'
import { Alert } from '#ui/alert.tsx'
import { Button } from '#ui/button.tsx'
import { Dialog } from '#ui/dialog.tsx'
import { consoleCall, downloadFile } from '#console-kit/console-call.ts'
import { useMay } from '#console-kit/console-context.tsx'
import { DataTable, type Page, useMore } from '#console-kit/data-table.tsx'
import { ChoiceFilter, FilterForm, TextFilter, filtersOf } from '#console-kit/filters.tsx'
import { TextField } from '#console-kit/fields.tsx'
import { ConfirmDialog, Facts, Fault, Screen, Time } from '#console-kit/parts.tsx'
import { useFields } from '#console-kit/use-fields.ts'
import { rowLink } from '#console-kit/row-keys.ts'
import { useScreenActions } from '#console-kit/screen-actions.ts'
import { useAction } from '#console-kit/use-action.ts'
import type { AuditActors, AuditCheck, AuditRow } from '../staff.contract.ts'
import { AuditSubjectLink } from './audit-subject.tsx'
import { useAuditWords } from './staff-words.ts'

const AUDIT = '/api/staff/audit/'
const FILTERS = ['actor', 'action', 'subject_kind', 'subject', 'from', 'to'] as const

interface Loaded {
  page: Page<AuditRow>
  people: AuditActors
}

export async function loader({ request }: LoaderFunctionArgs, kept?: Loaded): Promise<Loaded> {
  const query = filtersOf(FILTERS, new URL(request.url).searchParams)
  const [page, people] = await Promise.all([
    consoleCall<Page<AuditRow>>('GET', `${AUDIT}?${query}`),
    kept?.people ?? consoleCall<AuditActors>('GET', `${AUDIT}actors/`),
  ])
  return { page, people }
}

/** Who did what, and the check that nobody has changed it. */
export function Component(): ReactNode {
  const t = useTranslations('console')
  const { page, people } = useLoaderData<Loaded>()
  const [search, setSearch] = useSearchParams()
  const query = filtersOf(FILTERS, search)
  const { rows, button, news } = useMore(
    page,
    (after) => consoleCall('GET', `${AUDIT}?${filtersOf(FILTERS, search, { after })}`),
    { name: 'list', idOf: ({ id }) => id },
  )
  const [shown, setShown] = useState<AuditRow>()
  const { actionOf } = useAuditWords()
  return (
    <Screen title={t('audit.title')} lead={t('audit.intro')} actions={<Checks />}>
      <Filters key={query} query={query} people={people} onChange={(next) => setSearch(next)} />
      {news}
      <DataTable
        caption={t('audit.title')}
        rows={rows}
        idOf={({ id }) => id}
        empty={t('audit.empty')}
        columns={[
          { id: 'when', title: t('audit.when'), cell: ({ at }) => <Time at={at} /> },
          { id: 'who', title: t('audit.who'), cell: (row) => <Actor row={row} /> },
          { id: 'what', title: t('audit.what'), cell: ({ action }) => actionOf(action) },
          {
            id: 'subject',
            title: t('audit.subject'),
            isCode: true,
            cell: (row) => (
              <AuditSubjectLink kind={row.subject_kind} subject={row.subject} name={row.subject_name} />
            ),
          },
          { id: 'reason', title: t('common.reason'), cell: ({ reason }) => reason ?? '–' },
          {
            id: 'more',
            title: t('audit.change'),
            cell: (row) => (
              <Button {...rowLink} size="small" variant="secondary" onClick={() => setShown(row)}>
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
              [
                t('audit.subject'),
                <AuditSubjectLink
                  key="subject"
                  kind={shown.subject_kind}
                  subject={shown.subject}
                  name={shown.subject_name}
                />,
              ],
              [t('audit.network'), <Origin key="from" row={shown} />],
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

interface FiltersProps {
  /** It may name what is no choice. */
  query: string
  people: AuditActors
  onChange: (query: string) => void
}

function Filters({ query, people, onChange }: FiltersProps): ReactNode {
  const t = useTranslations('console.audit')
  const { actionOf, subjectOf, actions, subjects } = useAuditWords()
  const choices = [
    ['actor', t('who'), t('anybody'), people.map(({ id, name }) => [String(id), name] as const)],
    ['action', t('what'), t('all'), sorted(actions().map((code) => [code, actionOf(code)]))],
    ['subject_kind', t('filterSubject'), t('all'), sorted(subjects().map((code) => [code, subjectOf(code)]))],
  ] as const
  return (
    <FilterForm names={FILTERS} query={query} onChange={onChange} className="grid gap-4">
      <div className="grid grid-cols-[repeat(auto-fill,minmax(min(100%,11rem),1fr))] gap-4">
        {choices.map(([name, label, any, known]) => (
          <ChoiceFilter key={name} label={label} name={name} any={any} choices={known} />
        ))}
        <TextFilter label={t('subjectId')} name="subject" maxLength={80} />
        <TextFilter label={t('from')} type="date" name="from" />
        <TextFilter label={t('to')} type="date" name="to" />
      </div>
    </FilterForm>
  )
}

const sorted = (choices: readonly (readonly [string, string])[]) =>
  choices.toSorted(([, one], [, other]) => one.localeCompare(other))

const Value = ({ value }: { value: unknown }): ReactNode =>
  value === null || value === undefined ? (
    '–'
  ) : (
    <pre className="font-[inherit] text-xs whitespace-pre-wrap">{JSON.stringify(value, null, 2)}</pre>
  )

function Actor({ row }: { row: AuditRow }): ReactNode {
  const t = useTranslations('console.audit')
  if (row.actor_id !== null) return row.actor
  const [maker, approver] = row.people
  if (maker !== undefined)
    return approver === undefined ? t('alone', { maker }) : t('two', { maker, approver })
  return row.actor === 'system' ? t('system') : t('commandLine')
}

/** From where somebody acted, so that they recognise themselves. */
function Origin({ row: { network, browser, system } }: { row: AuditRow }): ReactNode {
  const t = useTranslations('console.audit')
  // Equal beginnings are equal networks.
  const parts = [browser, system, network && t('networkText', { network: network.slice(0, 8) })]
  return parts.filter(Boolean).join(', ') || '–'
}

/** The check of the chain, and the export. */
function Checks(): ReactNode {
  const t = useTranslations('console.audit')
  const mayExport = useMay()('audit.export')
  const action = useAction()
  const [checked, setChecked] = useState<AuditCheck>()
  const [isComparing, setComparing] = useState(false)
  const verify = (): void =>
    void action.run(async () => setChecked(await consoleCall<AuditCheck>('POST', `${AUDIT}verify/`)))
  const save = (): void => void action.run(() => downloadFile('POST', `${AUDIT}export/`))
  useScreenActions([
    { name: 'verifyAudit', run: verify },
    ...(mayExport ? [{ name: 'exportAudit', run: save } as const] : []),
  ])
  return (
    <div className="grid gap-3">
      <div className="flex flex-wrap gap-3">
        <Button size="small" variant="secondary" busy={action.isBusy} onClick={verify}>
          {t('verify')}
        </Button>
        <Button size="small" variant="secondary" onClick={() => setComparing(true)}>
          {t('compare')}
        </Button>
        {mayExport && (
          <Button size="small" variant="secondary" onClick={save}>
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
              {t.rich('hash', { hash: checked.hash, code: (text: ReactNode) => <code>{text}</code> })}
            </span>
          </Alert>
        )}
      </div>
      <Fault error={action.error} />
      {isComparing && <CompareDialog onClose={() => setComparing(false)} />}
    </div>
  )
}

/** Compares the log with what a checkpoint email says. */
function CompareDialog({ onClose }: { onClose: () => void }): ReactNode {
  const t = useTranslations('console.audit')
  const form = useFields({ entries: '', hash: '' })
  const { entries, hash } = form.values
  const [found, setFound] = useState<{ is: NonNullable<AuditCheck['checkpoint']>; id: number }>()
  const compare = async (): Promise<void> => {
    setFound(undefined)
    const body = { entries: Number(entries), hash }
    const { checkpoint: is } = await consoleCall<AuditCheck>('POST', `${AUDIT}verify/`, { body })
    if (is !== null) setFound({ is, id: body.entries })
  }
  return (
    <ConfirmDialog
      title={t('compare')}
      confirm={t('compareDo')}
      isDisabled={entries.trim() === '' || hash.trim() === ''}
      action={form}
      act={compare}
      staysOpen
      onClose={onClose}
    >
      <p>{t('compareText')}</p>
      <TextField
        label={t('compareEntries')}
        inputMode="numeric"
        autoComplete="off"
        {...form.field('entries')}
      />
      <TextField
        label={t('compareHash')}
        autoComplete="off"
        autoCapitalize="off"
        spellCheck={false}
        {...form.field('hash')}
      />
      <div role="status">
        {found && (
          <Alert tone={found.is === 'same' ? 'success' : 'error'}>
            {t(`compared.${found.is}`, { id: found.id })}
          </Alert>
        )}
      </div>
    </ConfirmDialog>
  )
}
