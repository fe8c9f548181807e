import { expect, test, vi } from 'vitest'
import { issueOf, orderBody, startWithClient } from './emulator.test-support.ts'

const hour = 3_600_000

test('the same request id makes one order, and shows its latest state', async () => {
  const shop = await startWithClient()
  const first = await shop.create(orderBody(), 'order-7:create')
  expect(first.status).toBe(201)
  await shop.post(`/_emulator/orders/${first.body.id}/approve`, {})
  const second = await shop.create(orderBody(), 'order-7:create')
  expect(second).toMatchObject({ status: 200, body: { id: first.body.id, status: 'APPROVED' } })
  expect(shop.emulator.book.orders.size).toBe(1)
  await shop.close()
})

test('without a request id every call makes another order', async () => {
  const shop = await startWithClient()
  await shop.create()
  await shop.create()
  expect(shop.emulator.book.orders.size).toBe(2)
  await shop.close()
})

test('the same request id with other content is refused', async () => {
  const shop = await startWithClient()
  await shop.create(orderBody(), 'a')
  const other = await shop.create(orderBody({ custom_id: 'another' }), 'a')
  expect([other.status, issueOf(other)]).toEqual([422, 'PAYPAL_REQUEST_ID_PREVIOUSLY_USED'])
  await shop.close()
})

test('of many captures at once with one request id, one takes the money', async () => {
  const shop = await startWithClient()
  const id = await shop.approved()
  // Whoever is first has taken it, and is not answered before the others are.
  const written = Promise.withResolvers<void>()
  const writing = vi.spyOn(shop.emulator.book, 'written').mockReturnValue(written.promise)
  let answered = 0
  const captures = Array.from({ length: 12 }, async () => {
    const answer = await shop.capture(id, `${id}:cap:1`)
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
  expect((await shop.capture(id, `${id}:cap:1`)).status).toBe(200)
  expect(shop.emulator.book.captures.size).toBe(1)
  await shop.close()
})

test('order ids are forgotten after 6 hours, refund ids after 45 days', async () => {
  let time = Date.parse('2026-01-01T00:00:00Z')
  const shop = await startWithClient({ now: () => new Date(time) })
  const id = await shop.approved()
  const taken = await shop.capture(id, 'cap')
  const captureId = taken.body.purchase_units[0].payments.captures[0].id
  const part = { amount: { currency_code: 'EUR', value: '1.00' } }
  const refund = await shop.refund(captureId, part, 'ref')
  time += 5.9 * hour
  expect((await shop.capture(id, 'cap')).status).toBe(200)
  time += 0.2 * hour
  expect(issueOf(await shop.capture(id, 'cap'))).toBe('ORDER_ALREADY_CAPTURED')
  const same = await shop.refund(captureId, part, 'ref')
  expect(same).toMatchObject({ status: 200, body: { id: refund.body.id } })
  await shop.close()
})
