import { type ReactNode, useState } from 'react'
import { useLoaderData } from 'react-router'
import { useTranslations } from '#i18n/translations.tsx'
import { Button } from '#ui/button.tsx'
import { consoleCall } from '#console-kit/console-call.ts'
import { DataTable, type Page, useRows, wholeList } from '#console-kit/data-table.tsx'
import { SelectField, TextField } from '#console-kit/fields.tsx'
import { ConfirmDialog, Screen, Time } from '#console-kit/parts.tsx'
import { useScreenActions } from '#console-kit/screen-actions.ts'
import { useFields } from '#console-kit/use-fields.ts'
import type { ExclusionBody, ListedExclusion } from '../exclusions.contract.ts'

const EXCLUSIONS = '/api/staff/exclusions/'

export const loader = async (): Promise<Page<ListedExclusion>> =>
  wholeList(await consoleCall<ListedExclusion[]>('GET', EXCLUSIONS))

/** Who cannot buy: addresses and payer ids. */
export function Component(): ReactNode {
  const t = useTranslations('consoleStaff.exclusions')
  const { rows, news, isGone } = useRows(useLoaderData<Page<ListedExclusion>>(), ({ id }) => id)
  const [isAdding, setAdding] = useState(false)
  const [chosen, setChosen] = useState<ListedExclusion>()
  useScreenActions([{ name: 'exclude', run: () => setAdding(true) }])
  const nameOf = ({ value }: ListedExclusion): string => value ?? t('erased')
  return (
    <Screen
      title={t('title')}
      lead={t('lead')}
      actions={<Button onClick={() => setAdding(true)}>{t('add')}</Button>}
    >
      {news}
      <DataTable
        caption={t('title')}
        rows={rows}
        isGone={isGone}
        idOf={({ id }) => id}
        empty={t('empty')}
        columns={[
          {
            id: 'value',
            title: t('value'),
            isCode: true,
            cell: (row) => (
              <span className="grid">
                <span className="font-semibold break-all">{nameOf(row)}</span>
                <span className="text-muted">{t(`kinds.${row.kind}`)}</span>
              </span>
            ),
          },
          { id: 'reason', title: t('reason'), cell: ({ reason }) => t(`reasons.${reason}`) },
          { id: 'since', title: t('since'), cell: ({ added_at: at }) => <Time at={at} /> },
          { id: 'by', title: t('addedBy'), cell: ({ added_by: name }) => name },
          {
            id: 'deeds',
            title: t('deeds'),
            cell: (row) => (
              <Button
                size="small"
                variant="secondary"
                aria-label={t('removeLabel', { value: nameOf(row) })}
                onClick={() => setChosen(row)}
              >
                {t('remove')}
              </Button>
            ),
          },
        ]}
      />
      {isAdding && <AddDialog onClose={() => setAdding(false)} />}
      {chosen && <RemoveDialog id={chosen.id} value={nameOf(chosen)} onClose={() => setChosen(undefined)} />}
    </Screen>
  )
}

const KINDS = ['email', 'payer_id'] as const satisfies readonly ExclusionBody['kind'][]
const REASONS = ['household', 'self', 'other'] as const satisfies readonly ExclusionBody['reason'][]

function AddDialog({ onClose }: { onClose: () => void }): ReactNode {
  const t = useTranslations('consoleStaff.exclusions')
  const form = useFields({ kind: 'email', value: '', reason: '' })
  return (
    <ConfirmDialog
      title={t('add')}
      action={form}
      act={() => consoleCall('POST', EXCLUSIONS, { body: form.values })}
      done={t('added')}
      onClose={onClose}
    >
      <SelectField
        label={t('kind')}
        choices={KINDS.map((kind) => [kind, t(`kinds.${kind}`)])}
        {...form.field('kind')}
      />
      <TextField
        label={t('value')}
        hint={t('valueHint')}
        required
        autoComplete="off"
        spellCheck={false}
        {...form.field('value')}
      />
      <SelectField
        label={t('reason')}
        required
        choices={REASONS.map((reason) => [reason, t(`reasons.${reason}`)])}
        {...form.field('reason')}
      >
        <option value="" disabled>
          {t('choose')}
        </option>
      </SelectField>
    </ConfirmDialog>
  )
}

function RemoveDialog({ id, value, onClose }: { id: number; value: string; onClose: () => void }): ReactNode {
  const t = useTranslations('consoleStaff.exclusions')
  return (
    <ConfirmDialog
      title={t('remove')}
      isDanger
      act={() => consoleCall('POST', `${EXCLUSIONS}${id}/remove/`)}
      onClose={onClose}
    >
      <p className="break-words">{t('removeText', { value })}</p>
    </ConfirmDialog>
  )
}
