import type { Outcome, Run } from './jobs.ts'
import type { LoadProcess } from './load-process.ts'
import type { HotShop, HotStand } from './stand.ts'

/** Tickets of one purchase, and customers who take turns. */
export const QUANTITY = 5
export const CUSTOMERS = 2_000

/** Milliseconds of processor time for each purchase, by program. */
export type Cost = Record<'shop' | 'database' | 'emulator' | 'buyers', number>

export type Sold = Outcome & { perSecond: number; memoryMb: number; cost: Cost }

export interface Sale {
  shop: HotShop
  what: Run['what']
  buyers: number
  seconds: number
  offerId: number
}

/** Lets buyers buy one contest for some seconds. */
export async function sell(stand: HotStand, load: LoadProcess, sale: Sale): Promise<Sold> {
  const { shop, ...about } = sale
  const customers = await stand.customers(CUSTOMERS)
  const used = (): Cost => ({
    shop: shop.processorSeconds(),
    database: stand.databaseSeconds(),
    emulator: stand.emulatorSeconds(),
    buyers: load.processorSeconds(),
  })
  const before = used()
  const outcome = await load.run({
    kind: 'run',
    ...about,
    shop: shop.door,
    emulator: stand.emulator,
    quantity: QUANTITY,
    customers,
  })
  const after = used()
  const each = (name: keyof Cost): number => ((after[name] - before[name]) * 1000) / outcome.done
  const cost = {
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
