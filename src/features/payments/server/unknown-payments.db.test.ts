import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { providerSide } from '../../../../test/support/provider-side.ts'
import { type TestShop, testShop } from '../../../../test/support/shop.ts'
import { ProviderUnknown } from '#platform/payment/payment-provider.ts'
import type { PayPalOrder } from '#platform/payment/paypal/paypal-client.ts'
import { handleNotification } from './notifications.ts'
import { paypalProvider, readNotification } from '#platform/payment/paypal/paypal-provider.ts'

let shop: TestShop
beforeAll(async () => {
  shop = await testShop()
})
afterAll(() => shop.close())

const alertSubjects = () => shop.checkout.alerts.subjects(shop.db, 'unknownPayment')

/**
 * A payment as it looks to a database that lacks its order: PayPal tells of it under ids that nobody here knows.
 * @param ours how the payment names our order
 */
async function lost(ours = randomUUID() as string) {
  const paid = await shop.paidOrder(1)
  const there = providerSide(shop)
  const strange = (text: string): string =>
    text
      .replaceAll(paid.ours.id, ours)
      .replaceAll(paid.captureId, `LOST-${paid.captureId}`)
      .replaceAll(paid.orderId, `LOST-${paid.orderId}`)
  const deps = {
    ...shop.checkout,
    provider: paypalProvider({
      ...shop.client,
      getOrder: async (id: string): Promise<PayPalOrder> => {
        const order = await shop.client.getOrder(id.replace(/^LOST-/, ''))
        return JSON.parse(strange(JSON.stringify(order))) as PayPalOrder
      },
    }),
  }
  return {
    paid,
    ours,
    giveBack: (value?: string) => there.giveBack(paid.captureId, 'refund', value),
    /** Hands the shop what PayPal has told of it, as of the lost one. */
    told: async (type: string, change: (text: string) => string = (text) => text): Promise<void> => {
      const find = async () =>
        (
          await shop.pool.query<{ payload: unknown }>(
            `SELECT payload FROM webhook_inbox WHERE event_type = $1 AND payload::text LIKE '%' || $2 || '%'
             ORDER BY received_at DESC LIMIT 1`,
            [type, paid.captureId],
          )
        ).rows[0]?.payload
      await expect.poll(find).toBeDefined()
      const text = change(strange(JSON.stringify(await find())))
      await handleNotification(deps, readNotification(JSON.parse(text))!)
    },
  }
}

test('a payment for an order that a restored database lacks rings until all its money has gone back', async () => {
  const { paid, ours, told, giveBack } = await lost()
  expect(await alertSubjects()).toEqual([])
  for (let turn = 0; turn < 2; turn += 1) await told('PAYMENT.CAPTURE.COMPLETED')
  expect(await alertSubjects()).toEqual([`LOST-${paid.orderId}`])
  const { rows } = await shop.pool.query(`SELECT details, times FROM alerts WHERE kind = 'unknownPayment'`)
  expect(rows).toEqual([{ details: { order: ours, cents: paid.ours.total_cents }, times: 2 }])

  await giveBack('0.01')
  await told('PAYMENT.CAPTURE.REFUNDED')
  expect(await alertSubjects(), 'a cent is not all').toEqual([`LOST-${paid.orderId}`])
  await giveBack()
  await told('PAYMENT.CAPTURE.REFUNDED')
  expect(await alertSubjects()).toEqual([])
})

test('whatever the order of the notifications, and also when the last one does not say which payment it is about', async () => {
  const { paid, told, giveBack } = await lost()
  await told('PAYMENT.CAPTURE.COMPLETED')
  expect(await alertSubjects()).toEqual([`LOST-${paid.orderId}`])
  await giveBack()
  await told('PAYMENT.CAPTURE.REFUNDED', (text) => text.replaceAll('supplementary_data', 'nothing'))
  expect(await alertSubjects()).toEqual([])
  await told('PAYMENT.CAPTURE.COMPLETED')
  expect(await alertSubjects()).toEqual([])
})

test('a payment that is none of the shop’s does not ring', async () => {
  const { told } = await lost('invoice 7 of another shop')
  await told('PAYMENT.CAPTURE.COMPLETED')
  expect(await alertSubjects()).toEqual([])
})

test('while PayPal does not tell, the notification stays for the sweep', async () => {
  const { told } = await lost()
  shop.paypal.faults.change({ http5xx: 1 })
  await expect(told('PAYMENT.CAPTURE.COMPLETED')).rejects.toThrow(ProviderUnknown)
  shop.paypal.faults.clear()
  expect(await alertSubjects()).toEqual([])
})
