/**
 * `npm run fleet`: three PostgreSQL under Patroni with etcd, two machines with PgBouncer, HAProxy, a web process and a worker
 * each, and HAProxy with TLS in front, all in namespaces of this run, with the files of deploy/fleet. Buyers buy through the
 * PayPal emulator while the database's machines fail in turn.
 *
 *   npm run fleet -- [--only kill,cut,disk,etcd,pause,draw] [--buyers 12]
 *
 * Needs root and, on Debian: patroni, etcd-server, pgbouncer, haproxy, postgresql-15, iproute2, iptables, procps. Nothing outside of
 * the namespaces changes, and all of them go with this process, however it ends. Ends with 1 when an acknowledged sale is
 * lost, a contest is drawn twice, an invariant is broken or sales do not go on, and leaves the logs for a look.
 */
import { spawn, spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmdirSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { shopInvariants } from '#server/maintenance.ts'
import { table } from './bench/tables.ts'
import { newObservations } from './chaos/buyers.ts'
import { breachesAtRest, expireHolds, unfinished } from './chaos/checks.ts'
import { startCrowd } from './fleet/buyers.ts'
import { startFleet, until } from './fleet/fleet.ts'
import { system } from './fleet/machines.ts'
import { type Result, drawsOf, play } from './fleet/scenarios.ts'
import { SCENARIOS, type Scenario, readScenarios } from './fleet/settings.ts'
import { buildIfNeeded } from './run/build.ts'
import { endingSignal } from './run/ending.ts'
import { endWithUsage, readOptions } from './run/say.ts'
import { projectDir } from './testbed/program.ts'

const USAGE = `npm run fleet -- [--only ${Object.keys(SCENARIOS).join(',')}] [--buyers 12]`
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
const FOLDER = '/run/volant-fleet'
const BEFORE_DRAW_MS = 3_000
/** What a contest needs between its end and its draw, with the shortest durations. */
const DRAW_ROOM_MS = 195_000
const SALE_MS = 45_000
const SCENARIO_MS = 75_000
const SETTLED_WITHIN_MS = 180_000

const { values } = readOptions(USAGE, {
  options: { only: { type: 'string' }, buyers: { type: 'string', default: '12' } },
})
const scenarios = readScenarios(values.only)
const buyers = Number(values.buyers)
if (!scenarios || !Number.isInteger(buyers) || buyers < 1) endWithUsage(USAGE)

if (process.env[INSIDE] === undefined) process.exitCode = await goInside()
else {
  const faults = await runFleet(scenarios, buyers)
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
  const child = spawn(command, args, { stdio: 'inherit', env: { ...process.env, [INSIDE]: '1' } })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.on(signal, () => child.kill('SIGKILL'))
  const [code, signal] = await new Promise<[number | null, string | null]>((resolve) =>
    child.once('exit', (...how) => resolve(how)),
  )
  // Only its name was seen outside of the namespaces.
  if (existsSync(FOLDER)) rmdirSync(FOLDER)
  return code ?? (signal === null ? 1 : 130)
}

async function runFleet(wanted: readonly Scenario[], count: number): Promise<boolean> {
  mkdirSync(FOLDER, { recursive: true })
  system('mount', '-t', 'tmpfs', '-o', 'mode=711', 'tmpfs', FOLDER)
  console.log(`${wanted.length} scenario(s), ${count} buyers; starting the machines …`)
  let isBad = true
  try {
    isBad = await runScenarios(wanted, count)
  } catch (error) {
    console.error(error)
  }
  if (isBad) {
    const kept = mkdtempSync(path.join(os.tmpdir(), 'volant-fleet-'))
    cpSync(path.join(FOLDER, 'log'), kept, { recursive: true })
    console.log(`\nThe logs are in ${kept}.`)
  }
  return isBad
}

async function runScenarios(wanted: readonly Scenario[], count: number): Promise<boolean> {
  const fleet = await startFleet(FOLDER)
  const ahead = wanted.indexOf('draw')
  const endsIn = Math.max(SALE_MS, ahead * SCENARIO_MS + SALE_MS - DRAW_ROOM_MS)
  const drawAt = Date.now() + endsIn + DRAW_ROOM_MS
  const drawn =
    ahead === -1
      ? undefined
      : await fleet.newOffer(100_000, { end_date: new Date(Date.now() + endsIn), draw_at: new Date(drawAt) })
  const salesEnd = Date.now() + endsIn - 2_000
  const crowd = startCrowd({
    ...fleet,
    url: fleet.publicUrl,
    // One more, who does not buy.
    customers: await fleet.customers(count + 1),
    contests: () => (drawn !== undefined && Date.now() < salesEnd ? [fleet.wide, drawn] : [fleet.wide]),
    observed: newObservations(),
  })
  const invariants = await shopInvariants()
  await until('buyers buy', async () => crowd.seen.sales.length > 50)
  console.log('buyers buy')
  const results: Result[] = []
  for (const scenario of wanted) {
    if (scenario === 'draw') await sleep(Math.max(0, drawAt - BEFORE_DRAW_MS - Date.now()))
    const result = await play(scenario, { fleet, crowd, invariants })
    if (scenario === 'draw' && drawn !== undefined) {
      await until('the contest is drawn', async () => (await drawsOf(fleet, drawn)).state === 'drawn')
      const { drawn: times } = await drawsOf(fleet, drawn)
      if (times !== 1) result.faults.push(`the contest was drawn ${times} times`)
    }
    results.push(result)
    console.log(`${SCENARIOS[scenario]}: ${result.withoutSales.toFixed(1)} s without sales`)
    for (const fault of result.faults) console.log(`  ${fault}`)
  }
  await crowd.stop()
  const rest: string[] = []
  await expireHolds(fleet.db, 1)
  await until(
    'every order is final',
    async () => (await unfinished(fleet.db)) === 0,
    SETTLED_WITHIN_MS,
  ).catch((error: Error) => rest.push(error.message))
  rest.push(...(await breachesAtRest(fleet.db, invariants, fleet.emulatorUrl, crowd.observed)))
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
  console.log([...observed.answers].map(([name, times]) => `${name}: ${times}`).join(', '))
  const faults = [...results.flatMap((one) => one.faults), ...rest]
  console.log(faults.length > 0 ? `\n${faults.join('\n')}\nBROKEN` : 'none lost, every invariant held')
  await fleet.close()
  return faults.length > 0
}
