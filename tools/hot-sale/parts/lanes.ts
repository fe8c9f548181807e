import { type Sold, costText, sell } from '../sell.ts'
import { type Bench, type Found, whole } from './part.ts'

const TICKETS = 1_000_000
/** Each pair is measured so often, the two taking turns. */
const TURNS = 2
const WARM_BUYERS = 32

/** The same shop with purchases of a moment in one transaction, and with one for each, in turn. */
export async function lanes({ stand, load, seconds, buyers }: Bench): Promise<Found> {
  const shops = [
    { name: 'merged', shop: await stand.shop({ ROLES: 'web' }) },
    { name: 'one by one', shop: await stand.shop({ ROLES: 'web', MERGE_PURCHASES: '1' }) },
  ]
  const run = async (shop: (typeof shops)[number]['shop'], count: number): Promise<Sold> => {
    const { id: offerId } = await stand.newOffer(TICKETS)
    return sell(stand, load, { shop, what: 'purchase', buyers: count, seconds, offerId })
  }
  for (const { shop } of shops) await run(shop, WARM_BUYERS)
  const rows: (Sold & { what: string; buyers: number })[] = []
  for (const count of buyers) {
    for (let turn = 0; turn < TURNS; turn += 1) {
      for (const { name, shop } of shops)
        rows.push({ what: name, buyers: count, ...(await run(shop, count)) })
    }
  }
  return {
    title: 'purchases of a moment in one transaction, and one by one (MERGE_PURCHASES=1), in turn',
    head: ['what', 'at once', 'a second', 'p50 ms', 'p99 ms', 'CPU ms each', 'refused'],
    lines: rows.map((row) => [
      row.what,
      ...[row.buyers, row.perSecond, row.p50, row.p99].map(whole),
      costText(row.cost),
      Object.keys(row.refused).length > 0 ? JSON.stringify(row.refused) : '',
    ]),
    rows: rows.map((row) => ({ ...row })),
  }
}
