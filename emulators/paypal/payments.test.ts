import { beforeAll, describe, expect, test, vi } from 'vitest'
import {
  type Shop,
  captureOf,
  eur,
  issueOf,
  openShop,
  orderBody,
  startWithClient,
} from './emulator.test-support.ts'

let shop: Shop
beforeAll(async () => {
  shop = await startWithClient({ hangMs: 300 })
  return shop.close
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
    expect(taken).toMatchObject({
      status: 201,
      body: { status: 'COMPLETED', payer: { email_address: 'buyer@buyer.test' } },
    })
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

  test('is refused when another order with its invoice number is paid', async () => {
    const [first, second] = [
      await shop.approved('buyer@buyer.test', orderBody({ invoice_id: 'invoice-1' })),
      await shop.approved('buyer@buyer.test', orderBody({ invoice_id: 'invoice-1' })),
    ]
    expect((await shop.capture(first)).status).toBe(201)
    expect(issueOf(await shop.capture(second))).toBe('DUPLICATE_INVOICE_ID')
  })

  test('is made for each purchase unit', async () => {
    const units = [
      { reference_id: 'a', amount: eur('1.00') },
      { reference_id: 'b', amount: eur('2.50') },
    ]
    const body = { intent: 'CAPTURE', purchase_units: units }
    const taken = await shop.capture(await shop.approved('buyer@buyer.test', body))
    const values = taken.body.purchase_units.map((part) => part.payments.captures[0].amount.value)
    expect(values).toEqual(['1.00', '2.50'])
  })
})

describe('the sentinel buyer', () => {
  test('declined@ is refused until another instrument is chosen', async () => {
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

  test('http500@ fails twice without effect, then pays', async () => {
    const id = await shop.approved('http500@buyer.test')
    expect((await shop.capture(id, `${id}:1`)).status).toBe(500)
    expect(await statusOf(id)).toBe('APPROVED')
    expect((await shop.capture(id, `${id}:1`)).status).toBe(500)
    expect((await shop.capture(id, `${id}:1`)).status).toBe(201)
  })

  test('lost@ gets 500 although the capture was made', async () => {
    const id = await shop.approved('lost@buyer.test')
    expect((await shop.capture(id, `${id}:1`)).status).toBe(500)
    expect(await statusOf(id)).toBe('COMPLETED')
    expect(await shop.capture(id, `${id}:1`)).toMatchObject({ status: 200, body: { status: 'COMPLETED' } })
  })

  test('timeout@ pays, and its answer is late', async () => {
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
    const answer = await shop.refund(await paid(), { amount: { currency_code, value } })
    expect([answer.status, issueOf(answer)]).toEqual([status, issue])
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
  test('that is repeated makes one order and answers its latest state; without one each call makes another', async () => {
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
    // The first has taken the money, and is answered after the others.
    const written = Promise.withResolvers<void>()
    const writing = vi.spyOn(own.emulator.book, 'written').mockReturnValue(written.promise)
    let answered = 0
    const captures = Array.from({ length: 12 }, async () => {
      const answer = await own.capture(id, `${id}:cap:1`)
      answered += 1
      return answer
    })
    await expect.poll(() => answered).toBe(11)
    writing.mockRestore()
    written.resolve()
    const answers = await Promise.all(captures)
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1)
    const refused = answers.filter(({ status }) => status === 409)
    expect(refused).toHaveLength(11)
    expect(new Set(refused.map(issueOf))).toEqual(new Set(['PREVIOUS_REQUEST_IN_PROGRESS']))
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
