import { rawMerged, rawUnmerged } from '../raw.ts'
import { CUSTOMERS, QUANTITY, type Sold, costText, sell } from '../sell.ts'
import { type Bench, type Found, whole } from './part.ts'

const TICKETS = 1_000_000
const HOLDERS = 32
const RAW_CONNECTIONS = 8
const RAW_BATCH = 32

interface Row extends Partial<Sold> {
  what: string
  buyers: number
  perSecond: number
}

/** Purchases by so many buyers, holds, and what PostgreSQL alone could do. */
export async function rates({ stand, load, seconds, buyers }: Bench): Promise<Found> {
  const shop = await stand.shop()
  const contest = async (total = TICKETS): Promise<number> => (await stand.newOffer(total)).id
  // The first seconds of a process go into compiling what it runs.
  const about = { shop, seconds }
  await sell(stand, load, { ...about, what: 'purchase', buyers: HOLDERS, offerId: await contest() })
  const rows: Row[] = []
  for (const count of buyers) {
    const sold = await sell(stand, load, {
      ...about,
      what: 'purchase',
      buyers: count,
      offerId: await contest(),
    })
    rows.push({ what: 'purchase', buyers: count, ...sold })
  }
  const held = await sell(stand, load, { ...about, what: 'hold', buyers: HOLDERS, offerId: await contest() })
  rows.push({ what: 'hold', buyers: HOLDERS, ...held })

  const userIds = (await stand.customers(CUSTOMERS)).map((customer) => customer.userId)
  const raw = { url: stand.url, userIds, quantity: QUANTITY, seconds }
  rows.push({
    what: 'raw, one each',
    buyers: RAW_CONNECTIONS,
    perSecond: await rawUnmerged({ ...raw, offerId: await contest() }, RAW_CONNECTIONS),
  })
  rows.push({
    what: `raw, ${RAW_BATCH} together`,
    buyers: 1,
    perSecond: await rawMerged({ ...raw, offerId: await contest(TICKETS * 10) }, RAW_BATCH),
  })
  return {
    title: 'one contest, one process of the shop',
    head: ['what', 'at once', 'a second', 'p50 ms', 'p99 ms', 'memory MB', 'CPU ms each', 'refused'],
    lines: rows.map(({ what, buyers: count, perSecond, p50, p99, memoryMb, cost, refused }) => [
      what,
      ...[count, perSecond, p50, p99, memoryMb].map(whole),
      cost ? costText(cost) : '',
      refused && Object.keys(refused).length > 0 ? JSON.stringify(refused) : '',
    ]),
    rows: rows.map((row) => ({ ...row })),
  }
}
