import { expect, test } from 'vitest'
import { COUNTRIES, withTax } from '#shared/countries.ts'
import { MAX_PRICE_CENTS, cents } from '#shared/money.ts'
import { openShop } from '../../../../test/support/shop.ts'
import { OfferDetail, OfferList } from '../offers.contract.ts'

const shop = await openShop()
const hiding = await openShop({ env: { HIDE_ANSWER: 'true' } })

const ASKS = { slug: 'asks', question: 'Deux et deux ?', choices: ['3', '4'], correct_choice: '4' }
await shop.newOffer({ slug: 'ordinary', price_cents: 490 })
await shop.newOffer({ slug: 'ended', end_date: new Date(Date.now() - 60_000) })
await shop.newOffer({ slug: 'soon', end_date: new Date(Date.now() + 3_600_000) })
await shop.newOffer({ slug: 'switched-off', state: 'closed' })
await shop.newOffer(ASKS)

test('the list is an array of offers, those that can be bought first [spec 3.5, 3.8, 7.12]', async () => {
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
  expect(offers[1]).toMatchObject({ ticket_price: '4.90', tickets_sold: 0 })
})

test('an offer has every field of the specification, and not its number key [spec 3.1-3.4, 3.7-3.9, 7.14]', async () => {
  const id = await shop.newOffer({
    slug: 'whole',
    question: 'Deux ?',
    choices: ['2'],
    correct_choice: '2',
    prize_year: 2024,
  })
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
    prize: { value: null, power_kw: null, zero_to_100: null, year: 2024, range_km: null },
  })
  expect(JSON.stringify(body)).not.toContain('number_key')
})

test.for([
  ['prize_power_kw', 0],
  ['prize_power_kw', 2_001],
  ['prize_zero_to_100', 0.9],
  ['prize_zero_to_100', 60.1],
  ['prize_year', 1885],
  ['prize_year', 2101],
  ['prize_range_km', 0],
  ['prize_range_km', 5_001],
] as const)('the database refuses a prize with %s %d', async ([column, value]) => {
  const constraint = expect.stringMatching(/^offers_prize_/)
  await expect(shop.newOffer({ [column]: value })).rejects.toMatchObject({ constraint })
})

test('the correct answer is shown to a signed-in caller only, and only on the offer’s page [spec 3.10]', async () => {
  const customer = await shop.newCustomer()
  const shown = { choices: ['3', '4'], correct_choice: '4' }
  expect((await customer.get('/api/offers/asks/')).body).toMatchObject(shown)
  expect((await shop.anonymous('GET', '/api/offers/asks/')).body).not.toHaveProperty('correct_choice')
  expect(JSON.stringify((await customer.get('/api/offers/')).body)).not.toContain('correct_choice')
})

test('HIDE_ANSWER leaves it out for everybody', async () => {
  await hiding.newOffer(ASKS)
  const { body } = await (await hiding.newCustomer()).get('/api/offers/asks/')
  expect(OfferDetail.parse(body).correct_choice).toBeUndefined()
})

test.each([
  ['fr', 'Concours introuvable'],
  ['nl', 'Wedstrijd niet gevonden'],
  ['en', 'Offer not found'],
] as const)('an unknown offer is not found (%s)', async (language, detail) => {
  const response = await shop.anonymous('GET', '/api/offers/nowhere/', undefined, { language })
  expect(response).toMatchObject({ status: 404, body: { detail, code: 'offer.notFound' } })
})

test('the price of a ticket goes as high as its VAT fits beside it, in every country', async () => {
  for (const { rates } of COUNTRIES)
    for (const { percent } of rates)
      expect(() => withTax(cents(MAX_PRICE_CENTS), percent, false), `${percent}`).not.toThrow()
  await shop.newOffer({ slug: 'dearest', price_cents: MAX_PRICE_CENTS })
  const { body } = await shop.anonymous('GET', '/api/offers/dearest/')
  expect(body).toMatchObject({ ticket_price: '4999999.99' })
})

test('the database refuses a higher price, which would break the list', async () => {
  const constraint = 'offers_price_is_an_amount'
  await expect(shop.newOffer({ price_cents: MAX_PRICE_CENTS + 1 })).rejects.toMatchObject({ constraint })
  const raise = () => shop.pool.query(`UPDATE offers SET price_cents = 2000000000 WHERE slug = 'ordinary'`)
  await expect(raise()).rejects.toMatchObject({ constraint })
  expect((await shop.anonymous('GET', '/api/offers/')).status).toBe(200)
  // Without the constraint:
  await shop.pool.query(`ALTER TABLE offers DROP CONSTRAINT ${constraint}`)
  await raise()
  expect((await shop.anonymous('GET', '/api/offers/')).status).toBe(500)
})
