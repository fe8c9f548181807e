import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { orderWrites } from '#features/purchase/orders/server/index.ts'
import { reconcile } from '#features/purchase/payments/server/index.ts'
import { closeGate, paysElsewhere, race, rowOf, statuses } from '../support/races.ts'
import { type Customer, openShop } from '../support/shop.ts'
import { withoutLock } from '../support/statements.ts'

/**
 * Concurrent calls: who wins, what the others get, which lock decides it, and in which order locks are taken.
 * A gate holds all sides until each has arrived. Two processes on one database: one process would merge the calls.
 */
const shop = await openShop({ processes: 2 })

const both = (customer: Customer) => [customer, customer.elsewhere] as const

test('six concurrent buyers of the last ticket: one holds it, five are refused', async () => {
  const offerId = await shop.newOffer({ total_tickets: 1 })
  const buyers = await Promise.all(Array.from({ length: 6 }, () => shop.newCustomer()))
  for (const buyer of buyers) await buyer.add(offerId, 1)
  const responses = await race(shop.url, rowOf.offer(offerId), 2, () => buyers.map((buyer) => buyer.create()))
  expect(statuses(responses)).toEqual([200, 409, 409, 409, 409, 409])
  const lost = responses.find((response) => response.status === 409)
  expect(lost?.body).toMatchObject({ code: 'offer.fewFree', remaining: 1, available: 0 })
  expect(await shop.counters(offerId)).toEqual({ tickets_sold: 0, tickets_held: 1 })
})

test('once the last ticket is paid, others are refused because the offer is sold out [spec 4.13]', async () => {
  const offerId = await shop.newOffer({ total_tickets: 1 })
  const [winner, loser] = [await shop.newCustomer(), await shop.newCustomer()]
  await loser.add(offerId, 1)
  const { body } = await winner.order(offerId, 1)
  await shop.paypal.approve(body['order_id'])
  expect((await winner.capture(body['order_id'])).body['tickets']).toMatchObject([{ ticket_number: '1' }])
  const refused = await loser.create()
  expect(refused).toMatchObject({ status: 409, body: { code: 'offer.soldOut' } })
  expect(refused.body['detail']).toMatch(/no tickets left/)
})

test('a notification during the settlement of its capture does not issue the tickets twice', async () => {
  const offerId = await shop.newOffer()
  // In one process the two would wait in the same batch and not meet in the database.
  const buyers = [await shop.newCustomer(), await shop.newCustomer()]
  const buyer = buyers.find(({ process }) => process !== 0)!
  const { body } = await buyer.order(offerId, 2)
  const orderId = body['order_id'] as string
  await shop.paypal.approve(orderId)
  // The capture moves the order and waits for the contest's row; the notification then waits for the order's row.
  const [captured] = await race(shop.url, rowOf.offer(offerId), 2, () => [buyer.capture(orderId)])
  expect(captured.status).toBe(200)
  await shop.paypal.webhooksIdle()
  const unhandled = shop.db.selectFrom('webhook_inbox').select('event_id').where('handled_at', 'is', null)
  await expect.poll(() => unhandled.execute()).toEqual([])
  expect(await shop.counters(offerId)).toEqual({ tickets_sold: 2, tickets_held: 0 })
  const tickets = await shop.pool.query('SELECT DISTINCT number FROM tickets WHERE offer_id = $1', [offerId])
  expect(tickets.rowCount).toBe(2)
})

test('twenty concurrent buyers of three out of ten tickets: three pay and get them, nobody pays without [spec 1.2]', async () => {
  const offerId = await shop.newOffer({ total_tickets: 10 })
  const buyers = await Promise.all(Array.from({ length: 20 }, () => shop.newCustomer()))
  const outcomes = await Promise.all(
    buyers.map(async (buyer) => {
      const created = await buyer.order(offerId, 3)
      if (created.status !== 200) return { paid: false, tickets: 0 }
      await shop.paypal.approve(created.body['order_id'])
      const captured = await buyer.capture(created.body['order_id'])
      return { paid: captured.status === 200, tickets: (captured.body['tickets'] as unknown[]).length }
    }),
  )
  expect(outcomes.filter((one) => one.paid)).toHaveLength(3)
  expect(outcomes.every((one) => one.tickets === (one.paid ? 3 : 0))).toBe(true)
  expect(await shop.counters(offerId)).toEqual({ tickets_sold: 9, tickets_held: 0 })
})

test('concurrent create-order calls at two processes get the same order of a slow provider', async () => {
  const [older, offerId] = [await shop.newOffer(), await shop.newOffer()]
  const buyer = await shop.newCustomer()
  // The newer contest first: the provider must get the lines in the same order from whoever asks.
  for (const offer of [offerId, older]) await buyer.add(offer, 2)
  shop.paypal.faults.change({ delayMs: 500 })
  try {
    const responses = await Promise.all(both(buyer).map((clicked) => clicked.create()))
    expect(statuses(responses)).toEqual([200, 200])
    expect(responses[0]?.body['order_id']).toBe(responses[1]?.body['order_id'])
  } finally {
    shop.paypal.faults.change({ delayMs: 0 })
  }
  expect(await shop.counters(offerId)).toEqual({ tickets_sold: 0, tickets_held: 2 })
})

/**
 * The negative controls of the locks: the same race with the shop's own statement, and with that statement unlocked.
 * Where a second guard stands behind a lock, the invariant still holds, and the response gets worse.
 */
describe('without notifications, which would change an order during a race', () => {
  beforeAll(() => void shop.paypal.faults.change({ missingWebhooks: 1 }))
  afterAll(() => void shop.paypal.faults.change({ missingWebhooks: 0 }))

  const CART = /from "carts" where "user_id".*for update/
  const CART_TO_ADD = /from "carts" where "id".*for update/
  const OPEN_ORDERS = /FROM orders o[\s\S]*FOR UPDATE OF o/
  const MOVED_ORDER = /SELECT id, state FROM orders[\s\S]*FOR UPDATE/
  const CONTESTS = /from "offers"[\s\S]*for (no key )?update of "offers"/

  /** Runs a race with a lock and without it. */
  const withAndWithout = async <Result>(
    lock: RegExp,
    act: () => Promise<Result>,
  ): Promise<[Result, Result]> => [await act(), await withoutLock(lock, act)]

  const quantityOf = async (buyer: Customer): Promise<number> =>
    (await buyer.get('/api/cart/')).body[0].items[0]?.quantity

  describe('the lock on the cart', () => {
    test('gives concurrent create-order calls one order; without it one of them fails at the index', async () => {
      const clicks = async () => {
        const offerId = await shop.newOffer()
        const buyer = await shop.newCustomer()
        await buyer.add(offerId, 2)
        const responses = await race(shop.url, rowOf.offer(offerId), 2, () =>
          both(buyer).map((clicked) => clicked.create()),
        )
        const made = responses.filter(({ status }) => status === 200).map(({ body }) => body['order_id'])
        expect(new Set(made).size).toBe(1)
        return [statuses(responses), await shop.counters(offerId)]
      }
      const held = { tickets_sold: 0, tickets_held: 2 }
      expect(await withAndWithout(CART, clicks)).toEqual([
        [[200, 200], held],
        [[200, 500], held],
      ])
    })

    test('serializes two additions; without it one of them is lost', async () => {
      const additions = async () => {
        const offerId = await shop.newOffer()
        const buyer = await shop.newCustomer()
        await buyer.add(offerId, 2)
        const responses = await race(shop.url, rowOf.cart(buyer.id), 2, () =>
          both(buyer).map((by) => by.add(offerId, 2)),
        )
        expect(statuses(responses)).toEqual([200, 200])
        return quantityOf(buyer)
      }
      expect(await withAndWithout(CART_TO_ADD, additions)).toEqual([6, 4])
    })

    test('keeps what is added during settlement; without it the bought tickets stay in the cart too', async () => {
      const settling = async () => {
        const { customer, orderId } = await shop.approvedOrder(2)
        const added = `WITH cart AS (UPDATE carts SET version = version + 1 WHERE id = ${customer.cartId})
           UPDATE cart_items SET quantity = 5 WHERE cart_id = ${customer.cartId}`
        const [paid] = await race(shop.url, added, 1, () => [customer.capture(orderId)])
        expect(paid.status).toBe(200)
        return quantityOf(customer)
      }
      expect(await withAndWithout(CART, settling)).toEqual([3, 5])
    })
  })

  describe('the lock on an order that moves', () => {
    test('releases a hold once; without it another buyer’s held tickets are released', async () => {
      const cancels = async () => {
        const { customer, offerId, orderId } = await shop.approvedOrder(2)
        await shop.approvedOrder(2, 'buyer@buyer.test', offerId)
        await race(shop.url, rowOf.order(orderId), 2, () =>
          both(customer).map((by) => by.post('/api/paypal/cancel-order/', { order_id: orderId })),
        )
        return (await shop.counters(offerId)).tickets_held
      }
      expect(await withAndWithout(MOVED_ORDER, cancels)).toEqual([2, 0])
    })

    test('starts one of two captures; without it both start, and only the request id prevents a second payment', async () => {
      const captures = async () => {
        const { customer, offerId, orderId } = await shop.approvedOrder(3)
        const responses = await race(shop.url, rowOf.order(orderId), 2, () =>
          both(customer).map((by) => by.capture(orderId)),
        )
        expect(shop.capturesOf(orderId)).toHaveLength(1)
        expect(await shop.counters(offerId)).toEqual({ tickets_sold: 3, tickets_held: 0 })
        const { rowCount } = await shop.pool.query(
          `SELECT 1 FROM order_events e JOIN orders o ON o.id = e.order_id
           WHERE o.provider_order_id = $1 AND e.from_state = 'held' AND e.to_state = 'capturing'`,
          [orderId],
        )
        return { asked: rowCount, responses, state: await shop.orderState(orderId) }
      }
      // Without the lock a slow machine may begin the second capture once the order is paid: its state is open then.
      const [locked, open] = await withAndWithout(MOVED_ORDER, captures)
      expect([locked.asked, open.asked]).toEqual([1, 2])
      expect(locked.state).toBe('completed')
      // Both callers hear of the one set of tickets.
      const [first, second] = locked.responses
      expect(statuses(locked.responses)).toEqual([200, 200])
      expect(first?.body['tickets']).toHaveLength(3)
      expect(second?.body['tickets']).toEqual(first?.body['tickets'])
    })
  })

  test('the lock on open orders finds the one being paid; without it the new order fails', async () => {
    const orderAnew = async () => {
      const { customer, offerId, orderId } = await shop.approvedOrder(2)
      const [asked] = await race(shop.url, paysElsewhere(orderId), 1, () => [customer.create('FR')])
      expect(await shop.counters(offerId)).toEqual({ tickets_sold: 0, tickets_held: 2 })
      return [asked.status, asked.body['code'], asked.body['order_id'] === orderId]
    }
    const [locked, open] = await withAndWithout(OPEN_ORDERS, orderAnew)
    expect(locked).toEqual([409, 'checkout.confirming', true])
    expect(open[0]).toBe(500)
  })

  test('the lock on an offer refuses the second buyer of the last ticket; without it the hold’s condition does, with 503', async () => {
    const buyers = async () => {
      const offerId = await shop.newOffer({ total_tickets: 1 })
      const pair = [await shop.newCustomer(), await shop.newCustomer()]
      for (const buyer of pair) await buyer.add(offerId, 1)
      const responses = await race(shop.url, rowOf.offer(offerId), 2, () =>
        pair.map((buyer) => buyer.create()),
      )
      expect(await shop.counters(offerId)).toEqual({ tickets_sold: 0, tickets_held: 1 })
      return statuses(responses)
    }
    expect(await withAndWithout(CONTESTS, buyers)).toEqual([
      [200, 409],
      [200, 503],
    ])
  })

  /**
   * Carts, then orders, then what belongs to an order, then offers, so that no deadlock can occur. Each operation is
   * stopped at a row; the rows that it locks later must be free.
   */
  describe('the order of the locks', () => {
    /** Stops an operation at a row. @returns which other rows were free, and the result of the operation */
    async function stoppedAt<Result>(row: string, act: () => Promise<Result>, ...others: string[]) {
      const gate = await closeGate(shop.url, row)
      const acting = act()
      await gate.waiting(1)
      const free: boolean[] = []
      for (const one of others) free.push(await gate.gets(one))
      await gate.open()
      return [free, await acting] as const
    }

    let sale: Awaited<ReturnType<typeof shop.approvedOrder>> & { id: string }
    let cart: string
    let order: string
    let offer: string
    beforeEach(async () => {
      const approved = await shop.approvedOrder(2)
      sale = { ...approved, id: (await shop.orderOf(approved.orderId)).id }
      cart = rowOf.cart(sale.customer.id)
      order = rowOf.order(sale.orderId)
      offer = rowOf.offer(sale.offerId)
    })
    const supersede = () => sale.customer.create('FR')
    const cancel = () => sale.customer.post('/api/paypal/cancel-order/', { order_id: sale.orderId })
    const OK = expect.objectContaining({ status: 200 })

    test('create-order that supersedes an order locks nothing before the cart', async () => {
      expect(await stoppedAt(cart, supersede, order, offer)).toEqual([[true, true], OK])
    })

    test('create-order that supersedes an order locks that order before the offer', async () => {
      expect(await stoppedAt(order, supersede, offer)).toEqual([[true], OK])
    })

    test('a released hold locks its order before the offer', async () => {
      expect(await stoppedAt(order, cancel, offer)).toEqual([[true], OK])
      expect(await shop.orderState(sale.orderId)).toBe('cancelled')
    })

    test('a settlement locks nothing before the cart', async () => {
      const capture = () => sale.customer.capture(sale.orderId)
      expect(await stoppedAt(cart, capture, order, offer)).toEqual([[true, true], OK])
    })

    test('a late settlement locks the cart before the order', async () => {
      await cancel()
      await shop.client.captureOrder(sale.orderId, `${sale.id}:cap:1`)
      const settled = await stoppedAt(order, () => reconcile(shop.checkout, sale.id), cart, offer)
      expect(settled).toMatchObject([[false, true], { state: 'completed' }])
    })

    test('the state of a capture is stored behind the lock of its order', async () => {
      await shop.paypal.approve(sale.orderId, 'pending@buyer.test')
      await sale.customer.capture(sale.orderId)
      await shop.pool.query(`UPDATE orders SET state = 'capturing' WHERE id = $1`, [sale.id])
      const capture = `SELECT 1 FROM captures WHERE order_id = '${sale.id}' FOR UPDATE`
      const reconciled = await stoppedAt(order, () => reconcile(shop.checkout, sale.id), capture)
      expect(reconciled).toMatchObject([[true], { state: 'pending' }])
    })

    test('orders whose provider ids are stored in one batch are locked in the order of their ids', async () => {
      const other = await shop.orderOf((await shop.approvedOrder(1)).orderId)
      const ids = [sale.id, other.id].toSorted()
      await shop.pool.query('UPDATE orders SET provider_order_id = NULL WHERE id = ANY ($1)', [ids])
      const made = ids
        .toReversed()
        .map((orderId) => ({ orderId, providerId: `STORED-${orderId}`, paymentUrl: null }))
      const [first, last] = ids.map((id) => `SELECT 1 FROM orders WHERE id = '${id}' FOR UPDATE`)
      const store = () => orderWrites(shop.db).setProvider(made)
      const [free, stored] = await stoppedAt(first!, store, last!)
      expect([free, stored.length]).toEqual([[true], 2])
    })
  })
})
