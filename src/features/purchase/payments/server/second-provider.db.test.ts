import { expect, test } from 'vitest'
import {
  type PaymentProvider,
  type PaymentRequest,
  type ProviderOrder,
  type ProviderRefund,
  ProviderRefused,
} from '#platform/payment/payment-provider.ts'
import { capturePayment } from '#features/purchase/checkout/server/capture-payment.ts'
import { orderCreation } from '#features/purchase/checkout/server/create-order.ts'
import { providerLedger } from './ledger-reconciliation.ts'
import { openPaymentShop } from './payments.test-support.ts'

/** Proves the port: a provider of another kind works without a change to any slice. */
const { shop, reconcileOrder, sweep, leaveCapturing, refundByStaff, resultOf, breaches } =
  await openPaymentShop()

interface Invoice {
  request: PaymentRequest
  isPaid: boolean
  refunds: ProviderRefund[]
}

/** Invoices by bank transfer: staff mark them as paid, and transfer refunds by hand. */
const invoices = new Map<string, Invoice>()
const find = (id: string): Invoice => {
  const invoice = invoices.get(id)
  if (!invoice) throw new ProviderRefused('not_found')
  return invoice
}
const respond = (id: string): ProviderOrder => {
  const { request, isPaid, refunds } = find(id)
  const money = { amount: request.total, currency: request.currency }
  return {
    id,
    status: isPaid ? 'completed' : 'awaiting_buyer',
    approvalUrl: null,
    references: [request.reference],
    sums: [money],
    captures: isPaid ? [{ id: `TRANSFER-${id}`, status: 'completed', money }] : [],
    refunds,
    response: {},
  }
}
const provider: PaymentProvider = {
  captureKeyLifetime: 36_500,
  refundKeyLifetime: 36_500,
  createOrder: async (request, requestId) => {
    const id = `INVOICE-${requestId}`
    if (!invoices.has(id)) invoices.set(id, { request, isPaid: false, refunds: [] })
    return respond(id)
  },
  readOrder: async (id) => respond(id),
  captureOrder: async (id) => {
    if (!find(id).isPaid) throw new ProviderRefused('not_approved')
    return respond(id)
  },
  refund: async ({ captureId, money }, requestId) => {
    const { refunds } = find(captureId.replace(/^TRANSFER-/, ''))
    const known = refunds.find(({ id }) => id === requestId)
    if (known) return known
    const made: ProviderRefund = { id: requestId, captureId, status: 'pending', money }
    refunds.push(made)
    return made
  },
  notificationKind: () => 'other',
  readRefund: async (id) => {
    const found = [...invoices.values()].flatMap(({ refunds }) => refunds).find((one) => one.id === id)
    if (!found) throw new ProviderRefused('not_found')
    return found
  },
}

/** Orders two tickets of a new offer by invoice. */
async function ordered() {
  const deps = { ...shop.checkout, provider }
  const customer = await shop.newCustomer()
  await customer.add(await shop.newOffer(), 2)
  const request = {
    userId: customer.id,
    language: 'fr',
    body: { country_code: 'BE' },
    network: 'one',
  } as const
  const order = await orderCreation(deps)(request)
  return { deps, order, invoice: order.provider_order_id ?? '' }
}

const invariantsHold = async (): Promise<void> =>
  expect(await breaches(await providerLedger(shop.db, provider, { hours: 1, most: 100 }))).toEqual([])

test('An invoice is created, refused until it is paid, settled and refunded', async () => {
  const { deps, order, invoice } = await ordered()
  await expect(capturePayment(deps, order)).rejects.toMatchObject({ code: 'checkout.notApproved' })
  expect(await resultOf(invoice)).toMatchObject({ sold: 0, held: 2 })

  find(invoice).isPaid = true
  const outcome = await capturePayment(deps, await shop.orderOf(invoice))
  expect(outcome.tickets).toHaveLength(2)
  expect(await resultOf(invoice)).toMatchObject({ state: 'completed', sold: 2, held: 0 })
  await invariantsHold()

  await refundByStaff(invoice, deps)
  expect(await shop.orderState(invoice)).toBe('refunding')
  find(invoice).refunds.forEach((one) => (one.status = 'completed'))
  await reconcileOrder(invoice, deps)
  expect(await resultOf(invoice)).toMatchObject({ state: 'refunded', tickets: ['void', 'void'] })
  await invariantsHold()
})

test('An invoice paid without a waiting buyer is settled by the sweep', async () => {
  const { deps, invoice } = await ordered()
  await leaveCapturing(invoice)
  find(invoice).isPaid = true
  await sweep(deps)
  expect(await resultOf(invoice)).toMatchObject({ state: 'completed', tickets: ['valid', 'valid'] })
  await invariantsHold()
})
