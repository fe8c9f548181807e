import { type ReactNode, useState } from 'react'
import { randomId } from '#client/browser-parts.ts'
import { useTranslations } from '#i18n/translations.tsx'
import { Alert } from '#ui/alert.tsx'
import { Checkbox } from '#ui/checkbox.tsx'
import { Dialog } from '#ui/dialog.tsx'
import { Field } from '#ui/field.tsx'
import { TextArea, TextInput } from '#ui/inputs.tsx'
import { Select } from '#ui/select.tsx'
import { consoleCall, downloadFile } from '#console/kit/console-call.ts'
import { ConfirmDialog, useTime } from '#console/kit/parts.tsx'
import { useAction } from '#console/kit/use-action.ts'
import { useRead } from '#console/kit/use-read.ts'
import { AnswerForm, type WrittenEmail } from '#features/contact/console/answer-form.tsx'
import type { ClosingPreview, Customer, SuspensionEffects } from '../customers.contract.ts'
import {
  type Blocker,
  ERASURE_REASONS,
  type ErasureReason,
  SUSPENSION_REASONS,
  type SuspensionReason,
} from '../customers.rules.ts'
import { CUSTOMERS, useCustomerName, useWords } from './customer-parts.tsx'
import { useLanguageName } from '#i18n/use-language-name.ts'

export type Deed =
  | 'email'
  | 'correct'
  | 'withdraw'
  | 'suspend'
  | 'restore'
  | 'endSessions'
  | 'export'
  | 'erase'

interface DeedProps {
  customer: Customer
  onClose: () => void
}

/** What staff do to an account, each with what it brings about before it is done. */
export function CustomerDialog({ deed, ...props }: DeedProps & { deed: Deed }): ReactNode {
  switch (deed) {
    case 'email':
      return <EmailDialog {...props} />
    case 'correct':
      return <CorrectDialog {...props} />
    case 'withdraw':
      return <WithdrawDialog {...props} />
    case 'suspend':
      return <SuspendDialog {...props} />
    case 'restore':
      return <RestoreDialog {...props} />
    case 'endSessions':
      return <EndSessionsDialog {...props} />
    case 'export':
      return <ExportDialog {...props} />
    case 'erase':
      return <EraseDialog {...props} />
  }
}

const pathOf = ({ id }: Customer, what: string): string => `${CUSTOMERS}${id}/${what}/`

interface NoteFieldProps {
  label: string
  hint: string
  error: string | undefined
  value: string
  onChange: (note: string) => void
}

/** Why something is done to an account, for colleagues. */
const NoteField = ({ label, hint, error, value, onChange }: NoteFieldProps): ReactNode => (
  <Field label={label} hint={hint} error={error}>
    {(ids) => (
      <TextInput
        {...ids}
        value={value}
        maxLength={1_000}
        onChange={(event) => onChange(event.target.value)}
      />
    )}
  </Field>
)

function EmailDialog({ customer, onClose }: DeedProps): ReactNode {
  const t = useTranslations('consoleCustomers')
  const tCommon = useTranslations('console.common')
  const tMessages = useTranslations('consoleMessages')
  const nameOf = useCustomerName()
  const action = useAction()
  // A second press of the button sends nothing.
  const [requestId] = useState(() => randomId())
  const send = async (written: WrittenEmail): Promise<void> => {
    const body = { request_id: requestId, ...written }
    const call = (): Promise<void> => consoleCall('POST', pathOf(customer, 'email'), { body })
    if (await action.run(call, t('email.sent'))) onClose()
  }
  return (
    <Dialog
      open
      onClose={onClose}
      title={t('email.title', { name: nameOf(customer) })}
      closeText={tCommon('close')}
    >
      <AnswerForm
        templatesAt={pathOf(customer, 'templates')}
        language={customer.language}
        hint={tMessages('answer.replyHint')}
        action={action}
        onCancel={onClose}
        onSend={(written) => void send(written)}
      />
    </Dialog>
  )
}

/** The customer's address is corrected once the link that goes to the new one is opened. */
function CorrectDialog({ customer, onClose }: DeedProps): ReactNode {
  const t = useTranslations('consoleCustomers')
  const action = useAction()
  const [body, setBody] = useState({ email: '', note: '' })
  return (
    <ConfirmDialog
      title={t('correct.do')}
      confirm={t('correct.send')}
      isDisabled={body.email.trim() === '' || body.note.trim() === ''}
      action={action}
      onClose={onClose}
      onConfirm={() =>
        action.run(
          () => consoleCall('POST', `/api/staff/accounts/${customer.id}/correct-email/`, { body }),
          t('correct.done'),
        )
      }
    >
      <p>{t('correct.now', { email: customer.email })}</p>
      <ul className="list-disc pl-5 text-sm">
        <li>{t('correct.waits')}</li>
        <li>{t('correct.then')}</li>
        <li>{t(customer.email_confirmed ? 'correct.toldUndo' : 'correct.told')}</li>
        {customer.pending_email !== null && (
          <li>{t('correct.replaces', { email: customer.pending_email })}</li>
        )}
      </ul>
      <Field label={t('correct.email')} error={action.fields['email']}>
        {(ids) => (
          <TextInput
            {...ids}
            type="email"
            autoComplete="off"
            value={body.email}
            onChange={(event) => setBody({ ...body, email: event.target.value })}
          />
        )}
      </Field>
      <NoteField
        label={t('correct.note')}
        hint={t('correct.noteHint')}
        error={action.fields['note']}
        value={body.note}
        onChange={(note) => setBody({ ...body, note })}
      />
    </ConfirmDialog>
  )
}

function WithdrawDialog({ customer, onClose }: DeedProps): ReactNode {
  const t = useTranslations('consoleCustomers')
  const action = useAction()
  return (
    <ConfirmDialog
      title={t('withdraw.do')}
      confirm={t('withdraw.do')}
      action={action}
      onClose={onClose}
      onConfirm={() =>
        action.run(
          () => consoleCall('POST', `/api/staff/accounts/${customer.id}/withdraw-correction/`),
          t('withdraw.done'),
        )
      }
    >
      <p>{t('withdraw.text')}</p>
    </ConfirmDialog>
  )
}

function SuspendDialog({ customer, onClose }: DeedProps): ReactNode {
  const t = useTranslations('consoleCustomers')
  const languageOf = useLanguageName()
  const path = pathOf(customer, 'suspend')
  const { answer: preview, error } = useRead<SuspensionEffects>(`${path}preview/`)
  const action = useAction()
  const [body, setBody] = useState({ reason: '' as SuspensionReason | '', note: '', message: '' })
  const { reason, note, message } = action.fields
  return (
    <ConfirmDialog
      title={t('suspend.title')}
      confirm={t('suspend.do')}
      isDanger
      isDisabled={!preview || body.reason === '' || body.note.trim() === ''}
      action={action}
      error={error}
      onClose={onClose}
      onConfirm={() => action.run(() => consoleCall('POST', path, { body }), t('suspend.done'))}
    >
      <div aria-live="polite">
        {preview && (
          <>
            <h3 className="font-semibold">{t('suspend.effects')}</h3>
            <ul className="list-disc pl-5 text-sm">
              <li>{t('suspend.calls', { count: preview.open_sessions })}</li>
              <li>
                {t('suspend.released', {
                  count: preview.released_tickets,
                  orders: preview.released_orders.join(', '),
                })}
              </li>
              <li>{t('suspend.tickets', { count: preview.valid_tickets })}</li>
              <li>{t('suspend.told')}</li>
            </ul>
          </>
        )}
      </div>
      <Field label={t('suspend.reason')} error={reason}>
        {(ids) => (
          <Select
            {...ids}
            value={body.reason}
            onChange={(event) => setBody({ ...body, reason: event.target.value as SuspensionReason })}
          >
            <option value="" disabled>
              {t('suspend.choose')}
            </option>
            {SUSPENSION_REASONS.map((one) => (
              <option key={one} value={one}>
                {t(`reasons.${one}`)}
              </option>
            ))}
          </Select>
        )}
      </Field>
      <NoteField
        label={t('suspend.note')}
        hint={t('suspend.noteHint')}
        error={note}
        value={body.note}
        onChange={(note) => setBody({ ...body, note })}
      />
      <Field
        label={t('suspend.message')}
        hint={t('suspend.messageHint', { language: languageOf(customer.language) })}
        error={message}
      >
        {(ids) => (
          <TextArea
            {...ids}
            rows={4}
            lang={customer.language}
            value={body.message}
            maxLength={2_000}
            onChange={(event) => setBody({ ...body, message: event.target.value })}
          />
        )}
      </Field>
    </ConfirmDialog>
  )
}

function RestoreDialog({ customer, onClose }: DeedProps): ReactNode {
  const t = useTranslations('consoleCustomers')
  const action = useAction()
  const [note, setNote] = useState('')
  return (
    <ConfirmDialog
      title={t('restore.do')}
      confirm={t('restore.do')}
      isDisabled={note.trim() === ''}
      action={action}
      onClose={onClose}
      onConfirm={() =>
        action.run(
          () => consoleCall('POST', pathOf(customer, 'restore'), { body: { note } }),
          t('restore.done'),
        )
      }
    >
      <p>{t('restore.text')}</p>
      <NoteField
        label={t('restore.note')}
        hint={t('suspend.noteHint')}
        error={action.fields['note']}
        value={note}
        onChange={setNote}
      />
    </ConfirmDialog>
  )
}

function EndSessionsDialog({ customer, onClose }: DeedProps): ReactNode {
  const t = useTranslations('consoleCustomers')
  const action = useAction()
  return (
    <ConfirmDialog
      title={t('sessions.endAll')}
      confirm={t('sessions.endAll')}
      isDanger
      action={action}
      onClose={onClose}
      onConfirm={() =>
        action.run(
          () => consoleCall('POST', `/api/staff/accounts/${customer.id}/end-sessions/`),
          t('sessions.ended', { count: customer.sessions.length }),
        )
      }
    >
      <p>{t('sessions.endAllText')}</p>
    </ConfirmDialog>
  )
}

function ExportDialog({ customer, onClose }: DeedProps): ReactNode {
  const t = useTranslations('consoleCustomers')
  const action = useAction()
  return (
    <ConfirmDialog
      title={t('export.do')}
      confirm={t('export.do')}
      action={action}
      onClose={onClose}
      onConfirm={() => action.run(() => downloadFile('POST', pathOf(customer, 'export')), t('export.done'))}
    >
      <p>{t('export.text')}</p>
    </ConfirmDialog>
  )
}

function EraseDialog({ customer, onClose }: DeedProps): ReactNode {
  const t = useTranslations('consoleCustomers')
  const nameOf = useCustomerName()
  const action = useAction()
  const [givesUp, setGivesUp] = useState(false)
  const [reason, setReason] = useState<ErasureReason>('customer_asked')
  const path = pathOf(customer, 'erase')
  const { answer: preview, error } = useRead<ClosingPreview>(`${path}preview/?give_up_tickets=${givesUp}`)
  const blockers = preview?.blockers ?? []
  const hasTickets = givesUp || blockers.some(({ kind }) => kind === 'tickets')
  return (
    <ConfirmDialog
      title={t('erase.title', { name: nameOf(customer) })}
      confirm={t('erase.confirm')}
      isDanger
      isDisabled={!preview?.may_close}
      action={action}
      error={error}
      onClose={onClose}
      onConfirm={() =>
        action.run(
          () => consoleCall('POST', path, { body: { reason, give_up_tickets: givesUp } }),
          t('erase.done'),
        )
      }
    >
      <p className="font-semibold">{t('erase.warning')}</p>
      <div aria-live="polite" className="grid gap-4">
        {preview && !preview.may_close && (
          <Alert tone="warning" title={t('erase.blocked')}>
            {t('erase.blockedText')}
            <BlockerList blockers={blockers} />
          </Alert>
        )}
        {preview && <Effects effects={preview.effects} others={customer.others} />}
      </div>
      {hasTickets && (
        <Checkbox
          label={t('erase.giveUp')}
          hint={t('erase.giveUpHint')}
          checked={givesUp}
          onChange={setGivesUp}
        />
      )}
      <Field label={t('erase.reason')} error={action.fields['reason']}>
        {(ids) => (
          <Select
            {...ids}
            value={reason}
            onChange={(event) => setReason(event.target.value as ErasureReason)}
          >
            {ERASURE_REASONS.map((one) => (
              <option key={one} value={one}>
                {t(`erase.reasons.${one}`)}
              </option>
            ))}
          </Select>
        )}
      </Field>
    </ConfirmDialog>
  )
}

function BlockerList({ blockers }: { blockers: readonly Blocker[] }): ReactNode {
  const t = useTranslations('consoleCustomers')
  const stateOf = useWords('orderStates')
  const time = useTime()
  return (
    <ul className="list-disc pl-5">
      {blockers.map((blocker) => {
        switch (blocker.kind) {
          case 'order':
            return (
              <li key={blocker.number}>
                {t('erase.blocker.order', { number: blocker.number, state: stateOf(blocker.state) })}
              </li>
            )
          case 'refund':
            return <li key={blocker.number}>{t('erase.blocker.refund', { number: blocker.number })}</li>
          case 'tickets':
            return (
              <li key={blocker.slug}>
                {t(blocker.is_running ? 'erase.blocker.running' : 'erase.blocker.ended', {
                  title: blocker.title,
                  count: blocker.tickets,
                  date: time(blocker.ends_at),
                })}
              </li>
            )
        }
      })}
    </ul>
  )
}

interface EffectsProps {
  effects: ClosingPreview['effects']
  /** For their titles. */
  others: Customer['others']
}

function Effects({ effects, others }: EffectsProps): ReactNode {
  const titleOf = (name: string): string => others.find((one) => one.name === name)?.title ?? name
  const t = useTranslations('consoleCustomers')
  return (
    <div className="grid gap-4 text-sm sm:grid-cols-2">
      <div>
        <h3 className="font-semibold">{t('erase.goes')}</h3>
        <ul className="list-disc pl-5">
          <li>{t('erase.account')}</li>
          <li>{t('erase.sessions', { count: effects.sessions })}</li>
          <li>{t('erase.emails', { count: effects.emails })}</li>
          <li>{t('erase.messages', { count: effects.messages })}</li>
          <li>{t('erase.security', { count: effects.security_events })}</li>
          {Object.entries(effects.others).map(([name, count]) => (
            <li key={name}>{t('erase.other', { name: titleOf(name), count })}</li>
          ))}
        </ul>
      </div>
      <div>
        <h3 className="font-semibold">{t('erase.stays')}</h3>
        <ul className="list-disc pl-5">
          <li>{t('erase.orders', { count: effects.orders_kept })}</li>
          <li>{t('erase.tickets', { count: effects.tickets_kept })}</li>
          {effects.tickets_given_up > 0 && <li>{t('erase.givenUp', { count: effects.tickets_given_up })}</li>}
        </ul>
      </div>
    </div>
  )
}
