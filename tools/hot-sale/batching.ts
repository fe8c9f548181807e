import {
  type Bench,
  type Figures,
  type MeasuredShop,
  PLENTY,
  type Sold,
  costText,
  refusedText,
  sell,
  whole,
} from './bench.ts'

/** Each pair is measured so often, the two taking turns. */
const TURNS = 2
const WARM_BUYERS = 32

/** The same shop with simultaneous purchases in one transaction, and with one transaction for each, in turn. */
export async function batching(bench: Bench): Promise<Figures> {
  const shops = [
    { name: 'batched', shop: await bench.shop({ ROLES: 'web' }) },
    { name: 'one by one', shop: await bench.shop({ ROLES: 'web', MERGE_PURCHASES: '1' }) },
  ]
  const run = async (shop: MeasuredShop, count: number): Promise<Sold> => {
    const { id: offerId } = await bench.testbed.newOffer(PLENTY)
    return sell(bench, { shop, what: 'purchase', buyers: count, offerId })
  }
  for (const { shop } of shops) await run(shop, WARM_BUYERS)
  const rows: (Sold & { what: string; buyers: number })[] = []
  for (const count of bench.buyers) {
    for (let turn = 0; turn < TURNS; turn += 1) {
      for (const { name, shop } of shops)
        rows.push({ what: name, buyers: count, ...(await run(shop, count)) })
    }
  }
  return {
    title: 'simultaneous purchases in one transaction, and one by one (MERGE_PURCHASES=1), in turn',
    head: ['what', 'at once', 'a second', 'p50 ms', 'p99 ms', 'CPU ms each', 'refused'],
    lines: rows.map((row) => [
      row.what,
      ...[row.buyers, row.perSecond, row.p50, row.p99].map(whole),
      costText(row.cost),
      refusedText(row.refused),
    ]),
    rows: rows.map((row) => ({ ...row })),
  }
}
