import path from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { checkInvariants, readInvariants } from '#platform/invariants.ts'
import type { PayPalOrder } from '#platform/payment/paypal/paypal-client.ts'
import { refundsOf } from '../../../../test/support/provider-side.ts'
import { providerLedger } from './ledger-reconciliation.ts'
import { reconcile } from './reconcile.ts'
import { silentProvider } from './silent-provider.test-support.ts'
import { sweepOrders } from './sweep.ts'
import { paypalProvider } from '#platform/payment/paypal/paypal-provider.ts'

/** An order that was paid twice; the second payment went back. */
const { shop, there } = await silentProvider()
let twice: { orderId: string; first: string; second: string }
let made = 0

beforeEach(async () => {
  const { orderId, captureId, ours } = await shop.paidOrder(2)
  made += 1
  const second = { ...shop.paypal.book.captures.get(captureId)!, id: `SECOND000000000X${made}` }
  shop.paypal.book.insert('capture', second.id, second)
  shop.paypal.book.orders.get(orderId)!.captureIds.unshift(second.id)
  await reconcile(shop.checkout, ours.id, { closedToo: true })
  await sweepOrders(shop.checkout, 0)
  twice = { orderId, first: captureId, second: second.id }
})

/** The captures of the order in the book that is asked for order by order. */
async function asked(change: (told: PayPalOrder) => void = () => {}) {
  const paypal = shop.client
  const getOrder: typeof paypal.getOrder = async (id) => {
    const told = structuredClone(await paypal.getOrder(id))
    if (id === twice.orderId) change(told)
    return told
  }
  const book = await providerLedger(shop.db, paypalProvider({ ...paypal, getOrder }), { hours: 1, most: 100 })
  const captures = book.captures.filter((one) => one.provider_order_id === twice.orderId)
  return { book, back: Object.fromEntries(captures.map((one) => [one.capture_id, one.refunded_cents])) }
}

test('a refund counts for its own capture, and no promise is told to be broken', async () => {
  const { book, back } = await asked()
  expect(back).toEqual({ [twice.first]: 0, [twice.second]: 1186 })
  const invariants = await readInvariants(path.resolve(import.meta.dirname, '../../../../db/invariants.sql'))
  expect(await checkInvariants(shop.db, invariants, book)).toEqual([])
  expect(await checkInvariants(shop.db, invariants, there.book())).toEqual([])
})

test('a refund of one of several captures that says not of which leaves all of them to be looked at', async () => {
  const { back } = await asked((told) => {
    for (const refund of refundsOf(told)) {
      delete refund.supplementary_data
      delete refund.links
    }
  })
  expect(back).toEqual({ [twice.first]: -1, [twice.second]: -1 })
})

test('a refund that says not of which counts for the only capture that took money', async () => {
  const { back } = await asked((told) => {
    for (const unit of told.purchase_units ?? [])
      for (const capture of unit.payments?.captures ?? [])
        if (capture.id === twice.first) capture.status = 'DECLINED'
    for (const refund of refundsOf(told)) {
      delete refund.supplementary_data
      delete refund.links
    }
  })
  expect(back).toEqual({ [twice.first]: 0, [twice.second]: 1186 })
})
