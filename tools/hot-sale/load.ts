/** The load process: does one job after the other for its parent. */
import { setTimeout as sleep } from 'node:timers/promises'
import { spread } from '../bench/spread.ts'
import type { Job, LoadCustomer, Outcome, Run } from './jobs.ts'
import { runStorm } from './storm.ts'
import { Connection } from './wire.ts'

process.on('message', (job: Job) => {
  const work = job.kind === 'run' ? runBuyers(job) : runStorm(job)
  work.then(
    (outcome) => process.send?.(outcome),
    (error: unknown) => {
      console.error(error)
      process.exit(1)
    },
  )
})

/** Runs buyers until the time is up. One round is add_item, create-order, the buyer's approval, capture. */
async function runBuyers(run: Run): Promise<Outcome> {
  const latencies: number[] = []
  const refused: Record<string, number> = {}
  const started = performance.now()
  const until = started + run.seconds * 1000
  let turn = 0

  async function buyer(place: number): Promise<void> {
    const shop = await Connection.to(run.shops[place % run.shops.length]!)
    const emulator = await Connection.to(run.emulator)
    while (performance.now() < until) {
      const place = turn++
      const wait = run.perSecond ? started + (place * 1000) / run.perSecond - performance.now() : 0
      if (wait > 0) await sleep(wait)
      const customer = run.customers[place % run.customers.length]!
      const begun = performance.now()
      const failed = await round(shop, emulator, run, customer)
      if (failed === undefined) latencies.push(performance.now() - begun)
      else refused[failed] = (refused[failed] ?? 0) + 1
    }
    shop.close()
    emulator.close()
  }
  await Promise.all(Array.from({ length: run.buyers }, (_, place) => buyer(place)))
  const seconds = (performance.now() - started) / 1000
  return { done: latencies.length, seconds, ...spread(latencies), refused }
}

async function round(
  shop: Connection,
  emulator: Connection,
  run: Run,
  { token, cartId }: LoadCustomer,
): Promise<string | undefined> {
  const item = { offer_id: run.offerId, quantity: run.quantity }
  const added = await shop.post(`/api/cart/${cartId}/add_item/`, item, token)
  if (added.status !== 200) return `add_item ${added.status} ${code(added.body)}`
  const created = await shop.post('/api/paypal/create-order/', { country_code: 'BE' }, token)
  if (created.status !== 200) return `create-order ${created.status} ${code(created.body)}`
  // The next hold of this customer takes the place of this one: the cart has changed meanwhile.
  if (run.what === 'hold') return undefined
  const { order_id } = JSON.parse(created.body) as { order_id: string }
  const approved = await emulator.post(`/_emulator/orders/${order_id}/approve`, {})
  if (approved.status !== 200) return `approve ${approved.status}`
  const captured = await shop.post('/api/paypal/capture-payment/', { order_id }, token)
  if (captured.status !== 200) return `capture ${captured.status} ${code(captured.body)}`
  const { tickets } = JSON.parse(captured.body) as { tickets?: unknown[] }
  return tickets?.length === run.quantity ? undefined : `capture gave ${tickets?.length} tickets`
}

const code = (body: string): string => {
  try {
    return String((JSON.parse(body) as { code?: unknown }).code)
  } catch {
    return 'no JSON'
  }
}
