import { type ReactNode, useState } from 'react'
import { Link, type LoaderFunctionArgs, useLoaderData, useNavigation, useSearchParams } from 'react-router'
import { RefundDialog } from '#features/purchase/refunds/console/refund-dialog.tsx'
import { formatPercent } from '#i18n/format.ts'
import { useLanguage, useTranslations } from '#i18n/translations.tsx'
import { countryName } from '#shared/countries.ts'
import type { Language } from '#shared/languages.ts'
import { Alert } from '#ui/alert.tsx'
import { Badge } from '#ui/badge.tsx'
import { Button } from '#ui/button.tsx'
import { consoleCall } from '#console-kit/console-call.ts'
import { useMay } from '#console-kit/console-context.tsx'
import { ActionForm, ReasonField, TextAreaField } from '#console-kit/fields.tsx'
import {
  Facts,
  Fault,
  PreviewThenAsk,
  Screen,
  Section,
  Time,
  usePreview,
  useTime,
} from '#console-kit/parts.tsx'
import { useScreenActions } from '#console-kit/screen-actions.ts'
import { useAction } from '#console-kit/use-action.ts'
import { useFields } from '#console-kit/use-fields.ts'
import { type OrderState, RELEASED } from '../order-machine.rules.ts'
import type { ReleasePreview, StaffOrder } from '../staff-orders.contract.ts'
import { HISTORY_ENTRIES, HISTORY_MORE } from '../staff-orders.rules.ts'
import { Eur, StateBadge, useEur } from './order-parts.tsx'
import { Timeline } from './timeline.tsx'
import { useLanguageName } from '#i18n/use-language-name.ts'

const pathOf = (id: string, action = ''): string => `/api/staff/orders/${encodeURIComponent(id)}/${action}`

const ENTRIES = 'entries'

export const loader = ({ params, request }: LoaderFunctionArgs): Promise<StaffOrder> => {
  const entries = new URL(request.url).searchParams.get(ENTRIES)
  return consoleCall('GET', pathOf(params['id'] ?? '', entries === null ? '' : `?${ENTRIES}=${entries}`))
}

interface OrderProps {
  order: StaffOrder
}

/** An order with its money, tickets, buyer and history, and what can be done with it. */
export function Component(): ReactNode {
  const t = useTranslations('consoleOrders')
  const order = useLoaderData<StaffOrder>()
  const isPartly = order.state === 'completed' && order.refunded !== '0.00'
  return (
    <Screen
      title={t('order.title', { number: order.number })}
      lead={
        <span className="grid gap-2">
          <span className="flex flex-wrap gap-2">
            <StateBadge state={order.state} />
            {isPartly && <Badge tone="warning">{t('order.partly')}</Badge>}
          </span>
          <span>{t(`order.about.${order.state}`)}</span>
        </span>
      }
    >
      <WaitingApproval order={order} />
      <Actions order={order} />
      <div className="grid items-start gap-6 xl:grid-cols-2">
        <Money order={order} />
        <Tickets order={order} />
        <Buyer order={order} />
        <Notes order={order} />
      </div>
      <Section title={t('timeline.title')}>
        <Timeline entries={order.timeline} />
        <MoreEntries order={order} />
      </Section>
      <div className="grid items-start gap-6 xl:grid-cols-2">
        <Emails order={order} />
        <Reads order={order} />
      </div>
    </Screen>
  )
}

function WaitingApproval({ order: { approval } }: OrderProps): ReactNode {
  const t = useTranslations('consoleOrders.order')
  const time = useTime()
  const may = useMay()
  if (!approval) return null
  return (
    <Alert tone="warning">
      {t('waits', { name: approval.by, when: time(approval.at) })}{' '}
      {may('approvals.read') && (
        <Link to="/approvals" className="prose-link">
          {t('openApproval')}
        </Link>
      )}
    </Alert>
  )
}

const hasMoney = ({ left }: StaffOrder): boolean => left !== '0.00'

/** Older emails, notifications and acts of staff, in the address, so that a reload shows them, too. */
function MoreEntries({ order }: OrderProps): ReactNode {
  const t = useTranslations('consoleOrders.order')
  const [params, setParams] = useSearchParams()
  const { state } = useNavigation()
  if (!order.has_more) return null
  const shown = Number(params.get(ENTRIES) ?? HISTORY_ENTRIES)
  return (
    <div>
      <Button
        variant="secondary"
        busy={state === 'loading'}
        onClick={() =>
          setParams({ [ENTRIES]: String(shown + HISTORY_MORE) }, { replace: true, preventScrollReset: true })
        }
      >
        {t('moreEntries')}
      </Button>
    </div>
  )
}

/** Why something cannot be done with the order now, a sentence for each state and for what else is in the way. */
function Obstacles({ order }: OrderProps): ReactNode {
  const t = useTranslations('consoleOrders.order')
  const may = useMay()
  const { state, buyer, approval, order_id: providerId, captures } = order
  if (!may('orders.write') && !may('orders.refund')) return null
  const reasons = [
    state,
    ...(providerId === null ? (['noProvider'] as const) : []),
    ...(approval ? (['approval'] as const) : []),
    ...(state === 'completed' && !hasMoney(order) && captures.length > 0 ? (['noMoney'] as const) : []),
    ...(buyer.is_erased ? (['erased'] as const) : []),
    ...(MONEY_CAME.includes(state) && !hasReceipt(order) ? (['neverPaid'] as const) : []),
  ]
  return (
    <ul aria-label={t('notNow')} className="grid max-w-prose list-disc gap-1 pl-5 text-sm text-muted">
      {reasons.map((reason) => (
        <li key={reason}>{t(`not.${reason}`)}</li>
      ))}
    </ul>
  )
}

const MONEY_CAME: readonly OrderState[] = ['completed', 'refunding', 'refunded', 'review']

/** As the server decides it: an order whose tickets were paid once, whatever became of the money since. */
const hasReceipt = ({ state, events }: StaffOrder): boolean =>
  MONEY_CAME.includes(state) && events.some(({ to }) => to === 'completed')

/** A released order may have been paid all the same: PayPal is asked before the refund. */
function mayRefund(order: StaffOrder): boolean {
  const { state, order_id: providerId } = order
  if (state === 'completed' || state === 'review') return hasMoney(order)
  return RELEASED.some((one) => one === state) && providerId !== null
}

function Actions({ order }: OrderProps): ReactNode {
  const t = useTranslations('consoleOrders.order')
  const may = useMay()
  const reconciling = useAction()
  const resending = useAction()
  const [opened, setOpened] = useState<'refund' | 'release'>()
  const { id, state } = order
  const close = (): void => setOpened(undefined)
  const failure = reconciling.error ?? resending.error
  const done = (action: typeof resending, what: string, text: string): void =>
    void action.run(() => consoleCall('POST', pathOf(id, what)), text)
  const actions = [
    may('orders.reconcile') &&
      order.order_id !== null && {
        label: t('reconcile'),
        isBusy: reconciling.isBusy,
        run: () => done(reconciling, 'reconcile/', t('reconciled')),
      },
    may('orders.refund') &&
      mayRefund(order) &&
      !order.approval && { label: t('refund'), run: () => setOpened('refund') },
    may('orders.write') &&
      hasReceipt(order) &&
      !order.buyer.is_erased && {
        label: t('resend'),
        isBusy: resending.isBusy,
        run: () => done(resending, 'resend-receipt/', t('resent')),
      },
    may('orders.release') &&
      state === 'held' && { label: t('release'), isDanger: true, run: () => setOpened('release') },
  ].filter((action) => action !== false)
  useScreenActions(actions)
  return (
    <div className="grid gap-3">
      {actions.length > 0 && (
        <div role="group" aria-label={t('actions')} className="flex flex-wrap gap-3 max-sm:*:grow">
          {actions.map(({ label, isBusy = false, isDanger = false, run }) => (
            <Button key={label} variant={isDanger ? 'danger' : 'secondary'} busy={isBusy} onClick={run}>
              {label}
            </Button>
          ))}
        </div>
      )}
      <Obstacles order={order} />
      <Fault error={failure} />
      {opened === 'refund' && <RefundDialog order={order} onClose={close} />}
      {opened === 'release' && <ReleaseDialog id={id} onClose={close} />}
    </div>
  )
}

function ReleaseDialog({ id, onClose }: { id: string; onClose: () => void }): ReactNode {
  const t = useTranslations('consoleOrders.order')
  const states = useTranslations('consoleOrders.states')
  const common = useTranslations('console.common')
  const form = useFields({ reason: '' })
  return (
    <PreviewThenAsk
      title={t('release')}
      isDanger
      isDisabled={form.values.reason.trim() === ''}
      action={form}
      preview={usePreview<ReleasePreview>(pathOf(id, 'release/preview/'))}
      text={<p>{t('releaseText')}</p>}
      shows={({ tickets, state_after: after, emails, may_be_paid: mayBePaid }) => (
        <>
          <Facts
            facts={[
              ...tickets.map(({ title, quantity }) => [title, t('freed', { count: quantity })] as const),
              [t('stateAfter'), states(after)],
              [t('emails'), t('emailCount', { count: emails })],
            ]}
          />
          {mayBePaid && <p className="text-sm text-muted">{t('mayBePaid')}</p>}
        </>
      )}
      act={() => consoleCall('POST', pathOf(id, 'release/'), { body: form.values })}
      done={t('released')}
      onClose={onClose}
    >
      <ReasonField hint={common('reasonHint')} {...form.field('reason')} />
    </PreviewThenAsk>
  )
}

function Money({ order }: OrderProps): ReactNode {
  const t = useTranslations('consoleOrders')
  const language = useLanguage()
  const { captures, refunds } = order
  return (
    <Section title={t('order.money')}>
      <Facts
        facts={[
          [t('order.subtotal'), <Eur key="subtotal" amount={order.subtotal} />],
          [
            t('order.vat', { rate: formatPercent(order.tax_rate, language) }),
            <Eur key="vat" amount={order.tax} />,
          ],
          [
            t('order.total'),
            <strong key="total">
              <Eur amount={order.total} />
            </strong>,
          ],
          [t('order.refunded'), <Eur key="refunded" amount={order.refunded} />],
          [t('order.left'), <Eur key="left" amount={order.left} />],
        ]}
      />
      {captures.length > 0 && (
        <div className="grid gap-2">
          <h3 className="font-semibold">{t('order.payments')}</h3>
          <ul className="grid gap-2 text-sm">
            {captures.map((one) => (
              <li key={one.id} className="flex flex-wrap justify-between gap-x-4">
                <span className="min-w-0 wrap-anywhere">{one.id}</span>
                <span>
                  <Eur amount={one.amount} />
                </span>
                <span className="w-full text-muted">
                  <CaptureText status={one.status} amount={one.amount} /> <Time at={one.at} />
                </span>
              </li>
            ))}
          </ul>
        </div>
      )}
      {order.disputes.length > 0 && (
        <div className="grid gap-2">
          <h3 className="font-semibold">{t('order.disputes')}</h3>
          <ul className="grid gap-3 text-sm">
            {order.disputes.map((one) => (
              <DisputeItem key={one.id} dispute={one} />
            ))}
          </ul>
        </div>
      )}
      {refunds.length > 0 && (
        <div className="grid gap-2">
          <h3 className="font-semibold">{t('order.refunds')}</h3>
          <ul className="grid gap-3 text-sm">
            {refunds.map((one, index) => (
              <RefundItem key={one.id ?? index} refund={one} />
            ))}
          </ul>
        </div>
      )}
    </Section>
  )
}

const CAPTURE_TEXTS = [
  'completed',
  'pending',
  'partially_refunded',
  'refunded',
  'declined',
  'failed',
  'unknown',
] as const

function CaptureText({ status, amount }: { status: string; amount: string }): ReactNode {
  const t = useTranslations('consoleOrders.timeline.captures')
  const eur = useEur()
  const known = CAPTURE_TEXTS.find((one) => one === status)
  return known ? t(known, { amount: eur(amount) }) : status
}

const REFUND_STATUSES = ['requested', 'pending', 'completed', 'failed'] as const

function DisputeItem({ dispute }: { dispute: StaffOrder['disputes'][number] }): ReactNode {
  const t = useTranslations('consoleOrders.order')
  const { id, reason, amount, due_at: due, is_resolved: isResolved, changed_at: changed, page } = dispute
  return (
    <li className="grid gap-1">
      <span className="flex flex-wrap justify-between gap-x-4">
        <a href={page} target="_blank" rel="noreferrer" className="prose-link min-w-0 wrap-anywhere">
          {t('disputeAt', { id })}
        </a>
        {amount !== null && <Eur amount={amount} />}
      </span>
      {reason !== null && <span className="text-muted">{reason}</span>}
      <span className={isResolved ? 'text-muted' : 'font-semibold'}>
        {isResolved ? t('disputeResolved') : t(due === null ? 'disputeOpen' : 'disputeDue')}{' '}
        <Time at={isResolved ? changed : (due ?? changed)} />
      </span>
    </li>
  )
}

function RefundItem({ refund }: { refund: StaffOrder['refunds'][number] }): ReactNode {
  const t = useTranslations('consoleOrders')
  const { status, origin, by, staff_reason: reason, part } = refund
  const known = REFUND_STATUSES.find((one) => one === status)
  const who =
    by !== null && reason !== null
      ? t('refund.of', { reason: t(`reasons.${reason}`), name: by })
      : t(origin === 'provider' ? 'refund.byProvider' : 'refund.byShop')
  return (
    <li className="grid gap-1">
      <span className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1">
        <span className="flex flex-wrap items-center gap-2">
          <Eur amount={refund.amount} />
          <Badge tone={status === 'completed' ? 'success' : status === 'failed' ? 'error' : 'warning'}>
            {known ? t(`refund.statuses.${known}`) : status}
          </Badge>
        </span>
        <span className="text-muted">
          <Time at={refund.at} />
        </span>
      </span>
      <span className="text-muted">
        {[who, part && t(`refund.part.${part}`), refund.is_approved && t('refund.approved')]
          .filter(Boolean)
          .join(', ')}
      </span>
      {refund.note !== null && <span className="wrap-anywhere">{refund.note}</span>}
      {refund.id !== null && <span className="text-muted wrap-anywhere">{refund.id}</span>}
    </li>
  )
}

function Tickets({ order }: OrderProps): ReactNode {
  const t = useTranslations('consoleOrders.order')
  const eur = useEur()
  const { lines, tickets } = order
  const all = tickets.valid + tickets.void
  return (
    <Section title={t('lines')}>
      <ul className="grid gap-4">
        {lines.map(({ offer_id: id, title, quantity, unit_price: price, returned, is_cancelled }) => (
          <li key={id} className="grid gap-1 text-sm">
            <span className="flex flex-wrap items-center gap-2">
              <Link to={`/offers/${id}`} className="prose-link font-semibold">
                {title}
              </Link>
              {is_cancelled && <Badge tone="warning">{t('contestCancelled')}</Badge>}
            </span>
            <span>
              {t('line', { quantity, price: eur(price) })}
              {returned > 0 && `, ${t('returned', { count: returned })}`}
            </span>
            <Numbers numbers={tickets.numbers.filter((one) => one.offer_id === id)} />
          </li>
        ))}
      </ul>
      {all > 0 && (
        <p className="text-sm text-muted">
          {t('counts', { valid: tickets.valid, void: tickets.void })}
          {all > tickets.numbers.length && `, ${t('moreNumbers', { count: all - tickets.numbers.length })}`}
        </p>
      )}
    </Section>
  )
}

function Numbers({ numbers }: { numbers: StaffOrder['tickets']['numbers'] }): ReactNode {
  const t = useTranslations('consoleOrders.order')
  if (numbers.length === 0) return null
  return (
    <ul
      aria-label={t('numbers')}
      className="flex max-h-40 flex-wrap gap-1.5 overflow-y-auto"
      // A region that scrolls must take the focus.
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
      tabIndex={0}
    >
      {numbers.map(({ number, status }) => (
        <li key={number}>
          <Badge tone={status === 'valid' ? 'signal' : 'neutral'}>
            {status === 'valid' ? number : t('voidNumber', { number })}
          </Badge>
        </li>
      ))}
    </ul>
  )
}

function Buyer({ order }: OrderProps): ReactNode {
  const t = useTranslations('consoleOrders')
  const languageOf = useLanguageName()
  const language = useLanguage()
  const may = useMay()
  const { buyer, payer_country: payer, funding_country: funding } = order
  return (
    <Section
      title={t('order.buyer')}
      actions={
        may('customers.read') &&
        !buyer.is_erased && (
          <Link to={`/customers/${buyer.id}`} className="prose-link text-sm font-semibold">
            {t('order.openCustomer')}
          </Link>
        )
      }
    >
      {buyer.is_erased && <p>{t('order.erased')}</p>}
      <Facts
        facts={[
          !buyer.is_erased && [
            t('order.name'),
            <span key="name" className="flex flex-wrap items-center gap-2">
              {buyer.name}
              {!buyer.is_active && <Badge tone="error">{t('order.suspended')}</Badge>}
            </span>,
          ],
          !buyer.is_erased && [
            t('order.email'),
            `${buyer.email} (${t(buyer.is_confirmed ? 'order.confirmed' : 'order.unconfirmed')})`,
          ],
          [t('order.language'), languageOf(order.language as Language)],
          [t('order.country'), countryName(order.country, language)],
          payer !== null && [t('order.payerCountry'), countryName(payer, language)],
          funding !== null && [t('order.fundingCountry'), countryName(funding, language)],
          [t('order.placed'), <Time key="placed" at={order.created_at} />],
          order.state === 'held' && [t('order.holdUntil'), <Time key="hold" at={order.hold_until} />],
          [t('order.id'), <code key="id">{order.id}</code>],
          order.order_id !== null && [t('order.providerId'), <code key="provider">{order.order_id}</code>],
        ]}
      />
    </Section>
  )
}

function Notes({ order }: OrderProps): ReactNode {
  const t = useTranslations('consoleOrders.order')
  const time = useTime()
  const may = useMay()
  const form = useFields({ text: '' })
  const body = form.values
  const add = async (): Promise<void> => {
    if (await form.run(() => consoleCall('POST', pathOf(order.id, 'notes/'), { body }), t('noteAdded')))
      form.clear()
  }
  return (
    <Section title={t('notes')}>
      {order.notes.length === 0 && <p className="text-sm text-muted">{t('noNotes')}</p>}
      <ul className="grid gap-3">
        {order.notes.map((note) => (
          <li key={note.id} className="grid gap-0.5 text-sm">
            <span className="text-muted">{t('noteBy', { name: note.by, when: time(note.at) })}</span>
            <span className="whitespace-pre-line wrap-anywhere">
              {note.is_erased ? t('noteErased') : note.text}
            </span>
          </li>
        ))}
      </ul>
      {may('orders.write') && (
        <ActionForm action={form} isChecked className="grid gap-3" onSend={add}>
          <TextAreaField
            label={t('note')}
            hint={t('noteHint')}
            required
            maxLength={2_000}
            {...form.field('text')}
            error={form.fields['text'] ?? form.error}
          />
          <div>
            <Button type="submit" variant="secondary" busy={form.isBusy} disabled={body.text.trim() === ''}>
              {t('addNote')}
            </Button>
          </div>
        </ActionForm>
      )}
    </Section>
  )
}

const EMAIL_STATES = {
  queued: 'queued',
  sending: 'queued',
  sent: 'sent',
  kept: 'kept',
  failed: 'failed',
} as const

function Emails({ order }: OrderProps): ReactNode {
  const t = useTranslations('consoleOrders.order')
  return (
    <Section title={t('emails')}>
      {order.emails.length === 0 && <p className="text-sm text-muted">{t('noEmails')}</p>}
      <ul className="grid gap-3 text-sm">
        {order.emails.map(({ id, subject, state, at, error }) => (
          <li key={id} className="grid gap-1">
            <span className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1">
              <span className="min-w-0 wrap-anywhere">{subject}</span>
              <Badge tone={state === 'failed' ? 'error' : state === 'sent' ? 'success' : 'neutral'}>
                {t(EMAIL_STATES[state as keyof typeof EMAIL_STATES] ?? 'queued')}
              </Badge>
            </span>
            <span className="text-muted">
              <Time at={at} />
              {error !== null && ` ${error}`}
            </span>
          </li>
        ))}
      </ul>
    </Section>
  )
}

function Reads({ order: { reads } }: OrderProps): ReactNode {
  const t = useTranslations('consoleOrders.order')
  const time = useTime()
  if (reads.length === 0) return null
  return (
    <Section title={t('reads')}>
      <ul className="grid gap-1 text-sm">
        {reads.map(({ by, at }) => (
          <li key={`${by} ${at}`}>{t('read', { name: by, when: time(at) })}</li>
        ))}
      </ul>
    </Section>
  )
}
