/**
 * `npm run fleet`: three PostgreSQL under Patroni with etcd, two machines with PgBouncer, HAProxy, a web process and a worker
 * each, and HAProxy with TLS in front, all in namespaces of this run, with the files of deploy/fleet. Buyers buy through the
 * PayPal emulator while the database's machines fail in turn.
 * --direct gives the shop an address that names the three servers, instead of pooler and proxy. With --asynchronous commits
 * wait for no second machine: acknowledged sales are lost, which the tool must notice.
 *
 *   npm run fleet -- [--only kill,cut,split,disk,etcd,pause,standbys,draw,drawn] [--buyers 12] [--direct] [--asynchronous]
 *
 * Needs root and, on Debian: patroni, etcd-server, pgbouncer, haproxy, postgresql-15, iproute2, iptables, procps. Nothing outside of
 * the namespaces changes, and all of them go with this process, however it ends. Ends with 1 when an acknowledged sale is
 * lost, a contest is drawn twice, an invariant is broken or sales do not go on, and leaves the logs for a look.
 */
import { spawn, spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, rmdirSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { shopInvariants } from '#server/maintenance.ts'
import { table } from './bench/tables.ts'
import { newObservations } from './chaos/buyers.ts'
import { breachesAtRest, expireHolds, unfinished } from './chaos/checks.ts'
import { startCrowd } from './fleet/buyers.ts'
import { startFleet, until } from './fleet/fleet.ts'
import { system } from './fleet/machines.ts'
import { type Result, play } from './fleet/scenarios.ts'
import { SCENARIOS, type Scenario, readScenarios } from './fleet/settings.ts'
import { buildIfNeeded } from './run/build.ts'
import { endingSignal } from './run/ending.ts'
import { endWithUsage, readOptions } from './run/say.ts'
import { projectDir } from './testbed/program.ts'

const USAGE = `npm run fleet -- [--only ${Object.keys(SCENARIOS).join(',')}] [--buyers 12] [--direct] [--asynchronous]`
const PROGRAMS = [
  'patroni',
  'etcd',
  'pgbouncer',
  'haproxy',
  'ip',
  'iptables',
  'unshare',
  'nsenter',
  'setpriv',
  'pgrep',
  'openssl',
]
const PACKAGES =
  'patroni etcd-server pgbouncer haproxy postgresql-15 iproute2 iptables util-linux procps openssl'
const INSIDE = 'VOLANT_FLEET_INSIDE'
const SALES_BEFORE = 50
const SETTLED_WITHIN_MS = 180_000

const { values } = readOptions(USAGE, {
  options: {
    only: { type: 'string' },
    buyers: { type: 'string', default: '12' },
    asynchronous: { type: 'boolean', default: false },
    direct: { type: 'boolean', default: false },
  },
})
const scenarios = readScenarios(values.only)
const buyers = Number(values.buyers)
const options = { isAsynchronous: values.asynchronous, isDirect: values.direct }
if (!scenarios || !Number.isInteger(buyers) || buyers < 1) endWithUsage(USAGE)

const folder = process.env[INSIDE]
if (folder === undefined) process.exitCode = await goInside()
else {
  const faults = await runFleet(folder, scenarios, buyers)
  // Everything that runs in our namespaces ends with us.
  process.exit(faults ? 1 : 0)
}

/** Runs this tool again as the first process of namespaces of its own. @returns its exit code */
async function goInside(): Promise<number> {
  const missing = PROGRAMS.filter((name) => spawnSync('which', [name]).status !== 0)
  if (missing.length > 0 || process.geteuid?.() !== 0) {
    const why = missing.length > 0 ? `${missing.join(', ')} missing` : 'not root'
    console.error(`The fleet cannot run here (${why}). As root on Debian 12: apt-get install -y ${PACKAGES}`)
    return 2
  }
  await buildIfNeeded(projectDir, endingSignal())
  const namespaces = ['--mount', '--net', '--pid', '--fork', '--kill-child', '--mount-proc']
  const inside = ['setpriv', '--pdeathsig', 'KILL', 'unshare', ...namespaces, process.execPath]
  const [command = '', ...args] = [...inside, import.meta.filename, ...process.argv.slice(2)]
  const folder = mkdtempSync('/run/volant-fleet-')
  const child = spawn(command, args, { stdio: 'inherit', env: { ...process.env, [INSIDE]: folder } })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.on(signal, () => child.kill('SIGKILL'))
  const [code, signal] = await new Promise<[number | null, string | null]>((resolve) =>
    child.once('exit', (...how) => resolve(how)),
  )
  // Only its name was seen outside of the namespaces.
  rmdirSync(folder)
  return code ?? (signal === null ? 1 : 130)
}

async function runFleet(folder: string, wanted: readonly Scenario[], count: number): Promise<boolean> {
  system('mount', '-t', 'tmpfs', '-o', 'mode=711', 'tmpfs', folder)
  console.log(`${wanted.length} scenario(s), ${count} buyers; starting the machines …`)
  let isBad = true
  try {
    isBad = await runScenarios(folder, wanted, count)
  } catch (error) {
    console.error(error)
  }
  if (isBad) {
    const kept = mkdtempSync(path.join(os.tmpdir(), 'volant-fleet-'))
    cpSync(path.join(folder, 'log'), kept, { recursive: true })
    console.log(`\nThe logs are in ${kept}.`)
  }
  return isBad
}

async function runScenarios(folder: string, wanted: readonly Scenario[], count: number): Promise<boolean> {
  const fleet = await startFleet(folder, options)
  const crowd = startCrowd({
    ...fleet,
    url: fleet.publicUrl,
    // One more, who does not buy.
    customers: await fleet.customers(count + 1),
    observed: newObservations(),
  })
  const invariants = await shopInvariants()
  await until('buyers buy', async () => crowd.seen.sales.length > SALES_BEFORE)
  console.log('buyers buy')
  const results: Result[] = []
  for (const scenario of wanted) {
    const result = await play(scenario, { fleet, crowd, invariants })
    results.push(result)
    console.log(`${SCENARIOS[scenario]}: ${result.withoutSales.toFixed(1)} s without sales`)
    for (const fault of result.faults) console.log(`  ${fault}`)
  }
  await crowd.stop()
  const rest = [...new Set([...crowd.seen.rude, ...crowd.observed.wrong])]
  await fleet.ask(() => expireHolds(fleet.db, 1))
  await until(
    'every order is final',
    async () => (await unfinished(fleet.db)) === 0,
    SETTLED_WITHIN_MS,
  ).catch((error: Error) => rest.push(error.message))
  const { db, emulatorUrl } = fleet
  rest.push(...(await fleet.ask(() => breachesAtRest(db, invariants, emulatorUrl, crowd.observed))))
  const reads = await fleet.reads()
  if (reads.replica === 0) rest.push('nothing was read from a standby')
  const { observed } = crowd
  console.log(
    `\n${table(
      ['scenario', 's without sales', 's until whole', 'sales', '"one moment"', 'broken', 'faults'],
      results.map((one) => [
        SCENARIOS[one.scenario],
        one.withoutSales.toFixed(1),
        one.wholeAfter.toFixed(1),
        String(one.sales),
        String(one.moments),
        String(one.broken),
        String(one.faults.length),
      ]),
    )}`,
  )
  console.log(`\n${observed.purchases} acknowledged sales with ${observed.tickets.size} tickets`)
  console.log([...observed.responses].map(([name, times]) => `${name}: ${times}`).join(', '))
  console.log(`public pages read from a standby: ${reads.replica} times, from the primary: ${reads.primary}`)
  const faults = [...results.flatMap((one) => one.faults), ...rest]
  console.log(faults.length > 0 ? `\n${faults.join('\n')}\nBROKEN` : 'none lost, every invariant held')
  await fleet.close()
  return faults.length > 0
}
