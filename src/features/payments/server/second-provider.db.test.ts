import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { checkInvariants, readInvariants } from '#platform/invariants.ts'
import {
  type PaymentProvider,
  type PaymentRequest,
  type ProviderOrder,
  type ProviderRefund,
  ProviderRefused,
} from '#platform/payment/payment-provider.ts'
import { capturePayment } from '#features/checkout/server/capture-payment.ts'
import { orderCreation } from '#features/checkout/server/create-order.ts'
import { refundOrder } from '#features/refunds/server/index.ts'
import { type TestShop, testShop } from '../../../../test/support/shop.ts'
import { providerLedger } from './ledger-reconciliation.ts'
import { reconcile } from './reconcile.ts'
import { sweepOrders } from './sweep.ts'

/** The port is one: a provider of another kind is created, paid and refunded without a change to any slice. */
let shop: TestShop
beforeAll(async () => {
  shop = await testShop()
})
afterAll(() => shop.close())

interface Invoice {
  request: PaymentRequest
  isPaid: boolean
  refunds: ProviderRefund[]
}

/** Invoices by bank transfer: staff mark them as paid, and transfer refunds by hand. */
function bankTransfers() {
  const invoices = new Map<string, Invoice>()
  const find = (id: string): Invoice => {
    const invoice = invoices.get(id)
    if (!invoice) throw new ProviderRefused('not_found')
    return invoice
  }
  const tell = (id: string): ProviderOrder => {
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
      answer: {},
    }
  }
  const provider: PaymentProvider = {
    name: 'Bank transfer',
    createOrder: async (request, requestId) => {
      const id = `INVOICE-${requestId}`
      if (!invoices.has(id)) invoices.set(id, { request, isPaid: false, refunds: [] })
      return tell(id)
    },
    readOrder: async (id) => tell(id),
    captureOrder: async (id) => {
      if (!find(id).isPaid) throw new ProviderRefused('not_approved')
      return tell(id)
    },
    refund: async ({ captureId, money }, requestId) => {
      const { refunds } = find(captureId.replace(/^TRANSFER-/, ''))
      const known = refunds.find(({ id }) => id === requestId)
      if (known) return known
      const made: ProviderRefund = { id: requestId, captureId, status: 'pending', money }
      refunds.push(made)
      return made
    },
    readRefund: async (id) => {
      const found = [...invoices.values()].flatMap(({ refunds }) => refunds).find((one) => one.id === id)
      if (!found) throw new ProviderRefused('not_found')
      return found
    },
  }
  return {
    provider,
    markPaid: (id: string) => void (find(id).isPaid = true),
    transferRefunds: (id: string) => find(id).refunds.forEach((one) => (one.status = 'completed')),
  }
}

const { provider, markPaid, transferRefunds } = bankTransfers()

/** Orders two tickets of a new contest by invoice. */
async function ordered() {
  const deps = { ...shop.checkout, provider }
  const customer = await shop.newCustomer()
  const offerId = await shop.newOffer()
  await customer.post(`/api/cart/${customer.cartId}/add_item/`, { offer_id: offerId, quantity: 2 })
  const create = orderCreation(deps)
  const order = await create({ userId: customer.id, language: 'fr', body: { country_code: 'BE' } })
  return { deps, customer, offerId, order, invoice: order.provider_order_id ?? '' }
}

const invariantsHold = async (): Promise<void> => {
  const invariants = await readInvariants(path.resolve(import.meta.dirname, '../../../../db/invariants.sql'))
  const ledger = await providerLedger(shop.db, provider, { hours: 1, most: 100 })
  expect(await checkInvariants(shop.db, invariants, ledger)).toEqual([])
}

test('an invoice is created, refused until it is paid, settled and refunded', async () => {
  const { deps, customer, offerId, order, invoice } = await ordered()
  await expect(capturePayment(deps, order)).rejects.toMatchObject({ code: 'checkout.notApproved' })
  expect(await shop.counters(offerId)).toEqual({ tickets_sold: 0, tickets_held: 2 })

  markPaid(invoice)
  const outcome = await capturePayment(deps, await shop.orderOf(invoice))
  expect(outcome).toMatchObject({ declined: false, order: { state: 'completed' } })
  expect(outcome.tickets).toHaveLength(2)
  expect(await shop.ticketCount(customer)).toBe(2)
  await invariantsHold()

  await refundOrder(deps, await shop.orderOf(invoice), { staffId: 1, note: 'Wrong contest' })
  expect(await shop.orderState(invoice)).toBe('refunding')
  transferRefunds(invoice)
  expect((await reconcile(deps, order.id)).state).toBe('refunded')
  const tickets = (await customer.get('/api/tickets/')).body as unknown as { status: string }[]
  expect(tickets.map(({ status }) => status)).toEqual(['void', 'void'])
  await invariantsHold()
})

test('an invoice that is paid while nobody waits for it is settled by the sweep', async () => {
  const { deps, customer, order, invoice } = await ordered()
  await shop.leaveCapturing(invoice)
  await shop.pool.query(
    `INSERT INTO order_events (order_id, from_state, to_state, reason) VALUES ($1, 'held', 'capturing', 'a_test')`,
    [order.id],
  )
  markPaid(invoice)
  await sweepOrders(deps, 0)
  expect(await shop.orderState(invoice)).toBe('completed')
  expect(await shop.ticketCount(customer)).toBe(2)
  await invariantsHold()
})
