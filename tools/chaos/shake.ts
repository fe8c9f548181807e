import { setTimeout as sleep } from 'node:timers/promises'
import type { Crowd } from './buyers.ts'
import { comparison, letADayPass, letHoldsLapse, unfinished } from './checks.ts'
import type { Dice } from './dice.ts'
import { NO_TROUBLE, type Trouble } from './fault-proxy.ts'
import type { Program } from './processes.ts'
import type { Stand } from './stand.ts'

export type Victim = 'shop' | 'database' | 'both' | 'keeper' | 'worker' | 'proxy'
/** Who is killed in a round, in turn. `keeper` is what starts PostgreSQL: the next one adopts the server that runs. */
const TOGETHER: readonly Victim[] = ['shop', 'database', 'shop', 'both', 'shop', 'database', 'keeper']
/** The same where roles are apart. */
const APART: readonly Victim[] = ['shop', 'worker', 'database', 'shop', 'both', 'worker', 'proxy', 'keeper']

export function victimOf(round: number, { shops }: Pick<Stand, 'shops'>): Victim {
  const victims = shops.proxy ? APART : TOGETHER
  return victims[(round - 1) % victims.length]!
}

/** A fifth of everything goes wrong at the provider. */
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
/** The provider is well again. */
const WELL = { dropReplyAfterCommit: 0, delayMs: 0, http5xx: 0, missingWebhooks: 0, pending: 0, declined: 0 }

/** A round waits for so many answers before somebody is killed, but not for ever. */
const LONGEST_MS = 6_000
/** Everything must be final this long after the buyers rest, and a comparison go on, on a machine that does other things too. */
const REST_MS = 150_000

/** One round: buyers buy over bad lines, somebody is killed in the middle of it, and all stand up again. */
export async function shake(stand: Stand, crowd: Crowd, dice: Dice, victim: Victim): Promise<string> {
  stand.toDatabase.trouble(badLine(dice, 0.0005))
  stand.toProvider.trouble(badLine(dice, 0.01))
  crowd.goOn()
  await crowd.answered(dice.between(40, 200), LONGEST_MS)
  const lapsed = dice.hits(0.3)
  if (lapsed) await letHoldsLapse(stand.db, 0.5)
  const cut = dice.hits(0.3) ? stand.toDatabase.cutOpen(0.5) + stand.toProvider.cutOpen(0.5) : 0
  await crowd.answered(dice.between(0, 60), LONGEST_MS)
  await sleep(dice.between(0, 100))
  const killed = await kill(stand, dice, victim)
  const began = performance.now()
  await sleep(dice.between(0, 300))
  await standUp(stand, victim, killed)
  const up = ((performance.now() - began) / 1000).toFixed(1)
  await sleep(dice.between(200, 800))
  const notes = [`killed ${dead(victim, killed?.name)}`, `up after ${up} s`]
  if (cut > 0) notes.push(`${cut} lines cut`)
  if (lapsed) notes.push('holds lapsed')
  return notes.join(', ')
}

function dead(victim: Victim, name: string | undefined): string {
  if (victim === 'keeper') return 'the keeper of PostgreSQL'
  if (victim === 'database') return 'PostgreSQL'
  return victim === 'both' ? `${name} and PostgreSQL` : String(name)
}

/** A line of the day: now and then a good one. */
const badLine = (dice: Dice, rate: number): Trouble =>
  dice.hits(0.25)
    ? NO_TROUBLE
    : {
        latencyMs: dice.pick([0, 2, 10]),
        trickle: dice.pick([0, 0.02, 0.2]),
        cut: dice.pick([0, rate, rate * 4]),
        halfClose: dice.pick([0, rate]),
      }

async function kill(stand: Stand, dice: Dice, victim: Victim): Promise<Program | undefined> {
  if (victim === 'database' || victim === 'both') stand.killPostgres()
  const killed = programOf(stand, dice, victim)
  await killed?.kill()
  return killed
}

function programOf({ keeper, shops }: Stand, dice: Dice, victim: Victim): Program | undefined {
  switch (victim) {
    case 'shop':
    case 'both':
      return dice.pick(shops.web)
    case 'worker':
      return dice.pick(shops.workers)
    case 'proxy':
      return shops.proxy
    case 'keeper':
      return keeper
    case 'database':
      return undefined
  }
}

async function standUp(
  stand: Stand,
  victim: Victim,
  killed: { start(): Promise<void> } | undefined,
): Promise<void> {
  if (victim === 'keeper') await stand.restartKeeper()
  else {
    await stand.databaseAnswers()
    await killed?.start()
  }
  await stand.databaseAnswers()
}

/**
 * Sends the buyers home, mends the lines and waits until every order is final; then both books are compared, as they
 * are once a day.
 * @returns seconds until all was final, how much was not when patience ended, and whether the comparison came to its end
 */
export async function comeToRest(
  stand: Stand,
  crowd: Crowd,
): Promise<{ seconds: number; open: number; compared: boolean }> {
  await crowd.rest()
  stand.toDatabase.trouble(NO_TROUBLE)
  stand.toProvider.trouble(NO_TROUBLE)
  await stand.faults(WELL)
  const rested = patience()
  const finish = async (until: Patience): Promise<number> => {
    let open = await unfinished(stand.db)
    while (open > 0 && until.lasts()) {
      await letHoldsLapse(stand.db, 1)
      await sleep(500)
      open = await unfinished(stand.db)
    }
    return open
  }
  await finish(rested)
  const seconds = rested.seconds()
  await letADayPass(stand.db)
  const compared = await comparisonEnds(stand)
  // What the comparison found may have to go back.
  return { seconds, open: await finish(patience()), compared }
}

/** Waits for the end of the comparison as long as it goes on: it looks at every order there is, and they become many. */
async function comparisonEnds({ db }: Stand): Promise<boolean> {
  let last = await comparison(db)
  let until = patience()
  while (!last.done && until.lasts()) {
    await sleep(250)
    const now = await comparison(db)
    if (now.after !== last.after) until = patience()
    last = now
  }
  return last.done
}

interface Patience {
  seconds: () => number
  lasts: () => boolean
}

function patience(): Patience {
  const began = performance.now()
  return {
    seconds: () => Math.round((performance.now() - began) / 1000),
    lasts: () => performance.now() - began < REST_MS,
  }
}
