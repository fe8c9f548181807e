import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type TestShop, testShop } from '../../../../test/support/shop.ts'
import { CaptureAnswer, CreateOrderAnswer } from '../checkout.contract.ts'

let shop: TestShop

beforeAll(async () => {
  shop = await testShop()
})
afterAll(() => shop.close())

describe('create-order', () => {
  test('holds the tickets and answers the provider’s order [spec 3.24, 4.30]', async () => {
    const offerId = await shop.newOffer({ price_cents: 490 })
    const customer = await shop.newCustomer()
    const { status, body } = await customer.order(offerId, 2)
    expect(status).toBe(200)
    expect(CreateOrderAnswer.safeParse(body).success).toBe(true)
    expect(body).toMatchObject({ status: 'CREATED', total: '11.86', id: body['order_id'] })
    expect(body['payment_url']).toContain(body['order_id'])
    expect(new Date(body['expires_at']).getTime()).toBeGreaterThan(Date.now() + 19 * 60_000)
    expect(await shop.counters(offerId)).toEqual({ tickets_sold: 0, tickets_held: 2 })
    const theirs = shop.paypal.book.orders.get(body['order_id'])
    expect(JSON.stringify(theirs)).toContain('"value":"11.86"')
  })

  test('asked again for the same cart gives the same order and holds once', async () => {
    const offerId = await shop.newOffer()
    const customer = await shop.newCustomer()
    const first = await customer.order(offerId, 3)
    const again = await customer.post('/api/paypal/create-order/', { country_code: 'BE' })
    expect(again.body['order_id']).toBe(first.body['order_id'])
    expect(await shop.counters(offerId)).toEqual({ tickets_sold: 0, tickets_held: 3 })
  })

  test('a changed cart supersedes the older order, whose capture is refused before money moves', async () => {
    const offerId = await shop.newOffer()
    const customer = await shop.newCustomer()
    const first = await customer.order(offerId, 3)
    const second = await customer.order(offerId, 1)
    expect(second.body['order_id']).not.toBe(first.body['order_id'])
    expect(await shop.counters(offerId)).toEqual({ tickets_sold: 0, tickets_held: 4 })
    await shop.paypal.approve(first.body['order_id'])
    const refused = await customer.capture(first.body['order_id'])
    expect(refused).toMatchObject({ status: 409, body: { code: 'checkout.orderClosed' } })
    expect(shop.paypal.book.orders.get(first.body['order_id'])?.status).toBe('APPROVED')
  })

  test('a refused order leaves the buyer what an older one of theirs holds', async () => {
    const offerId = await shop.newOffer({ total_tickets: 4 })
    const [customer, other] = [await shop.newCustomer(), await shop.newCustomer()]
    const first = await customer.order(offerId, 2)
    await other.order(offerId, 1)
    const refused = await customer.order(offerId, 2)
    expect(refused).toMatchObject({ status: 409 })
    expect(await shop.counters(offerId)).toEqual({ tickets_sold: 0, tickets_held: 3 })
    await shop.paypal.approve(first.body['order_id'])
    expect((await customer.capture(first.body['order_id'])).status).toBe(200)
    expect(await shop.counters(offerId)).toEqual({ tickets_sold: 2, tickets_held: 1 })
  })

  test('another country prices anew', async () => {
    const offerId = await shop.newOffer({ price_cents: 1000 })
    const customer = await shop.newCustomer()
    expect((await customer.order(offerId, 1)).body['total']).toBe('12.10')
    const french = await customer.post('/api/paypal/create-order/', { country_code: 'FR' })
    expect(french.body['total']).toBe('12.00')
    expect(await shop.counters(offerId)).toEqual({ tickets_sold: 0, tickets_held: 1 })
  })

  test('without a country Belgium counts [spec 3.23]', async () => {
    const offerId = await shop.newOffer({ price_cents: 1000 })
    const customer = await shop.newCustomer()
    await customer.post(`/api/cart/${customer.cartId}/add_item/`, { offer_id: offerId, quantity: 1 })
    expect((await customer.post('/api/paypal/create-order/', {})).body['total']).toBe('12.10')
  })

  test('a price that changed since it was shown answers 409 with the new total', async () => {
    const offerId = await shop.newOffer({ price_cents: 500 })
    const customer = await shop.newCustomer()
    await customer.post(`/api/cart/${customer.cartId}/add_item/`, { offer_id: offerId, quantity: 1 })
    await shop.db.updateTable('offers').set({ price_cents: 600 }).where('id', '=', offerId).execute()
    const shown = { country_code: 'BE', expected_total: '6.05' }
    const answer = await customer.post('/api/paypal/create-order/', shown)
    expect(answer).toMatchObject({ status: 409, body: { code: 'checkout.priceChanged', total: '7.26' } })
    expect(await shop.counters(offerId)).toEqual({ tickets_sold: 0, tickets_held: 0 })
    const confirmed = await customer.post('/api/paypal/create-order/', {
      country_code: 'BE',
      expected_total: '7.26',
    })
    expect(confirmed.status).toBe(200)
  })

  test('an order keeps its price when the contest’s price changes afterwards', async () => {
    const { offerId, customer, orderId } = await shop.approvedOrder(1)
    await shop.db.updateTable('offers').set({ price_cents: 9_900 }).where('id', '=', offerId).execute()
    expect((await customer.capture(orderId)).status).toBe(200)
  })

  test.each([
    ['an empty cart', {}, 409, 'checkout.cartEmpty'],
    ['a country the shop does not bill', { country_code: 'US' }, 400, 'request.invalid'],
  ])('%s is refused', async (name, body, status, code) => {
    const customer = await shop.newCustomer()
    if (name !== 'an empty cart') {
      const offer_id = await shop.newOffer()
      await customer.post(`/api/cart/${customer.cartId}/add_item/`, { offer_id, quantity: 1 })
    }
    expect(await customer.post('/api/paypal/create-order/', body)).toMatchObject({ status, body: { code } })
  })

  test('a cart above the highest amount of an order is refused, not a fault', async () => {
    const customer = await shop.newCustomer()
    for (const price_cents of [400_000_000, 400_000_000]) {
      const offer_id = await shop.newOffer({ price_cents })
      await customer.post(`/api/cart/${customer.cartId}/add_item/`, { offer_id, quantity: 2 })
    }
    const answer = await customer.post('/api/paypal/create-order/', {})
    expect(answer).toMatchObject({ status: 409, body: { code: 'checkout.tooLarge' } })
  })

  test('an answer that is no longer right is checked again [spec 1.7, 5.46, 5.52]', async () => {
    const question = {
      question: 'Capitale de la Bavière ?',
      choices: ['Munich', 'Bonn'],
      correct_choice: 'Munich',
    }
    const offerId = await shop.newOffer(question)
    const customer = await shop.newCustomer()
    const item = { offer_id: offerId, quantity: 1, answer: 'Munich' }
    await customer.post(`/api/cart/${customer.cartId}/add_item/`, item)
    await shop.db.updateTable('offers').set({ correct_choice: 'Bonn' }).where('id', '=', offerId).execute()
    const answer = await customer.post('/api/paypal/create-order/', {})
    expect(answer).toMatchObject({
      status: 400,
      body: { detail: 'Mauvaise réponse.', code: 'cart.wrongAnswer' },
    })
  })

  test('a contest that ended in between is refused and holds nothing', async () => {
    const offerId = await shop.newOffer()
    const customer = await shop.newCustomer()
    await customer.post(`/api/cart/${customer.cartId}/add_item/`, { offer_id: offerId, quantity: 1 })
    await shop.db
      .updateTable('offers')
      .set({ end_date: new Date(Date.now() - 1000) })
      .where('id', '=', offerId)
      .execute()
    const answer = await customer.post('/api/paypal/create-order/', {}, { language: 'nl' })
    expect(answer).toMatchObject({ status: 409, body: { code: 'offer.ended' } })
    expect(answer.body['detail']).toMatch(/afgelopen: ‘Wedstrijd/)
    expect(await shop.counters(offerId)).toEqual({ tickets_sold: 0, tickets_held: 0 })
  })
})

describe('capture-payment', () => {
  test('gives the tickets, empties the cart and counts them as sold [spec 4.31]', async () => {
    const { offerId, customer, orderId } = await shop.approvedOrder(3)
    const { status, body } = await customer.capture(orderId)
    expect(status).toBe(200)
    expect(CaptureAnswer.safeParse(body).success).toBe(true)
    expect(body).toMatchObject({ id: orderId, status: 'COMPLETED' })
    expect(body['purchase_units'][0].payments.captures[0].status).toBe('COMPLETED')
    expect(body['tickets']).toHaveLength(3)
    expect(await shop.counters(offerId)).toEqual({ tickets_sold: 3, tickets_held: 0 })
    expect((await customer.get('/api/cart/')).body).toMatchObject([{ is_empty: true }])
    expect(await shop.ticketCount(customer)).toBe(3)
  })

  test('asked again answers the same tickets and charges nothing more', async () => {
    const { offerId, customer, orderId } = await shop.approvedOrder(2)
    const first = await customer.capture(orderId)
    const again = await customer.capture(orderId)
    expect(again.status).toBe(200)
    expect(again.body['tickets']).toEqual(first.body['tickets'])
    expect(await shop.counters(offerId)).toEqual({ tickets_sold: 2, tickets_held: 0 })
    expect([...shop.paypal.book.captures.values()].filter((one) => one.orderId === orderId)).toHaveLength(1)
  })

  test('keeps what was added to the cart after the order', async () => {
    const { offerId, customer, orderId } = await shop.approvedOrder(2)
    const later = await shop.newOffer()
    await customer.post(`/api/cart/${customer.cartId}/add_item/`, { offer_id: later, quantity: 5 })
    await customer.post(`/api/cart/${customer.cartId}/add_item/`, { offer_id: offerId, quantity: 1 })
    expect((await customer.capture(orderId)).status).toBe(200)
    const [cart] = (await customer.get('/api/cart/')).body as unknown as { items: { quantity: number }[] }[]
    expect(cart?.items.map((item) => item.quantity)).toEqual([1, 5])
  })

  test('a declined instrument answers 422 and keeps the hold; another one pays', async () => {
    const { offerId, customer, orderId } = await shop.approvedOrder(1, 'declined@buyer.test')
    const declined = await customer.capture(orderId)
    expect(declined).toMatchObject({ status: 422, body: { id: orderId, tickets: [] } })
    expect(declined.body['details'][0].issue).toBe('INSTRUMENT_DECLINED')
    expect(declined.body['debug_id']).toBeTruthy()
    expect(await shop.counters(offerId)).toEqual({ tickets_sold: 0, tickets_held: 1 })
    await shop.paypal.approve(orderId, 'buyer@buyer.test', 'other')
    expect((await customer.capture(orderId)).status).toBe(200)
  })

  test('an order that was not approved is refused and stays open', async () => {
    const offerId = await shop.newOffer()
    const customer = await shop.newCustomer()
    const { body } = await customer.order(offerId, 1)
    const refused = await customer.capture(body['order_id'])
    expect(refused).toMatchObject({ status: 422, body: { code: 'checkout.notApproved' } })
    expect(await shop.orderState(body['order_id'])).toBe('held')
  })

  test('a pending payment is "being confirmed" and becomes tickets when the provider says so', async () => {
    const { offerId, customer, orderId } = await shop.approvedOrder(1, 'pending@buyer.test')
    expect(await customer.capture(orderId)).toMatchObject({
      status: 202,
      body: { status: 'PENDING', tickets: [] },
    })
    expect(await shop.counters(offerId)).toEqual({ tickets_sold: 0, tickets_held: 1 })
    const status = await customer.get(`/api/paypal/orders/${orderId}/`)
    expect(status.body).toMatchObject({ progress: 'confirming', tickets: [] })
    const capture = [...shop.paypal.book.captures.values()].find((one) => one.orderId === orderId)
    await fetch(`${shop.paypal.url}/_emulator/captures/${capture?.id}/release`, { method: 'POST' })
    await expect.poll(() => shop.orderState(orderId)).toBe('completed')
    expect(await shop.ticketCount(customer)).toBe(1)
  })

  test('a pending payment that is denied gives the tickets back', async () => {
    const { offerId, customer, orderId } = await shop.approvedOrder(1, 'pending@buyer.test')
    await customer.capture(orderId)
    const capture = [...shop.paypal.book.captures.values()].find((one) => one.orderId === orderId)
    await fetch(`${shop.paypal.url}/_emulator/captures/${capture?.id}/deny`, { method: 'POST' })
    await expect.poll(() => shop.orderState(orderId)).toBe('cancelled')
    expect(await shop.counters(offerId)).toEqual({ tickets_sold: 0, tickets_held: 0 })
  })

  test('a capture that took effect but whose answer was lost gives its tickets in the same call', async () => {
    const { customer, orderId } = await shop.approvedOrder(2, 'lost@buyer.test')
    const answer = await customer.capture(orderId)
    expect(answer.status).toBe(200)
    expect(answer.body['tickets']).toHaveLength(2)
  })

  test('another amount than ordered gives no tickets and goes back', async () => {
    const { offerId, customer, orderId } = await shop.approvedOrder(1, 'tampered@buyer.test')
    expect(await customer.capture(orderId)).toMatchObject({
      status: 409,
      body: { code: 'checkout.refunded' },
    })
    const { sweepOrders } = await import('#features/payments/server/sweep.ts')
    await sweepOrders(shop.checkout, 0)
    await expect.poll(() => shop.orderState(orderId)).toBe('refunded')
    expect(await shop.counters(offerId)).toEqual({ tickets_sold: 0, tickets_held: 0 })
    expect(await shop.ticketCount(customer)).toBe(0)
    const capture = [...shop.paypal.book.captures.values()].find((one) => one.orderId === orderId)
    expect(capture?.status).toBe('REFUNDED')
  })

  test('a contest that ended before the capture is refused before money moves', async () => {
    const { offerId, customer, orderId } = await shop.approvedOrder(1)
    await shop.db
      .updateTable('offers')
      .set({ end_date: new Date(Date.now() - 1000) })
      .where('id', '=', offerId)
      .execute()
    expect(await customer.capture(orderId)).toMatchObject({ status: 409, body: { code: 'offer.ended' } })
    expect(await shop.orderState(orderId)).toBe('cancelled')
    expect(await shop.counters(offerId)).toEqual({ tickets_sold: 0, tickets_held: 0 })
    expect(shop.paypal.book.orders.get(orderId)?.status).toBe('APPROVED')
  })

  test('a suspended account is refused before money moves', async () => {
    const { customer, orderId } = await shop.approvedOrder(1)
    await shop.db.updateTable('users').set({ is_active: false }).where('id', '=', customer.id).execute()
    expect(await customer.capture(orderId)).toMatchObject({ status: 403, body: { code: 'auth.suspended' } })
    expect(await customer.post('/api/paypal/create-order/', {})).toMatchObject({ status: 403 })
    expect(shop.paypal.book.orders.get(orderId)?.status).toBe('APPROVED')
  })

  test('somebody else’s order does not exist [spec 6.15]', async () => {
    const { orderId } = await shop.approvedOrder(1)
    const stranger = await shop.newCustomer()
    for (const call of [
      stranger.capture(orderId),
      stranger.post('/api/paypal/cancel-order/', { order_id: orderId }),
      stranger.get(`/api/paypal/orders/${orderId}/`),
    ]) {
      expect(await call).toMatchObject({ status: 404, body: { code: 'checkout.orderNotFound' } })
    }
  })
})
