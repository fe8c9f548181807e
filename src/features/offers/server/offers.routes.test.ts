import { beforeAll, expect, test } from 'vitest'
import { openShop, testShop } from '../../../../test/support/shop.ts'
import { OfferDetail, OfferList } from '../offers.contract.ts'

const shop = await openShop()

beforeAll(async () => {
  await shop.newOffer({ slug: 'ordinary', price_cents: 490 })
  await shop.newOffer({ slug: 'ended', end_date: new Date(Date.now() - 60_000) })
  await shop.newOffer({ slug: 'soon', end_date: new Date(Date.now() + 3_600_000) })
  await shop.newOffer({ slug: 'switched-off', active: false })
  await shop.newOffer({ slug: 'asks', question: 'Deux et deux ?', choices: ['3', '4'], correct_choice: '4' })
})

test('the list is an array of offers, those that can be bought first [spec 3.5, 3.8]', async () => {
  const { status, body } = await shop.anonymous('GET', '/api/offers/')
  expect(status).toBe(200)
  const offers = OfferList.parse(body)
  expect(offers.map((offer) => [offer.slug, offer.is_active])).toEqual([
    ['soon', true],
    ['ordinary', true],
    ['asks', true],
    ['switched-off', false],
    ['ended', false],
  ])
  expect(offers.find((offer) => offer.slug === 'ordinary')).toMatchObject({
    ticket_price: '4.90',
    tickets_sold: 0,
  })
})

test('an offer carries every field of the specification, by its name and kind [spec 3.1-3.4, 3.7-3.9]', async () => {
  const id = await shop.newOffer({ slug: 'whole', question: 'Deux ?', choices: ['2'], correct_choice: '2' })
  const picture = { width: 1600, height: 1000, color: '#000', alt_fr: 'a', alt_nl: 'b', alt_en: 'c' }
  const row = { ...picture, offer_id: id, position: 0, src: '/media/whole', widths: [828, 1600] }
  await shop.db.insertInto('offer_pictures').values(row).execute()
  const customer = await shop.newCustomer()
  const { body } = await customer.get('/api/offers/whole/')
  expect(body).toMatchObject({
    id,
    slug: 'whole',
    title: expect.stringMatching(/^Concours/),
    title_nl: expect.stringMatching(/^Wedstrijd/),
    title_en: expect.stringMatching(/^Contest/),
    description: '',
    description_nl: '',
    description_en: '',
    image: '/media/whole-828.webp',
    carousel_images: ['/media/whole-1600.webp'],
    ticket_price: '4.90',
    total_tickets: 1_000,
    tickets_sold: 0,
    is_active: true,
    end_date: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
    question: 'Deux ?',
    choices: ['2'],
    correct_choice: '2',
  })
})

test('the correct answer is shown to a signed-in caller only, and only on the offer’s page [spec 3.10]', async () => {
  const customer = await shop.newCustomer()
  expect((await customer.get('/api/offers/asks/')).body).toMatchObject({
    choices: ['3', '4'],
    correct_choice: '4',
  })
  expect((await shop.anonymous('GET', '/api/offers/asks/')).body).not.toHaveProperty('correct_choice')
  expect(JSON.stringify((await customer.get('/api/offers/')).body)).not.toContain('correct_choice')
})

test('HIDE_ANSWER leaves it out for everybody', async () => {
  const hiding = await testShop({ env: { HIDE_ANSWER: 'true' } })
  try {
    await hiding.newOffer({
      slug: 'asks',
      question: 'Deux et deux ?',
      choices: ['3', '4'],
      correct_choice: '4',
    })
    const customer = await hiding.newCustomer()
    const { body } = await customer.get('/api/offers/asks/')
    expect(OfferDetail.parse(body).correct_choice).toBeUndefined()
  } finally {
    await hiding.close()
  }
})

test.each([
  ['fr', 'Concours introuvable'],
  ['nl', 'Wedstrijd niet gevonden'],
  ['en', 'Offer not found'],
] as const)('an unknown offer is told in %s', async (language, detail) => {
  const answer = await shop.anonymous('GET', '/api/offers/nowhere/', undefined, { language })
  expect(answer).toMatchObject({ status: 404, body: { detail, code: 'offer.notFound' } })
})

test('the address in a ticket’s QR code leads to its contest', async () => {
  const answer = await shop.anonymous('GET', '/draws/asks')
  expect([answer.status, answer.headers['location']]).toEqual([302, '/offers/asks'])
})

test('no number key ever leaves the server', async () => {
  const customer = await shop.newCustomer()
  expect(JSON.stringify((await customer.get('/api/offers/asks/')).body)).not.toContain('number_key')
})

test('the database refuses to oversell, whatever a program does [spec 1.2]', async () => {
  const offerId = await shop.newOffer({ total_tickets: 2 })
  const oversell = shop.db
    .updateTable('offers')
    .set({ tickets_sold: 2, tickets_held: 1 })
    .where('id', '=', offerId)
  await expect(oversell.execute()).rejects.toThrow(/offers_never_oversold/)
})
