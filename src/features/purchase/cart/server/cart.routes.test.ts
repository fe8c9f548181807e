import { describe, expect, test } from 'vitest'
import { openShop } from '../../../../../test/support/shop.ts'
import { CART_ITEMS_MAX, Cart, TaxResult } from '../cart.contract.ts'
import type { Language } from '#shared/languages.ts'

const shop = await openShop()
const inclusive = await openShop({ env: { PRICES_INCLUDE_VAT: 'true' } })
const customer = await shop.newCustomer()

const QUESTION = { question: 'Deux et deux ?', choices: ['3', '4'], correct_choice: '4' }

const call = (name: string, body: unknown, who = customer, language: Language = 'en') =>
  who.post(`/api/cart/${who.cartId}/${name}/`, body, { language })

describe('the cart', () => {
  test('is a list with one cart, made on the first read; every change responds with the cart [spec 3.12, 3.13, 7.15, 7.17, 7.19-7.21]', async () => {
    const buyer = await shop.newCustomer()
    const body = [{ id: buyer.cartId, items: [], is_empty: true }]
    expect(await buyer.get('/api/cart/')).toMatchObject({ status: 200, body })
    const [a, b] = [await shop.newOffer(), await shop.newOffer()]
    const added = await call('add_item', { offer_id: a, quantity: 2 }, buyer)
    expect(added.status).toBe(200)
    expect(Cart.safeParse(added.body).success).toBe(true)
    expect((await call('add_item', { offer_id: b, quantity: 1 }, buyer)).body['items']).toHaveLength(2)
    const raised = await call('add_item', { offer_id: a, quantity: 3 }, buyer)
    expect(raised.body['items'][0]).toMatchObject({ quantity: 5, offer: { id: a } })
    expect(raised.body['items'][0].offer).not.toHaveProperty('correct_choice')
    const itemId = raised.body['items'][0].id as number
    const updated = await call('update_item', { item_id: itemId, quantity: 1 }, buyer)
    expect(updated.body['items'][0].quantity).toBe(1)
    expect((await buyer.get('/api/cart/')).body).toEqual([updated.body])
    expect((await call('remove_item', { item_id: itemId }, buyer)).body['items']).toHaveLength(1)
    expect((await call('clear', undefined, buyer)).body).toMatchObject({ items: [], is_empty: true })
  })

  test('clear works with an empty body of type JSON too', async () => {
    const json = { headers: { 'content-type': 'application/json' } }
    const { status } = await customer.post(`/api/cart/${customer.cartId}/clear/`, undefined, json)
    expect(status).toBe(200)
  })
})

describe('the question', () => {
  test('a wrong answer has the specification’s detail and a translated message [spec 1.7, 8.11]', async () => {
    const offerId = await shop.newOffer(QUESTION)
    const body = {
      detail: 'Mauvaise réponse.',
      code: 'cart.wrongAnswer',
      message: 'Dat antwoord klopt niet.',
    }
    const refused = await customer.add(offerId, 1, { answer: '3' }, { language: 'nl' })
    expect(refused).toMatchObject({ status: 400, body })
    expect((await customer.get('/api/cart/')).body).toMatchObject([{ is_empty: true }])
  })

  test.each([undefined, null, ''])('a missing answer (%s) is asked for', async (answer) => {
    const refused = await customer.add(await shop.newOffer(QUESTION), 1, { answer })
    expect(refused).toMatchObject({ status: 400, body: { code: 'cart.answerRequired' } })
  })

  test('the right answer lets tickets in, but not after five wrong ones [spec 5.46, 5.52, 7.18]', async () => {
    const offerId = await shop.newOffer(QUESTION)
    const buyer = await shop.newCustomer()
    expect((await buyer.add(offerId, 1, { answer: '4' })).status).toBe(200)
    for (let guess = 0; guess < 5; guess += 1)
      expect((await buyer.add(offerId, 1, { answer: '3' })).status).toBe(400)
    expect((await buyer.add(offerId, 1, { answer: '4' })).status).toBe(429)
  })
})

describe('what cannot be bought', () => {
  test.each([
    ['deactivated', { state: 'closed' as const }, 'offer.ended'],
    ['past its end date', { end_date: new Date(Date.now() - 1000) }, 'offer.ended'],
    ['with fewer tickets than asked for', { total_tickets: 4 }, 'offer.fewLeft'],
  ])('a contest %s [spec 4.12]', async (_, change, code) => {
    const offerId = await shop.newOffer(change)
    const refused = await customer.add(offerId, 5)
    expect(refused).toMatchObject({ status: 409, body: { code, offer_id: offerId } })
  })

  test('tickets that another buyer’s payment holds; one’s own hold does not count', async () => {
    const offerId = await shop.newOffer({ total_tickets: 5 })
    const first = await shop.newCustomer()
    await first.order(offerId, 4)
    const refused = await customer.add(offerId, 2, {}, { language: 'fr' })
    expect(refused).toMatchObject({ status: 409, body: { code: 'offer.fewFree', available: 1 } })
    expect(refused.body['detail']).toMatch(/en train de payer/)
    expect((await first.add(offerId, 1)).status).toBe(200)
  })

  test('more in two steps than there are', async () => {
    const offerId = await shop.newOffer({ total_tickets: 5 })
    expect((await customer.add(offerId, 3)).status).toBe(200)
    expect(await customer.add(offerId, 3)).toMatchObject({ status: 409, body: { code: 'offer.fewLeft' } })
  })

  test('one offer more than a cart holds', async () => {
    const offerIds = await Promise.all(Array.from({ length: CART_ITEMS_MAX + 1 }, () => shop.newOffer()))
    const [last = 0, ...others] = offerIds
    const buyer = await shop.newCustomer()
    const fill = 'INSERT INTO cart_items (cart_id, offer_id, quantity) SELECT $1, unnest($2::int[]), 1'
    await shop.pool.query(fill, [buyer.cartId, others])
    expect(await buyer.add(last, 1)).toMatchObject({ status: 409, body: { code: 'cart.tooManyItems' } })
    expect((await buyer.add(others[0] ?? 0, 1)).status).toBe(200)
  })

  test('fewer is always allowed, even when the contest is full', async () => {
    const offerId = await shop.newOffer({ total_tickets: 6 })
    const [late, quick] = [await shop.newCustomer(), await shop.newCustomer()]
    const item_id = (await late.add(offerId, 4)).body['items'][0].id as number
    await quick.order(offerId, 5)
    expect((await call('update_item', { item_id, quantity: 5 }, late)).status).toBe(409)
    expect((await call('update_item', { item_id, quantity: 2 }, late)).status).toBe(200)
  })

  test('an offer that does not exist', async () => {
    const notFound = { status: 404, body: { detail: 'Offer not found' } }
    expect(await customer.add(999_999, 1)).toMatchObject(notFound)
  })
})

describe('bad input changes nothing', () => {
  test.each([0, -1, 1.5, 1e9, '2', null, true, [], {}, undefined])('quantity %j', async (quantity) => {
    const offer_id = await shop.newOffer()
    const before = (await customer.get('/api/cart/')).body
    const refused = await call('add_item', { offer_id, quantity }, customer, 'nl')
    expect(refused).toMatchObject({ status: 400, body: { code: 'request.invalid' } })
    expect(refused.body['fields'].quantity[0]).toMatch(/minstens 1 ticket|Kies er minder|getal/)
    expect(refused.body['detail']).toBe(refused.body['fields'].quantity[0])
    expect((await customer.get('/api/cart/')).body).toEqual(before)
  })

  test.each([0, -1, 'x', 1e12, null])('offer_id %j', async (offer_id) => {
    expect((await call('add_item', { offer_id, quantity: 1 })).status).toBe(400)
  })

  test.each([
    ['', 'application/json', 400],
    ['{', 'application/json', 400],
    ['[]', 'application/json', 400],
    ['"text"', 'application/json', 400],
    ['{"offer_id": 1,}', 'application/json', 400],
    [`{"answer":"${'x'.repeat(300_000)}"}`, 'application/json', 413],
    ['<xml/>', 'application/xml', 415],
  ])('body %.20s as %s gets %i', async (payload, type, status) => {
    const url = `/api/cart/${customer.cartId}/add_item/`
    const call = { headers: { 'content-type': type } }
    expect((await shop.anonymous('POST', url, payload, call)).status).toBe(401)
    const response = await customer.post(url, payload, call)
    expect([response.status, typeof response.body['detail']]).toEqual([status, 'string'])
  })

  test('somebody else’s cart and items do not exist [spec 6.15]', async () => {
    const owner = await shop.newCustomer()
    const offer_id = await shop.newOffer()
    const item_id = (await owner.add(offer_id, 1)).body['items'][0].id as number
    for (const [cartId, name, body, code] of [
      [owner.cartId, 'add_item', { offer_id, quantity: 1 }, 'cart.notFound'],
      [customer.cartId, 'update_item', { item_id, quantity: 2 }, 'cart.itemNotFound'],
    ] as const) {
      const refused = await customer.post(`/api/cart/${cartId}/${name}/`, body)
      expect(refused).toMatchObject({ status: 404, body: { code } })
    }
    expect((await owner.get('/api/cart/')).body).toMatchObject([{ items: [{ quantity: 1 }] }])
  })

  test.each(['0', '-1', 'abc', '1e3', '99999999999', '%00'])('cart id %s', async (id) => {
    expect((await customer.post(`/api/cart/${id}/clear/`)).status).toBe(404)
  })
})

describe('calculate_tax', () => {
  const tax = (body: unknown) => shop.anonymous('POST', '/api/cart/calculate_tax/', body)

  test.each([
    ['9.80', 'BE', { subtotal: '9.80', tax_rate: 21, tax_amount: '2.06', total: '11.86', country: 'BE' }],
    [9.8, 'fr', { tax_rate: 20, tax_amount: '1.96', total: '11.76', country: 'FR' }],
    ['10', 'FI', { tax_rate: 25.5, tax_amount: '2.55', total: '12.55' }],
    ['0.50', 'CH', { tax_rate: 8.1, tax_amount: '0.04', total: '0.54' }],
    ['0', 'NL', { tax_amount: '0.00', total: '0.00' }],
    ['1.00', undefined, { country: 'BE', tax_rate: 21 }],
    // A client's own sum: 14.700000000000001.
    [3 * 4.9, 'BE', { subtotal: '14.70', total: '17.79' }],
  ])('%s in %s [spec 3.14, 7.22]', async (subtotal, country_code, expected) => {
    const { status, body } = await tax({ subtotal, country_code })
    expect(status).toBe(200)
    expect(TaxResult.safeParse(body).success).toBe(true)
    expect(body).toMatchObject({ ...expected, prices_include_tax: false })
  })

  test.each([
    [{ subtotal: '1.00', country_code: 'US' }, 'country_code'],
    [{ subtotal: '1.00', country_code: '' }, 'country_code'],
    [{ subtotal: '-1', country_code: 'BE' }, 'subtotal'],
    [{ subtotal: '1.005', country_code: 'BE' }, 'subtotal'],
    [{ subtotal: 1.005, country_code: 'BE' }, 'subtotal'],
    [{ subtotal: 'abc', country_code: 'BE' }, 'subtotal'],
    [{ country_code: 'BE' }, 'subtotal'],
    [{ subtotal: '9999999.99', country_code: 'BE' }, 'subtotal'],
    [{ subtotal: '99999999999', country_code: 'BE' }, 'subtotal'],
    [{ subtotal: 1e21, country_code: 'BE' }, 'subtotal'],
  ])('%j responds with 400', async (body, field) => {
    const response = await tax(body)
    expect(response.status).toBe(400)
    expect(Object.keys(response.body['fields'])).toEqual([field])
  })
})

test('prices that include VAT are split, and still add up', async () => {
  const body = { subtotal: '4.90', country_code: 'BE' }
  const split = { subtotal: '4.05', tax_amount: '0.85', total: '4.90', prices_include_tax: true }
  expect((await inclusive.anonymous('POST', '/api/cart/calculate_tax/', body)).body).toMatchObject(split)
  const buyer = await inclusive.newCustomer()
  const created = await buyer.order(await inclusive.newOffer({ price_cents: 490 }), 3)
  expect(created.body['total']).toBe('14.70')
})
