import { setTimeout as sleep } from 'node:timers/promises'
import { type CallResponse, call } from '../testbed/call.ts'
import type { Random } from '../../db/story/random.ts'
import type { ChaosShop, Customer } from './setup.ts'

/** The responses that buyers got, recorded outside the shop; they must be true at the end. */
export interface Observations {
  readonly tickets: Map<string, number>
  readonly responses: Map<string, number>
  /** Responses that must never come. */
  readonly wrong: string[]
  purchases: number
  /** Calls that got a response, whatever the response. */
  responded: number
  note(call: string, status: number): void
}

export function newObservations(): Observations {
  const responses = new Map<string, number>()
  const observed: Observations = {
    tickets: new Map(),
    responses,
    wrong: [],
    purchases: 0,
    responded: 0,
    note(call, status) {
      const name = `${call} ${status}`
      responses.set(name, (responses.get(name) ?? 0) + 1)
      if (status !== 0) observed.responded += 1
    },
  }
  return observed
}

const HONEST = 'buyer@buyer.test'
/** Accounts of the emulator; most pay. */
const ACCOUNTS: readonly string[] = [
  ...Array.from({ length: 8 }, () => HONEST),
  'declined@buyer.test',
  'pending@buyer.test',
  'timeout@buyer.test',
  'http500@buyer.test',
  'lost@buyer.test',
]

export interface Market {
  contests: readonly number[]
  /** Everybody pays, and nobody names two countries at once. */
  calm: boolean
}

export interface Crowd {
  /** Pauses the buyers; resolves when each has finished what it was doing. */
  pause(): Promise<void>
  resume(): void
  /** Resolves when the shop has responded so many more calls, or when the time is up. */
  responded(calls: number, longestMs: number): Promise<void>
  close(): Promise<void>
}

/** Buyers who buy again and again over HTTP. */
export function startCrowd(
  shop: ChaosShop,
  customers: readonly Customer[],
  market: () => Market,
  observed: Observations,
  random: Random,
): Crowd {
  let open = true
  let paused = true
  let inside = 0
  const loops = customers.map(async (customer, index) => {
    const own = random.fork(`buyer ${index}`)
    while (open) {
      await sleep(own.between(10, 250))
      if (paused || !open) continue
      inside += 1
      try {
        await visit({ shop, customer, market: market(), observed, random: own })
      } finally {
        inside -= 1
      }
    }
  })
  return {
    async pause() {
      paused = true
      while (inside > 0) await sleep(20)
    },
    resume: () => void (paused = false),
    async responded(calls, longestMs) {
      const [goal, end] = [observed.responded + calls, performance.now() + longestMs]
      while (observed.responded < goal && performance.now() < end) await sleep(10)
    },
    async close() {
      open = false
      await Promise.all(loops)
    },
  }
}

interface Visit {
  shop: ChaosShop
  customer: Customer
  market: Market
  observed: Observations
  random: Random
}

/** One visit, in which a buyer may cancel, leave, click twice or change the cart. */
async function visit(it: Visit): Promise<void> {
  const { random, customer } = it
  const cart = `/api/cart/${customer.cartId}`
  const quantity = random.between(1, 4)
  const first = await ask(it, 'add_item', `${cart}/add_item/`, {
    offer_id: random.pick(it.market.contests),
    quantity,
  })
  if (random.chance(0.2))
    await ask(it, 'add_item', `${cart}/add_item/`, { offer_id: random.pick(it.market.contests), quantity: 1 })
  if (first.status === 409) await ask(it, 'clear', `${cart}/clear/`, {})

  const order = await orderOf(it)
  if (!order) return void (await ask(it, 'clear', `${cart}/clear/`, {}))
  if (random.chance(0.06))
    return void (await ask(it, 'cancel-order', '/api/paypal/cancel-order/', { order_id: order.id }))
  if (random.chance(0.06)) return
  // Somebody who changes the cart in another tab meanwhile, and perhaps orders it there.
  if (random.chance(0.08)) {
    await ask(it, 'add_item', `${cart}/add_item/`, { offer_id: random.pick(it.market.contests), quantity: 1 })
    if (random.chance(0.5)) await orderOf(it)
  }
  if (!(await approve(it, order.id, it.market.calm ? HONEST : random.pick(ACCOUNTS)))) return
  if (random.chance(0.05)) return
  await pay(it, order.id)
  if (random.chance(0.06)) await refundAtProvider(it, order.id)
}

/** Makes the order, sometimes with a double click; retries while the shop is down. */
async function orderOf(it: Visit): Promise<{ id: string } | undefined> {
  const country = (): string => (it.random.chance(0.9) ? 'BE' : 'FR')
  const first = country()
  // Two tabs may name two countries at once, of which one is asked to come back.
  const make = (): Promise<CallResponse> =>
    ask(it, 'create-order', '/api/paypal/create-order/', { country_code: it.market.calm ? first : country() })
  for (let attempt = 0; attempt < 4; attempt += 1) {
    const [one, two] = await Promise.all([make(), it.random.chance(0.15) ? make() : undefined])
    const good = [one, two].filter((response) => response?.status === 200)
    if (good.length > 0) return { id: String(good.at(-1)?.body.order_id) }
    if (![0, 429, 502, 503].includes(one.status)) return undefined
    await sleep(it.random.between(50, 400))
  }
  return undefined
}

async function approve(it: Visit, orderId: string, buyer: string, instrument = 'default'): Promise<boolean> {
  const url = `${it.shop.emulatorUrl}/_emulator/orders/${orderId}/approve`
  return (await call(url, undefined, { buyer, instrument })).status === 200
}

async function pay(it: Visit, orderId: string): Promise<void> {
  const capture = (): Promise<CallResponse> =>
    ask(it, 'capture', '/api/paypal/capture-payment/', { order_id: orderId })
  for (let attempt = 0; attempt < 4; attempt += 1) {
    const clicks = it.random.chance(0.15) ? [capture(), capture()] : [capture()]
    // Who closes the tab does not hear the response.
    if (it.random.chance(0.08)) return void Promise.all(clicks)
    const responses = await Promise.all(clicks)
    const paid = responses.filter((response) => response.status === 200)
    for (const response of paid) recordTickets(it, response.body)
    if (paid.length > 0) return void (it.observed.purchases += 1)
    const { status } = responses[0]!
    if (status === 202) return waitFor(it, orderId)
    if (status === 422) await approve(it, orderId, HONEST, 'other')
    else if (![0, 429, 502, 503].includes(status)) return
    await sleep(it.random.between(50, 500))
  }
}

/** The page that waits while a payment is being confirmed. */
async function waitFor(it: Visit, orderId: string): Promise<void> {
  for (let look = 0; look < 6; look += 1) {
    await sleep(it.random.between(100, 500))
    const { status, body } = await ask(it, 'order', `/api/paypal/orders/${orderId}/`)
    if (status === 200 && body.progress !== 'confirming') {
      if (body.progress === 'completed') recordTickets(it, body)
      return
    }
  }
}

function recordTickets({ customer, observed }: Visit, body: { tickets?: { id: string }[] }): void {
  if (!body.tickets?.length)
    observed.wrong.push(`a completed order of buyer ${customer.userId} without tickets`)
  for (const ticket of body.tickets ?? []) observed.tickets.set(ticket.id, customer.userId)
}

/** A refund on the provider's site, or a chargeback by the buyer's bank. */
async function refundAtProvider(it: Visit, orderId: string): Promise<void> {
  const { emulatorUrl } = it.shop
  const order = await call(`${emulatorUrl}/sdk/orders/${orderId}`, undefined)
  const captureId = order.body?.purchase_units?.[0]?.payments?.captures?.[0]?.id as string | undefined
  if (!captureId) return
  const how = it.random.pick(['refund', 'reverse'])
  const part = it.random.chance(0.4)
    ? { amount: { currency_code: 'EUR', value: `1.${it.random.between(10, 99)}` } }
    : {}
  await call(`${emulatorUrl}/_emulator/captures/${captureId}/${how}`, undefined, part)
}

async function ask(it: Visit, name: string, path: string, body?: unknown): Promise<CallResponse> {
  const url = it.random.pick(it.shop.shops.urls)
  const response = await call(url + path, await it.customer.token(), body)
  it.observed.note(name, response.status)
  if (response.status === 500)
    it.observed.wrong.push(`${name} responded with 500: ${JSON.stringify(response.body)}`)
  return response
}
