import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { issueOf, orderBody, startWithClient } from './emulator.test-support.ts'

type Shop = Awaited<ReturnType<typeof startWithClient>>
let shop: Shop
beforeAll(async () => {
  shop = await startWithClient()
})
afterAll(() => shop.close())

const eur = (value: string) => ({ currency_code: 'EUR', value })

describe('tokens', () => {
  test('a wrong secret gets no token', async () => {
    const reply = await fetch(`${shop.emulator.url}/v1/oauth2/token`, {
      method: 'POST',
      headers: { authorization: `Basic ${btoa('volant-local-client:wrong')}` },
      body: new URLSearchParams({ grant_type: 'client_credentials' }),
    })
    expect(reply.status).toBe(401)
    expect(await reply.json()).toMatchObject({ error: 'invalid_client' })
  })

  test('a call without a token, or with a forged one, is refused', async () => {
    const without = await fetch(`${shop.emulator.url}/v2/checkout/orders/X`)
    expect(without.status).toBe(401)
    expect(await without.json()).toMatchObject({ name: 'AUTHENTICATION_FAILURE' })
    const forged = await shop.call('GET', '/v2/checkout/orders/X', undefined, {
      authorization: `Bearer ${shop.token}x`,
    })
    expect(forged).toMatchObject({ status: 401, body: { error: 'invalid_token' } })
  })

  test('a token ends', async () => {
    let time = Date.parse('2026-01-01T00:00:00Z')
    const later = await startWithClient({ now: () => new Date(time) })
    const id = await later.approved()
    expect((await later.get(`/v2/checkout/orders/${id}`)).status).toBe(200)
    time += 10 * 3_600_000
    expect((await later.get(`/v2/checkout/orders/${id}`)).status).toBe(401)
    await later.close()
  })
})

describe('creating an order', () => {
  test('an order that adds up is created, with the links of a shop', async () => {
    const made = await shop.create()
    expect(made).toMatchObject({ status: 201, body: { status: 'CREATED' } })
    expect(made.body.links.map(({ rel }) => rel)).toEqual(['self', 'approve', 'update', 'capture'])
    expect(made.body.purchase_units).toBeUndefined()
    expect(made.headers.get('paypal-debug-id')).toMatch(/^[0-9a-f]{13}$/)
    const read = await shop.get(`/v2/checkout/orders/${made.body.id}`)
    expect(read.body.purchase_units[0]).toMatchObject({
      reference_id: 'default',
      custom_id: 'order-1',
      amount: { value: '12.10' },
    })
  })

  test('Prefer: return=representation brings the whole order', async () => {
    const made = await shop.call('POST', '/v2/checkout/orders', orderBody(), {
      prefer: 'return=representation',
    })
    expect(made.body).toMatchObject({ intent: 'CAPTURE', purchase_units: [{ amount: { value: '12.10' } }] })
  })

  test('with a payment source it waits for the payer, and needs a request id', async () => {
    const source = {
      payment_source: {
        paypal: {
          experience_context: { return_url: 'http://shop.test/r', cancel_url: 'http://shop.test/c' },
        },
      },
    }
    const without = await shop.create(orderBody({}, source))
    expect(without.status).toBe(400)
    expect(issueOf(without)).toBe('PAYPAL_REQUEST_ID_REQUIRED')
    const made = await shop.create(orderBody({}, source), 'source-1')
    expect(made.body.status).toBe('PAYER_ACTION_REQUIRED')
    expect(made.body.links.map(({ rel }) => rel)).toEqual(['self', 'payer-action'])
  })

  const amount = (value: string, breakdown?: object) => ({
    amount: { ...eur(value), ...(breakdown ? { breakdown } : {}) },
  })
  test.each<[string, Record<string, unknown>, number, string]>([
    [
      'items that do not sum up',
      amount('13.10', { item_total: eur('11.00'), tax_total: eur('2.10') }),
      422,
      'ITEM_TOTAL_MISMATCH',
    ],
    [
      'a tax that does not sum up',
      amount('12.00', { item_total: eur('10.00'), tax_total: eur('2.00') }),
      422,
      'TAX_TOTAL_MISMATCH',
    ],
    [
      'a total that does not sum up',
      amount('12.11', { item_total: eur('10.00'), tax_total: eur('2.10') }),
      422,
      'AMOUNT_MISMATCH',
    ],
    ['items without a breakdown', amount('10.00'), 422, 'ITEM_TOTAL_REQUIRED'],
    ['three decimals', { ...amount('12.100'), items: undefined }, 422, 'DECIMAL_PRECISION'],
    ['a negative amount', { ...amount('-1.00'), items: undefined }, 422, 'CANNOT_BE_NEGATIVE'],
    ['nothing to pay', { ...amount('0.00'), items: undefined }, 422, 'CANNOT_BE_ZERO_OR_NEGATIVE'],
    ['words for an amount', { ...amount('ten'), items: undefined }, 400, 'INVALID_PARAMETER_VALUE'],
    [
      'an unknown currency',
      { amount: { currency_code: 'XYZ', value: '1.00' }, items: undefined },
      422,
      'CURRENCY_NOT_SUPPORTED',
    ],
    ['no amount', { amount: undefined }, 400, 'MISSING_REQUIRED_PARAMETER'],
    [
      'a quantity of one and a half',
      { items: [{ name: 'T', quantity: '1.5', unit_amount: eur('5.00') }] },
      400,
      'INVALID_PARAMETER_VALUE',
    ],
    ['a custom id that is too long', { custom_id: 'x'.repeat(256) }, 400, 'INVALID_STRING_MAX_LENGTH'],
    ['a number where text belongs', { custom_id: 7 }, 400, 'INVALID_PARAMETER_SYNTAX'],
  ])('%s is refused', async (_name, unit, status, issue) => {
    const before = shop.emulator.book.orders.size
    const answer = await shop.create(orderBody(unit))
    expect([answer.status, issueOf(answer)]).toEqual([status, issue])
    expect(answer.body.debug_id).toBe(answer.headers.get('paypal-debug-id'))
    expect(shop.emulator.book.orders.size).toBe(before)
  })

  test('every missing field is named at once', async () => {
    const answer = await shop.create({ purchase_units: [{ amount: { value: '1.00' } }] })
    expect(answer.body.details.map(({ field }) => field)).toEqual([
      '/intent',
      '/purchase_units/0/amount/currency_code',
    ])
  })

  test('two currencies in one order are refused', async () => {
    const units = [
      { reference_id: 'a', amount: eur('1.00') },
      { reference_id: 'b', amount: { currency_code: 'USD', value: '1.00' } },
    ]
    expect(issueOf(await shop.create({ intent: 'CAPTURE', purchase_units: units }))).toBe(
      'MULTI_CURRENCY_ORDER',
    )
  })

  test('broken JSON, another media type and an unknown order have their own answers', async () => {
    const send = (body: string, type: string) =>
      fetch(`${shop.emulator.url}/v2/checkout/orders`, {
        method: 'POST',
        body,
        headers: { authorization: `Bearer ${shop.token}`, 'content-type': type },
      })
    const broken = await send('{"intent":', 'application/json')
    expect(broken.status).toBe(400)
    expect(await broken.json()).toMatchObject({ details: [{ issue: 'MALFORMED_REQUEST_JSON' }] })
    expect((await send('x', 'text/xml')).status).toBe(415)
    const unknown = await shop.get('/v2/checkout/orders/5O190127TN364715T')
    expect(unknown).toMatchObject({
      status: 404,
      body: { name: 'RESOURCE_NOT_FOUND', details: [{ issue: 'INVALID_RESOURCE_ID' }] },
    })
  })
})

test('an open order can be patched, but only so that it still adds up', async () => {
  const { body } = await shop.create()
  const path = "/purchase_units/@reference_id=='default'"
  const bad = await shop.call('PATCH', `/v2/checkout/orders/${body.id}`, [
    {
      op: 'replace',
      path: `${path}/amount`,
      value: { ...eur('1.00'), breakdown: { item_total: eur('2.00') } },
    },
  ])
  expect(bad.status).toBe(422)
  const good = await shop.call('PATCH', `/v2/checkout/orders/${body.id}`, [
    { op: 'replace', path: `${path}/custom_id`, value: 'changed' },
  ])
  expect(good.status).toBe(204)
  const read = await shop.get(`/v2/checkout/orders/${body.id}`)
  expect(read.body.purchase_units[0]).toMatchObject({ custom_id: 'changed', amount: { value: '12.10' } })
})
