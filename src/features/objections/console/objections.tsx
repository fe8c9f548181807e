import { type ReactNode, useState } from 'react'
import { Link } from 'react-router'
import { toast } from 'sonner'
import { DECIDED_REASONS, type DecidedReason } from '#features/draws/claims.rules.ts'
import { formatEur } from '#i18n/format.ts'
import { useLanguage, useTranslations } from '#i18n/translations.tsx'
import { Alert } from '#ui/alert.tsx'
import { Badge } from '#ui/badge.tsx'
import { Button } from '#ui/button.tsx'
import { Checkbox } from '#ui/checkbox.tsx'
import { Field } from '#ui/field.tsx'
import { TextArea, TextInput } from '#ui/inputs.tsx'
import { Select } from '#ui/select.tsx'
import { consoleCall } from '#console/kit/console-call.ts'
import { useMay } from '#console/kit/console-context.tsx'
import { ConfirmDialog, Facts, ReasonField, Section, useTime } from '#console/kit/parts.tsx'
import { useAction } from '#console/kit/use-action.ts'
import { useTurn } from '#console/kit/follow.ts'
import { useRead } from '#console/kit/use-read.ts'
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
  const { answer, error } = useRead<Objections>(`${pathOf(offerId)}objections/`, version + useTurn())
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
          {may('draws.void') && answer?.can_void && (
            <Button size="small" variant="danger" onClick={() => setOpened('void')}>
              {t('void')}
            </Button>
          )}
        </div>
      }
    >
      <div role="alert" className="empty:absolute">
        {error !== undefined && <Alert tone="error">{error}</Alert>}
      </div>
      {answer && answer.open > 0 && <Alert tone="warning">{t('open', { count: answer.open })}</Alert>}
      {answer?.items.length === 0 && <p className="text-muted">{t('empty')}</p>}
      <ul className="grid gap-4">
        {answer?.items.map((one) => (
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
      {answer && answer.voids.length > 0 && (
        <div className="grid gap-2">
          <h3 className="font-semibold">{t('voided')}</h3>
          <Facts
            facts={answer.voids.map(
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
  const action = useAction()
  const [typed, setTyped] = useState({ number: '', message: '', text: '' })
  // A copied address of the message is enough.
  const message = /[0-9a-f-]{36}/i.exec(typed.message)?.[0] ?? (typed.message.trim() || null)
  const body = { number: numberIn(typed.number), message_id: message, text: typed.text }
  return (
    <ConfirmDialog
      title={t('note')}
      confirm={t('noteConfirm')}
      action={action}
      onClose={onClose}
      onConfirm={() =>
        action.run(() => consoleCall('POST', `${pathOf(offerId)}objections/`, { body }), t('noted'))
      }
    >
      <p>{t('noteText')}</p>
      <Field label={t('number')} hint={t('numberHint')} error={action.fields['number']}>
        {(ids) => (
          <TextInput
            {...ids}
            inputMode="numeric"
            value={typed.number}
            onChange={(event) => setTyped({ ...typed, number: event.target.value })}
          />
        )}
      </Field>
      <Field label={t('text')} error={action.fields['text']}>
        {(ids) => (
          <TextArea
            {...ids}
            rows={4}
            maxLength={2_000}
            value={typed.text}
            onChange={(event) => setTyped({ ...typed, text: event.target.value })}
          />
        )}
      </Field>
      <Field label={t('messageId')} hint={t('messageHint')} error={action.fields['message_id']}>
        {(ids) => (
          <TextInput
            {...ids}
            value={typed.message}
            onChange={(event) => setTyped({ ...typed, message: event.target.value })}
          />
        )}
      </Field>
    </ConfirmDialog>
  )
}

function AnswerDialog({ offerId, objection, onClose }: DialogProps & { objection: Objection }): ReactNode {
  const t = useTranslations('consoleDrawActions.objections')
  const action = useAction()
  const [typed, setTyped] = useState<ObjectionAnswerBody>({ outcome: 'dismissed', answer: '' })
  const path = `${pathOf(offerId)}objections/${objection.id}/answer/`
  return (
    <ConfirmDialog
      title={t('answer')}
      confirm={t('answerConfirm')}
      action={action}
      onClose={onClose}
      onConfirm={() => action.run(() => consoleCall('POST', path, { body: typed }), t('answered'))}
    >
      <p className="whitespace-pre-line wrap-anywhere">{objection.text}</p>
      <p>{t('answerText')}</p>
      <Field label={t('outcome')} error={action.fields['outcome']}>
        {(ids) => (
          <Select
            {...ids}
            value={typed.outcome}
            onChange={(event) =>
              setTyped({ ...typed, outcome: event.target.value as ObjectionAnswerBody['outcome'] })
            }
          >
            <option value="dismissed">{t('outcomes.dismissed')}</option>
            <option value="upheld">{t('outcomes.upheld')}</option>
          </Select>
        )}
      </Field>
      <Field label={t('answerField')} error={action.fields['answer']}>
        {(ids) => (
          <TextArea
            {...ids}
            rows={4}
            maxLength={2_000}
            value={typed.answer}
            onChange={(event) => setTyped({ ...typed, answer: event.target.value })}
          />
        )}
      </Field>
    </ConfirmDialog>
  )
}

/** Two steps: which entry and why, then what that does, before a second person is asked. */
function VoidDialog({ offerId, onClose }: DialogProps): ReactNode {
  const t = useTranslations('consoleDrawActions.void')
  const reasons = useTranslations('consoleDraws.reasons')
  const language = useLanguage()
  const action = useAction()
  const [typed, setTyped] = useState({
    number: '',
    whole_order: false,
    reason: 'under-age' as DecidedReason,
    note: '',
  })
  const [preview, setPreview] = useState<VoidPreview>()
  const body: VoidBody = { ...typed, number: numberIn(typed.number) ?? 0 }

  async function confirm(): Promise<boolean> {
    if (!preview) {
      const { note: _, ...shown } = body
      await action.run(async () =>
        setPreview(await consoleCall('POST', `${pathOf(offerId)}void/preview/`, { body: shown })),
      )
      return false
    }
    return await action.run(async () => {
      await consoleCall('POST', `${pathOf(offerId)}void/`, { body })
      toast.success(t('asked'))
    })
  }

  return (
    <ConfirmDialog
      title={preview ? t('previewTitle') : t('title')}
      confirm={preview ? t('ask') : t('preview')}
      isDanger={preview !== undefined}
      action={action}
      onClose={onClose}
      onConfirm={confirm}
    >
      {preview ? (
        <>
          <Facts
            facts={[
              [t('reason'), reasons(typed.reason)],
              [t('numbers', { count: preview.count }), preview.numbers.join(', ')],
              [t('refund'), preview.refund === null ? t('noRefund') : formatEur(preview.refund, language)],
              [t('told'), t(`toldBy.${preview.told_by}`)],
              [
                t('leaf'),
                <code key="leaf" className="text-xs wrap-anywhere">
                  {preview.leaf.replaceAll('\t', ' ')}
                </code>,
              ],
            ]}
          />
          <p>{t('previewText')}</p>
          <ReasonField
            label={t('note')}
            hint={t('noteHint')}
            error={action.fields['note']}
            required={false}
            value={typed.note}
            onChange={(note) => setTyped({ ...typed, note })}
          />
          <Button
            size="small"
            variant="ghost"
            className="justify-self-start"
            onClick={() => setPreview(undefined)}
          >
            {t('back')}
          </Button>
        </>
      ) : (
        <>
          <p>{t('text')}</p>
          <Field label={t('number')} error={action.fields['number']}>
            {(ids) => (
              <TextInput
                {...ids}
                inputMode="numeric"
                value={typed.number}
                onChange={(event) => setTyped({ ...typed, number: event.target.value })}
              />
            )}
          </Field>
          <Checkbox
            label={t('wholeOrder')}
            checked={typed.whole_order}
            onChange={(whole_order) => setTyped({ ...typed, whole_order })}
          />
          <Field label={t('reason')} error={action.fields['reason']}>
            {(ids) => (
              <Select
                {...ids}
                value={typed.reason}
                onChange={(event) => setTyped({ ...typed, reason: event.target.value as DecidedReason })}
              >
                {DECIDED_REASONS.map((reason) => (
                  <option key={reason} value={reason}>
                    {reasons(reason)}
                  </option>
                ))}
              </Select>
            )}
          </Field>
        </>
      )}
    </ConfirmDialog>
  )
}
