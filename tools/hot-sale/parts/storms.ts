import { sql } from 'kysely'
import { checkInvariants } from '#platform/invariants.ts'
import { shopInvariants } from '#server/maintenance.ts'
import { emulatorBook } from '../../invariants/provider.ts'
import { reportLines } from '../../invariants/report.ts'
import type { StormOutcome } from '../jobs.ts'
import { proxied } from '../proxied.ts'
import type { HotShop } from '../stand.ts'
import { type Bench, type Found, whole } from './part.ts'

const TICKETS = 500

/** Far more buyers than tickets, all at the same moment: once from add_item on, once with full carts at create-order. */
export const storms = (bench: Bench): Promise<Found> =>
  // A process of its own for each, as it is after a start: nobody gets to warm it for a storm.
  stormsOn(bench, 'one process of the shop', () => bench.stand.shop())

/** The same where roles are apart and a proxy stands before them. */
export async function proxiedStorms(bench: Bench): Promise<Found> {
  const shop = await proxied(bench.stand)
  try {
    return await stormsOn(bench, shop.about, () => Promise.resolve(shop))
  } finally {
    await shop.close()
  }
}

async function stormsOn(
  { stand, load, storm }: Bench,
  about: string,
  open: () => Promise<HotShop>,
): Promise<Found> {
  const rows: (StormOutcome & { what: string; sold: number; memoryMb: number })[] = []
  const faults: string[] = []
  for (const fullCarts of [false, true]) {
    const shop = await open()
    const { id: offerId } = await stand.newOffer(TICKETS)
    const customers = await stand.customers(storm)
    if (fullCarts) await fillCarts(stand, offerId, customers)
    const outcome = await load.run({
      kind: 'storm',
      shop: shop.door,
      emulator: stand.emulator,
      offerId,
      fullCarts,
      customers,
    })
    const what = fullCarts ? 'full carts, at create-order' : 'the whole way, from add_item'
    const sold = await soldOf(stand, offerId)
    rows.push({ what, ...outcome, sold, memoryMb: shop.memoryMb() })
    faults.push(...faultsOf(outcome, sold, storm).map((fault) => `${what}: ${fault}`))
  }
  const invariants = await shopInvariants()
  const breaches = await checkInvariants(stand.db, invariants, await emulatorBook(stand.emulatorUrl))
  if (breaches.length > 0) faults.push(...reportLines(invariants, breaches))
  return {
    title: `${storm} buyers at once for ${TICKETS} tickets, ${about}; the promises of db/invariants.sql ${breaches.length === 0 ? 'hold' : 'are BROKEN'}`,
    head: [
      'what',
      'sold',
      'sold out',
      'first: reserved',
      'failed',
      'seconds',
      'p50 ms',
      'p99 ms',
      'last ms',
      'memory MB',
    ],
    lines: rows.map((row) => [
      row.what,
      ...[row.sold, row.soldOut, row.reserved, row.failed].map(whole),
      row.seconds.toFixed(1),
      ...[row.latencies.p50, row.latencies.p99, row.latencies.max, row.memoryMb].map(whole),
    ]),
    rows: rows.map((row) => ({ ...row })),
    notes: rows.flatMap(({ what, answers, texts }) =>
      [...Object.entries(answers), ...Object.entries(texts)].map(
        ([name, count]) => `${what}: ${count} x ${name}`,
      ),
    ),
    faults,
  }
}

function faultsOf({ bought, soldOut, answers }: StormOutcome, sold: number, storm: number): string[] {
  const faults: string[] = []
  if (sold !== TICKETS || bought !== TICKETS) faults.push(`${sold} sold, ${bought} told so, not ${TICKETS}`)
  if (soldOut !== storm - TICKETS) faults.push(`${soldOut} were told that it is sold out`)
  for (const [name, count] of Object.entries(answers))
    if (/ 5\d\d$/.test(name)) faults.push(`${name}, ${count} times`)
  return faults
}

const fillCarts = async (
  { db }: Bench['stand'],
  offerId: number,
  customers: readonly { cartId: number }[],
): Promise<void> => {
  await sql`
    WITH filled AS (
      INSERT INTO cart_items (cart_id, offer_id, quantity)
      SELECT id, ${offerId}, 1 FROM unnest(${customers.map(({ cartId }) => cartId)}::bigint[]) AS c (id)
      RETURNING cart_id
    )
    UPDATE carts SET version = version + 1 WHERE id IN (SELECT cart_id FROM filled)`.execute(db)
}

async function soldOf({ db }: Bench['stand'], offerId: number): Promise<number> {
  const { rows } = await sql<{ sold: number }>`
    SELECT tickets_sold AS sold FROM offers WHERE id = ${offerId}`.execute(db)
  return rows[0]?.sold ?? 0
}
