import { expect, test } from 'vitest'
import { closeGate, rowOf } from '../support/races.ts'
import { type Customer, openShop } from '../support/shop.ts'

/** Everybody has more patience than the test needs, so that a response shows that nobody waited for the lock. */
const shop = await openShop({ locks: { waitMs: 100, patienceMs: 14_000 } })

/** Adds, orders, approves and captures. @returns the responses of the three calls */
async function buys(customer: Customer, offerId: number): Promise<number[]> {
  const added = await customer.add(offerId, 1)
  const created = await customer.create()
  await shop.paypal.approve(created.body['order_id'])
  const captured = await customer.capture(created.body['order_id'])
  return [added, created, captured].map(({ status }) => status)
}

const newCustomers = (count: number): Promise<Customer[]> =>
  Promise.all(Array.from({ length: count }, () => shop.newCustomer()))

test('buyers of other contests buy while a contest is locked, whose buyers follow', async () => {
  const [locked, other, last] = [await shop.newOffer(), await shop.newOffer(), await shop.newOffer()]
  const [adding, ordering, buying] = [await newCustomers(8), await newCustomers(8), await newCustomers(6)]
  const approved = await Promise.all(ordering.map(() => shop.approvedOrder(1, undefined, locked)))
  const given = await shop.approvedOrder(1, undefined, locked)
  for (const customer of ordering) await customer.add(locked, 1)
  // Whoever waits for the locked contest keeps no row of the other one.
  await ordering[0]?.add(other, 1)

  const gate = await closeGate(shop.url, rowOf.offer(locked))
  let responded = 0
  const waiting: Promise<number>[] = []
  const waits = async (call: Promise<{ status: number }>): Promise<number> => {
    const { status } = await call
    responded += 1
    return status
  }
  for (const round of [0, 1]) {
    // More than a batch runs alone at once, and in the same batches as the others.
    const of = <One>(all: readonly One[]): One[] => all.slice(4 * round, 4 * round + 4)
    waiting.push(
      ...of(adding).map((customer) => waits(customer.order(locked, 1))),
      ...of(ordering).map((customer) => waits(customer.create())),
      ...of(approved).map(({ customer, orderId }) => waits(customer.capture(orderId))),
    )
    if (round === 0)
      waiting.push(waits(given.customer.post('/api/paypal/cancel-order/', { order_id: given.orderId })))
    const buyers = buying.slice(3 * round, 3 * round + 3)
    const bought = await Promise.all(buyers.map((buyer, index) => buys(buyer, index === 0 ? last : other)))
    expect(bought.flat()).toEqual(Array.from({ length: 9 }, () => 200))
  }
  expect(responded).toBe(0)

  await gate.open()
  expect(new Set(await Promise.all(waiting))).toEqual(new Set([200]))
  expect(await shop.counters(locked)).toEqual({ tickets_sold: 8, tickets_held: 16 })
  expect(await shop.counters(other)).toEqual({ tickets_sold: 4, tickets_held: 1 })
})
