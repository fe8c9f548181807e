import { expect } from 'vitest'
import type { Customer, TestShop } from '../shop.ts'
import { type Model, ticketsOf } from './model.ts'

/** Few tickets and buyers, so that they conflict all the time. */
const BUYERS = 3
const TOTALS = [2, 4, 9]
const PRICE = 490

/** A real shop with buyers and offers of its own for one run of commands. */
export interface Stage {
  shop: TestShop
  buyers: readonly Customer[]
  offerIds: readonly number[]
  /** Called after each step. */
  onStep: () => void
}

/** New buyers and offers, and the model of them. */
export async function setStage(shop: TestShop, onStep: () => void): Promise<{ model: Model; real: Stage }> {
  const offerIds: number[] = []
  for (const total_tickets of TOTALS)
    offerIds.push(await shop.newOffer({ total_tickets, price_cents: PRICE }))
  const buyers: Customer[] = []
  while (buyers.length < BUYERS) buyers.push(await shop.newCustomer())
  return {
    model: {
      offers: TOTALS.map((total) => ({ total, sold: 0, held: 0, price: PRICE, isRunning: true })),
      buyers: buyers.map(() => ({ cart: new Map(), version: 1, isSuspended: false })),
      orders: [],
    },
    real: { shop, buyers, offerIds, onStep },
  }
}

/** Compares the whole model with the tables. */
export async function compare(model: Model, { shop, buyers, offerIds }: Stage): Promise<void> {
  const rows = async (sql: string): Promise<(string | number | null)[][]> =>
    (await shop.pool.query({ text: sql, values: [buyers.map(({ id }) => id)], rowMode: 'array' })).rows
  const [offers, orders, carts, tickets] = await Promise.all([
    shop.pool.query({
      text: 'SELECT tickets_sold, tickets_held FROM offers WHERE id = ANY ($1) ORDER BY id',
      values: [offerIds],
      rowMode: 'array',
    }),
    rows('SELECT provider_order_id, state FROM orders WHERE user_id = ANY ($1)'),
    rows(`SELECT user_id, version, offer_id, quantity FROM carts LEFT JOIN cart_items ON cart_id = carts.id
          WHERE user_id = ANY ($1) ORDER BY carts.id, cart_items.id`),
    rows(`SELECT provider_order_id, count(*)::int FROM tickets JOIN orders ON orders.id = order_id
          WHERE tickets.user_id = ANY ($1) AND status = 'valid' GROUP BY 1`),
  ])
  expect({
    offers: offers.rows,
    orders: Object.fromEntries(orders),
    carts: buyers.map(({ id }) => {
      const own = carts.filter(([userId]) => userId === id)
      const lines = own.filter(([, , offerId]) => offerId !== null)
      return [
        own[0]?.[1],
        lines.map(([, , offerId, quantity]) => [offerIds.indexOf(Number(offerId)), quantity]),
      ]
    }),
    tickets: Object.fromEntries(tickets),
  }).toEqual({
    offers: model.offers.map(({ sold, held }) => [sold, held]),
    orders: Object.fromEntries(model.orders.map(({ id, state }) => [id, state])),
    carts: model.buyers.map(({ version, cart }) => [version, [...cart]]),
    tickets: Object.fromEntries(
      model.orders.map((order) => [order.id, ticketsOf(order)]).filter(([, count]) => count !== 0),
    ),
  })
}
