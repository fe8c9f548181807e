import { setTimeout as sleep } from 'node:timers/promises'
import type { Place } from '#features/waiting-room/waiting-room.contract.ts'
import { lookAgainSeconds } from '#features/waiting-room/waiting-room.rules.ts'
import { spread } from '../bench/spread.ts'
import type { LoadCustomer, StormOutcome, StormRun } from './jobs.ts'
import { Connection, type Door, type Reply } from './wire.ts'

/** Connections to the emulator for those who may pay. */
const PAYERS = 32
/** Concurrent TLS handshakes: one machine cannot make ten thousand at once. */
const HANDSHAKES = 250

/** Each buyer tries to buy one ticket, all at once; with `fullCarts` the ticket is in the cart already. */
export async function runStorm(run: StormRun): Promise<StormOutcome> {
  const outcome: StormOutcome = {
    bought: 0,
    soldOut: 0,
    reserved: 0,
    failed: 0,
    seconds: 0,
    latencies: spread([]),
    calls: spread([]),
    responses: {},
    texts: {},
  }
  const pay = await payers(run.emulator)
  const opening = atMost(HANDSHAKES)
  const latencies: number[] = []
  const calls: number[] = []
  const again: LoadCustomer[] = []
  const note = (call: string, { status, body }: Reply): void => {
    const name = `${call} ${status}`
    outcome.responses[name] = (outcome.responses[name] ?? 0) + 1
    if (status === 200) return
    const { code, detail } = errorOf(body)
    const text = `${status} ${code}: ${detail}`
    outcome.texts[text] = (outcome.texts[text] ?? 0) + 1
  }

  /** One buyer's purchase; `reserved` tries once more later. */
  async function buyer({ token, cartId }: LoadCustomer): Promise<Ending> {
    const door = run.shops[cartId % run.shops.length]!
    let shop: Connection | undefined
    const post = async (call: string, path: string, body: object): Promise<Reply> => {
      shop ??= await opening(() => Connection.to(door))
      const begun = performance.now()
      const reply = await shop.post(path, body, token)
      calls.push(performance.now() - begun)
      note(call, reply)
      if (reply.status !== 429) return reply
      // In line (ADR 0114): it looks again as a browser does.
      const { place } = JSON.parse(reply.body) as { place: Place }
      await sleep(lookAgainSeconds(place) * 1_000)
      return post(call, path, body)
    }
    try {
      if (!run.fullCarts) {
        const wanted = { offer_id: run.offerId, quantity: 1 }
        const added = await post('add_item', `/api/cart/${cartId}/add_item/`, wanted)
        if (added.status !== 200) return endingOf(added)
      }
      const created = await post('create-order', '/api/paypal/create-order/', { country_code: 'BE' })
      if (created.status !== 200) return endingOf(created)
      const { order_id } = JSON.parse(created.body) as { order_id: string }
      await pay(order_id)
      const captured = await post('capture', '/api/paypal/capture-payment/', { order_id })
      const { tickets } = JSON.parse(captured.body) as { tickets?: unknown[] }
      return captured.status === 200 && tickets?.length === 1 ? 'bought' : 'failed'
    } catch (error) {
      const text = `no answer: ${(error as Error).message}`
      outcome.texts[text] = (outcome.texts[text] ?? 0) + 1
      return 'failed'
    } finally {
      shop?.close()
    }
  }

  const started = performance.now()
  await Promise.all(
    run.customers.map(async (customer) => {
      const ending = await buyer(customer)
      latencies.push(performance.now() - started)
      outcome[ending] += 1
      if (ending === 'reserved') again.push(customer)
    }),
  )
  outcome.seconds = (performance.now() - started) / 1000
  await Promise.all(
    again.map(async (customer) => {
      const ending = await buyer(customer)
      if (ending !== 'reserved') outcome[ending] += 1
    }),
  )
  outcome.latencies = spread(latencies)
  outcome.calls = spread(calls)
  return outcome
}

type Ending = 'bought' | 'soldOut' | 'reserved' | 'failed'

function endingOf({ status, body }: Reply): Ending {
  if (status !== 409) return 'failed'
  const { code } = errorOf(body)
  if (code === 'offer.soldOut') return 'soldOut'
  return code === 'offer.fewFree' ? 'reserved' : 'failed'
}

function errorOf(body: string): { code?: string; detail?: string } {
  try {
    return JSON.parse(body) as { code?: string; detail?: string }
  } catch {
    return { detail: body.slice(0, 80) }
  }
}

/** Approves at the emulator over few connections. */
async function payers(emulator: Door): Promise<(orderId: string) => Promise<void>> {
  const free = await Promise.all(Array.from({ length: PAYERS }, () => Connection.to(emulator)))
  const inTurn = atMost(PAYERS)
  return (orderId) =>
    inTurn(async () => {
      const one = free.pop()!
      const { status } = await one
        .post(`/_emulator/orders/${orderId}/approve`, {})
        .finally(() => free.push(one))
      if (status !== 200) throw new Error(`the emulator responded with ${status}`)
    })
}

/** Limits concurrency; further calls wait in order. */
function atMost(places: number): <Done>(act: () => Promise<Done>) => Promise<Done> {
  const waiting: (() => void)[] = []
  let taken = 0
  return async (act) => {
    if (taken === places) await new Promise<void>((resolve) => waiting.push(resolve))
    else taken += 1
    try {
      return await act()
    } finally {
      const next = waiting.shift()
      if (next) next()
      else taken -= 1
    }
  }
}
