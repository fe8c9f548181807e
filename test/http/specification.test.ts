import { beforeEach, describe, expect, test } from 'vitest'
import { type SpecClient, specClient } from '../support/spec-client.ts'
import { type Customer, openShop } from '../support/shop.ts'

/** The calls of section 7 of the specification, made over the network by a client that was written from its text alone. */
const shop = await openShop()

let client: SpecClient
let customer: Customer
beforeEach(async () => {
  customer = await shop.newCustomer()
  client = specClient(shop.config.publicUrl)
  await client.login(customer.email, customer.password)
})

const TEXT = expect.any(String)
const cart = async () => (await client.get('/api/cart/')).body[0]

describe('accounts', () => {
  const DAMAGED = 'eyJhbGciOiJIUzI1NiJ9.eyJleHAiOjk5OTk5OTk5OTl9.AAAA'
  const NEXT = 'Another2@'

  test('POST /api/token/ takes username and password and responds with access and refresh [spec 7.6]', async () => {
    const tokens = { access: TEXT, refresh: TEXT }
    const { email, password } = customer
    expect(await client.login(email, password)).toMatchObject({ status: 200, body: tokens })
  })

  test('a refused token is refreshed once, the call is repeated, and the refresh token stays valid [spec 7.8, 8.7]', async () => {
    for (const round of [1, 2]) {
      client.storage.set('access', DAMAGED)
      client.sent.length = 0
      const response = await client.get('/api/user/profile/')
      expect(response, `round ${round}`).toMatchObject({ status: 200, body: { email: customer.email } })
      const profile = 'GET /api/user/profile/'
      expect(client.sent).toEqual([profile, 'POST /api/token/refresh/', profile])
    }
  })

  test('a stale token in the header stops neither a login, a refresh nor a registration [spec 7.4, 7.10]', async () => {
    const { email, password } = customer
    client.storage.set('access', DAMAGED)
    expect((await client.login(email, password)).status).toBe(200)
    client.storage.set('access', DAMAGED)
    const refresh = client.storage.get('refresh')
    expect((await client.post('/api/token/refresh/', { refresh })).status).toBe(200)
    const other = { username: `other ${email}`, email: `other.${email}`, password: NEXT }
    const registered = await client.post('/api/user/register/', { ...other, phone_number: '+32471234567' })
    expect(registered.status).toBe(201)
  })

  test.each([
    ['current_password', 'new_password', 'confirm_password'],
    ['old_password', 'new_password', 'confirm_password'],
    ['currentPassword', 'newPassword', 'confirmPassword'],
    ['oldPassword', 'newPassword', 'confirmPassword'],
  ])('PUT /api/user/change-password/ takes %s, %s and %s [spec 7.29]', async (current, next, confirm) => {
    const body = { [current]: customer.password, [next]: NEXT, [confirm]: NEXT }
    expect((await client.put('/api/user/change-password/', body)).status).toBe(200)
    expect((await client.login(customer.email, NEXT)).status).toBe(200)
  })
})

describe('paying', () => {
  beforeEach(async () => {
    await customer.add(await shop.newOffer(), 2)
  })
  const create = (body: object) => client.post('/api/paypal/create-order/', body)

  type Cart = { id: number; items: { id: number; quantity: number; offer: { ticket_price: string } }[] }
  const lineItem = (change: object) => (whole: Cart) =>
    whole.items.map(({ id, quantity }) => {
      const price = { unit_amount: '4.90', currency_code: 'EUR' }
      return { id, quantity, name: 'A ticket', ...price, ...change }
    })

  test.each<[string, (whole: Cart) => unknown]>([
    ['the cart', (whole) => whole],
    ['the list that holds the cart', (whole) => [whole]],
    ['the items of the cart', (whole) => whole.items],
    ['an object with the items', ({ items }) => ({ items })],
    ['line items', lineItem({})],
    ['line items with a number as price', lineItem({ unit_amount: 4.9 })],
    ['line items of the provider’s shape', lineItem({ unit_amount: { value: '4.90' }, quantity: '2' })],
    ['line items with text ids', lineItem({ id: 'ticket' })],
    ['nothing', () => undefined],
  ])(
    'POST /api/paypal/create-order/ takes %s as cart and responds with the order_id [spec 7.1, 7.30, 7.31, 7.35]',
    async (_, sent) => {
      const created = await create({ cart: sent(await cart()), country_code: 'FR' })
      const body = { order_id: expect.stringMatching(/\w+/), status: 'CREATED', total: '11.76' }
      expect(created).toMatchObject({ status: 200, body })
      expect(shop.paypal.book.orders.has(created.body.order_id)).toBe(true)
    },
  )

  test('without country_code Belgium counts, whose VAT is 21 percent, in euro [spec 7.32, 7.40, 9.6, 9.10]', async () => {
    const { body } = await create({ cart: await cart() })
    expect(body.total).toBe('11.86')
    expect(JSON.stringify(shop.paypal.book.orders.get(body.order_id))).toContain('EUR')
  })

  test('a price that is not the shop’s is refused with 409 and the right total [spec 7.33, 8.51]', async () => {
    const sent = lineItem({ unit_amount: '0.01' })(await cart())
    const refused = { status: 409, body: { total: '11.86' } }
    expect(await create({ cart: sent, country_code: 'BE' })).toMatchObject(refused)
  })

  test('a failure of the provider carries details and debug_id [spec 7.36, 8.51]', async () => {
    shop.paypal.faults.change({ http5xx: 1 })
    const refused = await create({ cart: await cart() })
    shop.paypal.faults.clear()
    expect(refused).toMatchObject({ status: 503, body: { detail: TEXT, message: TEXT, details: [] } })
    expect(refused.body).toHaveProperty('debug_id')
  })

  test.each([
    ['another total', { expected_total: '1.00' }, 409, 'checkout.priceChanged'],
    ['an empty cart in the place of a full one', { cart: [] }, 409, 'checkout.priceChanged'],
    ['an unknown country', { country_code: 'XX' }, 400, 'request.invalid'],
    ['something that is no cart', { cart: 7 }, 400, 'request.invalid'],
  ])(
    'the shop’s own refusal carries message, details and debug_id: %s [spec 5.48, 7.36, 8.51]',
    async (_, payload, status, code) => {
      const refused = await create(payload)
      const { detail } = refused.body
      const details = [{ issue: code, description: detail }]
      const body = { code, message: detail, details, debug_id: expect.stringMatching(/./) }
      expect(refused).toMatchObject({ status, body })
    },
  )

  test('POST /api/paypal/capture-payment/ takes order_id and responds with purchase_units with payments and captures [spec 7.34, 7.38]', async () => {
    const { order_id } = (await create({ cart: await cart(), country_code: 'BE' })).body
    await shop.paypal.approve(order_id)
    const { status, body } = await client.post('/api/paypal/capture-payment/', { order_id })
    expect(status).toBe(200)
    const [captured] = body.purchase_units[0].payments.captures
    // No other data of the provider, such as its fee or the payee.
    expect(body).toEqual({
      id: TEXT,
      status: TEXT,
      tickets: [expect.anything(), expect.anything()],
      purchase_units: [{ payments: { captures: [{ id: TEXT, status: 'COMPLETED' }] } }],
    })
    expect(shop.paypal.book.captures.has(captured.id)).toBe(true)
    expect((await cart()).is_empty).toBe(true)
  })
})
