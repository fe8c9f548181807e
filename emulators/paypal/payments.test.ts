import { afterAll, describe, expect, test, vi } from 'vitest'
import { captureOf, eur, issueOf, openShop, orderBody } from './emulator.test-support.ts'

const shop = await openShop({ hangMs: 300 }, afterAll)

test('a wrong secret gets no token; a call without a token, with a forged or an old one is refused', async () => {
  const reply = await fetch(`${shop.emulator.url}/v1/oauth2/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa('volant-local-client:wrong')}` },
    body: new URLSearchParams({ grant_type: 'client_credentials' }),
  })
  expect(reply.status).toBe(401)
  expect(await reply.json()).toMatchObject({ error: 'invalid_client' })
  const read = (authorization: string) =>
    shop.call('GET', '/v2/checkout/orders/X', undefined, { authorization })
  expect(await read('')).toMatchObject({ status: 401, body: { name: 'AUTHENTICATION_FAILURE' } })
  const forged = await read(`Bearer ${shop.token}x`)
  expect(forged).toMatchObject({ status: 401, body: { error: 'invalid_token' } })
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
    expect(made.body.links).toMatchObject(['self', 'approve', 'update', 'capture'].map((rel) => ({ rel })))
    expect(made.body.purchase_units).toBeUndefined()
    expect(made.headers.get('paypal-debug-id')).toMatch(/^[0-9a-f]{13}$/)
    const read = await shop.get(`/v2/checkout/orders/${made.body.id}`)
    const unit = { reference_id: 'default', custom_id: 'order-1', amount: { value: '12.10' } }
    expect(read.body.purchase_units[0]).toMatchObject(unit)
  })

  test('Prefer: return=representation brings the whole order', async () => {
    const headers = { prefer: 'return=representation' }
    const made = await shop.post('/v2/checkout/orders', orderBody(), headers)
    expect(made.body).toMatchObject({ intent: 'CAPTURE', purchase_units: [{ amount: { value: '12.10' } }] })
  })

  test('with a payment source it waits for the payer, and needs a request id', async () => {
    const urls = { return_url: 'http://shop.test/r', cancel_url: 'http://shop.test/c' }
    const source = { payment_source: { paypal: { experience_context: urls } } }
    expect(issueOf(await shop.create(orderBody({}, source)))).toBe('PAYPAL_REQUEST_ID_REQUIRED')
    const made = await shop.create(orderBody({}, source), 'source-1')
    expect(made.body.status).toBe('PAYER_ACTION_REQUIRED')
    expect(made.body.links).toMatchObject([{ rel: 'self' }, { rel: 'payer-action' }])
  })

  const sums = (value: string, item: string, tax: string) => ({
    amount: { ...eur(value), breakdown: { item_total: eur(item), tax_total: eur(tax) } },
  })
  const alone = (value: string, currency = 'EUR') => ({
    amount: { ...eur(value), currency_code: currency },
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
    const response = await shop.create(orderBody(unit))
    expect([response.status, issueOf(response)]).toEqual([status, issue])
    expect(response.body.debug_id).toBe(response.headers.get('paypal-debug-id'))
    expect(shop.emulator.book.orders.size).toBe(before)
  })

  test('every missing field is named at once; two currencies are refused', async () => {
    const response = await shop.create({ purchase_units: [{ amount: { value: '1.00' } }] })
    const fields = ['/intent', '/purchase_units/0/amount/currency_code']
    expect(response.body.details).toMatchObject(fields.map((field) => ({ field })))
    const units = [
      { reference_id: 'a', amount: eur('1.00') },
      { reference_id: 'b', amount: { currency_code: 'USD', value: '1.00' } },
    ]
    const two = await shop.create({ intent: 'CAPTURE', purchase_units: units })
    expect(issueOf(two)).toBe('MULTI_CURRENCY_ORDER')
  })

  test('broken JSON, another media type and an unknown order have their own responses', async () => {
    const authorization = `Bearer ${shop.token}`
    const send = (body: string, type: string) =>
      fetch(`${shop.emulator.url}/v2/checkout/orders`, {
        method: 'POST',
        body,
        headers: { authorization, 'content-type': type },
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

const statusOf = async (id: string) => (await shop.get(`/v2/checkout/orders/${id}`)).body.status

describe('a capture', () => {
  test('of an order that is not approved is refused', async () => {
    const { body } = await shop.create()
    expect(issueOf(await shop.capture(body.id))).toBe('ORDER_NOT_APPROVED')
  })

  test('of an approved order is made once, with its fee and its references', async () => {
    const id = await shop.approved()
    const taken = await shop.capture(id)
    const payer = { email_address: 'buyer@buyer.test' }
    expect(taken).toMatchObject({ status: 201, body: { status: 'COMPLETED', payer } })
    expect(captureOf(taken)).toMatchObject({
      status: 'COMPLETED',
      amount: eur('12.10'),
      custom_id: 'order-1',
      supplementary_data: { related_ids: { order_id: id } },
      seller_receivable_breakdown: { paypal_fee: { value: '0.70' }, net_amount: { value: '11.40' } },
    })
    const again = await shop.capture(id)
    expect([again.status, issueOf(again)]).toEqual([422, 'ORDER_ALREADY_CAPTURED'])
    expect((await shop.get(`/v2/payments/captures/${captureOf(taken).id}`)).body.status).toBe('COMPLETED')
  })

  test.each([
    ['BE, when nothing is said', undefined, 'BE'],
    ['the country that the approval names', 'FR', 'FR'],
    ['nothing, when it names none', null, undefined],
  ])('tells of the country of the payer and of the account %s', async (_, country, told) => {
    const { body } = await shop.create()
    await shop.post(`/_emulator/orders/${body.id}/approve`, { country })
    const { payer, payment_source } = (await shop.capture(body.id)).body
    const countries = [payer, payment_source.paypal].map(({ address }) => address?.country_code)
    expect(countries).toEqual([told, told])
    const wrong = await shop.post(`/_emulator/orders/${body.id}/approve`, { country: 'be' })
    expect(wrong.status).toBe(400)
  })

  test('is refused when another order with its invoice number is paid', async () => {
    const body = orderBody({ invoice_id: 'invoice-1' })
    const capture = async () => shop.capture(await shop.approved('buyer@buyer.test', body))
    expect((await capture()).status).toBe(201)
    expect(issueOf(await capture())).toBe('DUPLICATE_INVOICE_ID')
  })

  test('is made for each purchase unit', async () => {
    const units = [
      { reference_id: 'a', amount: eur('1.00') },
      { reference_id: 'b', amount: eur('2.50') },
    ]
    const body = { intent: 'CAPTURE', purchase_units: units }
    const taken = await shop.capture(await shop.approved('buyer@buyer.test', body))
    const captured = ['1.00', '2.50'].map((value) => ({ payments: { captures: [{ amount: { value } }] } }))
    expect(taken.body.purchase_units).toMatchObject(captured)
  })
})

describe('the sentinel buyer', () => {
  test('declined@ is refused until another instrument is chosen', async () => {
    const id = await shop.approved('declined@buyer.test')
    const refused = await shop.capture(id, `${id}:1`)
    expect([refused.status, issueOf(refused)]).toEqual([422, 'INSTRUMENT_DECLINED'])
    const redirect = { rel: 'redirect', href: expect.stringContaining(id) }
    expect(refused.body.links).toContainEqual(expect.objectContaining(redirect))
    expect(issueOf(await shop.capture(id, `${id}:2`))).toBe('INSTRUMENT_DECLINED')
    await shop.post(`/_emulator/orders/${id}/approve`, { buyer: 'declined@buyer.test', instrument: 'other' })
    expect(issueOf(await shop.capture(id, `${id}:1`))).toBe('INSTRUMENT_DECLINED')
    expect((await shop.capture(id, `${id}:3`)).body.status).toBe('COMPLETED')
  })

  test.each([
    ['release', 'COMPLETED', 201],
    ['deny', 'DECLINED', 422],
  ])('pending@ has a pending capture, until %s makes it %s', async (verdict, settled, refundStatus) => {
    const taken = await shop.capture(await shop.approved('pending@buyer.test'))
    const { id, status, status_details } = captureOf(taken)
    expect([taken.status, status, status_details.reason]).toEqual([201, 'PENDING', 'PENDING_REVIEW'])
    expect(issueOf(await shop.refund(id))).toBe('PENDING_CAPTURE')
    const settle = () => shop.post(`/_emulator/captures/${id}/${verdict}`)
    expect(await settle()).toMatchObject({ status: 200, body: { status: settled } })
    expect((await settle()).status).toBe(422)
    expect((await shop.refund(id)).status).toBe(refundStatus)
  })

  test.each([
    ['http500@ fails twice without effect, then pays', [500, 500, 201], ['APPROVED', 'APPROVED']],
    ['lost@ gets 500 although the capture was made', [500, 200], ['COMPLETED']],
  ])('%s', async (buyer, responses, orders) => {
    const id = await shop.approved(`${buyer.split(' ')[0]}buyer.test`)
    for (const [at, response] of responses.entries()) {
      expect((await shop.capture(id, `${id}:1`)).status).toBe(response)
      expect(await statusOf(id)).toBe(orders[at] ?? 'COMPLETED')
    }
  })

  test('timeout@ pays, and its response is late', async () => {
    const id = await shop.approved('timeout@buyer.test')
    const began = performance.now()
    const slow = shop.capture(id, `${id}:1`)
    await expect.poll(() => statusOf(id)).toBe('COMPLETED')
    expect((await shop.capture(id, `${id}:1`)).status).toBe(200)
    expect((await slow).status).toBe(201)
    expect(performance.now() - began).toBeGreaterThanOrEqual(295)
  })

  test('tampered@ pays another amount than the order has', async () => {
    const taken = await shop.capture(await shop.approved('tampered@buyer.test'))
    expect(captureOf(taken).amount.value).toBe('11.10')
  })
})

describe('a refund', () => {
  const paid = async () => captureOf(await shop.capture(await shop.approved())).id
  const captureStatus = async (id: string) => (await shop.get(`/v2/payments/captures/${id}`)).body.status

  test('may be partial, never more than was captured', async () => {
    const id = await paid()
    const first = await shop.refund(id, { amount: eur('2.10'), note_to_payer: 'Sorry' })
    expect(first).toMatchObject({ status: 201, body: { status: 'COMPLETED' } })
    expect(await captureStatus(id)).toBe('PARTIALLY_REFUNDED')
    expect(issueOf(await shop.refund(id, { amount: eur('10.01') }))).toBe('REFUND_AMOUNT_EXCEEDED')
    const rest = await shop.refund(id)
    expect((await shop.get(`/v2/payments/refunds/${rest.body.id}`)).body).toMatchObject({
      amount: { value: '10.00' },
      seller_payable_breakdown: { total_refunded_amount: { value: '12.10' } },
    })
    expect(await captureStatus(id)).toBe('REFUNDED')
    expect(issueOf(await shop.refund(id))).toBe('CAPTURE_FULLY_REFUNDED')
  })

  test.each([
    ['0.00', 'EUR', 422, 'CANNOT_BE_ZERO_OR_NEGATIVE'],
    ['1.005', 'EUR', 422, 'DECIMAL_PRECISION'],
    ['all', 'EUR', 400, 'INVALID_PARAMETER_VALUE'],
    ['1.00', 'USD', 422, 'CURRENCY_MISMATCH'],
  ])('of %s %s is refused', async (value, currency_code, status, issue) => {
    const response = await shop.refund(await paid(), { amount: { currency_code, value } })
    expect([response.status, issueOf(response)]).toEqual([status, issue])
  })

  test('of an unknown capture is refused', async () => {
    expect((await shop.refund('2GG279541U471931P')).status).toBe(404)
    expect((await shop.get('/v2/payments/refunds/2GG279541U471931P')).status).toBe(404)
  })

  test('may be a reversal by the provider', async () => {
    const id = await paid()
    await shop.post(`/_emulator/captures/${id}/reverse`)
    expect(await captureStatus(id)).toBe('REFUNDED')
  })
})

describe('a PayPal-Request-Id', () => {
  test('that is repeated makes one order and responds with its latest state; without one each call makes another', async () => {
    const own = await openShop()
    const first = await own.create(orderBody(), 'order-7:create')
    expect(first.status).toBe(201)
    await own.post(`/_emulator/orders/${first.body.id}/approve`, {})
    const second = await own.create(orderBody(), 'order-7:create')
    expect(second).toMatchObject({ status: 200, body: { id: first.body.id, status: 'APPROVED' } })
    expect(own.emulator.book.orders.size).toBe(1)
    for (const _ of [1, 2]) await own.create()
    expect(own.emulator.book.orders.size).toBe(3)
  })

  test('with another body is refused', async () => {
    await shop.create(orderBody(), 'a')
    const other = await shop.create(orderBody({ custom_id: 'another' }), 'a')
    expect([other.status, issueOf(other)]).toEqual([422, 'PAYPAL_REQUEST_ID_PREVIOUSLY_USED'])
  })

  test('of concurrent captures lets one take the money', async () => {
    const own = await openShop()
    const id = await own.approved()
    // The first has taken the money, and gets a response after the others.
    const written = Promise.withResolvers<void>()
    const writing = vi.spyOn(own.emulator.book, 'written').mockReturnValue(written.promise)
    let responded = 0
    const captures = Array.from({ length: 12 }, async () => {
      const response = await own.capture(id, `${id}:cap:1`)
      responded += 1
      return response
    })
    await expect.poll(() => responded).toBe(11)
    writing.mockRestore()
    written.resolve()
    const responses = await Promise.all(captures)
    const outcomes = responses.map((response) => `${response.status} ${issueOf(response) ?? ''}`).toSorted()
    expect(outcomes).toEqual(['201 ', ...Array(11).fill('409 PREVIOUS_REQUEST_IN_PROGRESS')])
    expect((await own.capture(id, `${id}:cap:1`)).status).toBe(200)
    expect(own.emulator.book.captures.size).toBe(1)
  })

  test('of an order is kept for 6 hours, of a refund for 45 days', async () => {
    let hours = 0
    const own = await openShop({ now: () => new Date(Date.UTC(2026, 0) + hours * 3_600_000) })
    const id = await own.approved()
    const captureId = captureOf(await own.capture(id, 'cap')).id
    const part = { amount: eur('1.00') }
    const refund = await own.refund(captureId, part, 'ref')
    hours = 5.9
    expect((await own.capture(id, 'cap')).status).toBe(200)
    hours = 6.1
    expect(issueOf(await own.capture(id, 'cap'))).toBe('ORDER_ALREADY_CAPTURED')
    const same = await own.refund(captureId, part, 'ref')
    expect(same).toMatchObject({ status: 200, body: { id: refund.body.id } })
  })
})
