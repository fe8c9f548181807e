import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type TestShop, testShop } from '../../../../test/support/shop.ts'

let shop: TestShop

beforeAll(async () => {
  shop = await testShop()
})
afterAll(() => shop.close())

describe('giving up', () => {
  test('a cancel gives the tickets back at once', async () => {
    const { offerId, customer, orderId } = await shop.approvedOrder(2)
    const answer = await customer.post('/api/paypal/cancel-order/', { order_id: orderId })
    expect(answer.body).toMatchObject({ progress: 'closed' })
    expect(await shop.counters(offerId)).toEqual({ tickets_sold: 0, tickets_held: 0 })
  })

  test('a paid order cannot be cancelled', async () => {
    const { offerId, customer, orderId } = await shop.approvedOrder(2)
    await customer.capture(orderId)
    const answer = await customer.post('/api/paypal/cancel-order/', { order_id: orderId })
    expect(answer.body).toMatchObject({ progress: 'completed' })
    expect(await shop.counters(offerId)).toEqual({ tickets_sold: 2, tickets_held: 0 })
  })
})

describe('the way back from the provider', () => {
  const go = (path: string) => fetch(`http://127.0.0.1:${shop.port}${path}`, { redirect: 'manual' })

  test('an approved order is captured and leads to the participations', async () => {
    const { customer, orderId } = await shop.approvedOrder(1)
    const answer = await go(`/checkout/return?token=${orderId}`)
    expect([answer.status, answer.headers.get('location')]).toEqual([
      303,
      '/profile/participations?success=true',
    ])
    expect(await shop.ticketCount(customer)).toBe(1)
  })

  test('a cancel leads back to the cart', async () => {
    const { offerId, orderId } = await shop.approvedOrder(1)
    const answer = await go(`/checkout/cancel?token=${orderId}`)
    expect([answer.status, answer.headers.get('location')]).toEqual([303, '/cart?canceled=true'])
    expect(await shop.counters(offerId)).toEqual({ tickets_sold: 0, tickets_held: 0 })
  })

  test.each([
    ['declined@buyer.test', '/cart?payment=declined'],
    ['pending@buyer.test', '/profile/participations?confirming='],
  ])('%s is told so', async (buyer, target) => {
    const { orderId } = await shop.approvedOrder(1, buyer)
    expect((await go(`/checkout/return?token=${orderId}`)).headers.get('location')).toContain(target)
  })

  test.each(['', '?token=', '?token=NOPE', '?token=a&token=b', '?token=%00', '?token=%ED%A0%80'])(
    'a made-up address %s changes nothing',
    async (query) => {
      expect((await go(`/checkout/return${query}`)).headers.get('location')).toBe('/cart?payment=unknown')
      expect((await go(`/checkout/cancel${query}`)).headers.get('location')).toBe('/cart?canceled=true')
    },
  )
})
