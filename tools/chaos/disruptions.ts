import { setTimeout as sleep } from 'node:timers/promises'
import type { Crowd } from './buyers.ts'
import { expireHolds, makeReconciliationDue, reconciliation, unfinished } from './checks.ts'
import type { Random } from '../../db/story/random.ts'
import { NO_FAULTS as GOOD_CONNECTION, type ConnectionFaults } from './fault-proxy.ts'
import type { Program } from '../testbed/program.ts'
import type { ChaosShop } from './setup.ts'

export type Victim = 'shop' | 'database' | 'both' | 'keeper' | 'worker' | 'proxy'
/** What the rounds kill, in turn. `keeper` is the process that starts PostgreSQL. */
const ONE_ROLE: readonly Victim[] = ['shop', 'database', 'shop', 'both', 'shop', 'database', 'keeper']
const SEPARATE_ROLES: readonly Victim[] = [
  'shop',
  'worker',
  'database',
  'shop',
  'both',
  'worker',
  'proxy',
  'keeper',
]

export function victimOf(round: number, { shops }: Pick<ChaosShop, 'shops'>): Victim {
  const victims = shops.proxy ? SEPARATE_ROLES : ONE_ROLE
  return victims[(round - 1) % victims.length]!
}

/** Faults of the provider during the rounds. */
export const FAULTS = {
  dropReplyAfterCommit: 0.2,
  delayMs: 200,
  http5xx: 0.2,
  duplicateWebhooks: 0.2,
  reorderWebhooks: 0.2,
  reorderMs: 1500,
  missingWebhooks: 0.2,
  pending: 0.1,
  pendingSettleMs: 1500,
  pendingDenied: 0.3,
  declined: 0.1,
  tamperAmount: 0.05,
}
/** The provider without faults that delay the end. */
const NO_FAULTS = {
  dropReplyAfterCommit: 0,
  delayMs: 0,
  http5xx: 0,
  missingWebhooks: 0,
  pending: 0,
  declined: 0,
}

/** A round waits at most this long for so many responses before something is killed. */
const WAIT_AT_MOST_MS = 6_000
/** Every order must be final this long after the buyers stopped, and a reconciliation make progress, even on a busy machine. */
const SETTLE_WITHIN_MS = 150_000

/** One round: buyers buy over bad connections, a process is killed meanwhile, and everything is started again. */
export async function disrupt(
  shop: ChaosShop,
  crowd: Crowd,
  random: Random,
  victim: Victim,
): Promise<string> {
  shop.toDatabase.setFaults(badConnection(random, 0.0005))
  shop.toProvider.setFaults(badConnection(random, 0.01))
  crowd.resume()
  await crowd.responded(random.between(40, 200), WAIT_AT_MOST_MS)
  const expired = random.chance(0.3)
  if (expired) await expireHolds(shop.db, 0.5)
  const cut = random.chance(0.3) ? shop.toDatabase.cutOpen(0.5) + shop.toProvider.cutOpen(0.5) : 0
  await crowd.responded(random.between(0, 60), WAIT_AT_MOST_MS)
  await sleep(random.between(0, 100))
  const killed = await kill(shop, random, victim)
  const began = performance.now()
  await sleep(random.between(0, 300))
  await recover(shop, victim, killed)
  const up = ((performance.now() - began) / 1000).toFixed(1)
  await sleep(random.between(200, 800))
  const notes = [`killed ${nameOf(victim, killed?.name)}`, `up after ${up} s`]
  if (cut > 0) notes.push(`${cut} connections cut`)
  if (expired) notes.push('holds expired')
  return notes.join(', ')
}

function nameOf(victim: Victim, name: string | undefined): string {
  if (victim === 'keeper') return 'the keeper of PostgreSQL'
  if (victim === 'database') return 'PostgreSQL'
  return victim === 'both' ? `${name} and PostgreSQL` : String(name)
}

/** The faults of a connection in one round; now and then none. */
const badConnection = (random: Random, rate: number): ConnectionFaults =>
  random.chance(0.25)
    ? GOOD_CONNECTION
    : {
        latencyMs: random.pick([0, 2, 10]),
        trickle: random.pick([0, 0.02, 0.2]),
        cut: random.pick([0, rate, rate * 4]),
        halfClose: random.pick([0, rate]),
      }

async function kill(shop: ChaosShop, random: Random, victim: Victim): Promise<Program | undefined> {
  if (victim === 'database' || victim === 'both') shop.killPostgres()
  const killed = programOf(shop, random, victim)
  await killed?.kill()
  return killed
}

function programOf({ keeper, shops }: ChaosShop, random: Random, victim: Victim): Program | undefined {
  switch (victim) {
    case 'shop':
    case 'both':
      return random.pick(shops.web)
    case 'worker':
      return random.pick(shops.workers)
    case 'proxy':
      return shops.proxy
    case 'keeper':
      return keeper
    case 'database':
      return undefined
  }
}

async function recover(
  shop: ChaosShop,
  victim: Victim,
  killed: { start(): Promise<void> } | undefined,
): Promise<void> {
  if (victim === 'keeper') await shop.restartKeeper()
  else {
    await shop.databaseResponds()
    await killed?.start()
  }
  await shop.databaseResponds()
}

/** Stops buyers and faults, waits until every order is final, then reconciles the ledger as once a day. */
export async function settle(
  shop: ChaosShop,
  crowd: Crowd,
): Promise<{ seconds: number; open: number; reconciled: boolean }> {
  await crowd.pause()
  shop.toDatabase.setFaults(GOOD_CONNECTION)
  shop.toProvider.setFaults(GOOD_CONNECTION)
  await shop.faults(NO_FAULTS)
  const first = deadline()
  const finish = async (until: Deadline): Promise<number> => {
    let open = await unfinished(shop.db)
    while (open > 0 && until.isAhead()) {
      await expireHolds(shop.db, 1)
      await sleep(500)
      open = await unfinished(shop.db)
    }
    return open
  }
  await finish(first)
  const seconds = first.seconds()
  await makeReconciliationDue(shop.db)
  const reconciled = await reconciliationEnds(shop)
  // What the reconciliation found may have to be refunded.
  return { seconds, open: await finish(deadline()), reconciled }
}

/** Waits for the end of the reconciliation as long as it makes progress: it checks every order there is. */
async function reconciliationEnds({ db }: ChaosShop): Promise<boolean> {
  let last = await reconciliation(db)
  let until = deadline()
  while (!last.done && until.isAhead()) {
    await sleep(250)
    const now = await reconciliation(db)
    if (now.after !== last.after) until = deadline()
    last = now
  }
  return last.done
}

interface Deadline {
  seconds: () => number
  isAhead: () => boolean
}

function deadline(): Deadline {
  const began = performance.now()
  return {
    seconds: () => Math.round((performance.now() - began) / 1000),
    isAhead: () => performance.now() - began < SETTLE_WITHIN_MS,
  }
}
