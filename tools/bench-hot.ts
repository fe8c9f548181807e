/**
 * `npm run bench:hot`: how fast one contest sells. Buyers with tokens put 5 tickets into the cart, make the order,
 * approve it at the emulator and capture it, over HTTP; shop, database, emulator and buyers share this machine. Compare
 * within one run, on a machine that does nothing else.
 *
 *   node tools/bench-hot.ts [--only part]… [--buyers 1,8,32,128] [--seconds 6] [--storm 10000]
 *                           [--profiles folder]
 *
 * Parts: rates (the default), batching, log, storm, proxy (a storm through HAProxy, which the machine must have), all.
 * Ends with 1 when a storm sells anything but what there is, or an invariant of db/invariants.sql is broken.
 */
import { table } from './bench/tables.ts'
import { type Bench, type Figures, startBench } from './hot-sale/bench.ts'
import { batching, logged, rates } from './hot-sale/rates.ts'
import { proxiedStorms, storms } from './hot-sale/storms.ts'
import { endWithUsage, readOptions } from './run/say.ts'

const PARTS: Record<string, (bench: Bench) => Promise<Figures>> = {
  rates,
  batching,
  log: logged,
  storm: storms,
  proxy: proxiedStorms,
}

const USAGE =
  `npm run bench:hot -- [--only ${Object.keys(PARTS).join('|')}|all]… [--buyers 1,8,32,128] [--seconds 6] ` +
  '[--storm 10000] [--profiles folder]'

const { values } = readOptions(USAGE, {
  options: {
    only: { type: 'string', multiple: true, default: ['rates'] },
    buyers: { type: 'string', default: '1,8,32,128' },
    seconds: { type: 'string', default: '6' },
    storm: { type: 'string', default: '10000' },
    profiles: { type: 'string' },
  },
})
const names = values.only.includes('all') ? Object.keys(PARTS) : values.only
const buyers = values.buyers.split(',').map(Number)
const [seconds, storm] = [Number(values.seconds), Number(values.storm)]
if (
  names.some((name) => !PARTS[name]) ||
  [...buyers, storm].some((count) => !Number.isInteger(count) || count < 1) ||
  storm < 500 ||
  !(seconds > 0)
) {
  endWithUsage(USAGE)
}

let ending: (() => Promise<void>) | undefined
// However this run ends, its programs end with it.
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => void (ending?.() ?? Promise.resolve()).finally(() => process.exit(130)))
}
for (const name of names) {
  // A new shop for each part: what one leaves behind does not slow the next.
  const bench = await startBench({ profiles: values.profiles, seconds, buyers, storm })
  ending = () => bench.close()
  try {
    const result = await PARTS[name]!(bench)
    console.log(`${result.title}\n${table(result.head, result.lines)}\n`)
    for (const line of [...(result.notes ?? []), ...(result.faults ?? [])]) console.log(line)
    if (result.faults?.length) process.exitCode = 1
  } finally {
    await bench.close()
  }
}
