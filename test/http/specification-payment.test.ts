import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type NaiveClient, naiveClient } from '../support/naive-client.ts'
import { type Customer, type TestShop, testShop } from '../support/shop.ts'

let shop: TestShop
let customer: Customer
let client: NaiveClient
let offerId: number

beforeAll(async () => {
  shop = await testShop()
})
afterAll(() => shop.close())
beforeEach(async () => {
  customer = await shop.newCustomer()
  client = naiveClient(shop.config.publicUrl)
  await client.login(customer.email, customer.password)
  offerId = await shop.newOffer()
  await client.post(`/api/cart/${customer.cartId}/add_item/`, { offer_id: offerId, quantity: 2 })
})

const cart = async () => (await client.get('/api/cart/')).body[0]

/** An approved order of the cart. */
async function approved(buyer: string): Promise<string> {
  const created = await client.post('/api/paypal/create-order/', { cart: await cart(), country_code: 'BE' })
  await shop.paypal.approve(created.body.order_id, buyer)
  return created.body.order_id
}

describe('POST /api/paypal/create-order/', () => {
  type Cart = { id: number; items: { id: number; quantity: number; offer: { ticket_price: string } }[] }
  const lineItem = (change: object) => (whole: Cart) =>
    whole.items.map(({ id, quantity }) => ({
      id,
      quantity,
      name: 'A ticket',
      unit_amount: '4.90',
      currency_code: 'EUR',
      ...change,
    }))

  test.each<[string, (whole: Cart) => unknown]>([
    ['the cart', (whole) => whole],
    ['the list that holds the cart', (whole) => [whole]],
    ['the items of the cart', (whole) => whole.items],
    ['an object with the items', ({ items }) => ({ items })],
    ['line items', lineItem({})],
    ['line items with a number as price', lineItem({ unit_amount: 4.9 })],
    ['line items in the provider’s own shape', lineItem({ unit_amount: { value: '4.90' }, quantity: '2' })],
    ['line items with text ids', lineItem({ id: 'ticket' })],
    ['nothing', () => undefined],
  ])('takes %s as cart and answers the order_id', async (_, sent) => {
    const body = { cart: sent(await cart()), country_code: 'FR' }
    const created = await client.post('/api/paypal/create-order/', body)
    expect(created).toMatchObject({
      status: 200,
      body: { order_id: expect.stringMatching(/\w+/), status: 'CREATED', total: '11.76' },
    })
    expect(shop.paypal.book.orders.has(created.body.order_id)).toBe(true)
  })

  test('without country_code Belgium counts, whose VAT is 21 percent', async () => {
    const created = await client.post('/api/paypal/create-order/', { cart: await cart() })
    expect(created.body.total).toBe('11.86')
  })

  test('orders in euro', async () => {
    const { body } = await client.post('/api/paypal/create-order/', { cart: await cart() })
    const order = shop.paypal.book.orders.get(body.order_id)
    expect(JSON.stringify(order)).toContain('EUR')
  })

  test('a price that is not the shop’s is refused with 409 and the right total', async () => {
    const body = { cart: lineItem({ unit_amount: '0.01' })(await cart()), country_code: 'BE' }
    const refused = await client.post('/api/paypal/create-order/', body)
    expect(refused).toMatchObject({ status: 409, body: { total: '11.86' } })
  })

  test('a country the shop does not bill is refused', async () => {
    const body = { cart: await cart(), country_code: 'XX' }
    expect((await client.post('/api/paypal/create-order/', body)).status).toBe(400)
  })

  test('a failure carries details and debug_id', async () => {
    shop.paypal.faults.change({ http5xx: 1 })
    try {
      const refused = await client.post('/api/paypal/create-order/', { cart: await cart() })
      expect(refused).toMatchObject({
        status: 503,
        body: { detail: expect.any(String), message: expect.any(String), details: [] },
      })
      expect(refused.body).toHaveProperty('debug_id')
    } finally {
      shop.paypal.faults.clear()
    }
  })
})

describe('a refusal of create-order by the shop itself', () => {
  test.each([
    ['another total', { expected_total: '1.00' }, 409, 'checkout.priceChanged'],
    ['an empty cart in the place of a full one', { cart: [] }, 409, 'checkout.priceChanged'],
    ['an unknown country', { country_code: 'XX' }, 400, 'request.invalid'],
    ['something that is no cart', { cart: 7 }, 400, 'request.invalid'],
  ])('carries message, details and debug_id as well: %s', async (_, body, status, issue) => {
    const refused = await client.post('/api/paypal/create-order/', body)
    expect(refused.status).toBe(status)
    const { detail } = refused.body
    expect(refused.body).toMatchObject({
      code: issue,
      message: detail,
      details: [{ issue, description: detail }],
      debug_id: expect.stringMatching(/./),
    })
  })
})

describe('POST /api/paypal/capture-payment/', () => {
  test('takes order_id and answers purchase_units with payments and captures', async () => {
    const order_id = await approved('buyer@buyer.test')
    const { status, body } = await client.post('/api/paypal/capture-payment/', { order_id })
    expect(status).toBe(200)
    const [capture] = body.purchase_units[0].payments.captures
    // Nothing else of the provider's words: not its fee, nor who is paid.
    expect(Object.keys(body).toSorted()).toEqual(['id', 'purchase_units', 'status', 'tickets'])
    expect(body.purchase_units).toEqual([{ payments: { captures: [capture] } }])
    expect(capture).toEqual({ id: expect.any(String), status: 'COMPLETED' })
    expect(shop.paypal.book.captures.has(capture.id)).toBe(true)
    expect(body.tickets).toHaveLength(2)
    expect((await cart()).is_empty).toBe(true)
  })

  test('a declined instrument answers its issue in details, with a debug_id, so that the flow restarts', async () => {
    const order_id = await approved('declined@buyer.test')
    const { status, body } = await client.post('/api/paypal/capture-payment/', { order_id })
    expect(status).toBe(422)
    expect(body.details[0].issue).toBe('INSTRUMENT_DECLINED')
    expect(body.debug_id).toEqual(expect.any(String))
    await shop.paypal.approve(order_id, 'buyer@buyer.test')
    expect((await client.post('/api/paypal/capture-payment/', { order_id })).status).toBe(200)
  })
})

describe('tickets', () => {
  async function bought(): Promise<void> {
    const order_id = await approved('buyer@buyer.test')
    await client.post('/api/paypal/capture-payment/', { order_id })
  }

  test('GET /api/tickets/ and GET /api/tickets/user/ answer a list of the caller’s own tickets', async () => {
    await shop.approvedOrder(1).then(({ customer: other, orderId }) => other.capture(orderId))
    await bought()
    for (const path of ['/api/tickets/', '/api/tickets/user/']) {
      const { body } = await client.get(path)
      expect(body, path).toHaveLength(2)
      expect(body[0], path).toMatchObject({
        id: expect.any(String),
        ticket_number: expect.stringMatching(/^\d{4}$/),
        title: expect.any(String),
        title_nl: expect.any(String),
        title_en: expect.any(String),
        end_date: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
        offer_id: offerId,
      })
    }
  })

  test('GET /api/tickets/{id}/download/ answers a binary file', async () => {
    await bought()
    const [{ id }] = (await client.get('/api/tickets/')).body
    const file = await client.get(`/api/tickets/${id}/download/`)
    expect(file).toMatchObject({ status: 200, contentType: 'application/pdf' })
    expect(new TextDecoder().decode(file.body.subarray(0, 5))).toBe('%PDF-')
  })

  test('somebody else’s ticket does not exist', async () => {
    const { customer: other, orderId } = await shop.approvedOrder(1)
    const { body } = await other.capture(orderId)
    expect((await client.get(`/api/tickets/${body['tickets'][0].id}/download/`)).status).toBe(404)
  })
})

test.each([
  ['GET', '/api/cart/'],
  ['GET', '/api/tickets/'],
  ['GET', '/api/tickets/user/'],
  ['GET', '/api/tickets/1/download/'],
  ['GET', '/api/user/profile/'],
  ['PUT', '/api/user/profile/'],
  ['PUT', '/api/user/change-password/'],
  ['POST', '/api/cart/1/add_item/'],
  ['POST', '/api/cart/1/update_item/'],
  ['POST', '/api/cart/1/remove_item/'],
  ['POST', '/api/cart/1/clear/'],
  ['POST', '/api/paypal/create-order/'],
  ['POST', '/api/paypal/capture-payment/'],
] as const)('%s %s answers 401 without a token', async (method, path) => {
  const answer = await shop.anonymous(method, path, method === 'GET' ? undefined : {})
  expect(answer.status).toBe(401)
})
