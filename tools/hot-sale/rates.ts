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

const HOLDERS = 32

type Row = Sold & { what: string; buyers: number }

/** Purchases by so many buyers at once, and holds. */
export async function rates(bench: Bench): Promise<Figures> {
  const { testbed, buyers } = bench
  const shop = await bench.shop()
  const contest = async (total = PLENTY): Promise<number> => (await testbed.newOffer(total)).id
  // The first seconds of a process go into compiling what it runs.
  await sell(bench, { shop, what: 'purchase', buyers: HOLDERS, offerId: await contest() })
  const rows: Row[] = []
  for (const count of buyers) {
    const sold = await sell(bench, { shop, what: 'purchase', buyers: count, offerId: await contest() })
    rows.push({ what: 'purchase', buyers: count, ...sold })
  }
  const held = await sell(bench, { shop, what: 'hold', buyers: HOLDERS, offerId: await contest() })
  rows.push({ what: 'hold', buyers: HOLDERS, ...held })

  return {
    title: 'one contest, one process of the shop',
    head: ['what', 'at once', 'a second', 'p50 ms', 'p99 ms', 'memory MB', 'CPU ms each', 'refused'],
    lines: rows.map(({ what, buyers: count, perSecond, p50, p99, memoryMb, cost, refused }) => [
      what,
      ...[count, perSecond, p50, p99, memoryMb].map(whole),
      costText(cost),
      refusedText(refused),
    ]),
  }
}

/** Each pair is measured so often, the two taking turns. */
const TURNS = 2

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
  for (const { shop } of shops) await run(shop, HOLDERS)
  const rows: Row[] = []
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
  }
}
