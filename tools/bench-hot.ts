/**
 * `npm run bench:hot`: how fast one contest sells. Buyers with tokens put 5 tickets into the cart, make the order,
 * approve it at the emulator and capture it, over HTTP; shop, database, emulator and buyers share this machine. Compare
 * within one run, on a machine that does nothing else.
 *
 *   node tools/bench-hot.ts [--only part]… [--buyers 1,8,32,128] [--seconds 6] [--storm 10000]
 *                           [--turns N] [--profiles folder]
 *
 * Parts: rates (the default), batching, log, processes (several
 * web processes), visit (what the other calls of a buyer's browser cost),
 * line (a crowd without and with a waiting room), storm, proxy (a storm through HAProxy, which the machine must have), pooler
 * (PgBouncer, likewise), all.
 * Ends with 1 when a storm sells anything but what there is, or an invariant of db/invariants.sql is broken.
 */
import { table } from './bench/tables.ts'
import { type Bench, type Figures, startBench } from './hot-sale/bench.ts'
import { batching, logged, pooled, processes, rates } from './hot-sale/rates.ts'
import { line, proxiedStorms, storms } from './hot-sale/storms.ts'
import { visit } from './hot-sale/visit.ts'
import { endWithUsage, readOptions } from './run/say.ts'

interface Part {
  run: (bench: Bench) => Promise<Figures>
  /** How often the two sides of a comparison take turns, unless `--turns` says. */
  turns: number
  /** Sales of `--seconds` each. */
  sales: (counts: number, turns: number) => number
}

const PARTS: Record<string, Part> = {
  rates: { run: rates, turns: 1, sales: (counts) => counts + 2 },
  batching: { run: batching, turns: 2, sales: (counts, turns) => 2 + counts * turns * 2 },
  log: { run: logged, turns: 24, sales: (counts, turns) => 2 + counts * turns * 2 },
  pooler: { run: pooled, turns: 4, sales: (counts, turns) => 2 + counts * turns * 2 },
  processes: { run: processes, turns: 1, sales: (counts) => 3 * (counts + 1) },
  visit: { run: visit, turns: 1, sales: () => 0 },
  line: { run: line, turns: 1, sales: () => 0 },
  storm: { run: storms, turns: 1, sales: () => 0 },
  proxy: { run: proxiedStorms, turns: 1, sales: () => 0 },
}

const USAGE =
  `npm run bench:hot -- [--only ${Object.keys(PARTS).join('|')}|all]… [--buyers 1,8,32,128] [--seconds 6] ` +
  '[--storm 10000] [--turns N] [--profiles folder]'

const { values } = readOptions(USAGE, {
  options: {
    only: { type: 'string', multiple: true, default: ['rates'] },
    buyers: { type: 'string', default: '1,8,32,128' },
    seconds: { type: 'string', default: '6' },
    storm: { type: 'string', default: '10000' },
    turns: { type: 'string' },
    profiles: { type: 'string' },
  },
})
const names = values.only.includes('all') ? Object.keys(PARTS) : values.only
const buyers = values.buyers.split(',').map(Number)
const [seconds, storm] = [Number(values.seconds), Number(values.storm)]
const turnsGiven = values.turns === undefined ? undefined : Number(values.turns)
if (
  names.some((name) => !PARTS[name]) ||
  [...buyers, storm].some((count) => !Number.isInteger(count) || count < 1) ||
  storm < 500 ||
  (turnsGiven !== undefined && (!Number.isInteger(turnsGiven) || turnsGiven < 2)) ||
  !(seconds > 0)
) {
  endWithUsage(USAGE)
}

for (const name of names) {
  // A new shop for each part: what one leaves behind does not slow the next.
  const { run, sales, turns: usualTurns } = PARTS[name]!
  const turns = turnsGiven ?? usualTurns
  const count = sales(buyers.length, turns)
  if (count > 0)
    console.error(`${name}: ${count} sales of ${seconds} s, ${duration(count * seconds)} and the starts`)
  const bench = await startBench({ profiles: values.profiles, seconds, buyers, storm, turns })
  try {
    const result = await run(bench)
    console.log(`${result.title}\n${table(result.head, result.lines)}\n`)
    for (const line of [...(result.notes ?? []), ...(result.faults ?? [])]) console.log(line)
    if (result.faults?.length) process.exitCode = 1
  } finally {
    await bench.close()
  }
}

/** `48 s`, `19 min`. */
function duration(seconds: number): string {
  return seconds < 90 ? `${seconds.toFixed(0)} s` : `${(seconds / 60).toFixed(0)} min`
}
