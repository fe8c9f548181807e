import fc from 'fast-check'
import { expect, test } from 'vitest'
import { reconcile } from '#features/purchase/payments/server/reconcile.ts'
import { recoverPayments } from '#features/purchase/payments/server/payment-recovery.ts'
import { providerSide } from '../provider-side.ts'
import { type Customer, type TestShop, openShop } from '../shop.ts'
import { sized } from '../tier.ts'
import * as sale from './model.ts'
import type { Account, Model, Order } from './model.ts'

/** Few tickets and buyers, so that they conflict all the time. */
const BUYERS = 3
const TOTALS = [2, 4, 9]
const PRICE = 490

/** A real shop with buyers and offers of its own for one run of commands. */
interface Stage {
  shop: TestShop
  buyers: readonly Customer[]
  offerIds: readonly number[]
  /** Called after each step. */
  onStep: () => void
}

/** New buyers and offers, and the model of them. */
async function setStage(shop: TestShop, onStep: () => void): Promise<{ model: Model; real: Stage }> {
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
async function compare(model: Model, { shop, buyers, offerIds }: Stage): Promise<void> {
  const ids = buyers.map(({ id }) => id)
  const rows = async (text: string, values: readonly number[] = ids): Promise<(string | number | null)[][]> =>
    (await shop.pool.query({ text, values: [values], rowMode: 'array' })).rows
  const [offers, orders, carts, tickets] = await Promise.all([
    rows('SELECT tickets_sold, tickets_held FROM offers WHERE id = ANY ($1) ORDER BY id', offerIds),
    rows('SELECT provider_order_id, state FROM orders WHERE user_id = ANY ($1)'),
    rows(`SELECT user_id, version, offer_id, quantity FROM carts LEFT JOIN cart_items ON cart_id = carts.id
          WHERE user_id = ANY ($1) ORDER BY carts.id, cart_items.id`),
    rows(`SELECT provider_order_id, count(*)::int FROM tickets JOIN orders ON orders.id = order_id
          WHERE tickets.user_id = ANY ($1) AND status = 'valid' GROUP BY 1`),
  ])
  expect({
    offers,
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
      model.orders.map((order) => [order.id, sale.ticketsOf(order)]).filter(([, count]) => count !== 0),
    ),
  })
}

type SaleCommand = fc.AsyncCommand<Model, Stage>

/**
 * A step that is done to both and compared afterwards.
 * @param when whether the step makes sense now; one that does not is left out
 */
const command = (
  name: string,
  run: (model: Model, real: Stage) => Promise<void>,
  when: (model: Readonly<Model>) => boolean = () => true,
): SaleCommand => ({
  check: when,
  run: async (model, real) => {
    await run(model, real)
    await compare(model, real)
    real.onStep()
  },
  toString: () => name,
})

/** Compares a response with a refusal, or with success. */
function expectResponse(
  response: { status: number; body: Record<string, unknown> },
  { status, code }: { status: number; code?: unknown } = { status: 200 },
): void {
  expect({ status: response.status, code: response.body['code'] }).toEqual({ status, code })
}

const expectTickets = ({ body }: { body: Record<string, unknown> }, count: number): void =>
  expect(body['tickets']).toHaveLength(count)

const cartCall = (buyer: Customer, call: string, body: object) =>
  buyer.post(`/api/cart/${buyer.cartId}/${call}/`, body)

async function itemId(buyer: Customer, offerId: number | undefined): Promise<number> {
  const items = (await buyer.get('/api/cart/')).body[0].items as { id: number; offer: { id: number } }[]
  return items.find((item) => item.offer.id === offerId)?.id ?? 0
}

/** A step of a buyer, who changes nothing while suspended. */
const buyerStep = (buyer: number, ...[name, run, when]: Parameters<typeof command>) =>
  command(
    `buyer ${buyer} ${name}`,
    async (model, real) => {
      if (!model.buyers[buyer]!.isSuspended) return run(model, real)
      expectResponse(await cartCall(real.buyers[buyer]!, 'clear', {}), sale.SUSPENDED)
    },
    when,
  )

const add = (buyer: number, offer: number, quantity: number) =>
  buyerStep(buyer, `adds ${quantity} of offer ${offer}`, async (model, { buyers, offerIds }) => {
    const response = await buyers[buyer]!.add(offerIds[offer]!, quantity)
    expectResponse(response, sale.addItem(model, buyer, offer, quantity))
  })

const isInCart = (buyer: number, offer: number) => (model: Readonly<Model>) =>
  model.buyers[buyer]!.cart.has(offer)

const update = (buyer: number, offer: number, quantity: number) =>
  buyerStep(
    buyer,
    `sets offer ${offer} to ${quantity}`,
    async (model, { buyers, offerIds }) => {
      const item_id = await itemId(buyers[buyer]!, offerIds[offer])
      const response = await cartCall(buyers[buyer]!, 'update_item', { item_id, quantity })
      expectResponse(response, sale.updateItem(model, buyer, offer, quantity))
    },
    isInCart(buyer, offer),
  )

const remove = (buyer: number, offer: number) =>
  buyerStep(
    buyer,
    `removes offer ${offer}`,
    async (model, { buyers, offerIds }) => {
      const item_id = await itemId(buyers[buyer]!, offerIds[offer])
      sale.removeItems(model, buyer, offer)
      expectResponse(await cartCall(buyers[buyer]!, 'remove_item', { item_id }))
    },
    isInCart(buyer, offer),
  )

const clear = (buyer: number) =>
  buyerStep(buyer, 'clears the cart', async (model, { buyers }) => {
    sale.removeItems(model, buyer)
    expectResponse(await cartCall(buyers[buyer]!, 'clear', {}))
  })

const create = (buyer: number, country: string, calls = 1) =>
  buyerStep(buyer, `orders from ${country} in ${calls} calls`, async (model, { buyers }) => {
    const expected = sale.createOrder(model, buyer, country)
    const responses = await Promise.all(Array.from({ length: calls }, () => buyers[buyer]!.create(country)))
    for (const response of responses) expectResponse(response, 'code' in expected ? expected : undefined)
    if ('code' in expected) return
    const [id = '', ...others] = new Set(responses.map((response) => response.body['order_id'] as string))
    expect(others).toEqual([])
    if ('id' in expected) expect(id).toBe(expected.id)
    else model.orders.push({ ...expected, id })
  })

/**
 * A buyer adds a ticket to those of an open order, but a rival takes the last free ones: the open order must stay as it is.
 * Random steps lead to this too rarely.
 */
const overtake = (buyer: number, rival: number, offer: number) =>
  command(
    `buyer ${rival} overtakes buyer ${buyer} at offer ${offer}`,
    async (model, real) => {
      const free = (): number => {
        const { total, sold, held } = model.offers[offer]!
        return total - sold - held
      }
      for (const step of [add(buyer, offer, 1), create(buyer, 'BE'), add(buyer, offer, 1)])
        await step.run(model, real)
      if (free() > 0) await add(rival, offer, free()).run(model, real)
      for (const step of [create(rival, 'BE'), create(buyer, 'BE')]) await step.run(model, real)
    },
    ({ offers }) => buyer !== rival && offers[offer]!.held + offers[offer]!.sold < offers[offer]!.total,
  )

const suspend = (buyer: number, isSuspended: boolean) =>
  command(
    `buyer ${buyer} is ${isSuspended ? 'suspended' : 'active'}`,
    async (model, { shop, buyers }) => {
      model.buyers[buyer]!.isSuspended = isSuspended
      const users = shop.db.updateTable('users').set({ is_active: !isSuspended })
      await users.where('id', '=', buyers[buyer]!.id).execute()
    },
    (model) => model.buyers[buyer]!.isSuspended !== isSuspended,
  )

const changeOffer = (offer: number, price: number, isRunning: boolean) =>
  command(
    `offer ${offer} costs ${price} and ${isRunning ? 'runs' : 'has ended'}`,
    async (model, { shop, offerIds }) => {
      Object.assign(model.offers[offer]!, { price, isRunning })
      const end_date = new Date(Date.now() + (isRunning ? 86_400_000 : -1_000))
      const offers = shop.db.updateTable('offers').set({ price_cents: price, end_date })
      await offers.where('id', '=', offerIds[offer] ?? 0).execute()
    },
  )

type OrderStep = (order: Order, model: Model, real: Stage) => Promise<void>

/** A step with one of the orders that qualify, the later ones more often. */
const orderStep =
  (name: string, qualifies: (order: Order) => boolean, run: OrderStep) =>
  (pick: number): SaleCommand => {
    const find = ({ orders }: Readonly<Model>): Order | undefined => {
      const fitting = orders.filter(qualifies)
      return fitting.at(-1 - (pick % Math.max(1, fitting.length)))
    }
    return command(
      `${name} (${pick})`,
      (model, real) => run(find(model)!, model, real),
      (model) => find(model) !== undefined,
    )
  }
const anyOrder = () => true
const isCompleted = ({ state }: Order): boolean => state === 'completed'
const orderCall = (real: Stage, order: Order, call: string) =>
  real.buyers[order.buyer]!.post(`/api/paypal/${call}/`, { order_id: order.id })

/** The same for a call of the order's buyer, who changes nothing while suspended. */
const buyersOrderStep = (name: string, call: string, qualifies: (order: Order) => boolean, run: OrderStep) =>
  orderStep(`the buyer ${name}`, qualifies, async (order, model, real) => {
    if (!model.buyers[order.buyer]!.isSuspended) return run(order, model, real)
    expectResponse(await orderCall(real, order, call), sale.SUSPENDED)
  })

const approve = (account: Account) =>
  orderStep(
    `the payment is approved by ${account}`,
    (order) => order.money === 'none' && order.state !== 'capturing',
    async (order, _, { shop }) => {
      order.account = account
      await shop.paypal.approve(order.id, `${account}@buyer.test`)
    },
  )

const capture = buyersOrderStep(
  'captures',
  'capture-payment',
  // A capture that another process began would be waited for, for seconds.
  (order) => order.state !== 'capturing',
  async (order, model, real) => {
    const expected = sale.capture(model, order)
    const response = await orderCall(real, order, 'capture-payment')
    expectResponse(response, { code: response.body['code'], ...expected })
    if (response.status === 200) expectTickets(response, sale.ticketsOf(order))
  },
)

const cancel = buyersOrderStep('cancels', 'cancel-order', anyOrder, async (order, model, real) => {
  if (order.state === 'held') sale.release(model, order, 'cancelled')
  expectResponse(await orderCall(real, order, 'cancel-order'))
})

const extendHold = buyersOrderStep('extends the hold', 'extend-hold', anyOrder, async (order, _, real) => {
  const expected = sale.extendHold(order)
  expectResponse(await orderCall(real, order, 'extend-hold'), expected)
})

const reconcileOrder = async (shop: TestShop, order: Order): Promise<void> =>
  void (await reconcile(shop.checkout, (await shop.orderOf(order.id)).id, { includeFinal: true }))

/** Captures an order at the provider, as a delayed request of the shop does. */
async function captureAtProvider(shop: TestShop, order: Order): Promise<void> {
  const { id, capture_attempt } = await shop.orderOf(order.id)
  await shop.client.captureOrder(order.id, `${id}:cap:${capture_attempt}`)
}

/** Has the provider act on the capture of an order, and reconciles it. */
async function actAtProvider(shop: TestShop, order: Order, act: string, value?: string): Promise<void> {
  await providerSide(shop).giveBack(shop.capturesOf(order.id)[0]?.id, act, value)
  await reconcileOrder(shop, order)
}

const crashCapturing = (isCaptured: boolean) =>
  orderStep(
    `a process crashes ${isCaptured ? 'after' : 'before'} the capture`,
    (order) => order.state === 'held' && order.account === 'buyer',
    async (order, _, { shop }) => {
      order.state = 'capturing'
      await shop.pool.query(
        `WITH moved AS (
           UPDATE orders SET state = 'capturing', capture_started_at = now(), checked_at = now()
           WHERE provider_order_id = $1 RETURNING id
         )
         INSERT INTO order_events (order_id, from_state, to_state, reason)
         SELECT id, 'held', 'capturing', 'capture_requested' FROM moved`,
        [order.id],
      )
      if (!isCaptured) return
      order.money = 'captured'
      await captureAtProvider(shop, order)
    },
  )

const runOutHold = orderStep(
  'the hold runs out',
  (order) => order.state === 'held',
  async (order, _, { shop }) => {
    order.holdRanOut = true
    const orders = shop.db.updateTable('orders').set({ hold_until: new Date(Date.now() - 1_000) })
    await orders.where('provider_order_id', '=', order.id).execute()
  },
)

const decide = (verdict: 'release' | 'deny') =>
  orderStep(
    `the provider decides a pending capture: ${verdict}`,
    (order) => order.money === 'pending',
    async (order, model, { shop }) => {
      sale.decide(model, order, verdict === 'release')
      await actAtProvider(shop, order, verdict)
    },
  )

const captureLate = orderStep(
  'a delayed capture takes effect',
  (order) => order.money === 'none' && order.account === 'buyer',
  async (order, model, { shop }) => {
    sale.captureLate(model, order)
    await captureAtProvider(shop, order)
    await reconcileOrder(shop, order)
  },
)

const refundAll = orderStep('the provider refunds all', isCompleted, async (order, _, { shop }) => {
  sale.refund(order)
  await actAtProvider(shop, order, 'refund')
})

/** How many parts of the cheapest ticket can be refunded without refunding all of it. */
const MAX_PARTS = 3

const refundPart = orderStep(
  'the provider refunds a part',
  (order) => isCompleted(order) && order.partialRefunds < MAX_PARTS,
  async (order, _, { shop }) => {
    order.partialRefunds += 1
    await actAtProvider(shop, order, 'refund', '0.50')
  },
)

const repeatNotification = orderStep('a notification is repeated', anyOrder, async (order, model, real) => {
  sale.reconcile(model, order)
  await reconcileOrder(real.shop, order)
})

const sweep = command('the background jobs run', async (model, { shop }) => {
  sale.sweep(model)
  await shop.expireHolds()
  await recoverPayments(shop.checkout, 0)
})

const buyer = fc.nat({ max: 2 })
const offer = fc.nat({ max: 2 })
const quantity = fc.constantFrom(1, 1, 1, 2, 2, 3, 5)
const pick = fc.constantFrom(0, 0, 0, 1, 1, 2, 3, 5)
const account = fc.constantFrom<Account>('buyer', 'buyer', 'buyer', 'lost', 'declined', 'pending', 'tampered')
const price = fc.constantFrom(490, 500, 990)

/** A step with random arguments. */
const step = <Args extends unknown[]>(
  make: (...args: Args) => SaleCommand,
  ...args: { [Index in keyof Args]: fc.Arbitrary<Args[Index]> }
): fc.Arbitrary<SaleCommand> => fc.tuple(...args).map((values) => make(...(values as Args)))
/** A step of a kind with one of the orders. */
const stepOf = <Kind>(make: (kind: Kind) => (pick: number) => SaleCommand, kinds: fc.Arbitrary<Kind>) =>
  step((kind, order) => make(kind)(order), kinds, pick)
const often = (times: number, kind: fc.Arbitrary<SaleCommand>) => Array<typeof kind>(times).fill(kind)

/** Every kind of step; those that lead to tickets and to conflicts of buyers come more often. */
const saleCommands: fc.Arbitrary<SaleCommand>[] = [
  ...often(4, step(add, buyer, offer, quantity)),
  step(update, buyer, offer, quantity),
  step(remove, buyer, offer),
  step(clear, buyer),
  ...often(4, step(create, buyer, fc.constantFrom('BE', 'BE', 'BE', 'FR'), fc.constant(1))),
  step(create, buyer, fc.constant('BE'), fc.constant(2)),
  step(overtake, buyer, buyer, offer),
  ...often(3, stepOf(approve, account)),
  ...often(3, step(capture, pick)),
  ...[cancel, extendHold, runOutHold, captureLate].map((kind) => step(kind, pick)),
  ...[refundAll, refundPart, repeatNotification].map((kind) => step(kind, pick)),
  stepOf(crashCapturing, fc.boolean()),
  stepOf(decide, fc.constantFrom('release', 'deny')),
  fc.constant(sweep),
  step(suspend, buyer, fc.constantFrom(true, false, false)),
  step(changeOffer, offer, price, fc.constantFrom(true, true, true, false)),
]

/** The most commands of one run; about half of them are tried, and most of those make sense at their turn. */
const LENGTH = 400
const RUNS = sized({ short: 2, extended: 10 })
/** Steps of each half. MODEL_STEPS and MODEL_SEED make a longer run, or repeat one. */
const STEPS = Number(process.env['MODEL_STEPS'] ?? sized({ short: 300, extended: 50_000 }))
const SEED = Number(process.env['MODEL_SEED'] ?? Date.now() % 1_000_000_000)

/**
 * Plays random commands on a shop of its own and compares every response and every table with the model. Two files
 * share the steps, because files run in parallel.
 */
export async function playSales(half: 1 | 2): Promise<void> {
  const seed = SEED + half * 1_000_000
  const shop = await openShop({ env: { LIMITS_FACTOR: '1000000' } })
  // Contests end and change their price when the commands say so.
  await shop.unlockTerms()
  // Notifications come when the commands say so.
  shop.paypal.faults.change({ missingWebhooks: 1 })

  test(`buyers, the provider and time in any order: the shop does as the model (seed ${seed})`, async () => {
    let steps = 0
    const commands = fc.commands(saleCommands, { maxCommands: LENGTH, size: 'max' })
    const run = fc.asyncProperty(commands, (some) =>
      fc.asyncModelRun(() => setStage(shop, () => (steps += 1)), some),
    )
    for (let round = 0; steps < STEPS; round += 1) {
      const before = steps
      await fc.assert(run, { numRuns: RUNS, seed: seed + round })
      expect(steps, 'a round without a step').toBeGreaterThan(before)
    }
  }, 3_600_000)
}
