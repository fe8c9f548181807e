import { existsSync, rmSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Database } from '#platform/database.ts'
import type { Invariant } from '#platform/invariants.ts'
import { breachesNow } from '../chaos/checks.ts'
import type { Crowd } from './buyers.ts'
import { type Fleet, until } from './fleet.ts'
import { type Machine, system } from './machines.ts'
import { type Scenario, longestGap } from './settings.ts'

export interface Result {
  scenario: Scenario
  /** Longest time without an acknowledged sale, in seconds. */
  withoutSales: number
  /** From its cause until all three machines follow again, in seconds. */
  wholeAfter: number
  /** Sales acknowledged during it. */
  sales: number
  /** Calls that were told "one moment", and connections that broke. */
  moments: number
  broken: number
  /** What must not be, a line each. */
  faults: string[]
}

const PAUSE_MS = 30_000
/** How long nothing is sold until somebody acts. */
const UNNOTICED_MS = 5_000
/** A response is on its way for at most so long after its commit. */
const RESPONDED_MS = 5_000
const ALONE_MS = 15_000
/** What commits asynchronously has reached a second machine by then. */
const STORED_MS = 1_000
const CALM_MS = 5_000
const SALES_AFTER = 20
const WHOLE_WITHIN_MS = 180_000
const BEFORE_DRAW_MS = 3_000
/** What a contest needs between its end and its draw, with the shortest durations. */
const DRAW_ROOM_MS = 195_000
const DRAWN_WITHIN_MS = 180_000
const SALE_MS = 30_000

interface Stage {
  fleet: Fleet
  crowd: Crowd
  leader: Machine
  /** What must not be, a line each. */
  faults: string[]
}

/** A failure. @returns how it ends */
type Act = (stage: Stage) => Promise<(() => Promise<void>) | undefined>

const killed: Act = async ({ leader }) => {
  await leader.kill()
  return () => leader.start()
}

const ACTS: Record<Scenario, Act> = {
  kill: killed,
  draw: killed,
  drawn: killed,
  cut: async ({ leader }) => {
    leader.cutOff()
    return async () => leader.reconnect()
  },
  split: async ({ fleet, leader }) => {
    leader.cutOff(fleet.databases.filter((one) => one !== leader))
    // Until then it may go on selling, which nobody else knows of.
    await until('another machine leads', () => fleet.isReplaced(leader))
    return async () => leader.reconnect()
  },
  disk: async ({ fleet, crowd, leader }) => {
    const rest = path.join(fleet.diskOf(leader), 'rest-of-the-disk')
    // Ends with an error when nothing is left, which is what it is for.
    try {
      system('dd', 'if=/dev/zero', `of=${rest}`, 'bs=1M')
    } catch {
      if (!existsSync(rest)) throw new Error('the disk could not be filled')
    }
    // Sales go on for as long as there is room in the files that exist.
    await until(
      'nothing is sold',
      async () => salesSince(crowd.seen.sales, performance.now() - UNNOTICED_MS) === 0,
    )
    // Nobody takes over by itself from a primary that lives and cannot write: somebody follows docs/availability.md.
    await leader.runAs('patroni', ...SWITCHOVER)
    return async () => rmSync(rest)
  },
  etcd: async ({ fleet: { databases } }) => {
    for (const machine of databases) machine.signalTo('etcd', 'SIGKILL')
    return async () => {
      for (const machine of databases) machine.startProgram('etcd')
    }
  },
  pause: async ({ leader }) => {
    leader.signal('SIGSTOP')
    const since = performance.now()
    return async () => {
      await sleep(Math.max(0, PAUSE_MS - (performance.now() - since)))
      leader.signal('SIGCONT')
    }
  },
  standbys: async ({ fleet, crowd, leader, faults }) => {
    const standbys = fleet.databases.filter((one) => one !== leader)
    await Promise.all(standbys.map((one) => one.kill()))
    await sleep(RESPONDED_MS)
    const sold = crowd.seen.sales.length
    await sleep(ALONE_MS - RESPONDED_MS)
    const alone = crowd.seen.sales.length - sold
    if (alone > 0) faults.push(`${alone} sales were acknowledged while no second machine had them`)
    await Promise.all(standbys.map((one) => one.start()))
    return undefined
  },
}

/** What docs/availability.md has an operator run when the primary's disk is full. */
const SWITCHOVER = ['patronictl', '-c', '/etc/patroni/config.yml', 'switchover', '--force']

/** A contest of which buyers buy until it ends, and which is drawn soon after. */
async function announceDraw({ fleet, crowd }: Pick<Stage, 'fleet' | 'crowd'>): Promise<Contest> {
  const endsAt = Date.now() + SALE_MS
  const drawAt = endsAt + DRAW_ROOM_MS
  const contest = await fleet.newOffer(100_000, { end_date: new Date(endsAt), draw_at: new Date(drawAt) })
  crowd.sell({ ...contest, until: endsAt - 2_000 })
  return { ...contest, drawAt }
}

interface Contest {
  id: number
  slug: string
  drawAt: number
}

/** Waits for the moment at which the machine is to fail. */
async function momentOf(
  scenario: Scenario,
  contest: Contest,
  { fleet, crowd, faults }: Omit<Stage, 'leader'>,
) {
  await sleep(Math.max(0, contest.drawAt - BEFORE_DRAW_MS - Date.now()))
  const isPublic = async () => (await crowd.logOf(contest.slug)).includes('result')
  if (scenario === 'draw') {
    if (await isPublic()) faults.push('the contest was drawn before the machine failed')
    return
  }
  await until('the result is public', isPublic, DRAWN_WITHIN_MS)
  const { state } = await fleet.ask(() => drawsOf(fleet, contest.id))
  if (state !== 'drawn') faults.push(`the result of a contest is public that is ${state}`)
}

/** A contest is drawn once, and what was public stays. */
async function drawFaults(
  contest: Contest,
  { fleet, crowd }: Omit<Stage, 'leader' | 'faults'>,
): Promise<string[]> {
  const ask = () => fleet.ask(() => drawsOf(fleet, contest.id))
  const faults: string[] = []
  await until('the contest is drawn', async () => (await ask()).state === 'drawn', DRAWN_WITHIN_MS).catch(
    (error: Error) => faults.push(error.message),
  )
  await until('the result is public', async () => (await crowd.logOf(contest.slug)).includes('result')).catch(
    (error: Error) => faults.push(error.message),
  )
  const { drawn } = await ask()
  if (drawn !== 1) faults.push(`the contest was drawn ${drawn} times`)
  return faults
}

/** Lets something fail while buyers buy, waits for sales and for the whole cluster, and looks whether anything is lost. */
export async function play(
  scenario: Scenario,
  { fleet, crowd, invariants }: { fleet: Fleet; crowd: Crowd; invariants: readonly Invariant[] },
): Promise<Result> {
  const { seen, observed } = crowd
  const faults: string[] = []
  const noted = (error: Error) => void faults.push(error.message)
  const countOf = (test: RegExp): number =>
    [...observed.responses].reduce((sum, [name, count]) => sum + (test.test(name) ? count : 0), 0)
  const contest = scenario.startsWith('draw') ? await announceDraw({ fleet, crowd }) : undefined
  const before = { sales: seen.sales.length, moments: countOf(/ (429|50[234])$/), broken: countOf(/ 0$/) }
  const inCart = await crowd.fillCart()
  await sleep(STORED_MS)
  if (contest) await momentOf(scenario, contest, { fleet, crowd, faults })
  const leader = await fleet.leader()
  const from = performance.now()
  const end = await ACTS[scenario]({ fleet, crowd, leader, faults })
  const began = performance.now()
  // A failure that the shop rides out ends after a while all the same.
  await sleep(CALM_MS)
  await until('sales go on', async () => salesSince(seen.sales, began) > 0 && isSelling(seen.sales)).catch(
    noted,
  )
  await end?.()
  await until('all three machines follow', fleet.isWhole, WHOLE_WITHIN_MS).catch(noted)
  const whole = performance.now()
  const sold = seen.sales.length
  await until('buyers buy again', async () => seen.sales.length >= sold + SALES_AFTER).catch(noted)
  if (contest) faults.push(...(await drawFaults(contest, { fleet, crowd })))
  faults.push(
    ...(await fleet.ask(() => lostSales(fleet.db, observed.tickets))),
    ...(await fleet.ask(() => breachesNow(fleet.db, invariants))),
    ...new Set(seen.rude.splice(0)),
    ...(await crowd.changedLogs()),
  )
  const left = await crowd.cart()
  if (left !== inCart) faults.push(`a cart with ${inCart} tickets has ${left}`)
  return {
    scenario,
    withoutSales: longestGap(seen.sales, from, performance.now()) / 1000,
    wholeAfter: (whole - from) / 1000,
    sales: seen.sales.length - before.sales,
    moments: countOf(/ (429|50[234])$/) - before.moments,
    broken: countOf(/ 0$/) - before.broken,
    faults,
  }
}

const salesSince = (sales: readonly number[], from: number): number => sales.filter((at) => at > from).length
const isSelling = (sales: readonly number[]): boolean => salesSince(sales, performance.now() - 2_000) >= 3

/** Each ticket that a buyer was told of is that buyer's. @returns a line for each that is not */
async function lostSales(db: Database, told: ReadonlyMap<string, number>): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    SELECT p.id FROM unnest(${[...told.keys()]}::uuid[], ${[...told.values()]}::bigint[]) AS p (id, user_id)
    LEFT JOIN tickets t ON t.id = p.id AND t.user_id = p.user_id AND t.status = 'valid'
    WHERE t.id IS NULL`.execute(db)
  return rows.map(({ id }) => `LOST: the acknowledged ticket ${id}`)
}

/** How often a contest was drawn, and its state. */
async function drawsOf({ db }: Fleet, offerId: number): Promise<{ state: string; drawn: number }> {
  const { rows } = await sql<{ state: string; drawn: number }>`
    SELECT state, (SELECT count(*)::int FROM draw_attempts a WHERE a.offer_id = o.id AND drawn_at IS NOT NULL) AS drawn
    FROM offers o WHERE id = ${offerId}`.execute(db)
  return rows[0] ?? { state: 'gone', drawn: 0 }
}
