import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { migrate } from '#platform/migrations.ts'
import { silentLog } from '#platform/postgres/log.ts'
import { COUNTRIES, withTax } from '#shared/countries.ts'
import { MAX_PRICE_CENTS, cents } from '#shared/money.ts'
import { testDatabase } from '../../../../test/support/database.ts'
import { openShop } from '../../../../test/support/shop.ts'

const folder = path.resolve(import.meta.dirname, '../../../../db/migrations')

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

  test('that stands too high already is named by the update, which changes nothing', async () => {
    const old = await testDatabase({ empty: true })
    const run = (upTo?: number) => migrate({ url: old.url, folder, log: silentLog, ...(upTo && { upTo }) })
    await run(15)
    await old.pool.query(
      `INSERT INTO offers (slug, title, price_cents, total_tickets, end_date, number_key)
       SELECT slug, slug, price, 10, now(), sha256('key')
       FROM (VALUES ('ordinary', 490), ('dear', 500000000), ('dearer', 2000000000)) AS one (slug, price)`,
    )
    await expect(run()).rejects.toThrow(
      /0016-\S+ failed and changed nothing: a ticket may cost 4999999\.99 EUR at most; .*: dear \(500000000 cents\), dearer \(2000000000 cents\)$/,
    )
    await old.pool.query(`UPDATE offers SET price_cents = 499999999 WHERE slug <> 'ordinary'`)
    expect(await run()).toEqual(['prices-that-amounts-can-be'])
    await old.close()
  })
})
