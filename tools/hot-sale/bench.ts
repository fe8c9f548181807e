import { fork } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { type ProxiedShop, shopBehindProxy } from '../testbed/haproxy.ts'
import { atEnd } from '../run/ending.ts'
import { processorSeconds } from '../testbed/program.ts'
import { type Server, type Testbed, startTestbed } from '../testbed/testbed.ts'
import type { Job, Outcome, OutcomeOf, Run } from './jobs.ts'
import type { Door } from './wire.ts'

/** Tickets of one purchase, and customers who take turns. */
export const QUANTITY = 5
const CUSTOMERS = 2_000
/** More tickets than any measurement sells. */
export const PLENTY = 1_000_000

/** A table of figures, which a part of the measurement returns. */
export interface Figures {
  title: string
  head: readonly string[]
  lines: string[][]
  notes?: string[]
  faults?: string[]
}

export interface Bench {
  testbed: Testbed
  emulator: Server
  load: LoadProcess
  seconds: number
  /** How many buyers at once, one figure for each. */
  buyers: readonly number[]
  storm: number
  /** How often each pair of a comparison is measured, the two taking turns. */
  turns: number
  /** @param count of processes, which share the database */
  shop(env?: Record<string, string>, count?: number): Promise<MeasuredShop>
  /** Starts two web processes and a worker behind HAProxy; buyers come in through TLS. */
  proxiedShop(): Promise<MeasuredShop>
}

export interface MeasuredShop {
  doors: readonly Door[]
  processorSeconds(): number
  memoryMb(): number
  stop(): Promise<void>
}

export async function startBench({
  profiles,
  ...about
}: { profiles: string | undefined } & Pick<Bench, 'seconds' | 'buyers' | 'storm' | 'turns'>): Promise<
  Bench & { close(): Promise<void> }
> {
  const nodeArgs = profiles === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${path.resolve(profiles)}`]
  const testbed = await startTestbed({ name: 'hot', nodeArgs })
  const emulator = await testbed.emulator()
  await emulator.start()
  const load = startLoad()
  const env = { PAYPAL_BASE_URL: emulator.url }
  let shops = 0
  return {
    ...about,
    testbed,
    emulator,
    load,
    async shop(more = {}, count = 1) {
      const processes: Server[] = []
      for (let one = 0; one < count; one += 1) {
        shops += 1
        const shop = await testbed.shop(`shop-${shops}`, { ...env, ...more })
        await shop.start()
        processes.push(shop)
      }
      return measured(processes, processes)
    },
    async proxiedShop() {
      const proxied = await shopBehindProxy(testbed, 1, env)
      const processes = [...proxied.web, ...proxied.workers]
      for (const one of [...processes, proxied.proxy]) await one.start()
      return measured([doorOf(proxied)], processes)
    },
    async close() {
      load.close()
      await testbed.close()
    },
  }
}

function measured(doors: readonly Door[], processes: readonly Server[]): MeasuredShop {
  const sum = (read: (one: Server) => number): number =>
    processes.reduce((total, one) => total + read(one), 0)
  return {
    doors: doors.map(({ port, trust }) => ({ port, trust })),
    processorSeconds: () => sum((one) => one.processorSeconds()),
    memoryMb: () => sum((one) => one.memoryMb()),
    async stop() {
      await Promise.all(processes.map((one) => one.stop()))
    },
  }
}

const doorOf = ({ port, certificate }: ProxiedShop): Door => ({
  port,
  trust: readFileSync(certificate.file, 'utf8'),
})

export interface LoadProcess {
  run<Given extends Job>(job: Given): Promise<OutcomeOf<Given>>
  processorSeconds(): number
  close(): void
}

/** Starts the process of the buyers. */
export function startLoad(): LoadProcess {
  const child = fork(path.join(import.meta.dirname, 'load.ts'))
  const gone = once(child, 'exit')
  // Before the servers: buyers that go on would complain of each lost connection.
  const done = atEnd(() => {
    child.kill('SIGKILL')
    return gone
  })
  return {
    run: <Given extends Job>(job: Given) =>
      new Promise<OutcomeOf<Given>>((resolve, reject) => {
        const gone = (): void => reject(new Error('the buyers ended'))
        child.once('exit', gone)
        child.once('message', (message) => {
          child.off('exit', gone)
          resolve(message as OutcomeOf<Given>)
        })
        child.send(job)
      }),
    processorSeconds: () => processorSeconds(child.pid),
    close() {
      done()
      child.disconnect()
    },
  }
}

/** Milliseconds of processor time for each purchase, by program. */
type Cost = Record<'shop' | 'database' | 'emulator' | 'buyers', number>

export type Sold = Outcome & { perSecond: number; memoryMb: number; cost: Cost }

interface Sale {
  shop: MeasuredShop
  what: Run['what']
  buyers: number
  offerId: number
}

export async function sell({ testbed, emulator, load, seconds }: Bench, sale: Sale): Promise<Sold> {
  const { shop, ...about } = sale
  const made = await testbed.customers(CUSTOMERS)
  const customers = made.map(({ access, cartId }) => ({ token: access, cartId }))
  const used = (): Cost => ({
    shop: shop.processorSeconds(),
    database: testbed.databaseSeconds(),
    emulator: emulator.processorSeconds(),
    buyers: load.processorSeconds(),
  })
  const before = used()
  const outcome = await load.run({
    kind: 'run',
    ...about,
    seconds,
    shops: shop.doors,
    emulator: { port: emulator.port },
    quantity: QUANTITY,
    customers,
  })
  const after = used()
  const each = (name: keyof Cost): number => ((after[name] - before[name]) * 1000) / outcome.done
  const cost: Cost = {
    shop: each('shop'),
    database: each('database'),
    emulator: each('emulator'),
    buyers: each('buyers'),
  }
  return { ...outcome, perSecond: outcome.done / outcome.seconds, memoryMb: shop.memoryMb(), cost }
}

/** `shop 1.68, database 1.40, …` */
export const costText = (cost: Cost): string =>
  Object.entries(cost)
    .map(([program, ms]) => `${program} ${ms.toFixed(2)}`)
    .join(', ')

/** `{"capture 503": 2}`, or nothing. */
export const refusedText = (refused: Record<string, number>): string =>
  Object.keys(refused).length > 0 ? JSON.stringify(refused) : ''

export const whole = (value: number | undefined): string => value?.toFixed(0) ?? ''
