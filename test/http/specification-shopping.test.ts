import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type NaiveClient, naiveClient } from '../support/naive-client.ts'
import { type Customer, type TestShop, testShop } from '../support/shop.ts'

const QUESTION = { question: 'Deux et deux ?', choices: ['3', '4'], correct_choice: '4' }

let shop: TestShop
let customer: Customer
let client: NaiveClient

beforeAll(async () => {
  shop = await testShop()
})
afterAll(() => shop.close())
beforeEach(async () => {
  customer = await shop.newCustomer()
  client = naiveClient(shop.config.publicUrl)
  await client.login(customer.email, customer.password)
})

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

/** The cart as that client finds it: the first element of the list. */
const cart = async () => (await client.get('/api/cart/')).body[0]

describe('offers', () => {
  test('GET /api/offers/ answers an array of offers, GET /api/offers/{slug}/ the offer with its correct choice', async () => {
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

  test('an offer that does not exist answers 404 with "Offer not found"', async () => {
    expect(await client.get('/api/offers/nowhere/')).toMatchObject({
      status: 404,
      body: { detail: 'Offer not found' },
    })
  })
})

describe('the cart', () => {
  test('GET /api/cart/ answers a list whose first element is the caller’s cart', async () => {
    const { body } = await client.get('/api/cart/')
    expect(body).toHaveLength(1)
    expect(body[0]).toMatchObject({ id: expect.any(Number), items: [], is_empty: true })
  })

  test('add_item, update_item, remove_item and clear each answer the cart', async () => {
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

  test('answer is sent only when the offer has a question', async () => {
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

  test('a quantity below 1 is refused, and so is one beyond the tickets remaining', async () => {
    const offerId = await shop.newOffer({ total_tickets: 5 })
    const { id } = await cart()
    const add = (quantity: number) =>
      client.post(`/api/cart/${id}/add_item/`, { offer_id: offerId, quantity })
    expect((await add(0)).body).toMatchObject({ fields: { quantity: ['The quantity must be at least 1.'] } })
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
  test('takes subtotal and country_code and answers the tax fields', async () => {
    const tax = await client.post('/api/cart/calculate_tax/', { subtotal: '9.80', country_code: 'DE' })
    expect(tax).toMatchObject({
      status: 200,
      body: { subtotal: '9.80', tax_rate: 19, tax_amount: '1.86', total: '11.66', country: 'DE' },
    })
  })

  test('takes the subtotal as a number too, as a client computes it', async () => {
    const tax = await client.post('/api/cart/calculate_tax/', { subtotal: 9.8, country_code: 'BE' })
    expect(tax.body).toMatchObject({ tax_amount: '2.06', total: '11.86' })
    const summed = await client.post('/api/cart/calculate_tax/', { subtotal: 3 * 4.9, country_code: 'BE' })
    expect(3 * 4.9).not.toBe(14.7)
    expect(summed.body).toMatchObject({ subtotal: '14.70', total: '17.79' })
  })

  test('answers 400 for a country it does not know', async () => {
    const tax = await client.post('/api/cart/calculate_tax/', { subtotal: '9.80', country_code: 'XX' })
    expect(tax.status).toBe(400)
  })
})
