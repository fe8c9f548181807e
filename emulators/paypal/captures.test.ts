import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Answer, issueOf, orderBody, startWithClient } from './emulator.test-support.ts'

type Shop = Awaited<ReturnType<typeof startWithClient>>
let shop: Shop
beforeAll(async () => {
  shop = await startWithClient({ hangMs: 300 })
})
afterAll(() => shop.close())

const captureOf = (answer: Answer) => answer.body.purchase_units[0].payments.captures[0]

describe('capturing', () => {
  test('an order nobody approved is not captured', async () => {
    const { body } = await shop.create()
    expect(issueOf(await shop.capture(body.id))).toBe('ORDER_NOT_APPROVED')
  })

  test('an approved order is captured once, with its fee and its references', async () => {
    const id = await shop.approved()
    const taken = await shop.capture(id)
    expect(taken).toMatchObject({
      status: 201,
      body: { status: 'COMPLETED', payer: { email_address: 'buyer@buyer.test' } },
    })
    expect(captureOf(taken)).toMatchObject({
      status: 'COMPLETED',
      amount: { currency_code: 'EUR', value: '12.10' },
      custom_id: 'order-1',
      supplementary_data: { related_ids: { order_id: id } },
      seller_receivable_breakdown: { paypal_fee: { value: '0.70' }, net_amount: { value: '11.40' } },
    })
    const again = await shop.capture(id)
    expect([again.status, issueOf(again)]).toEqual([422, 'ORDER_ALREADY_CAPTURED'])
    expect(await shop.get(`/v2/payments/captures/${captureOf(taken).id}`)).toMatchObject({
      body: { status: 'COMPLETED' },
    })
  })

  test('an invoice number is paid once', async () => {
    const first = await shop.approved('buyer@buyer.test', orderBody({ invoice_id: 'invoice-1' }))
    const second = await shop.approved('buyer@buyer.test', orderBody({ invoice_id: 'invoice-1' }))
    expect((await shop.capture(first)).status).toBe(201)
    expect(issueOf(await shop.capture(second))).toBe('DUPLICATE_INVOICE_ID')
  })

  test('every purchase unit is captured on its own', async () => {
    const unit = (reference_id: string, value: string) => ({
      reference_id,
      amount: { currency_code: 'EUR', value },
    })
    const id = await shop.approved('buyer@buyer.test', {
      intent: 'CAPTURE',
      purchase_units: [unit('a', '1.00'), unit('b', '2.50')],
    })
    const taken = await shop.capture(id)
    const values = taken.body.purchase_units.map((part) => part.payments.captures[0].amount.value)
    expect(values).toEqual(['1.00', '2.50'])
  })
})

describe('sentinel buyers', () => {
  test('declined: refused until another instrument is chosen', async () => {
    const id = await shop.approved('declined@buyer.test')
    const refused = await shop.capture(id, `${id}:1`)
    expect([refused.status, issueOf(refused)]).toEqual([422, 'INSTRUMENT_DECLINED'])
    expect(refused.body.links).toContainEqual(
      expect.objectContaining({ rel: 'redirect', href: expect.stringContaining(id) }),
    )
    expect(issueOf(await shop.capture(id, `${id}:2`))).toBe('INSTRUMENT_DECLINED')
    await shop.post(`/_emulator/orders/${id}/approve`, { buyer: 'declined@buyer.test', instrument: 'other' })
    expect(issueOf(await shop.capture(id, `${id}:1`))).toBe('INSTRUMENT_DECLINED')
    expect((await shop.capture(id, `${id}:3`)).body.status).toBe('COMPLETED')
  })

  test('pending: no refund until it is released', async () => {
    const taken = await shop.capture(await shop.approved('pending@buyer.test'))
    const { id, status, status_details } = captureOf(taken)
    expect([taken.status, status, status_details.reason]).toEqual([201, 'PENDING', 'PENDING_REVIEW'])
    expect(issueOf(await shop.refund(id))).toBe('PENDING_CAPTURE')
    expect(await shop.post(`/_emulator/captures/${id}/release`)).toMatchObject({
      status: 200,
      body: { status: 'COMPLETED' },
    })
    expect((await shop.post(`/_emulator/captures/${id}/release`)).status).toBe(422)
    expect((await shop.refund(id)).status).toBe(201)
  })

  test('pending and denied: no money moved', async () => {
    const taken = await shop.capture(await shop.approved('pending@buyer.test'))
    const { id } = captureOf(taken)
    expect(await shop.post(`/_emulator/captures/${id}/deny`)).toMatchObject({ body: { status: 'DECLINED' } })
    expect((await shop.refund(id)).status).toBe(422)
  })

  test('http500: fails twice without effect, then pays', async () => {
    const id = await shop.approved('http500@buyer.test')
    expect((await shop.capture(id, `${id}:1`)).status).toBe(500)
    expect((await shop.get(`/v2/checkout/orders/${id}`)).body.status).toBe('APPROVED')
    expect((await shop.capture(id, `${id}:1`)).status).toBe(500)
    expect((await shop.capture(id, `${id}:1`)).status).toBe(201)
  })

  test('lost: answers 500 though it has paid', async () => {
    const id = await shop.approved('lost@buyer.test')
    expect((await shop.capture(id, `${id}:1`)).status).toBe(500)
    expect((await shop.get(`/v2/checkout/orders/${id}`)).body.status).toBe('COMPLETED')
    expect(await shop.capture(id, `${id}:1`)).toMatchObject({ status: 200, body: { status: 'COMPLETED' } })
  })

  test('timeout: pays, and the answer is late', async () => {
    const id = await shop.approved('timeout@buyer.test')
    const began = performance.now()
    const slow = shop.capture(id, `${id}:1`)
    await expect.poll(async () => (await shop.get(`/v2/checkout/orders/${id}`)).body.status).toBe('COMPLETED')
    expect((await shop.capture(id, `${id}:1`)).status).toBe(200)
    expect((await slow).status).toBe(201)
    expect(performance.now() - began).toBeGreaterThanOrEqual(295)
  })

  test('tampered: another amount is taken than the order says', async () => {
    const taken = await shop.capture(await shop.approved('tampered@buyer.test'))
    expect(captureOf(taken).amount.value).toBe('11.10')
  })
})

describe('refunds', () => {
  const paid = async () => captureOf(await shop.capture(await shop.approved())).id
  const eur = (value: string) => ({ amount: { currency_code: 'EUR', value } })

  test('in parts, never above what was captured', async () => {
    const id = await paid()
    const first = await shop.refund(id, { ...eur('2.10'), note_to_payer: 'Sorry' })
    expect(first).toMatchObject({ status: 201, body: { status: 'COMPLETED' } })
    expect((await shop.get(`/v2/payments/captures/${id}`)).body.status).toBe('PARTIALLY_REFUNDED')
    expect(issueOf(await shop.refund(id, eur('10.01')))).toBe('REFUND_AMOUNT_EXCEEDED')
    const rest = await shop.refund(id)
    const read = await shop.get(`/v2/payments/refunds/${rest.body.id}`)
    expect(read.body).toMatchObject({
      amount: { value: '10.00' },
      seller_payable_breakdown: { total_refunded_amount: { value: '12.10' } },
    })
    expect((await shop.get(`/v2/payments/captures/${id}`)).body.status).toBe('REFUNDED')
    expect(issueOf(await shop.refund(id))).toBe('CAPTURE_FULLY_REFUNDED')
  })

  test.each([
    ['nothing', '0.00', 422, 'CANNOT_BE_ZERO_OR_NEGATIVE'],
    ['three decimals', '1.005', 422, 'DECIMAL_PRECISION'],
    ['words', 'all', 400, 'INVALID_PARAMETER_VALUE'],
  ])('of %s are refused', async (_name, value, status, issue) => {
    const answer = await shop.refund(await paid(), eur(value))
    expect([answer.status, issueOf(answer)]).toEqual([status, issue])
  })

  test('in another currency, or of an unknown capture, are refused', async () => {
    expect(
      issueOf(await shop.refund(await paid(), { amount: { currency_code: 'USD', value: '1.00' } })),
    ).toBe('CURRENCY_MISMATCH')
    expect((await shop.refund('2GG279541U471931P')).status).toBe(404)
    expect((await shop.get('/v2/payments/refunds/2GG279541U471931P')).status).toBe(404)
  })

  test('the provider can reverse a capture by itself', async () => {
    const id = await paid()
    await shop.post(`/_emulator/captures/${id}/reverse`)
    expect((await shop.get(`/v2/payments/captures/${id}`)).body.status).toBe('REFUNDED')
  })
})
