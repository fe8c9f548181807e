import { type ComponentProps, type ReactNode, useState } from 'react'
import { randomId } from '#client/browser-parts.ts'
import { useTranslations } from '#i18n/translations.tsx'
import { Alert } from '#ui/alert.tsx'
import { Checkbox } from '#ui/checkbox.tsx'
import { Dialog } from '#ui/dialog.tsx'
import { consoleCall, downloadFile } from '#console-kit/console-call.ts'
import { SelectField, TextAreaField, TextField } from '#console-kit/fields.tsx'
import { ConfirmDialog, PreviewThenAsk, usePreview, useTime } from '#console-kit/parts.tsx'
import { useAction } from '#console-kit/use-action.ts'
import { useFields } from '#console-kit/use-fields.ts'
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

interface ActionProps {
  customer: Customer
  onClose: () => void
}

/** What staff do to an account, each with what it brings about before it is done. */
export function CustomerDialog({ action, ...props }: ActionProps & { action: Action }): ReactNode {
  const Shown = DIALOGS[action]
  return <Shown {...props} />
}

const pathOf = ({ id }: Customer, what: string): string => `${CUSTOMERS}${id}/${what}/`
const accountPath = ({ id }: Customer, what: string): string => `/api/staff/accounts/${id}/${what}/`

/** Why something is done to an account, for colleagues. */
const NoteField = (props: ComponentProps<typeof TextField>): ReactNode => (
  <TextField maxLength={1_000} {...props} />
)

function EmailDialog({ customer, onClose }: ActionProps): ReactNode {
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
function CorrectDialog({ customer, onClose }: ActionProps): ReactNode {
  const t = useTranslations('consoleCustomers')
  const form = useFields({ email: '', note: '' })
  const { email, note } = form.values
  return (
    <ConfirmDialog
      title={t('correct.do')}
      confirm={t('correct.send')}
      isDisabled={email.trim() === '' || note.trim() === ''}
      action={form}
      act={() => consoleCall('POST', accountPath(customer, 'correct-email'), { body: form.values })}
      done={t('correct.done')}
      onClose={onClose}
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
      <TextField label={t('correct.email')} type="email" autoComplete="off" {...form.field('email')} />
      <NoteField label={t('correct.note')} hint={t('correct.noteHint')} {...form.field('note')} />
    </ConfirmDialog>
  )
}

function WithdrawDialog({ customer, onClose }: ActionProps): ReactNode {
  const t = useTranslations('consoleCustomers')
  return (
    <ConfirmDialog
      title={t('withdraw.do')}
      act={() => consoleCall('POST', accountPath(customer, 'withdraw-correction'))}
      done={t('withdraw.done')}
      onClose={onClose}
    >
      <p>{t('withdraw.text')}</p>
    </ConfirmDialog>
  )
}

function SuspendDialog({ customer, onClose }: ActionProps): ReactNode {
  const t = useTranslations('consoleCustomers')
  const languageOf = useLanguageName()
  const path = pathOf(customer, 'suspend')
  const preview = usePreview<SuspensionEffects>(`${path}preview/`)
  const form = useFields({ reason: '' as SuspensionReason | '', note: '', message: '' })
  const { reason, note } = form.values
  return (
    <PreviewThenAsk
      title={t('suspend.title')}
      confirm={t('suspend.do')}
      isDanger
      isDisabled={reason === '' || note.trim() === ''}
      action={form}
      preview={preview}
      shows={(effects) => (
        <div>
          <h3 className="font-semibold">{t('suspend.effects')}</h3>
          <ul className="list-disc pl-5 text-sm">
            <li>{t('suspend.calls', { count: effects.open_sessions })}</li>
            <li>
              {t('suspend.released', {
                count: effects.released_tickets,
                orders: effects.released_orders.join(', '),
              })}
            </li>
            <li>{t('suspend.tickets', { count: effects.valid_tickets })}</li>
            <li>{t('suspend.told')}</li>
          </ul>
        </div>
      )}
      act={() => consoleCall('POST', path, { body: form.values })}
      done={t('suspend.done')}
      onClose={onClose}
    >
      <SelectField
        label={t('suspend.reason')}
        choices={SUSPENSION_REASONS.map((one) => [one, t(`reasons.${one}`)])}
        {...form.field('reason')}
      >
        <option value="" disabled>
          {t('suspend.choose')}
        </option>
      </SelectField>
      <NoteField label={t('suspend.note')} hint={t('suspend.noteHint')} {...form.field('note')} />
      <TextAreaField
        label={t('suspend.message')}
        hint={t('suspend.messageHint', { language: languageOf(customer.language) })}
        rows={4}
        lang={customer.language}
        maxLength={2_000}
        {...form.field('message')}
      />
    </PreviewThenAsk>
  )
}

function RestoreDialog({ customer, onClose }: ActionProps): ReactNode {
  const t = useTranslations('consoleCustomers')
  const form = useFields({ note: '' })
  return (
    <ConfirmDialog
      title={t('restore.do')}
      isDisabled={form.values.note.trim() === ''}
      action={form}
      act={() => consoleCall('POST', pathOf(customer, 'restore'), { body: form.values })}
      done={t('restore.done')}
      onClose={onClose}
    >
      <p>{t('restore.text')}</p>
      <NoteField label={t('restore.note')} hint={t('suspend.noteHint')} {...form.field('note')} />
    </ConfirmDialog>
  )
}

function EndSessionsDialog({ customer, onClose }: ActionProps): ReactNode {
  const t = useTranslations('consoleCustomers')
  return (
    <ConfirmDialog
      title={t('sessions.endAll')}
      isDanger
      act={() => consoleCall('POST', accountPath(customer, 'end-sessions'))}
      done={t('sessions.ended', { count: customer.sessions.length })}
      onClose={onClose}
    >
      <p>{t('sessions.endAllText')}</p>
    </ConfirmDialog>
  )
}

function ExportDialog({ customer, onClose }: ActionProps): ReactNode {
  const t = useTranslations('consoleCustomers')
  return (
    <ConfirmDialog
      title={t('export.do')}
      act={() => downloadFile('POST', pathOf(customer, 'export'))}
      done={t('export.done')}
      onClose={onClose}
    >
      <p>{t('export.text')}</p>
    </ConfirmDialog>
  )
}

function EraseDialog({ customer, onClose }: ActionProps): ReactNode {
  const t = useTranslations('consoleCustomers')
  const nameOf = useCustomerName()
  const form = useFields({ reason: 'customer_asked' as ErasureReason, give_up_tickets: false })
  const givesUp = form.values.give_up_tickets
  const path = pathOf(customer, 'erase')
  const preview = usePreview<ClosingPreview>(`${path}preview/?give_up_tickets=${givesUp}`)
  const hasTickets = givesUp || preview.response?.blockers.some(({ kind }) => kind === 'tickets')
  return (
    <PreviewThenAsk
      title={t('erase.title', { name: nameOf(customer) })}
      confirm={t('erase.confirm')}
      isDanger
      isDisabled={!preview.response?.may_close}
      action={form}
      text={<p className="font-semibold">{t('erase.warning')}</p>}
      preview={preview}
      shows={({ may_close: mayClose, blockers, effects }) => (
        <>
          {!mayClose && (
            <Alert tone="warning" title={t('erase.blocked')}>
              {t('erase.blockedText')}
              <BlockerList blockers={blockers} />
            </Alert>
          )}
          <Effects effects={effects} others={customer.others} />
        </>
      )}
      act={() => consoleCall('POST', path, { body: form.values })}
      done={t('erase.done')}
      onClose={onClose}
    >
      {hasTickets && (
        <Checkbox label={t('erase.giveUp')} hint={t('erase.giveUpHint')} {...form.box('give_up_tickets')} />
      )}
      <SelectField
        label={t('erase.reason')}
        choices={ERASURE_REASONS.map((one) => [one, t(`erase.reasons.${one}`)])}
        {...form.field('reason')}
      />
    </PreviewThenAsk>
  )
}

const DIALOGS = {
  email: EmailDialog,
  correct: CorrectDialog,
  withdraw: WithdrawDialog,
  suspend: SuspendDialog,
  restore: RestoreDialog,
  endSessions: EndSessionsDialog,
  export: ExportDialog,
  erase: EraseDialog,
}

export type Action = keyof typeof DIALOGS

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
