import { existsSync, rmSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
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
const FULL_MS = 10_000
/** What commits asynchronously has reached a second machine by then. */
const STORED_MS = 1_000
const CALM_MS = 5_000
const SALES_AFTER = 20
const WHOLE_WITHIN_MS = 180_000

/** A failure. @returns how it ends */
type Act = (fleet: Fleet, leader: Machine) => Promise<(() => Promise<void>) | undefined>

const killed: Act = async (_fleet, leader) => {
  await leader.kill()
  return () => leader.start()
}

const ACTS: Record<Scenario, Act> = {
  kill: killed,
  draw: killed,
  cut: async (_fleet, leader) => {
    leader.cutOff()
    return async () => leader.reconnect()
  },
  disk: async (fleet, leader) => {
    const rest = path.join(fleet.diskOf(leader), 'rest-of-the-disk')
    // Ends with an error when nothing is left, which is what it is for.
    try {
      system('dd', 'if=/dev/zero', `of=${rest}`, 'bs=1M')
    } catch {
      if (!existsSync(rest)) throw new Error('the disk could not be filled')
    }
    // Nobody takes over from a primary that lives and cannot write: it sells again once there is room.
    await sleep(FULL_MS)
    rmSync(rest)
    return undefined
  },
  etcd: async ({ databases }) => {
    for (const machine of databases) machine.signalTo('etcd', 'SIGKILL')
    return async () => {
      for (const machine of databases) machine.startProgram('etcd')
    }
  },
  pause: async (_fleet, leader) => {
    leader.signal('SIGSTOP')
    const since = performance.now()
    return async () => {
      await sleep(Math.max(0, PAUSE_MS - (performance.now() - since)))
      leader.signal('SIGCONT')
    }
  },
}

/** Lets something fail while buyers buy, waits for sales and for the whole cluster, and looks whether anything is lost. */
export async function play(
  scenario: Scenario,
  { fleet, crowd, invariants }: { fleet: Fleet; crowd: Crowd; invariants: readonly Invariant[] },
): Promise<Result> {
  const { seen, observed } = crowd
  const leader = await fleet.leader()
  const countOf = (test: RegExp): number =>
    [...observed.answers].reduce((sum, [name, count]) => sum + (test.test(name) ? count : 0), 0)
  const before = { sales: seen.sales.length, moments: countOf(/ (429|50[234])$/), broken: countOf(/ 0$/) }
  const faults: string[] = []
  const inCart = await crowd.fillCart()
  await sleep(STORED_MS)
  const from = performance.now()
  const end = await ACTS[scenario](fleet, leader)
  const began = performance.now()
  // A failure that the shop rides out ends after a while all the same.
  await sleep(CALM_MS)
  await until('sales go on', async () => salesSince(seen.sales, began) > 0 && isSelling(seen.sales)).catch(
    (error: Error) => faults.push(error.message),
  )
  await end?.()
  await until('all three machines follow', fleet.isWhole, WHOLE_WITHIN_MS).catch((error: Error) =>
    faults.push(error.message),
  )
  const whole = performance.now()
  const sold = seen.sales.length
  await until('buyers buy again', async () => seen.sales.length >= sold + SALES_AFTER).catch((error: Error) =>
    faults.push(error.message),
  )
  faults.push(...(await lostSales(fleet, crowd)), ...(await breachesNow(fleet.db, invariants)))
  faults.push(...new Set(seen.rude.splice(0)))
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

/** Each ticket that a buyer was told of is that buyer's. */
async function lostSales({ db }: Fleet, { observed }: Crowd): Promise<string[]> {
  const [ids, users] = [[...observed.tickets.keys()], [...observed.tickets.values()]]
  const { rows } = await sql<{ id: string }>`
    SELECT p.id FROM unnest(${ids}::uuid[], ${users}::bigint[]) AS p (id, user_id)
    LEFT JOIN tickets t ON t.id = p.id AND t.user_id = p.user_id AND t.status = 'valid'
    WHERE t.id IS NULL`.execute(db)
  return rows.map(({ id }) => `LOST: the acknowledged ticket ${id}`)
}

/** How often a contest was drawn, and its state. */
export async function drawsOf({ db }: Fleet, offerId: number): Promise<{ state: string; drawn: number }> {
  const { rows } = await sql<{ state: string; drawn: number }>`
    SELECT state, (SELECT count(*)::int FROM draw_attempts a WHERE a.offer_id = o.id AND drawn_at IS NOT NULL) AS drawn
    FROM offers o WHERE id = ${offerId}`.execute(db)
  return rows[0] ?? { state: 'gone', drawn: 0 }
}
