/**
 * `npm run chaos`: lets buyers buy over HTTP while the provider fails, connections break, and the shop and PostgreSQL are
 * killed with -9 in turn; then checks every invariant of db/invariants.sql and reconciles the ledgers to the cent.
 *
 *   npm run chaos -- [--rounds 200] [--seed N] [--processes N] [--buyers 50]
 *   npm run chaos -- --proxy haproxy [--workers 2] [--restarts N] …
 *
 * With a proxy the roles are separate: two web processes behind HAProxy, as deploy/haproxy/haproxy.cfg shows it, and
 * workers. `--restarts` begins with so many rolling restarts, while buyers buy and nothing else goes wrong: not one
 * request may fail.
 *
 * Ends with 1 on a breach, and leaves the database and the logs for a look. The same seed repeats all
 * random decisions; the timing is the machine's.
 */
import { randomInt } from 'node:crypto'
import { haproxyVersion } from './testbed/haproxy.ts'
import { listed, runChaos } from './chaos/rounds.ts'
import { endWithUsage, readOptions } from './run/say.ts'

const USAGE =
  'npm run chaos -- [--rounds 200] [--seed N] [--processes N] [--buyers 50]\n' +
  '       npm run chaos -- --proxy haproxy [--workers 2] [--restarts N] [--rounds 200] [--seed N] [--buyers 50]'

const { values } = readOptions(USAGE, {
  options: {
    rounds: { type: 'string', default: '200' },
    seed: { type: 'string', default: String(randomInt(1_000_000)) },
    processes: { type: 'string', default: '2' },
    buyers: { type: 'string', default: '50' },
    proxy: { type: 'string' },
    workers: { type: 'string', default: '2' },
    restarts: { type: 'string', default: '0' },
  },
})
const numbers = {
  rounds: Number(values.rounds),
  seed: Number(values.seed),
  processes: Number(values.processes),
  buyers: Number(values.buyers),
  restarts: Number(values.restarts),
}
const workers = Number(values.workers)
const counts = [...Object.values(numbers), workers]
const isProxy = values.proxy === 'haproxy'
if (
  counts.some((one) => !Number.isInteger(one) || one < 0) ||
  numbers.processes < 1 ||
  workers < 1 ||
  (values.proxy !== undefined && !isProxy) ||
  (numbers.restarts > 0 && !isProxy)
) {
  endWithUsage(USAGE)
}

const shops = isProxy
  ? `2 web and ${workers} worker processes behind HAProxy ${proxyVersion()}`
  : `${numbers.processes} shop(s)`
console.log(`seed ${numbers.seed}: ${shops}, ${numbers.buyers} buyers, ${numbers.rounds} rounds`)
const began = performance.now()
const { breaches, rounds, orders, observed, slowestSettling, folder } = await runChaos({
  ...numbers,
  behindProxy: isProxy ? { workers } : undefined,
  log: (line) => console.log(line),
})
const minutes = ((performance.now() - began) / 60_000).toFixed(1)
console.log(
  `\n${rounds} rounds in ${minutes} minutes, seed ${numbers.seed}; settled within ${slowestSettling} s\norders: ${listed(orders)}`,
)
console.log(`purchases confirmed to buyers: ${observed.purchases}, their tickets: ${observed.tickets.size}`)
console.log(
  `answers: ${listed(Object.fromEntries([...observed.responses].toSorted(([one], [other]) => one.localeCompare(other))))}`,
)
if (breaches.length > 0) {
  console.log(`\n${breaches.join('\n')}`)
  console.log(`\nBROKEN. The database and the logs are in ${folder}; to repeat: --seed ${numbers.seed}`)
  process.exitCode = 1
} else console.log('every invariant held')

function proxyVersion(): string {
  try {
    return haproxyVersion()
  } catch (error) {
    console.error((error as Error).message)
    return process.exit(2)
  }
}
