import fc from 'fast-check'
import { expect } from 'vitest'
import type { Customer } from '../shop.ts'
import * as said from './model.ts'
import type { Payment } from './model.ts'
import * as order from './order-commands.ts'
import { type SaleCommand, command, expectAnswer } from './step.ts'

const cartCall = (buyer: Customer, call: string, body: object) =>
  buyer.post(`/api/cart/${buyer.cartId}/${call}/`, body)

const add = (buyer: number, contest: number, quantity: number) =>
  command({
    name: `buyer ${buyer} adds ${quantity} of contest ${contest}`,
    async run(model, { buyers, offerIds }) {
      const body = { offer_id: offerIds[contest], quantity }
      expectAnswer(
        await cartCall(buyers[buyer]!, 'add_item', body),
        said.add(model, buyer, contest, quantity),
      )
    },
  })

async function itemId(buyer: Customer, offerId: number | undefined): Promise<number> {
  const carts = (await buyer.get('/api/cart/')).body as unknown as {
    items: { id: number; offer: { id: number } }[]
  }[]
  return carts[0]?.items.find((item) => item.offer.id === offerId)?.id ?? 0
}

const update = (buyer: number, contest: number, quantity: number) =>
  command({
    name: `buyer ${buyer} wants ${quantity} of contest ${contest}`,
    when: (model) => model.buyers[buyer]!.cart.has(contest),
    async run(model, { buyers, offerIds }) {
      const body = { item_id: await itemId(buyers[buyer]!, offerIds[contest]), quantity }
      const expected = said.update(model, buyer, contest, quantity)
      expectAnswer(await cartCall(buyers[buyer]!, 'update_item', body), expected)
    },
  })

const remove = (buyer: number, contest: number) =>
  command({
    name: `buyer ${buyer} removes contest ${contest}`,
    when: (model) => model.buyers[buyer]!.cart.has(contest),
    async run(model, { buyers, offerIds }) {
      const body = { item_id: await itemId(buyers[buyer]!, offerIds[contest]) }
      said.remove(model, buyer, contest)
      expectAnswer(await cartCall(buyers[buyer]!, 'remove_item', body), undefined)
    },
  })

const clear = (buyer: number) =>
  command({
    name: `buyer ${buyer} clears the cart`,
    async run(model, { buyers }) {
      said.remove(model, buyer)
      expectAnswer(await cartCall(buyers[buyer]!, 'clear', {}), undefined)
    },
  })

const create = (buyer: number, country: string, clicks = 1) =>
  command({
    name: `buyer ${buyer} orders from ${country}${clicks > 1 ? ` with ${clicks} clicks` : ''}`,
    async run(model, { buyers }) {
      const expected = said.create(model, buyer, country)
      const order = () => buyers[buyer]!.post('/api/paypal/create-order/', { country_code: country })
      const answers = await Promise.all(Array.from({ length: clicks }, order))
      for (const answer of answers) expectAnswer(answer, 'code' in expected ? expected : undefined)
      if ('code' in expected) return
      const [id = '', ...others] = new Set(answers.map((answer) => answer.body['order_id'] as string))
      expect(others).toEqual([])
      if ('id' in expected) expect(id).toBe(expected.id)
      else model.orders.push({ ...expected, id })
    },
  })

/**
 * A buyer who wants one ticket more than an order of theirs holds finds that a rival was quicker: the older order must
 * stay as it is. Steps of their own come to this too seldom.
 */
const overtake = (buyer: number, rival: number, contest: number) =>
  command({
    name: `buyer ${rival} overtakes buyer ${buyer} at contest ${contest}`,
    when: ({ contests }) =>
      buyer !== rival && contests[contest]!.held + contests[contest]!.sold < contests[contest]!.total,
    async run(model, real) {
      const take = async (...steps: SaleCommand[]): Promise<void> => {
        for (const step of steps) await step.run(model, real)
      }
      await take(add(buyer, contest, 1), create(buyer, 'BE'), add(buyer, contest, 1))
      const { total, sold, held } = model.contests[contest]!
      if (total > sold + held) await take(add(rival, contest, total - sold - held))
      await take(create(rival, 'BE'), create(buyer, 'BE'))
    },
  })

const suspend = (buyer: number, isSuspended: boolean) =>
  command({
    name: `buyer ${buyer} is ${isSuspended ? 'suspended' : 'let in again'}`,
    when: (model) => model.buyers[buyer]!.isSuspended !== isSuspended,
    async run(model, { shop, buyers }) {
      model.buyers[buyer]!.isSuspended = isSuspended
      await shop.db
        .updateTable('users')
        .set({ is_active: !isSuspended })
        .where('id', '=', buyers[buyer]!.id)
        .execute()
    },
  })

const change = (contest: number, price: number, isRunning: boolean) =>
  command({
    name: `contest ${contest} costs ${price} and ${isRunning ? 'runs' : 'has ended'}`,
    async run(model, { shop, offerIds }) {
      Object.assign(model.contests[contest]!, { price, isRunning })
      await shop.db
        .updateTable('offers')
        .set({ price_cents: price, end_date: new Date(Date.now() + (isRunning ? 86_400_000 : -1_000)) })
        .where('id', '=', offerIds[contest] ?? 0)
        .execute()
    },
  })

const buyer = fc.nat({ max: 2 })
const contest = fc.nat({ max: 2 })
const quantity = fc.constantFrom(1, 1, 1, 2, 2, 3, 5)
const pick = fc.constantFrom(0, 0, 0, 1, 1, 2, 3, 5)
const payment = fc.constantFrom<Payment>('pays', 'pays', 'pays', 'loses', 'declines', 'pends', 'tampers')

/** A kind of step as often as it shall come. */
const often = (times: number, kind: fc.Arbitrary<SaleCommand>): fc.Arbitrary<SaleCommand>[] =>
  Array.from({ length: times }, () => kind)

/** Everything that can happen to a sale; what leads on to tickets, and what has buyers meet, comes more often. */
export const saleCommands: fc.Arbitrary<SaleCommand>[] = [
  ...often(
    4,
    fc.tuple(buyer, contest, quantity).map((args) => add(...args)),
  ),
  fc.tuple(buyer, contest, quantity).map((args) => update(...args)),
  fc.tuple(buyer, contest).map((args) => remove(...args)),
  buyer.map(clear),
  ...often(
    4,
    fc.tuple(buyer, fc.constantFrom('BE', 'BE', 'BE', 'FR')).map((args) => create(...args)),
  ),
  buyer.map((who) => create(who, 'BE', 2)),
  fc.tuple(buyer, buyer, contest).map((args) => overtake(...args)),
  ...often(
    3,
    fc.tuple(pick, payment).map((args) => order.approve(...args)),
  ),
  ...often(3, pick.map(order.capture)),
  pick.map(order.cancel),
  pick.map(order.extend),
  pick.map(order.expireHold),
  fc.tuple(pick, fc.boolean()).map((args) => order.dieCapturing(...args)),
  fc.tuple(pick, fc.boolean()).map((args) => order.decide(...args)),
  pick.map(order.takeLate),
  pick.map(order.giveBackThere),
  pick.map(order.givePartBackThere),
  pick.map(order.tellAgain),
  fc.constant(order.sweep()),
  fc.tuple(buyer, fc.constantFrom(true, false, false)).map((args) => suspend(...args)),
  fc
    .tuple(contest, fc.constantFrom(490, 500, 990), fc.constantFrom(true, true, true, false))
    .map((args) => change(...args)),
]
