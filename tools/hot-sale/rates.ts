import { type Bench, type Figures, PLENTY, type Sold, costText, refusedText, sell, whole } from './bench.ts'

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
    rows: rows.map((row) => ({ ...row })),
  }
}
