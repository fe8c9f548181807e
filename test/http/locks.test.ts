import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { closeGate, payingElsewhere } from '../support/races.ts'
import { type TestShop, testShop } from '../support/shop.ts'
import { withoutLock } from '../support/without-lock.ts'

/**
 * The negative controls of the locks: what each keeps out, and what shows once the shop's own statement goes without it.
 * Every race is widened by a gate at which both sides stand before any goes on. Where another guard stands behind a lock
 * the control says so: the promise is kept, and what is lost is the answer.
 */
let shop: TestShop

beforeAll(async () => {
  // Two shops on one database: within one, calls that wait together are merged and never meet in the database.
  shop = await testShop({ processes: 2 })
  // A notification would have an order paid in the middle of what happens to it here.
  shop.paypal.faults.change({ missingWebhooks: 1 })
})
afterAll(() => shop.close())

const CART = /from "carts" where "user_id".*for update/
const CART_TO_ADD = /from "carts" where "id".*for update/
const OPEN_ORDERS = /FROM orders o[\s\S]*FOR UPDATE OF o/
const MOVED_ORDER = /SELECT id, state FROM orders[\s\S]*FOR UPDATE/
const CONTESTS = /from "offers"[\s\S]*for (no key )?update of "offers"/

const statuses = (answers: readonly { status: number }[]): number[] =>
  answers.map((answer) => answer.status).toSorted((a, b) => a - b)

/** Runs a race with a lock and without it. */
const both = async <Result>(lock: RegExp, race: () => Promise<Result>): Promise<[Result, Result]> => [
  await race(),
  await withoutLock(lock, race),
]

describe('the lock on the cart', () => {
  test('has a double click share one order; without it the second click fails, and only the index keeps one order', async () => {
    const clicks = async () => {
      const offerId = await shop.newOffer()
      const buyer = await shop.newCustomer()
      await buyer.post(`/api/cart/${buyer.cartId}/add_item/`, { offer_id: offerId, quantity: 2 })
      const gate = await closeGate(shop.url, `SELECT 1 FROM offers WHERE id = ${offerId} FOR UPDATE`)
      const racing = [buyer, buyer.elsewhere].map((clicked) =>
        clicked.post('/api/paypal/create-order/', { country_code: 'BE' }),
      )
      await gate.waiting(2)
      await gate.open()
      const answers = await Promise.all(racing)
      return [statuses(answers), await shop.counters(offerId)]
    }
    const [kept, open] = await both(CART, clicks)
    expect(kept).toEqual([[200, 200], { tickets_sold: 0, tickets_held: 2 }])
    expect(open).toEqual([[200, 500], { tickets_sold: 0, tickets_held: 2 }])
  })

  test('has two additions follow each other; without it one of them is lost', async () => {
    const additions = async () => {
      const offerId = await shop.newOffer()
      const buyer = await shop.newCustomer()
      const add = (by: typeof buyer | typeof buyer.elsewhere) =>
        by.post(`/api/cart/${buyer.cartId}/add_item/`, { offer_id: offerId, quantity: 2 })
      await add(buyer)
      const gate = await closeGate(shop.url, `SELECT 1 FROM carts WHERE id = ${buyer.cartId} FOR UPDATE`)
      const racing = [add(buyer), add(buyer.elsewhere)]
      await gate.waiting(2)
      await gate.open()
      expect(statuses(await Promise.all(racing))).toEqual([200, 200])
      const [cart] = (await buyer.get('/api/cart/')).body as unknown as { items: { quantity: number }[] }[]
      return cart?.items[0]?.quantity
    }
    expect(await both(CART_TO_ADD, additions)).toEqual([6, 4])
  })

  test('keeps what was added while an order of it is settled, and no more; without it the bought tickets stay in it', async () => {
    const settling = async () => {
      const { customer, orderId } = await shop.approvedOrder(2)
      const gate = await closeGate(
        shop.url,
        `WITH cart AS (UPDATE carts SET version = version + 1 WHERE id = ${customer.cartId})
         UPDATE cart_items SET quantity = 5 WHERE cart_id = ${customer.cartId}`,
      )
      const paid = customer.capture(orderId)
      await gate.waiting(1)
      await gate.open()
      expect((await paid).status).toBe(200)
      const [cart] = (await customer.get('/api/cart/')).body as unknown as { items: { quantity: number }[] }[]
      return cart?.items[0]?.quantity
    }
    expect(await both(CART, settling)).toEqual([3, 5])
  })
})

describe('the lock on an order that moves', () => {
  test('has it give its tickets back once; without it another buyer’s held tickets are given away', async () => {
    const cancels = async () => {
      const { customer, offerId, orderId } = await shop.approvedOrder(2)
      await shop.approvedOrder(2, 'buyer@buyer.test', offerId)
      const gate = await closeGate(
        shop.url,
        `SELECT 1 FROM orders WHERE provider_order_id = '${orderId}' FOR UPDATE`,
      )
      const racing = [customer, customer.elsewhere].map((by) =>
        by.post('/api/paypal/cancel-order/', { order_id: orderId }),
      )
      await gate.waiting(2)
      await gate.open()
      await Promise.all(racing)
      return (await shop.counters(offerId)).tickets_held
    }
    expect(await both(MOVED_ORDER, cancels)).toEqual([2, 0])
  })

  test('lets one of two captures ask for the money; without it both do, and only the request’s id keeps it one', async () => {
    const captures = async () => {
      const { customer, offerId, orderId } = await shop.approvedOrder(2)
      const gate = await closeGate(
        shop.url,
        `SELECT 1 FROM orders WHERE provider_order_id = '${orderId}' FOR UPDATE`,
      )
      const racing = [customer.capture(orderId), customer.elsewhere.capture(orderId)]
      await gate.waiting(2)
      await gate.open()
      await Promise.all(racing)
      await expect.poll(() => shop.orderState(orderId)).toBe('completed')
      expect([...shop.paypal.book.captures.values()].filter((one) => one.orderId === orderId)).toHaveLength(1)
      expect(await shop.counters(offerId)).toEqual({ tickets_sold: 2, tickets_held: 0 })
      const { rowCount } = await shop.pool.query(
        `SELECT 1 FROM order_events e JOIN orders o ON o.id = e.order_id
         WHERE o.provider_order_id = $1 AND e.from_state = 'held' AND e.to_state = 'capturing'`,
        [orderId],
      )
      return rowCount
    }
    expect(await both(MOVED_ORDER, captures)).toEqual([1, 2])
  })
})

test('the lock on open orders tells a buyer that the older one is being paid; without it the new order fails', async () => {
  const orderAnew = async () => {
    const { customer, orderId } = await shop.approvedOrder(2)
    const gate = await payingElsewhere(shop.url, orderId)
    const asked = customer.post('/api/paypal/create-order/', { country_code: 'FR' })
    await gate.waiting(1)
    await gate.open()
    return (await asked).status
  }
  expect(await both(OPEN_ORDERS, orderAnew)).toEqual([409, 500])
})

test('the lock on a contest tells who was too late; without it the condition of the hold keeps the last ticket one', async () => {
  const buyers = async () => {
    const offerId = await shop.newOffer({ total_tickets: 1 })
    const pair = [await shop.newCustomer(), await shop.newCustomer()]
    for (const buyer of pair) {
      await buyer.post(`/api/cart/${buyer.cartId}/add_item/`, { offer_id: offerId, quantity: 1 })
    }
    const gate = await closeGate(shop.url, `SELECT 1 FROM offers WHERE id = ${offerId} FOR UPDATE`)
    const racing = pair.map((buyer) => buyer.post('/api/paypal/create-order/', { country_code: 'BE' }))
    await gate.waiting(2)
    await gate.open()
    const answers = await Promise.all(racing)
    expect(await shop.counters(offerId)).toEqual({ tickets_sold: 0, tickets_held: 1 })
    return statuses(answers)
  }
  expect(await both(CONTESTS, buyers)).toEqual([
    [200, 409],
    [200, 503],
  ])
})
