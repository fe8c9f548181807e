import { type ReactNode, useState } from 'react'
import { Link } from 'react-router'
import { ApiError } from '#client/api-error.ts'
import { useLanguage, useTranslations } from '#i18n/translations.tsx'
import { localized } from '#shared/localized-text.ts'
import { Alert } from '#ui/alert.tsx'
import { Button } from '#ui/button.tsx'
import { Checkbox } from '#ui/checkbox.tsx'
import { consoleCall } from '#console-kit/console-call.ts'
import { useMay } from '#console-kit/console-context.tsx'
import { ReasonField, SelectField, TextField } from '#console-kit/fields.tsx'
import { ConfirmDialog, Facts, PreviewThenAsk, Section, usePreview, useTime } from '#console-kit/parts.tsx'
import { useFields } from '#console-kit/use-fields.ts'
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
  const [address = '', address2 = '', address3 = ''] = entry.address ?? []
  const form = useFields({
    name: entry.name ?? '',
    address,
    address2,
    address3,
    postcode: entry.postcode ?? '',
    city: entry.city ?? '',
    country: entry.country ?? '',
    email: entry.email ?? '',
    reason: '',
  })
  // Entries like the corrected one, which staff must compare before.
  const [similar, setSimilar] = useState<readonly SimilarEntry[]>([])
  const [isOther, setOther] = useState(false)
  const send = async (): Promise<void> => {
    const { address: first, address2: second, address3: third, email, ...same } = form.values
    const body: CorrectBody = {
      ...same,
      address: [first, second, third].map((line) => line.trim()).filter(Boolean),
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
  const text = (name: 'name' | 'address' | 'address2' | 'address3' | 'postcode' | 'city' | 'email') => ({
    autoComplete: 'off',
    spellCheck: false,
    maxLength: 60,
    ...form.field(name),
  })
  return (
    <ConfirmDialog
      title={t('correctTitle')}
      confirm={t('store')}
      isDisabled={form.values.reason.trim() === ''}
      action={form}
      act={send}
      done={t('corrected')}
      onClose={onClose}
    >
      <p>{t('correctText')}</p>
      <TextField label={t('fields.name')} {...text('name')} maxLength={100} />
      <TextField label={t('fields.address')} {...text('address')} />
      <TextField label={t('addressLine', { line: 2 })} {...text('address2')} />
      <TextField label={t('addressLine', { line: 3 })} {...text('address3')} />
      <div className="grid gap-4 sm:grid-cols-[8rem_minmax(0,1fr)]">
        <TextField label={t('fields.postcode')} {...text('postcode')} maxLength={12} />
        <TextField label={t('fields.city')} {...text('city')} />
      </div>
      <SelectField
        label={t('fields.country')}
        choices={worldIn(useLanguage()).map(({ code, name }) => [code, name])}
        {...form.field('country')}
      >
        {form.values.country === '' && <option value="">–</option>}
      </SelectField>
      <TextField
        label={t('fields.email')}
        hint={t('emailHint')}
        {...text('email')}
        type="email"
        maxLength={254}
      />
      <ReasonField hint={t('reasonHint')} {...form.field('reason')} />
      {similar.length > 0 && !similar.some(({ is_same: isSame }) => isSame) && (
        <Checkbox
          label={t('others', { numbers: similar.map(({ number }) => number).join(', ') })}
          checked={isOther}
          onChange={setOther}
        />
      )}
    </ConfirmDialog>
  )
}

function VoidDialog({ entry, onClose }: { entry: PostalEntry; onClose: () => void }): ReactNode {
  const t = useTranslations('consolePost.change')
  const grounds = useTranslations('console.approvals.grounds')
  const language = useLanguage()
  const form = useFields({ ground: 'mistake' as VoidGround, reason: '' })
  return (
    <PreviewThenAsk
      title={t('voidTitle')}
      confirm={t('ask')}
      isDanger
      isDisabled={form.values.reason.trim() === ''}
      action={form}
      preview={usePreview<VoidPreview>(pathOf(entry.id, 'void/preview/'))}
      text={<p>{t('voidText')}</p>}
      shows={(preview) => (
        <Facts
          facts={[
            [t('number'), preview.ticket_number],
            [t('contest'), localized(preview, 'title', language).text],
            [t('told'), t(`toldBy.${preview.told ?? 'nobody'}`)],
          ]}
        />
      )}
      act={() => consoleCall('POST', pathOf(entry.id, 'void/'), { body: form.values })}
      done={t('asked')}
      onClose={onClose}
    >
      <SelectField
        label={t('ground')}
        choices={VOID_GROUNDS.map((one) => [one, grounds(one)])}
        {...form.field('ground')}
      />
      <ReasonField hint={t('reasonHint')} {...form.field('reason')} />
    </PreviewThenAsk>
  )
}
