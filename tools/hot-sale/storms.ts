import { sql } from 'kysely'
import { checkInvariants } from '#platform/invariants.ts'
import { shopInvariants } from '#server/maintenance.ts'
import { emulatorLedger, reportLines } from '../invariants/ledger.ts'
import { haproxyVersion } from '../testbed/haproxy.ts'
import type { Testbed } from '../testbed/testbed.ts'
import { type Bench, type Figures, type MeasuredShop, PLENTY, whole } from './bench.ts'
import type { StormOutcome } from './jobs.ts'

const TICKETS = 500

/** Far more buyers than tickets, all at the same moment: once from add_item on, once with full carts at create-order. */
export const storms = (bench: Bench): Promise<Figures> =>
  // A new process for each, as it is after a start: nobody gets to warm it up for a storm.
  measureStorms(bench, 'one process of the shop', () => bench.shop())

/** The same where roles are separate and a proxy stands before them. */
export async function proxiedStorms(bench: Bench): Promise<Figures> {
  const about = `2 web processes and a worker behind HAProxy ${haproxyVersion()}`
  const shop = await bench.proxiedShop()
  return measureStorms(bench, about, () => Promise.resolve(shop))
}

/** A crowd that all gets tickets, without and with a waiting room (ADR 0114). */
export async function line({ testbed, emulator, load, storm, ...bench }: Bench): Promise<Figures> {
  const lines: string[][] = []
  const faults: string[] = []
  for (const [what, bound] of [
    ['no waiting room', '0'],
    ['a waiting room', '500'],
  ] as const) {
    const shop = await bench.shop({ WAITING_ROOM_REQUESTS: bound })
    const { id: offerId } = await testbed.newOffer(PLENTY)
    const customers = (await testbed.customers(storm)).map(({ access, cartId }) => ({
      token: access,
      cartId,
    }))
    const { bought, seconds, latencies, calls, responses, texts } = await load.run({
      kind: 'storm',
      shops: shop.doors,
      emulator: { port: emulator.port },
      offerId,
      fullCarts: false,
      customers,
    })
    const places = responses['add_item 429'] ?? 0
    const failed = Object.entries(responses).filter(([name]) => / 5\d\d$/.test(name))
    lines.push([
      what,
      whole(bought),
      whole(failed.reduce((sum, [, count]) => sum + count, 0)),
      seconds.toFixed(1),
      ...[latencies.p50, latencies.p99, calls.p50, calls.p99, calls.max, places].map(whole),
    ])
    if (bound !== '0' && bought !== storm)
      faults.push(`${what}: ${bought} of ${storm} bought: ${JSON.stringify({ ...responses, ...texts })}`)
    await shop.stop()
  }
  return {
    title: `${storm} buyers at once for one contest with enough tickets, one process of the shop`,
    head: [
      'with',
      'bought',
      '5xx',
      'seconds',
      'p50 ms',
      'p99 ms',
      'call: p50',
      'p99',
      'longest',
      'places told',
    ],
    lines,
    faults,
  }
}

async function measureStorms(
  { testbed, emulator, load, storm }: Bench,
  about: string,
  open: () => Promise<MeasuredShop>,
): Promise<Figures> {
  const rows: (StormOutcome & { what: string; sold: number; memoryMb: number })[] = []
  const faults: string[] = []
  for (const fullCarts of [false, true]) {
    const shop = await open()
    const { id: offerId } = await testbed.newOffer(TICKETS)
    const made = await testbed.customers(storm)
    const customers = made.map(({ access, cartId }) => ({ token: access, cartId }))
    if (fullCarts) await fillCarts(testbed, offerId, customers)
    const outcome = await load.run({
      kind: 'storm',
      shops: shop.doors,
      emulator: { port: emulator.port },
      offerId,
      fullCarts,
      customers,
    })
    const what = fullCarts ? 'full carts, at create-order' : 'the whole way, from add_item'
    const sold = await soldOf(testbed, offerId)
    rows.push({ what, ...outcome, sold, memoryMb: shop.memoryMb() })
    faults.push(...faultsOf(outcome, sold, storm).map((fault) => `${what}: ${fault}`))
  }
  const invariants = await shopInvariants()
  const breaches = await checkInvariants(testbed.db, invariants, await emulatorLedger(emulator.url))
  if (breaches.length > 0) faults.push(...reportLines(invariants, breaches))
  return {
    title: `${storm} buyers at once for ${TICKETS} tickets, ${about}; the invariants of db/invariants.sql ${breaches.length === 0 ? 'hold' : 'are BROKEN'}`,
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
    notes: rows.flatMap(({ what, responses, texts }) =>
      [...Object.entries(responses), ...Object.entries(texts)].map(
        ([name, count]) => `${what}: ${count} x ${name}`,
      ),
    ),
    faults,
  }
}

function faultsOf({ bought, soldOut, responses }: StormOutcome, sold: number, storm: number): string[] {
  const faults: string[] = []
  if (sold !== TICKETS || bought !== TICKETS) faults.push(`${sold} sold, ${bought} confirmed, not ${TICKETS}`)
  if (soldOut !== storm - TICKETS) faults.push(`${soldOut} were answered that it is sold out`)
  for (const [name, count] of Object.entries(responses))
    if (/ 5\d\d$/.test(name)) faults.push(`${name}, ${count} times`)
  return faults
}

const fillCarts = async (
  { db }: Testbed,
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

async function soldOf({ db }: Testbed, offerId: number): Promise<number> {
  const { rows } = await sql<{ sold: number }>`
    SELECT tickets_sold AS sold FROM offers WHERE id = ${offerId}`.execute(db)
  return rows[0]?.sold ?? 0
}
