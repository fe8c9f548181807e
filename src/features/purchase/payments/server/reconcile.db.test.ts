import { describe, expect, test } from 'vitest'
import { orderWrites } from '#features/purchase/orders/server/index.ts'
import { closeGate } from '../../../../../test/support/races.ts'
import { testShop } from '../../../../../test/support/shop.ts'
import { openPaymentShop } from './payments.test-support.ts'
import { recoverPayments } from './payment-recovery.ts'
import { isExtended } from '../../../../../test/support/tier.ts'

/** How far the program's clock is ahead of the database's. */
let clockAheadMs = 0
const lab = await openPaymentShop({ clock: () => new Date(Date.now() + clockAheadMs) })
const { shop, provider, run, setOrder, withProvider, sweep, leaveCapturing, refusing, resultOf } = lab
// Its contests end when a test says so.
await shop.unlockTerms()

describe('The sweep', () => {
  test('runs its other steps when one fails, and reports the failure', async () => {
    const { orderId } = await shop.approvedOrder(1)
    await leaveCapturing(orderId)
    await expect(lab.without('webhook_inbox', sweep)).rejects.toThrow('steps of the sweep failed')
    expect(await shop.orderState(orderId)).toBe('completed')
  })

  test('settles the next order after one that is declined or cannot be updated', async () => {
    const { customer, orderId: stuck } = await shop.approvedOrder(1, 'pending@buyer.test')
    const { orderId: declined } = await shop.approvedOrder(1, 'declined@buyer.test')
    const { orderId: next } = await shop.approvedOrder(1)
    await customer.capture(stuck)
    for (const orderId of [declined, next]) await leaveCapturing(orderId)
    await setOrder(stuck, `checked_at = now() - interval '1 hour'`)
    await refusing('UPDATE ON orders', `OLD.provider_order_id = '${stuck}'`, () => sweep())
    expect(await shop.orderState(declined)).toBe('held')
    expect(await shop.orderState(next)).toBe('completed')
  })

  const expire = async (orderId: string) => {
    await setOrder(orderId, 'hold_until = now()')
    await shop.expireHolds()
  }

  test('asks again about an order that is released a second time', async () => {
    const { customer, orderId } = await shop.approvedOrder(1, 'declined@buyer.test')
    await customer.capture(orderId)
    await expire(orderId)
    await sweep()
    expect(await shop.orderOf(orderId)).toMatchObject({ state: 'expired', reconciled_at: expect.any(Date) })
    await customer.capture(orderId)
    expect(await shop.orderState(orderId)).toBe('held')
    await shop.paypal.approve(orderId, 'buyer@buyer.test', 'other')
    await provider.captureOrder(orderId, `late ${orderId}`)
    await expire(orderId)
    await sweep()
    expect(await shop.orderState(orderId)).toBe('completed')
  })

  test('asks again about a released order that moves while it is reconciled', async () => {
    const { customer, orderId } = await shop.approvedOrder(1, 'declined@buyer.test')
    await customer.capture(orderId)
    await customer.post('/api/paypal/cancel-order/', { order_id: orderId })
    const readOrder: typeof provider.readOrder = async (id) => {
      await setOrder(id, 'state_changed_at = clock_timestamp()')
      return provider.readOrder(id)
    }
    await sweep(withProvider({ readOrder }))
    expect((await shop.orderOf(orderId)).reconciled_at).toBeNull()
    await sweep()
    expect((await shop.orderOf(orderId)).reconciled_at).not.toBeNull()
  })
})

describe('The move to capturing', () => {
  test('captures nothing for a suspended account', async () => {
    const { customer, orderId } = await shop.approvedOrder(1)
    await run('UPDATE users SET is_active = false WHERE id = $1', [customer.id])
    const request = { userId: customer.id, providerId: orderId }
    expect(await orderWrites(shop.db).beginCaptures([request])).toEqual([])
    expect(await shop.orderState(orderId)).toBe('held')
    await run('UPDATE users SET is_active = true WHERE id = $1', [customer.id])
    expect(await orderWrites(shop.db).beginCaptures([request])).toHaveLength(1)
  })
})

test('A hold that is renewed while it expires stays, and the job does not wait for it', async () => {
  const { orderId } = await shop.approvedOrder(2)
  await setOrder(orderId, `hold_until = now() - interval '1 minute'`)
  const renewed = `UPDATE orders SET hold_until = now() + interval '15 minutes'`
  const gate = await closeGate(shop.url, `${renewed} WHERE provider_order_id = '${orderId}'`)
  expect(await shop.expireHolds()).toBe(0)
  await gate.open()
  expect(await shop.expireHolds()).toBe(0)
  expect(await resultOf(orderId)).toMatchObject({ state: 'held', sold: 0, held: 2 })
})

test.each([
  ['ahead', 2],
  ['behind', -2],
])('A process whose clock is two days %s decides by the database’s clock', async (_, days) => {
  clockAheadMs = days * 86_400_000
  const { orderId, customer } = await shop.approvedOrder(2)
  await shop.expireHolds()
  expect(await shop.orderState(orderId)).toBe('held')
  expect((await customer.capture(orderId)).status).toBe(200)

  const expiring = await shop.approvedOrder(1)
  await setOrder(expiring.orderId, `hold_until = now() - interval '1 second'`)
  await shop.expireHolds()
  expect(await shop.orderState(expiring.orderId)).toBe('expired')

  const late = await shop.approvedOrder(1)
  await run('UPDATE offers SET end_date = now() WHERE id = $1', [late.offerId])
  expect((await late.customer.capture(late.orderId)).body['code']).toBe('offer.ended')

  const killed = await shop.approvedOrder(1)
  await leaveCapturing(killed.orderId)
  await recoverPayments(shop.checkout, 15)
  expect(await shop.orderState(killed.orderId)).toBe('completed')
  clockAheadMs = 0
})

test.runIf(isExtended)('A lock that is not released in time responds with 503 and Retry-After', async () => {
  const other = await testShop({ hasShopsLockTimeout: true })
  const { offerId, customer } = await other.approvedOrder(1)
  const gate = await closeGate(other.url, `SELECT 1 FROM carts WHERE id = ${customer.cartId} FOR UPDATE`)
  const refused = await customer.add(offerId, 1)
  await gate.open()
  expect(refused.status).toBe(503)
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0)
  expect((await customer.add(offerId, 1)).status).toBe(200)
  await other.close()
})

test('A provider that has stopped responding is not called: a clear message, cart and hold stay, nothing is paid', async () => {
  const other = await testShop()
  const { offerId, customer, orderId } = await other.approvedOrder(2)
  const waiting = await other.newCustomer()
  await waiting.add(offerId, 1)
  const DOWN = { status: 503, body: { code: 'checkout.providerDown' }, headers: { 'retry-after': '5' } }
  other.paypal.faults.change({ http5xx: 1 })
  for (let call = 0; call < 8; call += 1) expect(await waiting.create()).toMatchObject(DOWN)
  // It would respond again, but is not asked yet.
  other.paypal.faults.change({ http5xx: 0 })
  const refused = await waiting.create()
  expect(refused).toMatchObject(DOWN)
  expect(refused.body['detail']).toMatch(/your cart is kept/)
  const { body: dutch } = await waiting.create('BE', { language: 'nl' })
  expect(dutch['message']).toMatch(/je winkelwagen blijft bewaard/)
  expect(dutch['detail']).toBe(dutch['message'])
  expect((await waiting.get('/api/cart/')).body[0].items).toHaveLength(1)

  expect(await customer.capture(orderId)).toMatchObject(DOWN)
  expect(await other.orderState(orderId)).toBe('held')
  expect(other.paypal.book.orders.get(orderId)?.status).toBe('APPROVED')
  expect(await other.counters(offerId)).toEqual({ tickets_sold: 0, tickets_held: 3 })
  await other.close()
})
