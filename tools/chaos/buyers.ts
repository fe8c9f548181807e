import { setTimeout as sleep } from 'node:timers/promises'
import { type Answer, call } from './calls.ts'
import type { Dice } from './dice.ts'
import type { Ledger } from './ledger.ts'
import type { Customer, Stand } from './stand.ts'

/** An account of the emulator that pays. */
const HONEST = 'buyer@buyer.test'
/** Most pay, the others do what their names say. */
const ALL_SORTS: readonly string[] = [
  ...Array.from({ length: 8 }, () => HONEST),
  'declined@buyer.test',
  'pending@buyer.test',
  'timeout@buyer.test',
  'http500@buyer.test',
  'lost@buyer.test',
]

/** What buyers find, and how they are, at the moment. */
export interface Market {
  /** Contests that are open. */
  contests: readonly number[]
  /** Everybody pays, and nobody says two things at once. */
  calm: boolean
}

export interface Crowd {
  /** Lets the buyers finish what they are doing; resolves when none is in the shop. */
  rest(): Promise<void>
  goOn(): void
  /** Resolves when the shop has answered so many more calls, or when the time is up. */
  answered(calls: number, longestMs: number): Promise<void>
  close(): Promise<void>
}

/** Buyers who buy again and again, over HTTP alone, from the contests that are open at the moment. */
export function startCrowd(
  stand: Stand,
  customers: readonly Customer[],
  market: () => Market,
  ledger: Ledger,
  dice: Dice,
): Crowd {
  let open = true
  let resting = true
  let inside = 0
  const loops = customers.map(async (customer, index) => {
    const own = dice.fork(`buyer ${index}`)
    while (open) {
      await sleep(own.between(10, 250))
      if (resting || !open) continue
      inside += 1
      try {
        await visit({ stand, customer, market: market(), ledger, dice: own })
      } finally {
        inside -= 1
      }
    }
  })
  return {
    async rest() {
      resting = true
      while (inside > 0) await sleep(20)
    },
    goOn: () => void (resting = false),
    async answered(calls, longestMs) {
      const [goal, end] = [ledger.answered + calls, performance.now() + longestMs]
      while (ledger.answered < goal && performance.now() < end) await sleep(10)
    },
    async close() {
      open = false
      await Promise.all(loops)
    },
  }
}

interface Visit {
  stand: Stand
  customer: Customer
  market: Market
  ledger: Ledger
  dice: Dice
}

/** One way through the shop, with the whims of a buyer. */
async function visit(it: Visit): Promise<void> {
  const { dice, customer } = it
  const cart = `/api/cart/${customer.cartId}`
  const quantity = dice.between(1, 4)
  const first = await ask(it, 'add_item', `${cart}/add_item/`, {
    offer_id: dice.pick(it.market.contests),
    quantity,
  })
  if (dice.hits(0.2))
    await ask(it, 'add_item', `${cart}/add_item/`, { offer_id: dice.pick(it.market.contests), quantity: 1 })
  if (first.status === 409) await ask(it, 'clear', `${cart}/clear/`, {})

  const order = await orderOf(it)
  if (!order) return void (await ask(it, 'clear', `${cart}/clear/`, {}))
  if (dice.hits(0.06))
    return void (await ask(it, 'cancel-order', '/api/paypal/cancel-order/', { order_id: order.id }))
  if (dice.hits(0.06)) return
  // Somebody who changes the cart in another tab meanwhile, and perhaps orders it there.
  if (dice.hits(0.08)) {
    await ask(it, 'add_item', `${cart}/add_item/`, { offer_id: dice.pick(it.market.contests), quantity: 1 })
    if (dice.hits(0.5)) await orderOf(it)
  }
  if (!(await approve(it, order.id, it.market.calm ? HONEST : dice.pick(ALL_SORTS)))) return
  if (dice.hits(0.05)) return
  await pay(it, order.id)
  if (dice.hits(0.06)) await giveBack(it, order.id)
}

/** Makes the order, often with a double click; patient with a shop that is down. */
async function orderOf(it: Visit): Promise<{ id: string } | undefined> {
  const country = (): string => (it.dice.hits(0.9) ? 'BE' : 'FR')
  const first = country()
  // Two tabs may name two countries at once, of which one is asked to come back.
  const make = (): Promise<Answer> =>
    ask(it, 'create-order', '/api/paypal/create-order/', { country_code: it.market.calm ? first : country() })
  for (let attempt = 0; attempt < 4; attempt += 1) {
    const [one, two] = await Promise.all([make(), it.dice.hits(0.15) ? make() : undefined])
    const good = [one, two].filter((answer) => answer?.status === 200)
    if (good.length > 0) return { id: String(good.at(-1)?.body.order_id) }
    if (![0, 429, 502, 503].includes(one.status)) return undefined
    await sleep(it.dice.between(50, 400))
  }
  return undefined
}

async function approve(it: Visit, orderId: string, buyer: string, instrument = 'default'): Promise<boolean> {
  const url = `${it.stand.emulatorUrl}/_emulator/orders/${orderId}/approve`
  return (await call(url, undefined, { buyer, instrument })).status === 200
}

async function pay(it: Visit, orderId: string): Promise<void> {
  const capture = (): Promise<Answer> =>
    ask(it, 'capture', '/api/paypal/capture-payment/', { order_id: orderId })
  for (let attempt = 0; attempt < 4; attempt += 1) {
    const clicks = it.dice.hits(0.15) ? [capture(), capture()] : [capture()]
    // Who closes the tab does not hear the answer.
    if (it.dice.hits(0.08)) return void Promise.all(clicks)
    const answers = await Promise.all(clicks)
    const paid = answers.filter((answer) => answer.status === 200)
    for (const answer of paid) remember(it, answer.body)
    if (paid.length > 0) return void (it.ledger.purchases += 1)
    const { status } = answers[0]!
    if (status === 202) return waitFor(it, orderId)
    if (status === 422) await approve(it, orderId, HONEST, 'other')
    else if (![0, 429, 502, 503].includes(status)) return
    await sleep(it.dice.between(50, 500))
  }
}

/** The page that waits while a payment is being confirmed. */
async function waitFor(it: Visit, orderId: string): Promise<void> {
  for (let look = 0; look < 6; look += 1) {
    await sleep(it.dice.between(100, 500))
    const { status, body } = await ask(it, 'order', `/api/paypal/orders/${orderId}/`)
    if (status === 200 && body.progress !== 'confirming') {
      if (body.progress === 'completed') remember(it, body)
      return
    }
  }
}

/** Notes the tickets that an answer promises. */
function remember({ customer, ledger }: Visit, body: { tickets?: { id: string }[] }): void {
  if (!body.tickets?.length)
    ledger.wrong.push(`a completed order of buyer ${customer.userId} without tickets`)
  for (const ticket of body.tickets ?? []) ledger.promised.set(ticket.id, customer.userId)
}

/** Staff of the provider, or the buyer's bank, send money back on the provider's side. */
async function giveBack(it: Visit, orderId: string): Promise<void> {
  const { emulatorUrl } = it.stand
  const order = await call(`${emulatorUrl}/sdk/orders/${orderId}`, undefined)
  const captureId = order.body?.purchase_units?.[0]?.payments?.captures?.[0]?.id as string | undefined
  if (!captureId) return
  const how = it.dice.pick(['refund', 'reverse'])
  const part = it.dice.hits(0.4)
    ? { amount: { currency_code: 'EUR', value: `1.${it.dice.between(10, 99)}` } }
    : {}
  await call(`${emulatorUrl}/_emulator/captures/${captureId}/${how}`, undefined, part)
}

/** A call to one of the shops. */
async function ask(it: Visit, name: string, path: string, body?: unknown): Promise<Answer> {
  const url = it.dice.pick(it.stand.shops.urls)
  const answer = await call(url + path, await it.customer.token(), body)
  it.ledger.note(name, answer.status)
  if (answer.status === 500) it.ledger.wrong.push(`${name} answered 500: ${JSON.stringify(answer.body)}`)
  return answer
}
