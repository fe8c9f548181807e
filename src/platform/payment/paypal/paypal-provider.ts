import { systemClock } from '#shared/clock.ts'
import { LOCALES } from '#shared/languages.ts'
import { type Cents, parseEur, toDecimal } from '#shared/money.ts'
import type { NotificationKind } from '#shared/provider-notifications.ts'
import {
  type CaptureStatus,
  type Money,
  type Payer,
  type PaymentProvider,
  type PaymentRequest,
  type ProviderCapture,
  type ProviderDispute,
  type ProviderNotification,
  type ProviderOrder,
  type ProviderOrderStatus,
  type ProviderRefund,
  ProviderRefused,
} from '../payment-provider.ts'
import {
  type PayPalAmount,
  type PayPalCapture,
  type PayPalClient,
  type PayPalLink,
  PayPalNotification,
  type PayPalOrder,
  type PayPalRefund,
  PayPalRefused,
} from './paypal-client.ts'
import { type PayPalCall, reasonOf } from './paypal-issues.ts'

/** Lengths that PayPal accepts. */
const NAME_MAX = 127
const NOTE_MAX = 255

/** PayPal keeps request ids of captures for six hours, of refunds for 45 days; one day is a margin. */
const CAPTURE_KEY_HOURS = 6
const REFUND_KEY_DAYS = 44

export function paypalProvider(client: PayPalClient): PaymentProvider {
  const translated = async <Message, Result>(
    call: PayPalCall,
    response: Promise<Message>,
    read: (message: Message) => Result,
  ): Promise<Result> => {
    try {
      return read(await response)
    } catch (error) {
      throw error instanceof PayPalRefused ? refusal(call, error) : error
    }
  }
  return {
    captureKeyLifetime: CAPTURE_KEY_HOURS,
    refundKeyLifetime: REFUND_KEY_DAYS,
    createOrder: (request, requestId) =>
      translated('create', client.createOrder(orderBody(request), requestId), readOrder),
    readOrder: (id) => translated('read', client.getOrder(id), readOrder),
    captureOrder: (id, requestId) => translated('capture', client.captureOrder(id, requestId), readOrder),
    refund: ({ captureId, money, note }, requestId) =>
      translated(
        'refund',
        client.refundCapture(
          captureId,
          {
            amount: { currency_code: money.currency, value: toDecimal(money.amount) },
            note_to_payer: note.slice(0, NOTE_MAX),
          },
          requestId,
        ),
        readRefund,
      ),
    readRefund: (id) => translated('read', client.getRefund(id), readRefund),
    notificationKind: (type) => KINDS.get(type) ?? 'other',
  }
}

function refusal(call: PayPalCall, { status, fault }: PayPalRefused): ProviderRefused {
  const { name, message, details, debug_id } = fault
  const issues = (details ?? []).flatMap(({ issue }) => issue ?? [])
  const { reason, code } = reasonOf(call, status, { name, issues })
  return new ProviderRefused(reason, { code, message, details, debug_id, actionUrl: addressOf(fault.links) })
}

const addressOf = (links: readonly PayPalLink[] | undefined): string | undefined =>
  links?.find(({ rel, href }) => /^(payer-action|approve|redirect)$/.test(rel) && /^https?:\/\//.test(href))
    ?.href

/** The body of POST /v2/checkout/orders. */
function orderBody(request: PaymentRequest): object {
  const money = (amount: Cents) => ({ currency_code: request.currency, value: toDecimal(amount) })
  const { total, tax } = request
  return {
    intent: 'CAPTURE',
    purchase_units: [
      {
        reference_id: 'default',
        custom_id: request.reference,
        invoice_id: request.number,
        description: request.description,
        amount: {
          ...money(total),
          breakdown:
            tax === undefined
              ? { item_total: money(total) }
              : { item_total: money((total - tax) as Cents), tax_total: money(tax) },
        },
        items: request.lines.map(({ id, title, quantity, unit }) => ({
          name: title.slice(0, NAME_MAX),
          sku: String(id),
          quantity: String(quantity),
          unit_amount: money(unit),
          category: 'DIGITAL_GOODS',
        })),
      },
    ],
    application_context: {
      brand_name: request.brand,
      locale: LOCALES[request.language].replace('_', '-'),
      shipping_preference: 'NO_SHIPPING',
      user_action: 'PAY_NOW',
      return_url: request.returnUrl,
      cancel_url: request.cancelUrl,
    },
  }
}

const ORDER_STATUS: Record<string, ProviderOrderStatus> = {
  CREATED: 'awaiting_buyer',
  SAVED: 'awaiting_buyer',
  PAYER_ACTION_REQUIRED: 'awaiting_buyer',
  APPROVED: 'approved',
  COMPLETED: 'completed',
  VOIDED: 'voided',
}

const CAPTURE_STATUS: Record<string, CaptureStatus> = {
  PENDING: 'pending',
  COMPLETED: 'completed',
  PARTIALLY_REFUNDED: 'partially_refunded',
  REFUNDED: 'refunded',
  DECLINED: 'declined',
  FAILED: 'failed',
}

/** An unknown state counts as pending. */
const REFUND_STATUS: Record<string, ProviderRefund['status']> = {
  COMPLETED: 'completed',
  PENDING: 'pending',
  CANCELLED: 'failed',
  FAILED: 'failed',
}

/** Of entries with the same id the last one counts. */
const once = <One extends { id: string }>(listed: readonly One[]): One[] => [
  ...new Map(listed.map((one) => [one.id, one])).values(),
]

export function readOrder(order: PayPalOrder): ProviderOrder {
  const units = order.purchase_units ?? []
  const captures = once(units.flatMap((unit) => unit.payments?.captures ?? []))
  const refunds = once(units.flatMap((unit) => unit.payments?.refunds ?? []))
  const references = [...units, ...captures].flatMap(({ custom_id }) => custom_id ?? [])
  return {
    id: order.id,
    status: ORDER_STATUS[order.status] ?? 'unknown',
    approvalUrl: addressOf(order.links) ?? null,
    payer: readPayer(order),
    references: [...new Set(references)],
    sums: units.flatMap(({ amount }) => (amount === undefined ? [] : [readMoney(amount)])),
    captures: captures.map(readCapture),
    refunds: refunds.map(readRefund),
    response: order,
  }
}

function readPayer({ payer, payment_source }: PayPalOrder): Payer {
  const [source] = Object.values(payment_source ?? {})
  return {
    id: payer?.payer_id ?? source?.account_id,
    email: payer?.email_address ?? source?.email_address,
    country: readCountry(payer?.address?.country_code),
    fundingCountry: readCountry(
      source?.country_code ??
        source?.bin_details?.bin_country_code ??
        source?.billing_address?.country_code ??
        source?.address?.country_code,
    ),
  }
}

/** PayPal writes C2 for China. */
const readCountry = (code: string | undefined): string | undefined =>
  code === 'C2' ? 'CN' : /^[A-Z]{2}$/.test(code ?? '') ? code : undefined

function readCapture(capture: PayPalCapture): ProviderCapture {
  const { id, status, amount, status_details, seller_receivable_breakdown: breakdown } = capture
  const money = readMoney(amount)
  const fee = readMoney(breakdown?.paypal_fee)
  return {
    id,
    status: CAPTURE_STATUS[status] ?? 'unknown',
    money,
    fee: fee?.currency === money?.currency ? fee?.amount : undefined,
    explanation: status_details?.reason,
  }
}

const readRefund = (refund: PayPalRefund): ProviderRefund => ({
  id: refund.id,
  captureId: captureIdOf(refund),
  status: REFUND_STATUS[refund.status] ?? 'pending',
  money: readMoney(refund.amount),
  at: readTime(refund.update_time ?? refund.create_time),
})

const readTime = (text: string | undefined): Date | undefined => {
  const at = Date.parse(text ?? '')
  return Number.isNaN(at) ? undefined : new Date(at)
}

function readMoney(amount: PayPalAmount | undefined): Money | undefined {
  if (amount === undefined) return undefined
  try {
    return { amount: parseEur(amount.value), currency: amount.currency_code }
  } catch {
    return undefined
  }
}

const CAPTURE_ADDRESS = /\/v2\/payments\/captures\/([^/?#]+)$/

const captureIdOf = ({
  supplementary_data,
  links,
}: Pick<PayPalRefund, 'supplementary_data' | 'links'>): string | undefined =>
  supplementary_data?.related_ids?.capture_id ??
  links?.map(({ rel, href }) => (rel === 'up' ? CAPTURE_ADDRESS.exec(href)?.[1] : undefined)).find(Boolean)

const CAPTURE_COMPLETED = 'PAYMENT.CAPTURE.COMPLETED'

/** Events before tickets are issued; any other may mean that money went back. */
const BEFORE_TICKETS = new Set([
  'CHECKOUT.ORDER.APPROVED',
  'CHECKOUT.ORDER.COMPLETED',
  'PAYMENT.CAPTURE.PENDING',
  CAPTURE_COMPLETED,
])

const KINDS: ReadonlyMap<string, NotificationKind> = new Map(
  Object.entries({
    'CHECKOUT.ORDER.APPROVED': 'order_approved',
    'CHECKOUT.PAYMENT-APPROVAL.REVERSED': 'approval_reversed',
    'CHECKOUT.ORDER.COMPLETED': 'order_completed',
    'CHECKOUT.ORDER.VOIDED': 'order_voided',
    'PAYMENT.CAPTURE.PENDING': 'capture_pending',
    [CAPTURE_COMPLETED]: 'capture_completed',
    'PAYMENT.CAPTURE.DECLINED': 'capture_declined',
    'PAYMENT.CAPTURE.DENIED': 'capture_declined',
    'PAYMENT.CAPTURE.REFUNDED': 'capture_refunded',
    'PAYMENT.CAPTURE.REVERSED': 'capture_reversed',
    'PAYMENT.REFUND.PENDING': 'refund_pending',
    'PAYMENT.REFUND.FAILED': 'refund_failed',
    'CUSTOMER.DISPUTE.CREATED': 'dispute_opened',
    'CUSTOMER.DISPUTE.UPDATED': 'dispute_updated',
    'CUSTOMER.DISPUTE.RESOLVED': 'dispute_resolved',
  } as const),
)

/** Undefined for a payload of unknown form. */
export function readNotification(payload: unknown): ProviderNotification | undefined {
  const parsed = PayPalNotification.safeParse(payload)
  if (!parsed.success) return undefined
  const { id, event_type: type, resource } = parsed.data
  const isOrder = type.startsWith('CHECKOUT.ORDER.')
  return {
    id,
    type,
    reference: resource.custom_id ?? resource.purchase_units?.[0]?.custom_id,
    providerOrderId:
      resource.supplementary_data?.related_ids?.order_id ?? (isOrder ? resource.id : undefined),
    captureId: captureIdOf(resource) ?? resource.disputed_transactions?.[0]?.seller_transaction_id,
    completedCaptureId: type === CAPTURE_COMPLETED ? resource.id : undefined,
    concernsPaidOrders: !BEFORE_TICKETS.has(type),
    dispute: readDispute(parsed.data),
    payload: parsed.data,
  }
}

function readDispute({
  event_type: type,
  create_time,
  resource,
}: PayPalNotification): ProviderDispute | undefined {
  const { dispute_id: id, reason, status, dispute_amount, seller_response_due_date, update_time } = resource
  if (!type.startsWith('CUSTOMER.DISPUTE.') || id === undefined) return undefined
  const isSandbox = resource.links?.some(({ href }) => href.includes('.sandbox.paypal.com'))
  return {
    id,
    reason,
    status,
    money: readMoney(dispute_amount),
    dueAt: readTime(seller_response_due_date),
    isResolved: type === 'CUSTOMER.DISPUTE.RESOLVED' || status === 'RESOLVED',
    changedAt: readTime(update_time ?? create_time ?? resource.create_time) ?? systemClock(),
    page: `https://www.${isSandbox ? 'sandbox.' : ''}paypal.com/resolutioncenter/view/${id}`,
  }
}
