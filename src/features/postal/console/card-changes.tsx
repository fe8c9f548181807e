import { type ReactNode, useState } from 'react'
import { Link } from 'react-router'
import { toast } from 'sonner'
import { ApiError } from '#client/api-error.ts'
import { useLanguage, useTranslations } from '#i18n/translations.tsx'
import { localized } from '#shared/localized-text.ts'
import { Alert } from '#ui/alert.tsx'
import { Button } from '#ui/button.tsx'
import { Checkbox } from '#ui/checkbox.tsx'
import { Field } from '#ui/field.tsx'
import { TextInput } from '#ui/inputs.tsx'
import { Select } from '#ui/select.tsx'
import { LoadingRegion, Skeleton } from '#ui/skeleton.tsx'
import { consoleCall } from '#console/kit/console-call.ts'
import { useMay } from '#console/kit/console-context.tsx'
import { ConfirmDialog, Facts, ReasonField, Section, useTime } from '#console/kit/parts.tsx'
import { useAction } from '#console/kit/use-action.ts'
import { useRead } from '#console/kit/use-read.ts'
import type { CorrectBody, PostalEntry, SimilarEntry, VoidPreview } from '../postal.contract.ts'
import { VOID_GROUNDS, type VoidGround, worldIn } from '../postal.rules.ts'

const pathOf = (id: string, rest: string): string =>
  `/api/staff/post/entries/${encodeURIComponent(id)}/${rest}`

/** Corrects a card, or asks a second person to void it; and what was corrected. */
export function CardChanges({ entry }: { entry: PostalEntry }): ReactNode {
  const t = useTranslations('consolePost.change')
  const may = useMay()
  const time = useTime()
  const [opened, setOpened] = useState<'correct' | 'void'>()
  const close = (): void => setOpened(undefined)
  const { approval, corrections } = entry
  const mayCorrect = may('post.register') && !entry.is_erased
  const mayVoid = may('post.void') && entry.ticket_status === 'valid' && !approval
  if (!mayCorrect && !mayVoid && corrections.length === 0 && !approval) return null
  return (
    <Section title={t('title')}>
      {approval && (
        <Alert tone="warning">
          {t('waits', { name: approval.by, when: time(approval.at) })}{' '}
          {may('approvals.read') && (
            <Link to="/approvals" className="prose-link">
              {t('openApproval')}
            </Link>
          )}
        </Alert>
      )}
      <div className="flex flex-wrap gap-3 max-sm:*:grow empty:hidden">
        {mayCorrect && (
          <Button variant="secondary" onClick={() => setOpened('correct')}>
            {t('correct')}
          </Button>
        )}
        {mayVoid && (
          <Button variant="danger" onClick={() => setOpened('void')}>
            {t('void')}
          </Button>
        )}
      </div>
      {corrections.length > 0 && (
        <ul className="grid gap-3 text-sm">
          {corrections.map((one) => (
            <li key={one.id} className="grid gap-0.5">
              <span className="text-muted">{t('correctedBy', { name: one.by, when: time(one.at) })}</span>
              <span>{one.fields.map((field) => t(`fields.${field}`)).join(', ')}</span>
              <span className="wrap-anywhere">{one.reason ?? t('reasonErased')}</span>
            </li>
          ))}
        </ul>
      )}
      {opened === 'correct' && <CorrectDialog entry={entry} onClose={close} />}
      {opened === 'void' && <VoidDialog entry={entry} onClose={close} />}
    </Section>
  )
}

const orNull = (text: string): string | null => (text.trim() === '' ? null : text)

function CorrectDialog({ entry, onClose }: { entry: PostalEntry; onClose: () => void }): ReactNode {
  const t = useTranslations('consolePost.change')
  const language = useLanguage()
  const action = useAction()
  const [first = '', second = '', third = ''] = entry.address ?? []
  const [written, setWritten] = useState({
    name: entry.name ?? '',
    address: first,
    address2: second,
    address3: third,
    postcode: entry.postcode ?? '',
    city: entry.city ?? '',
    country: entry.country ?? '',
    email: entry.email ?? '',
    reason: '',
  })
  // Entries like the corrected one, which staff must compare before.
  const [similar, setSimilar] = useState<readonly SimilarEntry[]>([])
  const [isOther, setOther] = useState(false)
  const text = (name: keyof typeof written) => ({
    value: written[name],
    autoComplete: 'off',
    spellCheck: false,
    onChange: (event: { target: { value: string } }) =>
      setWritten((present) => ({ ...present, [name]: event.target.value })),
  })
  const send = async (): Promise<void> => {
    const { address, address2, address3, email, ...same } = written
    const body: CorrectBody = {
      ...same,
      address: [address, address2, address3].map((line) => line.trim()).filter(Boolean),
      email: orNull(email),
      other_than: isOther ? similar.map(({ id }) => id) : [],
    }
    try {
      await consoleCall('POST', pathOf(entry.id, 'correct/'), { body })
    } catch (error) {
      const found = error instanceof ApiError ? (error.body as { items?: SimilarEntry[] }).items : undefined
      if (found) setSimilar(found)
      throw error
    }
  }
  const faults = action.fields
  return (
    <ConfirmDialog
      title={t('correctTitle')}
      confirm={t('store')}
      isDisabled={written.reason.trim() === ''}
      action={action}
      onClose={onClose}
      onConfirm={() => action.run(send, t('corrected'))}
    >
      <p>{t('correctText')}</p>
      <Field label={t('fields.name')} error={faults['name']}>
        {(ids) => <TextInput {...ids} {...text('name')} maxLength={100} />}
      </Field>
      {(['address', 'address2', 'address3'] as const).map((name, line) => (
        <Field
          key={name}
          label={line === 0 ? t('fields.address') : t('addressLine', { line: line + 1 })}
          error={line === 0 ? faults['address'] : undefined}
        >
          {(ids) => <TextInput {...ids} {...text(name)} maxLength={60} />}
        </Field>
      ))}
      <div className="grid gap-4 sm:grid-cols-[8rem_minmax(0,1fr)]">
        <Field label={t('fields.postcode')} error={faults['postcode']}>
          {(ids) => <TextInput {...ids} {...text('postcode')} maxLength={12} />}
        </Field>
        <Field label={t('fields.city')} error={faults['city']}>
          {(ids) => <TextInput {...ids} {...text('city')} maxLength={60} />}
        </Field>
      </div>
      <Field label={t('fields.country')} error={faults['country']}>
        {(ids) => (
          <Select {...ids} value={written.country} onChange={text('country').onChange}>
            {written.country === '' && <option value="">–</option>}
            {worldIn(language).map(({ code, name }) => (
              <option key={code} value={code}>
                {name}
              </option>
            ))}
          </Select>
        )}
      </Field>
      <Field label={t('fields.email')} hint={t('emailHint')} error={faults['email']}>
        {(ids) => <TextInput {...ids} {...text('email')} type="email" maxLength={254} />}
      </Field>
      <ReasonField
        hint={t('reasonHint')}
        error={faults['reason']}
        value={written.reason}
        onChange={(reason) => setWritten((present) => ({ ...present, reason }))}
      />
      {similar.length > 0 && !similar.some(({ is_same: isSame }) => isSame) && (
        <Checkbox
          label={t('others', { numbers: similar.map(({ number }) => number).join(', ') })}
          checked={isOther}
          onChange={() => setOther(!isOther)}
        />
      )}
    </ConfirmDialog>
  )
}

function VoidDialog({ entry, onClose }: { entry: PostalEntry; onClose: () => void }): ReactNode {
  const t = useTranslations('consolePost.change')
  const grounds = useTranslations('console.approvals.grounds')
  const common = useTranslations('console.common')
  const language = useLanguage()
  const action = useAction()
  const { answer: preview, error } = useRead<VoidPreview>(pathOf(entry.id, 'void/preview/'))
  const [ground, setGround] = useState<VoidGround>('mistake')
  const [reason, setReason] = useState('')
  const ask = (): Promise<boolean> =>
    action.run(async () => {
      await consoleCall('POST', pathOf(entry.id, 'void/'), { body: { ground, reason } })
      toast.success(t('asked'))
    })
  return (
    <ConfirmDialog
      title={t('voidTitle')}
      confirm={t('ask')}
      isDanger
      isDisabled={!preview || reason.trim() === ''}
      action={action}
      error={action.error === undefined ? error : undefined}
      onClose={onClose}
      onConfirm={ask}
    >
      <p>{t('voidText')}</p>
      {!preview && error === undefined && (
        <LoadingRegion text={common('loading')}>
          <Skeleton className="h-20" />
        </LoadingRegion>
      )}
      {preview && (
        <Facts
          facts={[
            [t('number'), preview.ticket_number],
            [t('contest'), localized(preview, 'title', language).text],
            [t('told'), t(`toldBy.${preview.told ?? 'nobody'}`)],
          ]}
        />
      )}
      <Field label={t('ground')}>
        {(ids) => (
          <Select {...ids} value={ground} onChange={(event) => setGround(event.target.value as VoidGround)}>
            {VOID_GROUNDS.map((one) => (
              <option key={one} value={one}>
                {grounds(one)}
              </option>
            ))}
          </Select>
        )}
      </Field>
      <ReasonField
        hint={t('reasonHint')}
        error={action.fields['reason']}
        value={reason}
        onChange={setReason}
      />
    </ConfirmDialog>
  )
}
