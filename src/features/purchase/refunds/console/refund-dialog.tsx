import { type ReactNode, useId } from 'react'
import { toast } from 'sonner'
import {
  STAFF_REFUND_REASONS,
  type StaffRefundReason,
} from '#features/purchase/orders/order-machine.rules.ts'
import type { StaffOrder } from '#features/purchase/orders/staff-orders.contract.ts'
import { formatEur } from '#i18n/format.ts'
import { useLanguage, useTranslations } from '#i18n/translations.tsx'
import type { Language } from '#shared/languages.ts'
import { Alert } from '#ui/alert.tsx'
import { consoleCall } from '#console-kit/console-call.ts'
import { ReasonField, SelectField, TextField } from '#console-kit/fields.tsx'
import { Facts, PreviewThenAsk, usePreview } from '#console-kit/parts.tsx'
import { useFields } from '#console-kit/use-fields.ts'
import type { RefundPreview } from '../refunds.contract.ts'
import { tidyAmount } from '#shared/typed-amount.ts'
import { useLanguageName } from '#i18n/use-language-name.ts'

type Kind = RefundPreview['kind']
const KINDS: readonly Kind[] = ['whole', 'lines', 'amount']

interface RefundChoice {
  kind: Kind
  /** Tickets by the id of their contest. */
  quantities: Record<string, string>
  amount: string
  reason_code: StaffRefundReason
  note: string
}

function partOf({ kind, quantities, amount }: RefundChoice, language: Language): object {
  if (kind === 'amount') return { amount: tidyAmount(amount, language) }
  if (kind === 'whole') return {}
  return {
    lines: Object.entries(quantities).flatMap(([id, quantity]) =>
      Number(quantity) > 0 ? { offer_id: Number(id), quantity: Number(quantity) } : [],
    ),
  }
}

/** A refund in two steps: what and why, then what it will do. */
export function RefundDialog({ order, onClose }: { order: StaffOrder; onClose: () => void }): ReactNode {
  const t = useTranslations('consoleOrders')
  const languageOf = useLanguageName()
  const language = useLanguage()
  const eur = (amount: string): string => formatEur(amount, language)
  const path = `/api/staff/orders/${order.id}/refund/`
  // Of other orders only all that is left can go back.
  const kinds = order.state === 'completed' ? KINDS : KINDS.slice(0, 1)
  const lines = order.lines.filter(({ quantity, returned }) => returned < quantity)
  const form = useFields<RefundChoice>({
    kind: 'whole',
    quantities: Object.fromEntries(lines.map(({ offer_id: id }) => [id, '0'])),
    amount: '',
    reason_code: 'customer_request',
    note: '',
  })
  const { kind: chosen, reason_code: code, note } = form.values
  const part = partOf(form.values, language)
  const preview = usePreview<RefundPreview>(() => consoleCall('POST', `${path}preview/`, { body: part }))
  const send = async ({ left }: RefundPreview): Promise<void> => {
    const body = { ...part, reason: note.trim(), reason_code: code, expected_left: left }
    const response = await consoleCall<StaffOrder | { approval: object; state?: undefined }>('POST', path, {
      body,
    })
    if (response.state === undefined) return void toast.success(t('refund.asked'))
    switch (response.refunds.at(-1)?.status) {
      case 'completed':
        return void toast.success(t('refund.done'))
      case 'failed':
        return void toast.error(t('refund.refused'))
      default:
        return void toast.info(t('refund.onItsWay'))
    }
  }
  const { response } = preview
  const title = t('refund.title', { number: order.number })
  return (
    <PreviewThenAsk
      title={title}
      confirm={t(response?.needs_approval ? 'refund.ask' : 'refund.confirm', {
        amount: eur(response?.amount ?? '0'),
      })}
      isDanger
      isDisabled={note.trim() === ''}
      action={form}
      preview={preview}
      first={{
        title,
        confirm: t('refund.preview'),
        back: t('refund.back'),
        isChecked: true,
        fields: (
          <>
            <fieldset className="grid gap-2">
              <legend className="mb-1.5 text-sm font-semibold">{t('refund.what')}</legend>
              {kinds.map((kind) => (
                <KindChoice
                  key={kind}
                  label={t(`refund.${kind}`, { amount: eur(order.left) })}
                  hint={t(`refund.${kind}Hint`)}
                  isChosen={chosen === kind}
                  onChoose={() => form.set('kind', kind)}
                />
              ))}
            </fieldset>
            {chosen === 'lines' &&
              lines.map(({ offer_id: id, title: contest, quantity, returned }) => (
                <TextField
                  key={id}
                  label={t('refund.quantity', { title: contest, count: quantity - returned })}
                  type="number"
                  inputMode="numeric"
                  min={0}
                  max={quantity - returned}
                  {...form.field(`quantities.${id}`)}
                />
              ))}
            {chosen === 'amount' && (
              <TextField
                label={t('refund.euros')}
                inputMode="decimal"
                required
                maxLength={12}
                {...form.field('amount')}
              />
            )}
            <SelectField
              label={t('refund.reasonCode')}
              choices={STAFF_REFUND_REASONS.map((one) => [one, t(`reasons.${one}`)])}
              {...form.field('reason_code')}
            />
            <ReasonField
              label={t('refund.note')}
              hint={t('refund.noteHint', { language: languageOf(order.language as Language) })}
              {...form.field('note')}
            />
          </>
        ),
      }}
      shows={(effect) => <Effect {...effect} eur={eur} />}
      act={send}
      onClose={onClose}
    />
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

function Effect({ eur, ...preview }: RefundPreview & { eur: (amount: string) => string }): ReactNode {
  const t = useTranslations('consoleOrders')
  const { captures, tickets, emails } = preview
  return (
    <>
      <h3 className="font-semibold">{t('refund.will')}</h3>
      <Facts
        facts={[
          [t('refund.sum'), <strong key="sum">{eur(preview.amount)}</strong>],
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
    </>
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
