import { beforeEach, describe, expect, test } from 'vitest'
import { type SpecClient, specClient } from '../support/spec-client.ts'
import { type Customer, openShop } from '../support/shop.ts'

/** The calls of section 7 of the specification, made over the network by a client that was written from its text alone. */
const shop = await openShop()

let client: SpecClient

const TEXT = expect.any(String)
const bad = (body: object) => ({ status: 400, body })
const cart = async () => (await client.get('/api/cart/')).body[0]

describe('accounts', () => {
  const PASSWORD = 'Correct1!'
  const DAMAGED = 'eyJhbGciOiJIUzI1NiJ9.eyJleHAiOjk5OTk5OTk5OTl9.AAAA'

  let email: string
  let people = 0

  /** Registers an account and logs in. */
  async function newPerson(): Promise<void> {
    people += 1
    email = `person${people}@example.test`
    client = specClient(shop.config.publicUrl)
    const body = { username: `person ${people}`, email, password: PASSWORD, phone_number: '+33612345678' }
    expect((await client.post('/api/user/register/', body)).status).toBe(201)
    expect((await client.login(email, PASSWORD)).status).toBe(200)
  }
  beforeEach(newPerson)

  describe('tokens and registration', () => {
    test('POST /api/token/ takes username and password and answers access and refresh [spec 7.6]', async () => {
      const { status, body } = await client.login(email, PASSWORD)
      expect([status, body]).toEqual([200, { access: TEXT, refresh: TEXT }])
    })

    test('POST /api/token/refresh/ takes refresh and answers an access that works [spec 7.8]', async () => {
      const refresh = client.storage.get('refresh')
      const { status, body } = await client.post('/api/token/refresh/', { refresh })
      expect(status).toBe(200)
      client.storage.set('access', body.access)
      expect((await client.get('/api/user/profile/')).status).toBe(200)
    })

    test('a refused token is refreshed once, the call is repeated, and the refresh token stays valid [spec 8.7]', async () => {
      for (const round of [1, 2]) {
        client.storage.set('access', DAMAGED)
        client.sent.length = 0
        const answer = await client.get('/api/user/profile/')
        expect(answer, `round ${round}`).toMatchObject({ status: 200, body: { email } })
        const profile = 'GET /api/user/profile/'
        expect(client.sent).toEqual([profile, 'POST /api/token/refresh/', profile])
      }
    })

    test('a stale token in the header stops neither a login, a refresh nor a registration [spec 7.4, 7.10]', async () => {
      client.storage.set('access', DAMAGED)
      expect((await client.login(email, PASSWORD)).status).toBe(200)
      client.storage.set('access', DAMAGED)
      const refresh = client.storage.get('refresh')
      expect((await client.post('/api/token/refresh/', { refresh })).status).toBe(200)
      const other = { username: `other ${people}`, email: `other.${email}`, password: PASSWORD }
      const registered = await client.post('/api/user/register/', { ...other, phone_number: '+32471234567' })
      expect(registered.status).toBe(201)
    })

    test('POST /api/token/ names missing fields by the names of the payload [spec 8.1]', async () => {
      const { status, body } = await client.post('/api/token/', { username: '', password: '' })
      expect([status, body]).toEqual([400, { username: [TEXT], password: [TEXT] }])
    })

    test('POST /api/user/register/ refuses with messages by the names of the payload [spec 5.4, 5.8, 7.10]', async () => {
      const payload = { username: '', email: 'nobody', password: 'short', phone_number: '+3312' }
      const { status, body } = await client.post('/api/user/register/', payload)
      expect(status).toBe(400)
      expect(body).toEqual({
        username: ['Username is required'],
        email: ['Please enter a valid email address'],
        password: ['Password must be at least 8 characters'],
        phone_number: ['Please enter a valid phone number'],
      })
    })

    test('GET /api/user/profile/ answers email, phone with its country code, and the data of the client [spec 7.27]', async () => {
      const { body } = await client.get('/api/user/profile/')
      const rights = { is_staff: false, is_superuser: false }
      expect(body).toEqual({ username: `person ${people}`, email, phone: '+33612345678', ...rights })
    })
  })

  describe('PUT /api/user/profile/', () => {
    const put = (change: object) => client.put('/api/user/profile/', change)

    test.each([
      ['612345679', '+33', '+33612345679'],
      ['06 12 34 56 79', 'FR', '+33612345679'],
      ['+32471234567', '+32', '+32471234567'],
      ['+32471234567', undefined, '+32471234567'],
      ['0032 471 23 45 67', 'BE', '+32471234567'],
      ['12345678', 'LU', '+35212345678'],
      ['12345678', '+352', '+35212345678'],
      ['123456789012', 'DE', '+49123456789012'],
      ['123456789', '+31', '+31123456789'],
      ['', '+33', ''],
    ])(
      'phone "%s" with countryCode %s is stored as "%s" [spec 5.18-5.22, 5.25, 7.28]',
      async (phone, countryCode, stored) => {
        const answer = await put({ email, phone, countryCode })
        expect(answer).toMatchObject({ status: 200, body: { email, phone: stored } })
        expect((await client.get('/api/user/profile/')).body.phone).toBe(stored)
      },
    )

    test.each([
      ['FR', 'A French number has 9 digits after +33 (example: 612345678)'],
      ['DE', 'A German number has 9 to 12 digits after +49 (example: 123456789)'],
      ['BE', 'A Belgian number has 8 or 9 digits after +32 (example: 471234567)'],
      ['LU', 'A Luxembourg number has 8 digits after +352 (example: 12345678)'],
      ['NL', 'A Dutch number has 9 digits after +31 (example: 123456789)'],
    ])('the message for a wrong number names the rule of %s [spec 5.26]', async (countryCode, message) => {
      expect(await put({ email, phone: '123', countryCode })).toMatchObject(bad({ phone: [message] }))
    })

    test('an invalid or missing email is refused below its field [spec 5.27, 5.28]', async () => {
      for (const [value, message] of [
        ['nobody', 'Please enter a valid email address'],
        ['', 'Email is required'],
      ])
        expect((await put({ email: value, phone: '' })).body).toEqual({ email: [message] })
    })
  })

  test.each([
    ['current_password', 'new_password', 'confirm_password'],
    ['old_password', 'new_password', 'confirm_password'],
    ['currentPassword', 'newPassword', 'confirmPassword'],
    ['oldPassword', 'newPassword', 'confirmPassword'],
  ])('PUT /api/user/change-password/ takes %s, %s and %s [spec 7.29]', async (current, next, confirm) => {
    const body = { [current]: PASSWORD, [next]: 'Another2@', [confirm]: 'Another2@' }
    expect((await client.put('/api/user/change-password/', body)).status).toBe(200)
    expect((await specClient(shop.config.publicUrl).login(email, 'Another2@')).status).toBe(200)
  })
})

describe('shopping', () => {
  let customer: Customer
  beforeEach(async () => {
    customer = await shop.newCustomer()
    client = specClient(shop.config.publicUrl)
    await client.login(customer.email, customer.password)
  })
  const cartCall = (call: string, body?: object) => client.post(`/api/cart/${customer.cartId}/${call}/`, body)

  const QUESTION = { question: 'Deux et deux ?', choices: ['3', '4'], correct_choice: '4' }

  /** The fields of an offer in section 3 of the specification, without `correct_choice`. */
  const OFFER_FIELDS = {
    ...Object.fromEntries(
      ['slug', 'title', 'title_nl', 'title_en', 'description', 'description_nl', 'description_en'].map(
        (field) => [field, TEXT],
      ),
    ),
    id: expect.any(Number),
    image: null,
    carousel_images: [],
    ticket_price: '4.90',
    total_tickets: 1_000,
    tickets_sold: 0,
    is_active: true,
    end_date: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
    question: QUESTION.question,
    choices: QUESTION.choices,
  }

  test('GET /api/offers/ answers an array of offers, GET /api/offers/{slug}/ the offer with its correct choice [spec 7.12, 7.14]', async () => {
    await shop.newOffer({ slug: 'a-car', ...QUESTION })
    const list = (await client.get('/api/offers/')).body as { slug: string }[]
    const listed = list.find(({ slug }) => slug === 'a-car')
    expect(listed).toMatchObject(OFFER_FIELDS)
    expect(listed).not.toHaveProperty('correct_choice')
    const one = { status: 200, body: { ...OFFER_FIELDS, correct_choice: '4' } }
    expect(await client.get('/api/offers/a-car/')).toMatchObject(one)
  })

  test('an offer that does not exist answers 404 with "Offer not found" [spec 8.18]', async () => {
    const notFound = { status: 404, body: { detail: 'Offer not found' } }
    expect(await client.get('/api/offers/nowhere/')).toMatchObject(notFound)
  })

  describe('the cart', () => {
    test('GET /api/cart/ answers a list whose first element is the caller’s cart [spec 7.15]', async () => {
      const { body } = await client.get('/api/cart/')
      expect(body).toMatchObject([{ id: customer.cartId, items: [], is_empty: true }])
    })

    test('add_item, update_item, remove_item and clear each answer the cart [spec 7.17, 7.19-7.21]', async () => {
      const offer_id = await shop.newOffer(QUESTION)
      const add = (quantity: number) => cartCall('add_item', { offer_id, quantity, answer: '4' })
      const answers = (body: object) => ({ status: 200, body: { id: customer.cartId, ...body } })
      const empty = answers({ items: [], is_empty: true })
      const added = await add(2)
      const line = { id: expect.any(Number), quantity: 2, offer: { ...OFFER_FIELDS, id: offer_id } }
      expect(added).toMatchObject(answers({ is_empty: false, items: [line] }))
      const item_id = added.body.items[0].id
      expect(await cart()).toMatchObject({ items: [{ id: item_id, quantity: 2 }] })
      const updated = answers({ items: [{ id: item_id, quantity: 5 }] })
      expect(await cartCall('update_item', { item_id, quantity: 5 })).toMatchObject(updated)
      expect(await cartCall('remove_item', { item_id })).toMatchObject(empty)
      await add(1)
      expect(await cartCall('clear')).toMatchObject(empty)
    })

    test('answer is needed only when the offer has a question [spec 5.46, 5.52, 7.18, 8.11]', async () => {
      const [plain, asking] = [await shop.newOffer(), await shop.newOffer(QUESTION)]
      const add = (offer_id: number, answer?: string) =>
        cartCall('add_item', { offer_id, quantity: 1, answer })
      expect((await add(plain)).status).toBe(200)
      expect((await add(asking)).status).toBe(400)
      expect(await add(asking, '3')).toMatchObject(bad({ detail: 'Mauvaise réponse.' }))
      expect((await add(asking, '4')).status).toBe(200)
    })

    test('a quantity below 1 or above the remaining tickets is refused [spec 5.42-5.44, 9.3, 9.4]', async () => {
      const offer_id = await shop.newOffer({ total_tickets: 5 })
      const add = (quantity: number) => cartCall('add_item', { offer_id, quantity })
      expect((await add(0)).body.fields).toEqual({ quantity: ['Choose at least 1 ticket.'] })
      const few = { detail: expect.stringMatching(/^Only 5 tickets are left/) }
      expect(await add(6)).toMatchObject({ status: 409, body: few })
      expect((await add(5)).status).toBe(200)
      const item_id = (await cart()).items[0].id
      const update = async (quantity: number) => (await cartCall('update_item', { item_id, quantity })).status
      expect([await update(0), await update(6), await update(1)]).toEqual([400, 409, 200])
    })
  })

  describe('POST /api/cart/calculate_tax/', () => {
    test.each([
      ['9.80', 'DE', { subtotal: '9.80', tax_rate: 19, tax_amount: '1.86', total: '11.66', country: 'DE' }],
      [9.8, 'BE', { tax_amount: '2.06', total: '11.86' }],
      // A client's own sum: 14.700000000000001.
      [3 * 4.9, 'BE', { subtotal: '14.70', total: '17.79' }],
    ])('takes %s and %s and answers the tax fields [spec 7.22]', async (subtotal, country_code, body) => {
      const tax = await client.post('/api/cart/calculate_tax/', { subtotal, country_code })
      expect(tax).toMatchObject({ status: 200, body })
    })

    test('answers 400 for an unknown country [spec 5.48]', async () => {
      const unknown = { subtotal: '9.80', country_code: 'XX' }
      expect((await client.post('/api/cart/calculate_tax/', unknown)).status).toBe(400)
    })
  })

  describe('paying', () => {
    beforeEach(async () => {
      await cartCall('add_item', { offer_id: await shop.newOffer(), quantity: 2 })
    })
    const create = (body: object) => client.post('/api/paypal/create-order/', body)
    const capture = (order_id: string) => client.post('/api/paypal/capture-payment/', { order_id })

    async function approved(buyer = 'buyer@buyer.test'): Promise<string> {
      const { order_id } = (await create({ cart: await cart(), country_code: 'BE' })).body
      await shop.paypal.approve(order_id, buyer)
      return order_id
    }

    describe('POST /api/paypal/create-order/', () => {
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
      ])('takes %s as cart and answers the order_id [spec 7.1, 7.30, 7.31, 7.35]', async (_, sent) => {
        const created = await create({ cart: sent(await cart()), country_code: 'FR' })
        const body = { order_id: expect.stringMatching(/\w+/), status: 'CREATED', total: '11.76' }
        expect(created).toMatchObject({ status: 200, body })
        expect(shop.paypal.book.orders.has(created.body.order_id)).toBe(true)
      })

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
    })

    test('POST /api/paypal/capture-payment/ takes order_id and answers purchase_units with payments and captures [spec 7.34, 7.38]', async () => {
      const { status, body } = await capture(await approved())
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

    test('a declined instrument answers its issue in details, with a debug_id, and the flow can restart [spec 7.37, 8.32]', async () => {
      const order_id = await approved('declined@buyer.test')
      const declined = { details: [{ issue: 'INSTRUMENT_DECLINED' }], debug_id: TEXT }
      expect(await capture(order_id)).toMatchObject({ status: 422, body: declined })
      await shop.paypal.approve(order_id, 'buyer@buyer.test')
      expect((await capture(order_id)).status).toBe(200)
    })

    test.each(['/api/tickets/', '/api/tickets/user/'])(
      'GET %s answers a list of the caller’s own tickets [spec 7.23, 7.24]',
      async (path) => {
        await shop.paidOrder(1)
        await capture(await approved())
        const ticket = {
          ...Object.fromEntries(['id', 'title', 'title_nl', 'title_en'].map((field) => [field, TEXT])),
          ticket_number: expect.stringMatching(/^\d{4}$/),
          end_date: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
          offer_id: expect.any(Number),
        }
        const { body } = await client.get(path)
        expect(body).toMatchObject([ticket, ticket])
      },
    )

    test('GET /api/tickets/{id}/download/ answers a binary file [spec 7.25]', async () => {
      const { tickets } = (await capture(await approved())).body
      const file = await client.get(`/api/tickets/${tickets[0].id}/download/`)
      expect(file).toMatchObject({ status: 200, contentType: 'application/pdf' })
      expect(new TextDecoder().decode(file.body.subarray(0, 5))).toBe('%PDF-')
    })
  })
})
