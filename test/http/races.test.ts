import { afterAll, beforeAll, expect, test } from 'vitest'
import { closeGate, payingElsewhere } from '../support/races.ts'
import { type TestShop, testShop } from '../support/shop.ts'

let shop: TestShop

beforeAll(async () => {
  // Two shops on one database: within one, calls that wait together are merged and never meet in the database.
  shop = await testShop({ processes: 2 })
})
afterAll(() => shop.close())

const statuses = (answers: { status: number }[]): number[] =>
  answers.map((answer) => answer.status).toSorted((a, b) => a - b)

test('six buyers reach for the last ticket: one gets it, five are told that it is held', async () => {
  const offerId = await shop.newOffer({ total_tickets: 1 })
  const buyers = await Promise.all(Array.from({ length: 6 }, () => shop.newCustomer()))
  for (const buyer of buyers) {
    await buyer.post(`/api/cart/${buyer.cartId}/add_item/`, { offer_id: offerId, quantity: 1 })
  }
  const gate = await closeGate(shop.url, `SELECT 1 FROM offers WHERE id = ${offerId} FOR UPDATE`)
  const racing = buyers.map((buyer) => buyer.post('/api/paypal/create-order/', { country_code: 'BE' }))
  await gate.waiting(2)
  await gate.open()
  const answers = await Promise.all(racing)
  expect(statuses(answers)).toEqual([200, 409, 409, 409, 409, 409])
  const lost = answers.find((answer) => answer.status === 409)
  expect(lost?.body).toMatchObject({ code: 'offer.fewFree', remaining: 1, available: 0 })
  expect(await shop.counters(offerId)).toEqual({ tickets_sold: 0, tickets_held: 1 })
})

test('the winner of the last ticket pays: the contest is sold out and the others are told so', async () => {
  const offerId = await shop.newOffer({ total_tickets: 1 })
  const [winner, loser] = [await shop.newCustomer(), await shop.newCustomer()]
  await loser.post(`/api/cart/${loser.cartId}/add_item/`, { offer_id: offerId, quantity: 1 })
  const { body } = await winner.order(offerId, 1)
  await shop.paypal.approve(body['order_id'])
  expect((await winner.capture(body['order_id'])).body['tickets']).toMatchObject([{ ticket_number: '1' }])
  const refused = await loser.post('/api/paypal/create-order/', {})
  expect(refused).toMatchObject({ status: 409, body: { code: 'offer.soldOut' } })
  expect(refused.body['detail']).toMatch(/no tickets left/)
})

test('a double click on create-order: both clicks get one and the same order', async () => {
  const offerId = await shop.newOffer()
  const buyer = await shop.newCustomer()
  await buyer.post(`/api/cart/${buyer.cartId}/add_item/`, { offer_id: offerId, quantity: 2 })
  const gate = await closeGate(shop.url, `SELECT 1 FROM carts WHERE id = ${buyer.cartId} FOR UPDATE`)
  const racing = [buyer, buyer.elsewhere, buyer, buyer.elsewhere].map((clicked) =>
    clicked.post('/api/paypal/create-order/', { country_code: 'BE' }),
  )
  await gate.waiting(2)
  await gate.open()
  const answers = await Promise.all(racing)
  expect(statuses(answers)).toEqual([200, 200, 200, 200])
  expect(new Set(answers.map((answer) => answer.body['order_id'])).size).toBe(1)
  expect(await shop.counters(offerId)).toEqual({ tickets_sold: 0, tickets_held: 2 })
})

test('two captures of one order: one charge, one set of tickets, the same answer for both', async () => {
  const offerId = await shop.newOffer()
  const buyer = await shop.newCustomer()
  const { body } = await buyer.order(offerId, 3)
  const orderId = body['order_id'] as string
  await shop.paypal.approve(orderId)
  const gate = await closeGate(
    shop.url,
    `SELECT 1 FROM orders WHERE provider_order_id = '${orderId}' FOR UPDATE`,
  )
  const racing = [buyer.capture(orderId), buyer.elsewhere.capture(orderId)]
  await gate.waiting(2)
  await gate.open()
  const [first, second] = await Promise.all(racing)
  expect([first?.status, second?.status]).toEqual([200, 200])
  expect(first?.body['tickets']).toHaveLength(3)
  expect(second?.body['tickets']).toEqual(first?.body['tickets'])
  expect(await shop.counters(offerId)).toEqual({ tickets_sold: 3, tickets_held: 0 })
  expect([...shop.paypal.book.captures.values()].filter((one) => one.orderId === orderId)).toHaveLength(1)
})

test('the notification arrives while the capture settles: the tickets are issued once', async () => {
  const offerId = await shop.newOffer()
  // In one process the two would wait in the same lane and not meet in the database.
  const buyers = [await shop.newCustomer(), await shop.newCustomer()]
  const buyer = buyers.find(({ process }) => process !== 0)!
  const { body } = await buyer.order(offerId, 2)
  const orderId = body['order_id'] as string
  await shop.paypal.approve(orderId)
  // The capture moves the order and waits for the contest's row; the notification then waits for the order's row.
  const gate = await closeGate(shop.url, `SELECT 1 FROM offers WHERE id = ${offerId} FOR UPDATE`)
  const capturing = buyer.capture(orderId)
  await gate.waiting(2)
  await gate.open()
  expect((await capturing).status).toBe(200)
  await shop.paypal.webhooksIdle()
  await expect
    .poll(() =>
      shop.db.selectFrom('webhook_inbox').select('event_id').where('handled_at', 'is', null).execute(),
    )
    .toEqual([])
  expect(await shop.counters(offerId)).toEqual({ tickets_sold: 2, tickets_held: 0 })
  const numbers = await shop.db
    .selectFrom('tickets')
    .select('number')
    .where('offer_id', '=', offerId)
    .execute()
  expect(new Set(numbers.map((one) => one.number)).size).toBe(2)
})

test('another order of a cart that is just being paid: the buyer is told that it is being confirmed', async () => {
  const { offerId, customer, orderId } = await shop.approvedOrder(2)
  const gate = await payingElsewhere(shop.url, orderId)
  const asked = customer.post('/api/paypal/create-order/', { country_code: 'FR' })
  await gate.waiting(1)
  await gate.open()
  expect(await asked).toMatchObject({
    status: 409,
    body: { code: 'checkout.confirming', order_id: orderId },
  })
  expect(await shop.counters(offerId)).toEqual({ tickets_sold: 0, tickets_held: 2 })
})

test('twenty buyers, ten tickets, three at a time: never more than ten, and nobody pays without tickets', async () => {
  const offerId = await shop.newOffer({ total_tickets: 10 })
  const buyers = await Promise.all(Array.from({ length: 20 }, () => shop.newCustomer()))
  const outcomes = await Promise.all(
    buyers.map(async (buyer) => {
      const created = await buyer.order(offerId, 3)
      if (created.status !== 200) return { paid: false, tickets: 0 }
      await shop.paypal.approve(created.body['order_id'])
      const captured = await buyer.capture(created.body['order_id'])
      return { paid: captured.status === 200, tickets: (captured.body['tickets'] as unknown[]).length }
    }),
  )
  expect(outcomes.filter((one) => one.paid)).toHaveLength(3)
  expect(outcomes.every((one) => one.tickets === (one.paid ? 3 : 0))).toBe(true)
  expect(await shop.counters(offerId)).toEqual({ tickets_sold: 9, tickets_held: 0 })
})

test('a double click over two processes while the provider takes its time: both get the order it makes', async () => {
  const [older, offerId] = [await shop.newOffer(), await shop.newOffer()]
  const buyer = await shop.newCustomer()
  // The newer contest first: the provider must get the lines in the same order from whoever asks.
  for (const offer_id of [offerId, older])
    await buyer.post(`/api/cart/${buyer.cartId}/add_item/`, { offer_id, quantity: 2 })
  shop.paypal.faults.change({ delayMs: 1_000 })
  try {
    const clicks = [buyer, buyer.elsewhere].map((clicked) =>
      clicked.post('/api/paypal/create-order/', { country_code: 'BE' }),
    )
    const answers = await Promise.all(clicks)
    expect(statuses(answers)).toEqual([200, 200])
    expect(answers[0]?.body['order_id']).toBe(answers[1]?.body['order_id'])
  } finally {
    shop.paypal.faults.change({ delayMs: 0 })
  }
  expect(await shop.counters(offerId)).toEqual({ tickets_sold: 0, tickets_held: 2 })
})
