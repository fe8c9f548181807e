import { nameOf, payerIdOf } from './buyers.ts'
import type { Book } from './book.ts'
import type { Link } from './errors.ts'
import { FUNDING, fundingOf } from './funding.ts'
import { type Capture, type Order, type Payer, type Refund, type Unit, hasLeft } from './model.ts'
import { feeOf, toMoney } from './money.ts'

export type Urls = { api: string; public: string }
export type Views = ReturnType<typeof createViews>

const merchantId = 'VOLANTTEST123'
const payee = { email_address: 'merchant@volant.test', merchant_id: merchantId }

/** The wire shapes of Orders v2 and Payments v2. */
export function createViews(book: Book, urls: Urls) {
  const link = (href: string, rel: string, method = 'GET'): Link => ({ href, rel, method })
  const orderUrl = (id: string) => `${urls.api}/v2/checkout/orders/${id}`
  const captureUrl = (id: string) => `${urls.api}/v2/payments/captures/${id}`
  const approveUrl = (id: string) => `${urls.public}/checkoutnow?token=${id}`

  const orderLinks = (order: Order): Link[] => {
    const self = link(orderUrl(order.id), 'self')
    if (order.status === 'COMPLETED' || order.status === 'VOIDED') return [self]
    const capture = link(`${orderUrl(order.id)}/capture`, 'capture', 'POST')
    const update = link(orderUrl(order.id), 'update', 'PATCH')
    if (order.status === 'PAYER_ACTION_REQUIRED') return [self, link(approveUrl(order.id), 'payer-action')]
    if (order.status === 'APPROVED') return [self, update, capture]
    return [self, link(approveUrl(order.id), 'approve'), update, capture]
  }

  const payerView = ({ email, country = 'BE' }: Payer) => ({
    name: nameOf(email),
    email_address: email,
    payer_id: payerIdOf(email),
    ...(country === null ? {} : { address: { country_code: country } }),
  })

  const sourceView = (order: Order): Record<string, unknown> | undefined => {
    const { payer } = order
    if (!payer) return order.source ? { payment_source: { [order.source]: {} } } : undefined
    const { payer_id: account_id, name, ...rest } = payerView(payer)
    const funding = fundingOf(order.funding)
    const source = funding && FUNDING[funding]
    if (source && 'bankIn' in source) {
      const full = `${name.given_name} ${name.surname}`
      const bank = { name: full, country_code: source.bankIn, iban_last_chars: '0001' }
      return { payment_source: { [order.funding]: bank } }
    }
    const account = { account_id, name, ...rest }
    return order.funding === 'venmo'
      ? { payment_source: { venmo: account } }
      : { payment_source: { paypal: { ...account, account_status: 'VERIFIED' } } }
  }

  const captureView = (capture: Capture): Record<string, unknown> => {
    const gross = toMoney(capture.cents, capture.currency)
    const fee = feeOf(capture.cents)
    const settled = capture.status !== 'PENDING' && capture.status !== 'DECLINED'
    const breakdown = settled
      ? {
          gross_amount: gross,
          paypal_fee: toMoney(fee, capture.currency),
          net_amount: toMoney(capture.cents - fee, capture.currency),
        }
      : { gross_amount: gross, net_amount: gross }
    return {
      id: capture.id,
      status: capture.status,
      ...(capture.reason ? { status_details: { reason: capture.reason } } : {}),
      amount: gross,
      final_capture: true,
      disbursement_mode: 'INSTANT',
      seller_protection: { status: 'NOT_ELIGIBLE' },
      seller_receivable_breakdown: breakdown,
      ...(capture.invoiceId ? { invoice_id: capture.invoiceId } : {}),
      ...(capture.customId ? { custom_id: capture.customId } : {}),
      supplementary_data: { related_ids: { order_id: capture.orderId } },
      payee,
      create_time: capture.created,
      update_time: capture.updated,
      links: [
        link(captureUrl(capture.id), 'self'),
        link(`${captureUrl(capture.id)}/refund`, 'refund', 'POST'),
        link(orderUrl(capture.orderId), 'up'),
      ],
    }
  }

  const refundView = (refund: Refund): Record<string, unknown> => {
    const all = book.refundsOf(refund.captureId)
    const until = all.slice(0, all.findIndex((other) => other.id === refund.id) + 1)
    const total = until.filter(hasLeft).reduce((sum, other) => sum + other.cents, 0)
    const amount = toMoney(refund.cents, refund.currency)
    return {
      id: refund.id,
      status: refund.status ?? 'COMPLETED',
      amount,
      ...(refund.note ? { note_to_payer: refund.note } : {}),
      ...(refund.invoiceId ? { invoice_id: refund.invoiceId } : {}),
      ...(refund.customId ? { custom_id: refund.customId } : {}),
      seller_payable_breakdown: {
        gross_amount: amount,
        paypal_fee: toMoney(0, refund.currency),
        net_amount: amount,
        total_refunded_amount: toMoney(total, refund.currency),
      },
      supplementary_data: { related_ids: { order_id: refund.orderId, capture_id: refund.captureId } },
      payer: { ...payee },
      create_time: refund.created,
      update_time: refund.created,
      links: [
        link(`${urls.api}/v2/payments/refunds/${refund.id}`, 'self'),
        link(captureUrl(refund.captureId), 'up'),
      ],
    }
  }

  const paymentsOf = (order: Order, unit: Unit) => {
    const captures = order.captureIds.flatMap((id) => book.captures.get(id) ?? [])
    const mine = captures.filter((capture) => capture.reference === unit.reference_id)
    if (mine.length === 0) return {}
    const refunds = mine.flatMap((capture) => book.refundsOf(capture.id))
    return {
      payments: {
        captures: mine.map(captureView),
        ...(refunds.length > 0 ? { refunds: refunds.map(refundView) } : {}),
      },
    }
  }

  const headOf = (order: Order): Record<string, unknown> => ({
    id: order.id,
    status: order.status,
    ...sourceView(order),
    links: orderLinks(order),
  })
  const payerOf = ({ payer }: Order) => (payer ? { payer: payerView(payer) } : {})

  return {
    approveUrl,
    captureView,
    refundView,
    order: (order: Order): Record<string, unknown> => ({
      ...headOf(order),
      intent: 'CAPTURE',
      purchase_units: order.units.map((unit) => ({ ...unit, payee, ...paymentsOf(order, unit) })),
      ...payerOf(order),
      create_time: order.created,
      update_time: order.updated,
    }),
    orderMinimal: headOf,
    captureMinimal: (order: Order): Record<string, unknown> => ({
      ...headOf(order),
      purchase_units: order.units.map((unit) => ({
        reference_id: unit.reference_id,
        ...paymentsOf(order, unit),
      })),
      ...payerOf(order),
    }),
    refundMinimal: (refund: Refund): Record<string, unknown> => {
      const { id, status, links } = refundView(refund)
      return { id, status, links }
    },
  }
}
