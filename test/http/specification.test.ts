import { beforeEach, describe, expect, test } from 'vitest'
import { type NaiveClient, naiveClient } from '../support/naive-client.ts'
import { type Customer, openShop } from '../support/shop.ts'

/** The calls of the specification's section 7, made over the network by a client that was written from its words alone. */
const shop = await openShop()

let client: NaiveClient

/** The cart as that client finds it: the first element of the list. */
const cart = async () => (await client.get('/api/cart/')).body[0]

describe('accounts', () => {
  const PASSWORD = 'Correct1!'
  const DAMAGED = 'eyJhbGciOiJIUzI1NiJ9.eyJleHAiOjk5OTk5OTk5OTl9.AAAA'

  let email: string
  let people = 0

  /** A client with an account made by its own call, logged in. */
  async function newPerson(): Promise<void> {
    people += 1
    email = `person${people}@example.test`
    client = naiveClient(shop.config.publicUrl)
    const body = { username: `person ${people}`, email, password: PASSWORD, phone_number: '+33612345678' }
    expect((await client.post('/api/user/register/', body)).status).toBe(201)
    expect((await client.login(email, PASSWORD)).status).toBe(200)
  }
  beforeEach(newPerson)

  describe('the account calls, as the specification’s client makes them', () => {
    test('POST /api/token/ takes username and password and answers access and refresh [spec 7.6]', async () => {
      const { status, body } = await client.login(email, PASSWORD)
      expect(status).toBe(200)
      expect(body).toEqual({ access: expect.any(String), refresh: expect.any(String) })
    })

    test('POST /api/token/refresh/ takes refresh and answers an access that works [spec 7.8]', async () => {
      const { status, body } = await client.post('/api/token/refresh/', {
        refresh: client.storage.get('refresh'),
      })
      expect(status).toBe(200)
      client.storage.set('access', body.access)
      expect((await client.get('/api/user/profile/')).status).toBe(200)
    })

    test('a refused token is refreshed once, the call is sent again, and the refresh token stays good [spec 8.7]', async () => {
      const { sent } = client
      for (const round of [1, 2]) {
        client.storage.set('access', DAMAGED)
        sent.length = 0
        expect(await client.get('/api/user/profile/'), `round ${round}`).toMatchObject({
          status: 200,
          body: { email },
        })
        expect(sent).toEqual(['GET /api/user/profile/', 'POST /api/token/refresh/', 'GET /api/user/profile/'])
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

    test('POST /api/token/ names what is missing by the names of the payload [spec 8.1]', async () => {
      const { status, body } = await client.post('/api/token/', { username: '', password: '' })
      expect(status).toBe(400)
      expect(Object.keys(body)).toEqual(['username', 'password'])
      expect(body).toMatchObject({ username: [expect.any(String)], password: [expect.any(String)] })
    })

    test('POST /api/user/register/ refuses with the messages of each field, by the names of the payload [spec 5.4, 5.8, 7.10]', async () => {
      const refused = await client.post('/api/user/register/', {
        username: '',
        email: 'nobody',
        password: 'short',
        phone_number: '+3312',
      })
      expect(refused.status).toBe(400)
      expect(refused.body).toEqual({
        username: ['Username is required'],
        email: ['Please enter a valid email address'],
        password: ['Password must be at least 8 characters'],
        phone_number: ['Please enter a valid phone number'],
      })
    })

    test('GET /api/user/profile/ answers e-mail, phone with its country code, and the data of the client [spec 7.27]', async () => {
      const { body } = await client.get('/api/user/profile/')
      expect(body).toEqual({
        username: `person ${people}`,
        email,
        phone: '+33612345678',
        is_staff: false,
        is_superuser: false,
      })
    })
  })

  describe('PUT /api/user/profile/', () => {
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
        const answer = await client.put('/api/user/profile/', { email, phone, countryCode })
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
    ])(
      'a wrong number of %s is told in the words of its country [spec 5.26]',
      async (countryCode, message) => {
        const answer = await client.put('/api/user/profile/', { email, phone: '123', countryCode })
        expect(answer).toMatchObject({ status: 400, body: { phone: [message] } })
      },
    )

    test('an address that is none, or is missing, is told below its field [spec 5.27, 5.28]', async () => {
      const put = async (change: object) => (await client.put('/api/user/profile/', change)).body
      expect(await put({ email: 'nobody', phone: '' })).toEqual({
        email: ['Please enter a valid email address'],
      })
      expect(await put({ email: '', phone: '' })).toEqual({ email: ['Email is required'] })
    })
  })

  describe('PUT /api/user/change-password/', () => {
    test.each([
      ['current_password', 'new_password', 'confirm_password'],
      ['old_password', 'new_password', 'confirm_password'],
      ['currentPassword', 'newPassword', 'confirmPassword'],
      ['oldPassword', 'newPassword', 'confirmPassword'],
    ])('takes %s, %s and %s [spec 7.29]', async (current, replacement, confirm) => {
      const body = { [current]: PASSWORD, [replacement]: 'Another2@', [confirm]: 'Another2@' }
      expect((await client.put('/api/user/change-password/', body)).status).toBe(200)
      expect((await naiveClient(shop.config.publicUrl).login(email, 'Another2@')).status).toBe(200)
    })

    test('needs a token', async () => {
      client.storage.clear()
      expect((await client.put('/api/user/change-password/', {})).status).toBe(401)
    })
  })
})

describe('shopping', () => {
  let customer: Customer
  beforeEach(async () => {
    customer = await shop.newCustomer()
    client = naiveClient(shop.config.publicUrl)
    await client.login(customer.email, customer.password)
  })

  const QUESTION = { question: 'Deux et deux ?', choices: ['3', '4'], correct_choice: '4' }

  /** The fields of spec section 3, "Offer", but for `correct_choice`. */
  const OFFER_FIELDS = {
    id: expect.any(Number),
    slug: expect.any(String),
    title: expect.any(String),
    title_nl: expect.any(String),
    title_en: expect.any(String),
    description: expect.any(String),
    description_nl: expect.any(String),
    description_en: expect.any(String),
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

  describe('offers', () => {
    test('GET /api/offers/ answers an array of offers, GET /api/offers/{slug}/ the offer with its correct choice [spec 7.12, 7.14]', async () => {
      await shop.newOffer({ slug: 'a-car', ...QUESTION })
      const list = await client.get('/api/offers/')
      expect(Array.isArray(list.body)).toBe(true)
      const listed = list.body.find((offer: { slug: string }) => offer.slug === 'a-car')
      expect(listed).toMatchObject(OFFER_FIELDS)
      expect(listed).not.toHaveProperty('correct_choice')
      const { status, body } = await client.get('/api/offers/a-car/')
      expect(status).toBe(200)
      expect(body).toMatchObject({ ...OFFER_FIELDS, correct_choice: '4' })
    })

    test('an offer that does not exist answers 404 with "Offer not found" [spec 8.18]', async () => {
      expect(await client.get('/api/offers/nowhere/')).toMatchObject({
        status: 404,
        body: { detail: 'Offer not found' },
      })
    })
  })

  describe('the cart', () => {
    test('GET /api/cart/ answers a list whose first element is the caller’s cart [spec 7.15]', async () => {
      const { body } = await client.get('/api/cart/')
      expect(body).toHaveLength(1)
      expect(body[0]).toMatchObject({ id: expect.any(Number), items: [], is_empty: true })
    })

    test('add_item, update_item, remove_item and clear each answer the cart [spec 7.17, 7.19-7.21]', async () => {
      const offerId = await shop.newOffer(QUESTION)
      const { id } = await cart()
      const added = await client.post(`/api/cart/${id}/add_item/`, {
        offer_id: offerId,
        quantity: 2,
        answer: '4',
      })
      expect(added).toMatchObject({ status: 200, body: { id, is_empty: false, items: [{ quantity: 2 }] } })
      const [item] = added.body.items
      expect(item).toMatchObject({ id: expect.any(Number), offer: { ...OFFER_FIELDS, id: offerId } })
      expect(await cart()).toMatchObject({ items: [{ id: item.id, quantity: 2 }] })

      const updated = await client.post(`/api/cart/${id}/update_item/`, { item_id: item.id, quantity: 5 })
      expect(updated).toMatchObject({ status: 200, body: { id, items: [{ id: item.id, quantity: 5 }] } })

      const removed = await client.post(`/api/cart/${id}/remove_item/`, { item_id: item.id })
      expect(removed).toMatchObject({ status: 200, body: { id, items: [], is_empty: true } })

      await client.post(`/api/cart/${id}/add_item/`, { offer_id: offerId, quantity: 1, answer: '4' })
      const cleared = await client.post(`/api/cart/${id}/clear/`)
      expect(cleared).toMatchObject({ status: 200, body: { id, items: [], is_empty: true } })
    })

    test('answer is sent only when the offer has a question [spec 5.46, 5.52, 7.18, 8.11]', async () => {
      const { id } = await cart()
      const plain = await shop.newOffer()
      const asking = await shop.newOffer(QUESTION)
      const add = (body: object) => client.post(`/api/cart/${id}/add_item/`, { quantity: 1, ...body })
      expect((await add({ offer_id: plain })).status).toBe(200)
      expect((await add({ offer_id: asking })).status).toBe(400)
      expect(await add({ offer_id: asking, answer: '3' })).toMatchObject({
        status: 400,
        body: { detail: 'Mauvaise réponse.' },
      })
      expect((await add({ offer_id: asking, answer: '4' })).status).toBe(200)
    })

    test('a quantity below 1 is refused, and so is one beyond the tickets remaining [spec 5.42-5.44, 9.3, 9.4]', async () => {
      const offerId = await shop.newOffer({ total_tickets: 5 })
      const { id } = await cart()
      const add = (quantity: number) =>
        client.post(`/api/cart/${id}/add_item/`, { offer_id: offerId, quantity })
      expect((await add(0)).body).toMatchObject({
        fields: { quantity: ['The quantity must be at least 1.'] },
      })
      expect(await add(6)).toMatchObject({
        status: 409,
        body: { detail: expect.stringMatching(/^Only 5 tickets are left/) },
      })
      expect((await add(5)).status).toBe(200)
      const [{ id: itemId }] = (await cart()).items
      const update = (quantity: number) =>
        client.post(`/api/cart/${id}/update_item/`, { item_id: itemId, quantity })
      expect((await update(0)).status).toBe(400)
      expect((await update(6)).status).toBe(409)
      expect((await update(1)).body.items[0].quantity).toBe(1)
    })
  })

  describe('POST /api/cart/calculate_tax/', () => {
    test('takes subtotal and country_code and answers the tax fields [spec 7.22]', async () => {
      const tax = await client.post('/api/cart/calculate_tax/', { subtotal: '9.80', country_code: 'DE' })
      expect(tax).toMatchObject({
        status: 200,
        body: { subtotal: '9.80', tax_rate: 19, tax_amount: '1.86', total: '11.66', country: 'DE' },
      })
    })

    test('takes the subtotal as a number too, as a client computes it [spec 7.22]', async () => {
      const tax = await client.post('/api/cart/calculate_tax/', { subtotal: 9.8, country_code: 'BE' })
      expect(tax.body).toMatchObject({ tax_amount: '2.06', total: '11.86' })
      const summed = await client.post('/api/cart/calculate_tax/', { subtotal: 3 * 4.9, country_code: 'BE' })
      expect(3 * 4.9).not.toBe(14.7)
      expect(summed.body).toMatchObject({ subtotal: '14.70', total: '17.79' })
    })

    test('answers 400 for a country it does not know [spec 5.48]', async () => {
      const tax = await client.post('/api/cart/calculate_tax/', { subtotal: '9.80', country_code: 'XX' })
      expect(tax.status).toBe(400)
    })
  })

  describe('paying', () => {
    let offerId: number
    beforeEach(async () => {
      offerId = await shop.newOffer()
      await client.post(`/api/cart/${customer.cartId}/add_item/`, { offer_id: offerId, quantity: 2 })
    })

    /** An approved order of the cart. */
    async function approved(buyer: string): Promise<string> {
      const created = await client.post('/api/paypal/create-order/', {
        cart: await cart(),
        country_code: 'BE',
      })
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
        [
          'line items in the provider’s own shape',
          lineItem({ unit_amount: { value: '4.90' }, quantity: '2' }),
        ],
        ['line items with text ids', lineItem({ id: 'ticket' })],
        ['nothing', () => undefined],
      ])('takes %s as cart and answers the order_id [spec 7.1, 7.30, 7.31, 7.35]', async (_, sent) => {
        const body = { cart: sent(await cart()), country_code: 'FR' }
        const created = await client.post('/api/paypal/create-order/', body)
        expect(created).toMatchObject({
          status: 200,
          body: { order_id: expect.stringMatching(/\w+/), status: 'CREATED', total: '11.76' },
        })
        expect(shop.paypal.book.orders.has(created.body.order_id)).toBe(true)
      })

      test('without country_code Belgium counts, whose VAT is 21 percent [spec 7.32, 9.10]', async () => {
        const created = await client.post('/api/paypal/create-order/', { cart: await cart() })
        expect(created.body.total).toBe('11.86')
      })

      test('orders in euro [spec 7.40, 9.6]', async () => {
        const { body } = await client.post('/api/paypal/create-order/', { cart: await cart() })
        const order = shop.paypal.book.orders.get(body.order_id)
        expect(JSON.stringify(order)).toContain('EUR')
      })

      test('a price that is not the shop’s is refused with 409 and the right total [spec 7.33, 8.51]', async () => {
        const body = { cart: lineItem({ unit_amount: '0.01' })(await cart()), country_code: 'BE' }
        const refused = await client.post('/api/paypal/create-order/', body)
        expect(refused).toMatchObject({ status: 409, body: { total: '11.86' } })
      })

      test('a country the shop does not bill is refused [spec 5.48, 8.51]', async () => {
        const body = { cart: await cart(), country_code: 'XX' }
        expect((await client.post('/api/paypal/create-order/', body)).status).toBe(400)
      })

      test('a failure carries details and debug_id [spec 7.36, 8.51]', async () => {
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
      ])('carries message, details and debug_id as well: %s [spec 7.36]', async (_, body, status, issue) => {
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
      test('takes order_id and answers purchase_units with payments and captures [spec 7.34, 7.38]', async () => {
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

      test('a declined instrument answers its issue in details, with a debug_id, so that the flow restarts [spec 7.37, 8.32]', async () => {
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

      test('GET /api/tickets/ and GET /api/tickets/user/ answer a list of the caller’s own tickets [spec 7.23, 7.24]', async () => {
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

      test('GET /api/tickets/{id}/download/ answers a binary file [spec 7.25]', async () => {
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
    ] as const)('%s %s answers 401 without a token [spec 7.39]', async (method, path) => {
      const answer = await shop.anonymous(method, path, method === 'GET' ? undefined : {})
      expect(answer.status).toBe(401)
    })
  })
})
