import { checkInvariants } from '#platform/invariants.ts'
import { shopInvariants } from '#server/maintenance.ts'
import { emulatorBook } from '../../invariants/provider.ts'
import { reportLines } from '../../invariants/report.ts'
import { type SoldAlready, sellAlready } from '../sold-already.ts'
import { type Sold, costText, sell } from '../sell.ts'
import { type Bench, type Found, whole } from './part.ts'

/** Tickets that the contest has sold when the buyers come. */
const POINTS = [1_000, 10_000, 100_000, 1_000_000]
const TOTAL = 2_000_000
const BUYERS = 32

/** Whether a purchase costs more the more a contest has sold; at the end an empty contest beside the full one. */
export async function curve({ stand, load, seconds }: Bench): Promise<Found> {
  const shop = await stand.shop({ ROLES: 'web' })
  const at = async (offerId: number): Promise<Sold> =>
    sell(stand, load, { shop, what: 'purchase', buyers: BUYERS, seconds, offerId })
  await at((await stand.newOffer(TOTAL)).id)
  await at((await stand.newOffer(TOTAL)).id)

  const contest = await stand.newOffer(TOTAL)
  const book: SoldAlready['captures'] = []
  const rows: (Sold & { sold: string })[] = []
  for (const point of POINTS) {
    const { captures } = await sellAlready(stand, contest, point)
    for (const one of captures) book.push(one)
    rows.push({ sold: point.toLocaleString('en'), ...(await at(contest.id)) })
  }
  rows.push({ sold: 'none, beside it', ...(await at((await stand.newOffer(TOTAL)).id)) })

  const invariants = await shopInvariants()
  const emulator = await emulatorBook(stand.emulatorUrl)
  const theirs = { ...emulator, captures: [...emulator.captures, ...book] }
  const breaches = await checkInvariants(stand.db, invariants, theirs)
  return {
    title: `cost of a purchase by what the contest has sold, ${BUYERS} buyers; the promises of db/invariants.sql ${breaches.length === 0 ? 'hold' : 'are BROKEN'}`,
    head: ['sold before', 'a second', 'p50 ms', 'p99 ms', 'CPU ms each', 'memory MB'],
    lines: rows.map((row) => [
      row.sold,
      ...[row.perSecond, row.p50, row.p99].map(whole),
      costText(row.cost),
      whole(row.memoryMb),
    ]),
    rows: rows.map((row) => ({ ...row })),
    faults: breaches.length === 0 ? [] : reportLines(invariants, breaches),
  }
}
