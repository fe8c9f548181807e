import { describe, expect, test } from 'vitest'
import { COUNTRIES, withTax } from '#shared/countries.ts'
import { MAX_PRICE_CENTS, cents } from '#shared/money.ts'
import { openShop } from '../../../../test/support/shop.ts'

const shop = await openShop()

const list = () => shop.anonymous('GET', '/api/offers/')

describe('the price of a ticket', () => {
  test('goes as high as its VAT fits beside it, in every country', async () => {
    for (const { rates } of COUNTRIES)
      for (const { percent } of rates)
        expect(() => withTax(cents(MAX_PRICE_CENTS), percent, false), `${percent}`).not.toThrow()
    await shop.newOffer({ slug: 'dearest', price_cents: MAX_PRICE_CENTS })
    expect(await list()).toMatchObject({
      status: 200,
      body: [{ slug: 'dearest', ticket_price: '4999999.99' }],
    })
  })

  test('and no higher: the database refuses what would take the list with it', async () => {
    await expect(shop.newOffer({ slug: 'too-dear', price_cents: MAX_PRICE_CENTS + 1 })).rejects.toMatchObject(
      {
        constraint: 'offers_price_is_an_amount',
      },
    )
    const offerId = await shop.newOffer({ slug: 'ordinary' })
    const raise = () => shop.pool.query('UPDATE offers SET price_cents = 2000000000 WHERE id = $1', [offerId])
    await expect(raise()).rejects.toMatchObject({ constraint: 'offers_price_is_an_amount' })
    expect((await list()).status).toBe(200)

    // What the constraint is for.
    await shop.pool.query('ALTER TABLE offers DROP CONSTRAINT offers_price_is_an_amount')
    await raise()
    expect((await list()).status).toBe(500)
  })
})
