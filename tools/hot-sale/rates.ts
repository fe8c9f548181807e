import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { describePooler } from '../testbed/pgbouncer.ts'
import {
  type Bench,
  type Figures,
  type MeasuredShop,
  PLENTY,
  QUANTITY,
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
    for (let turn = 0; turn < bench.turns; turn += 1) {
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

/** A shop that reaches its database directly, and one through PgBouncer in transaction mode, in turn. */
export async function pooled(bench: Bench): Promise<Figures> {
  const { testbed, buyers, turns } = bench
  const { url, folder } = testbed
  const pooler = await describePooler({ url, folder, mode: 'transaction' })
  testbed.track(pooler)
  await pooler.start()
  const shops = [
    { what: 'directly', shop: await bench.shop() },
    { what: 'through PgBouncer', shop: await bench.shop({ DATABASE_URL: pooler.urlOf(url) }) },
  ]
  const run = async (shop: MeasuredShop, count: number): Promise<Sold & { poolerMs: number }> => {
    const before = pooler.processorSeconds()
    const { id: offerId } = await testbed.newOffer(PLENTY)
    const sold = await sell(bench, { shop, what: 'purchase', buyers: count, offerId })
    return { ...sold, poolerMs: ((pooler.processorSeconds() - before) * 1000) / sold.done }
  }
  for (const { shop } of shops) await run(shop, HOLDERS)
  const rows: (Row & { poolerMs?: number })[] = []
  for (const count of buyers)
    for (let turn = 0; turn < turns; turn += 1)
      for (const { what, shop } of turn % 2 === 0 ? shops : shops.toReversed())
        rows.push({ what, buyers: count, ...(await run(shop, count)) })
  return {
    title: 'the database directly, and through PgBouncer in transaction mode, in turn',
    head: ['what', 'at once', 'a second', 'p50 ms', 'p99 ms', 'CPU ms each', 'pooler', 'refused'],
    lines: rows.map((row) => [
      row.what,
      ...[row.buyers, row.perSecond, row.p50, row.p99].map(whole),
      costText(row.cost),
      row.poolerMs?.toFixed(2) ?? '',
      refusedText(row.refused),
    ]),
  }
}

const PROCESSES = [1, 2, 4]
const SAMPLE_MS = 20

/** One contest sold by one, two and four web processes: how long they wait for its row. */
export async function processes(bench: Bench): Promise<Figures> {
  const { testbed, buyers } = bench
  const rows: (Row & { waiting: number })[] = []
  for (const count of PROCESSES) {
    const shop = await bench.shop({ ROLES: 'web' }, count)
    const run = async (at: number): Promise<Sold & { waiting: number }> => {
      const { id: offerId } = await testbed.newOffer(PLENTY)
      const watch = watchLocks(bench)
      const sold = await sell(bench, { shop, what: 'purchase', buyers: at, offerId })
      return { ...sold, waiting: await watch() }
    }
    await run(HOLDERS)
    for (const at of buyers) rows.push({ what: `${count}`, buyers: at, ...(await run(at)) })
    await shop.stop()
  }
  return {
    title: 'one contest, several web processes on the same database',
    head: [
      'processes',
      'at once',
      'a second',
      'p50 ms',
      'p99 ms',
      'CPU ms each',
      'waiting for the row',
      'refused',
    ],
    lines: rows.map((row) => [
      row.what,
      ...[row.buyers, row.perSecond, row.p50, row.p99].map(whole),
      costText(row.cost),
      row.waiting.toFixed(2),
      refusedText(row.refused),
    ]),
  }
}

/** @returns a function that ends the watch and tells how many sessions waited for a lock, on average */
function watchLocks({ testbed }: Bench): () => Promise<number> {
  let [samples, waiting, isOver] = [0, 0, false]
  const watching = (async () => {
    while (!isOver) {
      const { rows } = await sql<{ waiting: number }>`
        SELECT count(*)::int AS waiting FROM pg_stat_activity WHERE wait_event_type = 'Lock'`.execute(
        testbed.db,
      )
      samples += 1
      waiting += rows[0]!.waiting
      await sleep(SAMPLE_MS)
    }
  })()
  return async () => {
    isOver = true
    await watching
    return waiting / samples
  }
}

const DAY_MS = 86_400_000

/** The same shop selling contests with a public log, which a job appends meanwhile, and contests without one, in turn. */
export async function logged(bench: Bench): Promise<Figures> {
  const { testbed, buyers, turns } = bench
  const shop = await bench.shop()
  const kinds = [
    { what: 'without a log', more: {} },
    { what: 'with a log', more: { draw_at: new Date(Date.now() + 5 * DAY_MS) } },
  ]
  const run = async (count: number, more: object): Promise<Sold & { inLog: number | null }> => {
    const { id: offerId } = await testbed.newOffer(PLENTY, more)
    if ('draw_at' in more) await until(async () => (await testbed.logEntries(offerId)) !== null)
    const sold = await sell(bench, { shop, what: 'purchase', buyers: count, offerId })
    return { ...sold, inLog: await testbed.logEntries(offerId) }
  }
  for (const { more } of kinds) await run(HOLDERS, more)
  const rows: (Row & { inLog: number | null })[] = []
  for (const count of buyers)
    for (let turn = 0; turn < turns; turn += 1)
      for (const { what, more } of turn % 2 === 0 ? kinds : kinds.toReversed())
        rows.push({ what, buyers: count, ...(await run(count, more)) })
  const of = (what: string, count: number): Row[] =>
    rows.filter((row) => row.what === what && row.buyers === count)
  /** With a log against without one: the mean of the turns, and its standard error. */
  const share = (count: number, figure: (row: Row) => number): string => {
    const [without, withLog] = kinds.map(({ what }) => of(what, count).map(figure))
    const ratios = withLog!.map((one, turn) => (one / without![turn]!) * 100)
    const mean = ratios.reduce((sum, one) => sum + one, 0) / ratios.length
    const variance = ratios.reduce((sum, one) => sum + (one - mean) ** 2, 0) / (ratios.length - 1)
    return `${mean.toFixed(1)} % (± ${Math.sqrt(variance / ratios.length).toFixed(1)})`
  }
  const processorTime = ({ cost }: Row): number => cost.shop + cost.database
  return {
    title: 'contests with and without a public log, in turn',
    head: [
      'what',
      'at once',
      'a second',
      'p50 ms',
      'p99 ms',
      'CPU ms each',
      'in the log at the end',
      'refused',
    ],
    lines: rows.map((row) => [
      row.what,
      ...[row.buyers, row.perSecond, row.p50, row.p99].map(whole),
      costText(row.cost),
      row.inLog === null ? '' : `${row.inLog} of ${row.done * QUANTITY}`,
      refusedText(row.refused),
    ]),
    notes: buyers.map(
      (count) =>
        `${count} at once, with a log: ${share(count, ({ perSecond }) => perSecond)} of the purchases a second, ` +
        `${share(count, processorTime)} of the shop's and the database's processor time for each; ` +
        `means of ${turns} turns with their standard errors`,
    ),
  }
}

async function until(isSo: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; !(await isSo()); tries += 1) {
    if (tries > 600) throw new Error('the contest got no log within a minute')
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}
