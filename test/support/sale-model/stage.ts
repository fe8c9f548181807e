import { expect } from 'vitest'
import type { Customer, TestShop } from '../shop.ts'
import { type Model, ticketsOf } from './model.ts'

/** So few tickets and buyers that they are in each other's way all the time. */
const BUYERS = 3
const TOTALS = [2, 4, 9]
const PRICE = 490

/** A real shop with buyers and contests of its own for one run of commands. */
export interface Stage {
  shop: TestShop
  buyers: readonly Customer[]
  offerIds: readonly number[]
  /** Told of each step that was taken and compared. */
  taken: () => void
}

/** New buyers and contests, and the model of them. */
export async function setStage(shop: TestShop, taken: () => void): Promise<{ model: Model; real: Stage }> {
  const offerIds: number[] = []
  for (const total of TOTALS) {
    offerIds.push(await shop.newOffer({ total_tickets: total, price_cents: PRICE }))
  }
  const buyers: Customer[] = []
  for (let index = 0; index < BUYERS; index++) buyers.push(await shop.newCustomer())
  return {
    model: {
      contests: TOTALS.map((total) => ({ total, sold: 0, held: 0, price: PRICE, isRunning: true })),
      buyers: buyers.map(() => ({ cart: new Map(), version: 1, isSuspended: false })),
      orders: [],
    },
    real: { shop, buyers, offerIds, taken },
  }
}

/** Compares everything that the model knows with the tables. */
export async function compare(model: Model, { shop, buyers, offerIds }: Stage): Promise<void> {
  const userIds = buyers.map((buyer) => buyer.id)
  const [offers, orders, carts, tickets] = await Promise.all([
    shop.db
      .selectFrom('offers')
      .select(['id', 'tickets_sold', 'tickets_held'])
      .where('id', 'in', offerIds)
      .orderBy('id')
      .execute(),
    shop.db
      .selectFrom('orders')
      .select(['provider_order_id as id', 'state'])
      .where('user_id', 'in', userIds)
      .execute(),
    shop.db
      .selectFrom('carts')
      .leftJoin('cart_items', 'cart_items.cart_id', 'carts.id')
      .select(['carts.user_id', 'carts.version', 'offer_id', 'quantity'])
      .where('user_id', 'in', userIds)
      .orderBy('carts.id')
      .orderBy('cart_items.id')
      .execute(),
    shop.db
      .selectFrom('tickets')
      .innerJoin('orders', 'orders.id', 'tickets.order_id')
      .select((eb) => ['provider_order_id as id', eb.fn.countAll<number>().as('count')])
      .where('tickets.user_id', 'in', userIds)
      .where('status', '=', 'valid')
      .groupBy('provider_order_id')
      .execute(),
  ])
  const stated = {
    contests: offers.map((offer) => ({ sold: offer.tickets_sold, held: offer.tickets_held })),
    orders: byId(orders.map((order) => [order.id ?? '', order.state])),
    carts: buyers.map((buyer) => {
      const rows = carts.filter((row) => row.user_id === buyer.id)
      return {
        version: rows[0]?.version,
        lines: rows.flatMap((row) =>
          row.offer_id === null ? [] : [[offerIds.indexOf(row.offer_id), row.quantity]],
        ),
      }
    }),
    tickets: byId(tickets.map((row) => [row.id ?? '', Number(row.count)])),
  }
  expect(stated).toEqual({
    contests: model.contests.map(({ sold, held }) => ({ sold, held })),
    orders: byId(model.orders.map((order) => [order.id, order.state])),
    carts: model.buyers.map(({ version, cart }) => ({ version, lines: [...cart] })),
    tickets: byId(
      model.orders.map((order) => [order.id, ticketsOf(order)] as const).filter(([, n]) => n > 0),
    ),
  })
}

const byId = <Value>(pairs: readonly (readonly [string, Value])[]): Record<string, Value> =>
  Object.fromEntries(pairs.toSorted(([one], [other]) => one.localeCompare(other)))
