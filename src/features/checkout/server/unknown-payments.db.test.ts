import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Notification } from '#platform/paypal/messages.ts'
import { providerSide } from '../../../../test/support/provider-side.ts'
import { type TestShop, testShop } from '../../../../test/support/shop.ts'
import { handleNotification } from './notifications.ts'

let shop: TestShop
beforeAll(async () => {
  shop = await testShop()
})
afterAll(() => shop.close())

const ringing = () => shop.checkout.bell.subjects(shop.db, 'unknownPayment')

/** What PayPal has told of a payment and of its refund. */
async function told() {
  const paid = await shop.paidOrder(1)
  await providerSide(shop).giveBack(paid.captureId, 'refund')
  const find = async (type: string) => {
    const { rows } = await shop.pool.query<{ payload: unknown }>(
      `SELECT payload FROM webhook_inbox WHERE event_type = $1 AND payload::text LIKE '%' || $2 || '%'`,
      [type, paid.captureId],
    )
    return rows[0]?.payload
  }
  await expect.poll(() => find('PAYMENT.CAPTURE.REFUNDED')).toBeDefined()
  await expect.poll(() => find('PAYMENT.CAPTURE.COMPLETED')).toBeDefined()
  const payloads = [await find('PAYMENT.CAPTURE.COMPLETED'), await find('PAYMENT.CAPTURE.REFUNDED')]
  return { paid, payloads: payloads.map((one) => JSON.stringify(one)) }
}

test('a payment for an order that a restored database lacks rings until its money has gone back', async () => {
  const { paid, payloads } = await told()
  expect(await ringing()).toEqual([])
  const lost = randomUUID()
  const elsewhere = payloads.map((text) =>
    Notification.parse(
      JSON.parse(
        text
          .replaceAll(paid.ours.id, lost)
          .replaceAll(paid.captureId, 'LOSTCAPTURE')
          .replaceAll(paid.orderId, 'LOSTORDER'),
      ),
    ),
  )
  const [taken, back] = elsewhere as [Notification, Notification]
  for (let turn = 0; turn < 2; turn += 1) await handleNotification(shop.checkout, taken)
  expect(await ringing()).toEqual(['LOSTCAPTURE'])
  const { rows } = await shop.pool.query(`SELECT details, times FROM alarms WHERE kind = 'unknownPayment'`)
  expect(rows).toEqual([{ details: { order: lost, paypalOrder: 'LOSTORDER' }, times: 2 }])
  await handleNotification(shop.checkout, back)
  expect(await ringing()).toEqual([])
})

test('a payment that is none of the shop’s does not', async () => {
  const { paid, payloads } = await told()
  const text = payloads[0]!.replaceAll(paid.ours.id, 'invoice 7 of another shop')
  const other = JSON.parse(text.replaceAll(paid.captureId, 'OTHER').replaceAll(paid.orderId, 'OTHERORDER'))
  await handleNotification(shop.checkout, Notification.parse(other))
  expect(await ringing()).toEqual([])
})
