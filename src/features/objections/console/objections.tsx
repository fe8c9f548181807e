import { type ReactNode, useState } from 'react'
import { Link } from 'react-router'
import { DECIDED_REASONS, type DecidedReason } from '#features/draws/claims.rules.ts'
import { formatEur } from '#i18n/format.ts'
import { useLanguage, useTranslations } from '#i18n/translations.tsx'
import { Alert } from '#ui/alert.tsx'
import { Badge } from '#ui/badge.tsx'
import { Button } from '#ui/button.tsx'
import { Checkbox } from '#ui/checkbox.tsx'
import { consoleCall } from '#console-kit/console-call.ts'
import { useMay } from '#console-kit/console-context.tsx'
import { ReasonField, SelectField, TextAreaField, TextField } from '#console-kit/fields.tsx'
import {
  ConfirmDialog,
  Facts,
  Fault,
  Hash,
  PreviewThenAsk,
  Section,
  usePreview,
  useTime,
} from '#console-kit/parts.tsx'
import { useFields } from '#console-kit/use-fields.ts'
import { useTurn } from '#console-kit/follow.ts'
import { useRead } from '#console-kit/use-read.ts'
import type {
  Objection,
  ObjectionAnswerBody,
  Objections,
  VoidBody,
  VoidPreview,
} from '../objections.contract.ts'

const pathOf = (offerId: number): string => `/api/staff/draws/${offerId}/`

/** Objections to entries of a draw, each with its answer, and entries that two people void before the seal. */
export function ObjectionsSection({ offerId }: { offerId: number }): ReactNode {
  const t = useTranslations('consoleDrawActions.objections')
  const reasons = useTranslations('consoleDraws.reasons')
  const may = useMay()
  const time = useTime()
  const [version, setVersion] = useState(0)
  const [opened, setOpened] = useState<'note' | 'void' | Objection>()
  const { response, error } = useRead<Objections>(`${pathOf(offerId)}objections/`, version + useTurn())
  const close = (): void => {
    setOpened(undefined)
    setVersion(version + 1)
  }
  return (
    <Section
      title={t('title')}
      actions={
        <div className="flex flex-wrap gap-3">
          <Button size="small" variant="secondary" onClick={() => setOpened('note')}>
            {t('note')}
          </Button>
          {may('draws.void') && response?.can_void && (
            <Button size="small" variant="danger" onClick={() => setOpened('void')}>
              {t('void')}
            </Button>
          )}
        </div>
      }
    >
      <Fault error={error} />
      {response && response.open > 0 && <Alert tone="warning">{t('open', { count: response.open })}</Alert>}
      {response?.items.length === 0 && <p className="text-muted">{t('empty')}</p>}
      <ul className="grid gap-4">
        {response?.items.map((one) => (
          <li key={one.id} className="grid justify-items-start gap-2 rounded-md border border-line p-4">
            <p className="flex flex-wrap items-center gap-2">
              <strong>{one.number === null ? t('general') : t('about', { number: one.number })}</strong>
              <Badge tone={one.outcome === null ? 'warning' : 'neutral'}>
                {one.outcome === null ? t('unanswered') : t(`outcomes.${one.outcome}`)}
              </Badge>
            </p>
            <p className="whitespace-pre-line wrap-anywhere">{one.is_erased ? t('erased') : one.text}</p>
            <p className="text-sm text-muted">
              {t('notedBy', { name: one.noted_by, when: time(one.noted_at) })}
            </p>
            {one.message_id !== null && may('messages.read') && (
              <Link to={`/messages/${one.message_id}`} className="prose-link text-sm">
                {t('message')}
              </Link>
            )}
            {one.answered_at === null ? (
              <Button size="small" onClick={() => setOpened(one)}>
                {t('answer')}
              </Button>
            ) : (
              <div className="grid gap-1 border-l-2 border-line pl-3">
                <p className="whitespace-pre-line wrap-anywhere">{one.answer}</p>
                <p className="text-sm text-muted">
                  {t('answeredBy', { name: one.answered_by ?? '', when: time(one.answered_at) })}
                </p>
              </div>
            )}
          </li>
        ))}
      </ul>
      {response && response.voids.length > 0 && (
        <div className="grid gap-2">
          <h3 className="font-semibold">{t('voided')}</h3>
          <Facts
            facts={response.voids.map(
              ({ number, reason, at }) => [number, `${reasons(reason)}, ${time(at)}`] as const,
            )}
          />
        </div>
      )}
      {opened === 'note' && <NoteDialog offerId={offerId} onClose={close} />}
      {opened === 'void' && <VoidDialog offerId={offerId} onClose={close} />}
      {typeof opened === 'object' && <AnswerDialog offerId={offerId} objection={opened} onClose={close} />}
    </Section>
  )
}

interface DialogProps {
  offerId: number
  onClose: () => void
}

const numberIn = (typed: string): number | null => (/^\d{1,8}$/.test(typed.trim()) ? Number(typed) : null)

function NoteDialog({ offerId, onClose }: DialogProps): ReactNode {
  const t = useTranslations('consoleDrawActions.objections')
  const form = useFields({ number: '', message_id: '', text: '' })
  const { number, message_id: typed, text } = form.values
  // A copied address of the message is enough.
  const message = /[0-9a-f-]{36}/i.exec(typed)?.[0] ?? (typed.trim() || null)
  const body = { number: numberIn(number), message_id: message, text }
  return (
    <ConfirmDialog
      title={t('note')}
      confirm={t('noteConfirm')}
      action={form}
      act={() => consoleCall('POST', `${pathOf(offerId)}objections/`, { body })}
      done={t('noted')}
      onClose={onClose}
    >
      <p>{t('noteText')}</p>
      <TextField label={t('number')} hint={t('numberHint')} inputMode="numeric" {...form.field('number')} />
      <TextAreaField label={t('text')} rows={4} maxLength={2_000} {...form.field('text')} />
      <TextField label={t('messageId')} hint={t('messageHint')} {...form.field('message_id')} />
    </ConfirmDialog>
  )
}

function AnswerDialog({ offerId, objection, onClose }: DialogProps & { objection: Objection }): ReactNode {
  const t = useTranslations('consoleDrawActions.objections')
  const form = useFields<ObjectionAnswerBody>({ outcome: 'dismissed', answer: '' })
  const path = `${pathOf(offerId)}objections/${objection.id}/answer/`
  return (
    <ConfirmDialog
      title={t('answer')}
      confirm={t('answerConfirm')}
      action={form}
      act={() => consoleCall('POST', path, { body: form.values })}
      done={t('answered')}
      onClose={onClose}
    >
      <p className="whitespace-pre-line wrap-anywhere">{objection.text}</p>
      <p>{t('answerText')}</p>
      <SelectField
        label={t('outcome')}
        choices={(['dismissed', 'upheld'] as const).map((one) => [one, t(`outcomes.${one}`)])}
        {...form.field('outcome')}
      />
      <TextAreaField label={t('answerField')} rows={4} maxLength={2_000} {...form.field('answer')} />
    </ConfirmDialog>
  )
}

/** Two steps: which entry and why, then what that does, before a second person is asked. */
function VoidDialog({ offerId, onClose }: DialogProps): ReactNode {
  const t = useTranslations('consoleDrawActions.void')
  const reasons = useTranslations('consoleDraws.reasons')
  const language = useLanguage()
  const form = useFields({
    number: '',
    whole_order: false,
    reason: 'under-age' as DecidedReason,
    note: '',
  })
  const body: VoidBody = { ...form.values, number: numberIn(form.values.number) ?? 0 }
  const { note: _, ...shown } = body
  const preview = usePreview<VoidPreview>(() =>
    consoleCall('POST', `${pathOf(offerId)}void/preview/`, { body: shown }),
  )
  return (
    <PreviewThenAsk
      title={t('previewTitle')}
      confirm={t('ask')}
      isDanger
      action={form}
      preview={preview}
      first={{
        title: t('title'),
        confirm: t('preview'),
        back: t('back'),
        fields: (
          <>
            <p>{t('text')}</p>
            <TextField label={t('number')} inputMode="numeric" {...form.field('number')} />
            <Checkbox label={t('wholeOrder')} {...form.box('whole_order')} />
            <SelectField
              label={t('reason')}
              choices={DECIDED_REASONS.map((reason) => [reason, reasons(reason)])}
              {...form.field('reason')}
            />
          </>
        ),
      }}
      shows={({ count, numbers, refund, told_by: told, leaf }) => (
        <>
          <Facts
            facts={[
              [t('reason'), reasons(body.reason)],
              [t('numbers', { count }), numbers.join(', ')],
              [t('refund'), refund === null ? t('noRefund') : formatEur(refund, language)],
              [t('told'), t(`toldBy.${told}`)],
              [t('leaf'), <Hash key="leaf" text={leaf.replaceAll('\t', ' ')} />],
            ]}
          />
          <p>{t('previewText')}</p>
        </>
      )}
      act={() => consoleCall('POST', `${pathOf(offerId)}void/`, { body })}
      done={t('asked')}
      onClose={onClose}
    >
      <ReasonField label={t('note')} hint={t('noteHint')} required={false} {...form.field('note')} />
    </PreviewThenAsk>
  )
}
