import { type FormEvent, type ReactNode, useId, useState } from 'react'
import { toast } from 'sonner'
import { STAFF_REFUND_REASONS, type StaffRefundReason } from '#features/orders/order-machine.rules.ts'
import type { StaffOrder } from '#features/orders/staff-orders.contract.ts'
import { formatEur } from '#i18n/format.ts'
import { useLanguage, useTranslations } from '#i18n/translations.tsx'
import type { Language } from '#shared/languages.ts'
import { Alert } from '#ui/alert.tsx'
import { Button } from '#ui/button.tsx'
import { Dialog } from '#ui/dialog.tsx'
import { Field } from '#ui/field.tsx'
import { TextInput } from '#ui/inputs.tsx'
import { Select } from '#ui/select.tsx'
import { consoleCall } from '#console/kit/console-call.ts'
import { Facts, ReasonField } from '#console/kit/parts.tsx'
import { useAction } from '#console/kit/use-action.ts'
import type { RefundPreview } from '../refunds.contract.ts'
import { tidyAmount } from '#shared/typed-amount.ts'
import { useLanguageName } from '#i18n/use-language-name.ts'

type Kind = RefundPreview['kind']
const KINDS: readonly Kind[] = ['whole', 'lines', 'amount']

interface RefundChoice {
  kind: Kind
  /** Tickets by the id of their contest. */
  quantities: Readonly<Record<number, number>>
  amount: string
  reasonCode: StaffRefundReason
  note: string
}

const NOTHING: RefundChoice = {
  kind: 'whole',
  quantities: {},
  amount: '',
  reasonCode: 'customer_request',
  note: '',
}

function partOf({ kind, quantities, amount }: RefundChoice, language: Language): object {
  if (kind === 'amount') return { amount: tidyAmount(amount, language) }
  if (kind === 'whole') return {}
  return {
    lines: Object.entries(quantities).flatMap(([id, quantity]) =>
      quantity > 0 ? { offer_id: Number(id), quantity } : [],
    ),
  }
}

interface RefundDialogProps {
  order: StaffOrder
  open: boolean
  onClose: () => void
}

/** A refund in two steps: what and why, then what it will do. */
export function RefundDialog({ order, open, onClose }: RefundDialogProps): ReactNode {
  const t = useTranslations('consoleOrders.refund')
  const [choice, setChoice] = useState(NOTHING)
  const [preview, setPreview] = useState<RefundPreview>()
  const close = (): void => {
    setChoice(NOTHING)
    setPreview(undefined)
    onClose()
  }
  return (
    <Dialog open={open} onClose={close} title={t('title', { number: order.number })} closeText={t('close')}>
      {preview ? (
        <Confirm
          order={order}
          choice={choice}
          preview={preview}
          onBack={() => setPreview(undefined)}
          onDone={close}
        />
      ) : (
        <Choose order={order} choice={choice} onChange={setChoice} onPreview={setPreview} onCancel={close} />
      )}
    </Dialog>
  )
}

interface ChooseProps {
  order: StaffOrder
  choice: RefundChoice
  onChange: (choice: RefundChoice) => void
  onPreview: (preview: RefundPreview) => void
  onCancel: () => void
}

function Choose({ order, choice, onChange, onPreview, onCancel }: ChooseProps): ReactNode {
  const t = useTranslations('consoleOrders')
  const languageOf = useLanguageName()
  const common = useTranslations('console.common')
  const language = useLanguage()
  const action = useAction()
  const change = (part: Partial<RefundChoice>): void => onChange({ ...choice, ...part })
  // Of other orders only all that is left can go back.
  const kinds = order.state === 'completed' ? KINDS : KINDS.slice(0, 1)
  const lines = order.lines.filter(({ quantity, returned }) => returned < quantity)
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault()
    await action.run(async () =>
      onPreview(
        await consoleCall<RefundPreview>('POST', `/api/staff/orders/${order.id}/refund/preview/`, {
          body: partOf(choice, language),
        }),
      ),
    )
  }
  return (
    <form className="grid gap-5" onSubmit={(event) => void submit(event)}>
      <fieldset className="grid gap-2">
        <legend className="mb-1.5 text-sm font-semibold">{t('refund.what')}</legend>
        {kinds.map((kind) => (
          <KindChoice
            key={kind}
            label={t(`refund.${kind}`, { amount: formatEur(order.left, language) })}
            hint={t(`refund.${kind}Hint`)}
            isChosen={choice.kind === kind}
            onChoose={() => change({ kind })}
          />
        ))}
      </fieldset>
      {choice.kind === 'lines' &&
        lines.map(({ offer_id: id, title, quantity, returned }) => (
          <Field key={id} label={t('refund.quantity', { title, count: quantity - returned })}>
            {(ids) => (
              <TextInput
                {...ids}
                type="number"
                inputMode="numeric"
                min={0}
                max={quantity - returned}
                value={choice.quantities[id] ?? 0}
                onChange={(event) =>
                  change({ quantities: { ...choice.quantities, [id]: Number(event.target.value) } })
                }
              />
            )}
          </Field>
        ))}
      {choice.kind === 'amount' && (
        <Field label={t('refund.euros')} error={action.fields['amount']}>
          {(ids) => (
            <TextInput
              {...ids}
              inputMode="decimal"
              required
              maxLength={12}
              value={choice.amount}
              onChange={(event) => change({ amount: event.target.value })}
            />
          )}
        </Field>
      )}
      <Field label={t('refund.reasonCode')}>
        {(ids) => (
          <Select
            {...ids}
            value={choice.reasonCode}
            onChange={(event) => change({ reasonCode: event.target.value as StaffRefundReason })}
          >
            {STAFF_REFUND_REASONS.map((code) => (
              <option key={code} value={code}>
                {t(`reasons.${code}`)}
              </option>
            ))}
          </Select>
        )}
      </Field>
      <ReasonField
        label={t('refund.note')}
        hint={t('refund.noteHint', { language: languageOf(order.language as Language) })}
        error={undefined}
        value={choice.note}
        onChange={(note) => change({ note })}
      />
      <div role="alert">
        {action.error !== undefined && !action.fields['amount'] && <Alert tone="error">{action.error}</Alert>}
      </div>
      <div className="flex flex-wrap justify-end gap-3 max-sm:*:grow">
        <Button variant="ghost" onClick={onCancel}>
          {common('cancel')}
        </Button>
        <Button type="submit" busy={action.isBusy} disabled={choice.note.trim() === ''}>
          {t('refund.preview')}
        </Button>
      </div>
    </form>
  )
}

function KindChoice(props: {
  label: string
  hint: string
  isChosen: boolean
  onChoose: () => void
}): ReactNode {
  const { label, hint, isChosen, onChoose } = props
  const hintId = useId()
  return (
    <div className="grid grid-cols-[auto_1fr] items-center gap-x-3">
      <label className="contents">
        <input
          type="radio"
          name="kind"
          className="size-5"
          checked={isChosen}
          aria-describedby={hintId}
          onChange={onChoose}
        />
        <span className="flex min-h-11 items-center">{label}</span>
      </label>
      <p id={hintId} className="col-start-2 -mt-2 text-sm text-muted">
        {hint}
      </p>
    </div>
  )
}

interface ConfirmProps {
  order: StaffOrder
  choice: RefundChoice
  preview: RefundPreview
  onBack: () => void
  onDone: () => void
}

function Confirm({ order, choice, preview, onBack, onDone }: ConfirmProps): ReactNode {
  const t = useTranslations('consoleOrders')
  const language = useLanguage()
  const action = useAction()
  const eur = (amount: string): string => formatEur(amount, language)
  const { amount, captures, tickets, emails } = preview
  const confirm = async (): Promise<void> => {
    const body = {
      ...partOf(choice, language),
      reason: choice.note.trim(),
      reason_code: choice.reasonCode,
      expected_left: preview.left,
    }
    const isDone = await action.run(async () => {
      const answer = await consoleCall<StaffOrder | { approval: object; state?: undefined }>(
        'POST',
        `/api/staff/orders/${order.id}/refund/`,
        { body },
      )
      tell(answer)
    })
    if (isDone) onDone()
  }
  const tell = (answer: StaffOrder | { state?: undefined }): void => {
    if (answer.state === undefined) return void toast.success(t('refund.asked'))
    switch (answer.refunds.at(-1)?.status) {
      case 'completed':
        return void toast.success(t('refund.done'))
      case 'failed':
        return void toast.error(t('refund.refused'))
      default:
        return void toast.info(t('refund.onItsWay'))
    }
  }
  return (
    <div className="grid gap-5">
      <h3 className="font-semibold">{t('refund.will')}</h3>
      <Facts
        facts={[
          [t('refund.sum'), <strong key="sum">{eur(amount)}</strong>],
          [t('refund.vat'), eur(preview.tax)],
          ...captures.map(
            (one) => ['PayPal', t('refund.by', { amount: eur(one.amount), id: one.id })] as const,
          ),
          [t('refund.left'), eur(preview.left_after)],
          [t('refund.state'), t(`states.${preview.state_after}`)],
          [
            t('refund.tickets'),
            tickets.length === 0 ? t('refund.noTickets') : <VoidTickets key="tickets" tickets={tickets} />,
          ],
          [
            t('refund.email'),
            emails.length === 0
              ? t('refund.noEmail')
              : emails.map(({ kind }) => t(`refund.emails.${kind}`)).join(' '),
          ],
        ]}
      />
      {preview.needs_approval && (
        <Alert tone="warning">
          {t('refund.needsApproval', {
            max: eur(preview.alone_max),
            day: eur(preview.day_alone_max),
            kept: eur(preview.amount_alone_max),
          })}
        </Alert>
      )}
      <div role="alert">{action.error !== undefined && <Alert tone="error">{action.error}</Alert>}</div>
      <div className="flex flex-wrap justify-end gap-3 max-sm:*:grow">
        <Button variant="ghost" onClick={onBack}>
          {t('refund.back')}
        </Button>
        <Button variant="danger" busy={action.isBusy} onClick={() => void confirm()}>
          {t(preview.needs_approval ? 'refund.ask' : 'refund.confirm', { amount: eur(amount) })}
        </Button>
      </div>
    </div>
  )
}

function VoidTickets({ tickets }: Pick<RefundPreview, 'tickets'>): ReactNode {
  const t = useTranslations('consoleOrders')
  return (
    <ul className="grid gap-2">
      {tickets.map(({ offer_id, title, count, numbers }) => (
        <li key={offer_id}>
          <p>{t('refund.ticketsOf', { title, count })}</p>
          <p
            className="max-h-24 overflow-y-auto text-muted tabular-nums"
            // A region that scrolls must take the focus.
            // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
            tabIndex={0}
          >
            {numbers.join(', ')}
            {count > numbers.length && ` ${t('order.moreNumbers', { count: count - numbers.length })}`}
          </p>
        </li>
      ))}
    </ul>
  )
}
