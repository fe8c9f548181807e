import { beforeAll, expect, test } from 'vitest'
import { type Customer, openShop } from '../support/shop.ts'

/** Many free accounts hold what they can of one contest. What is left for honest buyers? */

const ACCOUNTS = 200
const TOTAL = 1_000
/** What an account may hold: 5 % of the contest. */
const CAP = 50

const shop = await openShop({ env: { TRUST_PROXY: 'true' } })
const attackers: Customer[] = []

/** The headers of a call from a network. */
const from = (network: number) => ({
  headers: { 'x-forwarded-for': `10.${network >> 8}.${network & 255}.1` },
})
const ELSEWHERE = from(60_000)

beforeAll(async () => {
  while (attackers.length < ACCOUNTS) attackers.push(await shop.newCustomer())
})

async function order(buyer: Customer, offerId: number, quantity: number, call: ReturnType<typeof from>) {
  await buyer.post(`/api/cart/${buyer.cartId}/clear/`, {}, call)
  await buyer.add(offerId, quantity, {}, call)
  return buyer.create('BE', call)
}

/** Holds as many tickets as the shop allows, and tries to keep them for longer. */
async function grab(buyer: Customer, offerId: number, call: ReturnType<typeof from>): Promise<void> {
  for (let quantity = CAP - 5; quantity > 0;) {
    const { status, body } = await order(buyer, offerId, quantity, call)
    if (status === 200) return void (await buyer.create('FR', call))
    quantity = body['available']
  }
}

/** All attackers hold what they can. @returns how many tickets that is */
async function storm(offerId: number, networkOf: (attacker: number) => number): Promise<number> {
  await Promise.all(attackers.map((buyer, index) => grab(buyer, offerId, from(networkOf(index)))))
  return (await shop.counters(offerId)).tickets_held
}

const heldBy = async (buyer: Customer, offerId: number): Promise<number> => {
  const { status, body } = await order(buyer, offerId, CAP, ELSEWHERE)
  return status === 200 ? CAP : body['available']
}

test('200 free accounts of one network get a fifth of a contest; others buy as always', async () => {
  const offerId = await shop.newOffer({ total_tickets: TOTAL })
  expect(await storm(offerId, () => 1)).toBe(TOTAL / 5)
  expect(await heldBy(await shop.newCustomer(), offerId)).toBe(CAP)
  expect(await heldBy((await shop.paidOrder(1)).customer, offerId)).toBe(CAP)
})

test('200 free accounts of 200 networks get half of it, for two hours; who has bought before buys as always', async () => {
  const offerId = await shop.newOffer({ total_tickets: TOTAL })
  expect(await storm(offerId, (attacker) => attacker)).toBe(TOTAL / 2)
  expect(await heldBy((await shop.paidOrder(1)).customer, offerId)).toBe(CAP)
  const newcomer = await shop.newCustomer()
  expect(await heldBy(newcomer, offerId)).toBe(0)

  // Their holds end after two hours.
  await shop.pool.query(
    `UPDATE orders SET created_at = now() - interval '2 hours', hold_until = now()
                         WHERE state = 'held' AND user_id = ANY ($1)`,
    [attackers.map(({ id }) => id)],
  )
  await shop.expireHolds()
  expect(await heldBy(newcomer, offerId)).toBe(CAP)
  const holders = await shop.pool.query(
    `SELECT DISTINCT user_id FROM orders WHERE state = 'expired' AND user_id = ANY ($1)`,
    [attackers.map(({ id }) => id)],
  )
  const again = attackers.filter(({ id }) => holders.rows.some((row) => Number(row.user_id) === id))
  expect(again.length).toBeGreaterThanOrEqual(TOTAL / 2 / CAP)
  for (const buyer of again)
    expect((await order(buyer, offerId, 1, from(1))).body['code']).toBe('checkout.holdBudget')
})
