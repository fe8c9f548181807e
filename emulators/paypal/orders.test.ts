import { beforeAll, describe, expect, test } from 'vitest'
import { type Shop, eur, issueOf, openShop, orderBody, startWithClient } from './emulator.test-support.ts'

let shop: Shop
beforeAll(async () => {
  shop = await startWithClient()
  return shop.close
})

const wrongToken = (authorization: string) =>
  shop.call('GET', '/v2/checkout/orders/X', undefined, { authorization })

test('a wrong secret gets no token; a call without a token, with a forged or an old one is refused', async () => {
  const reply = await fetch(`${shop.emulator.url}/v1/oauth2/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa('volant-local-client:wrong')}` },
    body: new URLSearchParams({ grant_type: 'client_credentials' }),
  })
  expect(reply.status).toBe(401)
  expect(await reply.json()).toMatchObject({ error: 'invalid_client' })
  expect(await wrongToken('')).toMatchObject({ status: 401, body: { name: 'AUTHENTICATION_FAILURE' } })
  expect(await wrongToken(`Bearer ${shop.token}x`)).toMatchObject({
    status: 401,
    body: { error: 'invalid_token' },
  })
  let hours = 0
  const own = await openShop({ now: () => new Date(Date.UTC(2026, 0) + hours * 3_600_000) })
  const id = await own.approved()
  expect((await own.get(`/v2/checkout/orders/${id}`)).status).toBe(200)
  hours = 10
  expect((await own.get(`/v2/checkout/orders/${id}`)).status).toBe(401)
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
    const urls = { return_url: 'http://shop.test/r', cancel_url: 'http://shop.test/c' }
    const source = { payment_source: { paypal: { experience_context: urls } } }
    const without = await shop.create(orderBody({}, source))
    expect(without.status).toBe(400)
    expect(issueOf(without)).toBe('PAYPAL_REQUEST_ID_REQUIRED')
    const made = await shop.create(orderBody({}, source), 'source-1')
    expect(made.body.status).toBe('PAYER_ACTION_REQUIRED')
    expect(made.body.links.map(({ rel }) => rel)).toEqual(['self', 'payer-action'])
  })

  const sums = (value: string, item: string, tax: string) => ({
    amount: { ...eur(value), breakdown: { item_total: eur(item), tax_total: eur(tax) } },
  })
  const alone = (value: string, currency_code = 'EUR') => ({
    amount: { currency_code, value },
    items: undefined,
  })
  const halves = [{ name: 'T', quantity: '1.5', unit_amount: eur('5.00') }]
  test.each<[string, Record<string, unknown>, number, string]>([
    ['items that do not sum up', sums('13.10', '11.00', '2.10'), 422, 'ITEM_TOTAL_MISMATCH'],
    ['a tax that does not sum up', sums('12.00', '10.00', '2.00'), 422, 'TAX_TOTAL_MISMATCH'],
    ['a total that does not sum up', sums('12.11', '10.00', '2.10'), 422, 'AMOUNT_MISMATCH'],
    ['items without a breakdown', { amount: eur('10.00') }, 422, 'ITEM_TOTAL_REQUIRED'],
    ['three decimals', alone('12.100'), 422, 'DECIMAL_PRECISION'],
    ['a negative amount', alone('-1.00'), 422, 'CANNOT_BE_NEGATIVE'],
    ['nothing to pay', alone('0.00'), 422, 'CANNOT_BE_ZERO_OR_NEGATIVE'],
    ['words for an amount', alone('ten'), 400, 'INVALID_PARAMETER_VALUE'],
    ['an unknown currency', alone('1.00', 'XYZ'), 422, 'CURRENCY_NOT_SUPPORTED'],
    ['no amount', { amount: undefined }, 400, 'MISSING_REQUIRED_PARAMETER'],
    ['a quantity of one and a half', { items: halves }, 400, 'INVALID_PARAMETER_VALUE'],
    ['a custom id that is too long', { custom_id: 'x'.repeat(256) }, 400, 'INVALID_STRING_MAX_LENGTH'],
    ['a number where text belongs', { custom_id: 7 }, 400, 'INVALID_PARAMETER_SYNTAX'],
  ])('%s is refused', async (_name, unit, status, issue) => {
    const before = shop.emulator.book.orders.size
    const answer = await shop.create(orderBody(unit))
    expect([answer.status, issueOf(answer)]).toEqual([status, issue])
    expect(answer.body.debug_id).toBe(answer.headers.get('paypal-debug-id'))
    expect(shop.emulator.book.orders.size).toBe(before)
  })

  test('every missing field is named at once; two currencies are refused', async () => {
    const answer = await shop.create({ purchase_units: [{ amount: { value: '1.00' } }] })
    const fields = answer.body.details.map(({ field }) => field)
    expect(fields).toEqual(['/intent', '/purchase_units/0/amount/currency_code'])
    const units = [
      { reference_id: 'a', amount: eur('1.00') },
      { reference_id: 'b', amount: { currency_code: 'USD', value: '1.00' } },
    ]
    const two = await shop.create({ intent: 'CAPTURE', purchase_units: units })
    expect(issueOf(two)).toBe('MULTI_CURRENCY_ORDER')
  })

  test('broken JSON, another media type and an unknown order have their own answers', async () => {
    const url = `${shop.emulator.url}/v2/checkout/orders`
    const authorization = `Bearer ${shop.token}`
    const send = (body: string, type: string) =>
      fetch(url, { method: 'POST', body, headers: { authorization, 'content-type': type } })
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
  const order = `/v2/checkout/orders/${body.id}`
  const patch = (field: string, value: unknown) =>
    shop.call('PATCH', order, [
      { op: 'replace', path: `/purchase_units/@reference_id=='default'/${field}`, value },
    ])
  const wrong = { ...eur('1.00'), breakdown: { item_total: eur('2.00') } }
  expect((await patch('amount', wrong)).status).toBe(422)
  expect((await patch('custom_id', 'changed')).status).toBe(204)
  const [unit] = (await shop.get(order)).body.purchase_units
  expect(unit).toMatchObject({ custom_id: 'changed', amount: { value: '12.10' } })
})
