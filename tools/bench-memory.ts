/**
 * `npm run bench:memory`: how much memory a web process and a worker hold during an hour of sales: 20 purchases a second,
 * pages in three languages, tickets and receipts as PDFs, emails, pictures, draws, screens of the console. Both are
 * processes of their own, as deployed.
 *
 *   node tools/bench-memory.ts [--minutes 60] [--rate 20] [--every 5] [--node=--option]… [--set NAME=value]… [--report-only]
 *
 * `--node` and `--set` give both processes options of Node and variables, to compare. Ends with 1 when a process ended
 * or a contest was not drawn, and, unless `--report-only` asks for figures alone, when a process holds more than the aim at
 * the end, or the heap that stays after a garbage collection has grown since the tenth minute.
 */
import { spread } from './bench/spread.ts'
import { table } from './bench/tables.ts'
import { startLoad } from './hot-sale/bench.ts'
import { type Memory, heapAfterCollection, memoryOf, residentMemory } from './memory/figures.ts'
import { type Done, beginHour } from './memory/hour.ts'
import { startMemoryShop } from './memory/shop.ts'
import { atEnd } from './run/ending.ts'
import { endWithUsage, readOptions, say } from './run/say.ts'

/** MB resident at the end, by role. */
const AIMS = { worker: 350, web: 300 } as const
const SAMPLE_MS = 5_000
/** What has been compiled and cached by then stays. */
const WARM_MINUTES = 10
/** MB by which the heap that stays may differ. */
const GROWTH_MB = 10

const USAGE =
  'npm run bench:memory -- [--minutes 60] [--rate 20] [--every 5] [--node=--option]… [--set NAME=value]… ' +
  '[--report-only]'
const { values } = readOptions(USAGE, {
  options: {
    minutes: { type: 'string', default: '60' },
    rate: { type: 'string', default: '20' },
    every: { type: 'string', default: '5' },
    node: { type: 'string', multiple: true, default: [] },
    'report-only': { type: 'boolean', default: false },
    set: { type: 'string', multiple: true, default: [] },
  },
})
const [minutes, perSecond, every] = [values.minutes, values.rate, values.every].map(Number) as [
  number,
  number,
  number,
]
if (
  ![minutes, perSecond, every].every((count) => Number.isInteger(count) && count >= 1) ||
  values.set.some((one) => !/^\w+=/.test(one))
) {
  endWithUsage(USAGE)
}
const env = Object.fromEntries(values.set.map((one) => one.split(/=(.*)/s).slice(0, 2))) as Record<
  string,
  string
>

const HEAD = ['minute', 'process', 'resident', 'of files', 'peak', 'heap used', 'heap', 'external']
const mb = (value: number): string => value.toFixed(0)
const row = (minute: number, role: string, memory: Memory): string[] => [
  String(minute),
  role,
  ...[memory.resident, memory.files, memory.peak, memory.heapUsed, memory.heapTotal, memory.external].map(mb),
]

const shop = await startMemoryShop(values.node, env)
const load = startLoad()
const close = async (): Promise<void> => {
  load.close()
  await shop.close()
}
const done = atEnd(close)
try {
  await measure()
} finally {
  await close()
  done()
}

async function measure(): Promise<void> {
  const { roles } = shop
  const rows: string[][] = []
  const measureAll = async (minute: number): Promise<void> => {
    for (const { role, measured } of roles) {
      const line = row(minute, role, await memoryOf(measured))
      rows.push(line)
      console.error(HEAD.map((name, column) => `${name} ${line[column]}`).join(', '))
    }
  }
  const collect = async (): Promise<Map<string, number>> => {
    const heaps = new Map<string, number>()
    for (const { role, measured, report } of roles)
      heaps.set(role, await heapAfterCollection(measured.pid, report))
    return heaps
  }
  const samples = new Map<string, number[]>(roles.map(({ role }) => [role, []]))
  await measureAll(0)
  const hour = await beginHour({ shop, load, perSecond })
  const sums: Done = { sales: 0, pages: 0, documents: 0, calls: 0, turnedAway: 0 }
  let warm: Map<string, number> | undefined
  for (let minute = 1; minute <= minutes; minute += 1) {
    const sampling = setInterval(() => {
      for (const { role, measured } of roles) samples.get(role)?.push(residentMemory(measured.pid).resident)
    }, SAMPLE_MS)
    try {
      const did = await hour.minute(minute - 1)
      for (const name of Object.keys(sums) as (keyof Done)[]) sums[name] += did[name]
    } finally {
      clearInterval(sampling)
    }
    if (minute % every === 0 || minute === minutes) await measureAll(minute)
    if (minute === WARM_MINUTES) warm = await collect()
  }
  const missed: string[] = []
  const faults = [
    ...shop.testbed.unexpectedExits(),
    ...(await hour.undrawn()).map((slug) => `${slug} is not drawn`),
  ]
  const last = await collect()

  say(
    `${minutes} minutes: ${sums.sales} purchases, ${sums.pages} pages, ${sums.documents} times a ticket and a receipt, ` +
      `${sums.calls} calls of the console, ${shop.emailsTaken()} emails; ${sums.turnedAway} calls turned away (503); MB`,
  )
  say(table(HEAD, rows))
  const summary = roles.map(({ role }) => {
    const all = samples.get(role) ?? []
    const late = all.slice(-Math.ceil(all.length / 6))
    const held = spread(late).p50
    if (held > AIMS[role]) missed.push(`${role}: ${mb(held)} MB are more than ${AIMS[role]}`)
    const [before, after] = [warm?.get(role), last.get(role) ?? Number.NaN]
    if (before !== undefined && after > before + GROWTH_MB)
      missed.push(`${role}: the heap after a collection grew from ${mb(before)} to ${mb(after)} MB`)
    return [
      role,
      ...[spread(all).p50, held, spread(all).max, AIMS[role]].map(mb),
      before === undefined ? '' : mb(before),
      mb(after),
    ]
  })
  say(
    `\n${table(
      [
        'process',
        'median',
        'median at the end',
        'most',
        'aim',
        `heap kept, minute ${WARM_MINUTES}`,
        'heap kept, end',
      ],
      summary,
    )}`,
  )
  for (const line of [...missed, ...faults]) say(line)
  if (faults.length > 0 || (missed.length > 0 && !values['report-only'])) process.exitCode = 1
}
