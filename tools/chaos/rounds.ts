import { shopInvariants } from '#server/maintenance.ts'
import { startCrowd } from './buyers.ts'
import { breachesAtRest, breachesNow, ordersByState } from './checks.ts'
import { diceOf } from './dice.ts'
import { type Ledger, newLedger } from './ledger.ts'
import { restartInTurn } from './rolling.ts'
import { FAULTS, comeToRest, shake, victimOf } from './shake.ts'
import { type StandOptions, buildStand } from './stand.ts'

export interface ChaosOptions extends StandOptions {
  rounds: number
  seed: number
  buyers: number
  /** Rolling restarts before the first round. */
  restarts: number
  /** Called with one line for each round and each rest. */
  say: (line: string) => void
}

export interface ChaosOutcome {
  /** What was broken, as lines; none when everything held. */
  breaches: string[]
  rounds: number
  /** Orders by state at the end. */
  orders: Record<string, number>
  ledger: Ledger
  /** Longest time, in seconds, until all was final once the buyers had gone home. */
  slowestRest: number
  /** Where the database and the logs lie when something broke. */
  folder: string
}

/** Rounds between two rests, at which both books are compared. */
const REST_EVERY = 10

/** Lets buyers buy while things break, round after round, until a promise is broken or the rounds are over. */
export async function runChaos({
  rounds,
  seed,
  buyers,
  restarts,
  say,
  ...about
}: ChaosOptions): Promise<ChaosOutcome> {
  const dice = diceOf(seed)
  const stand = await buildStand(about, dice)
  const ledger = newLedger()
  const breaches: string[] = []
  const outcome: ChaosOutcome = {
    breaches,
    rounds: 0,
    orders: {},
    ledger,
    slowestRest: 0,
    folder: stand.folder,
  }
  const contests = { hot: await stand.newOffer(30), wide: await stand.newOffer(1_000_000) }
  const customers = await stand.customers(buyers)
  let calm = true
  const market = () => ({ contests: [contests.hot, contests.hot, contests.wide], calm })
  const crowd = startCrowd(stand, customers, market, ledger, dice.fork('buyers'))
  const invariants = await shopInvariants()
  let isKept = false
  try {
    breaches.push(...(await restartInTurn(stand, crowd, ledger, restarts, say)), ...stand.deaths())
    calm = false
    await stand.faults({ ...FAULTS, seed })
    for (let round = 1; round <= rounds && breaches.length === 0; round += 1) {
      contests.hot = await stand.newOffer(dice.between(5, 60))
      const told = await shake(stand, crowd, dice, victimOf(round, stand))
      outcome.rounds = round
      breaches.push(...(await breachesNow(stand.db, invariants)), ...ledger.wrong, ...stand.deaths())
      outcome.orders = await ordersByState(stand.db)
      say(`round ${round}/${rounds}: ${told}; orders ${listed(outcome.orders)}`)
      if (breaches.length > 0 || (round % REST_EVERY !== 0 && round !== rounds)) continue
      const rest = await comeToRest(stand, crowd)
      outcome.slowestRest = Math.max(outcome.slowestRest, rest.seconds)
      if (rest.open > 0) breaches.push(`${rest.open} orders or notifications did not come to an end`)
      // Books that were not compared would differ for that reason alone.
      if (!rest.compared) breaches.push('the comparison of both books did not come to an end')
      breaches.push(
        ...(await breachesAtRest(stand.db, invariants, stand.emulatorUrl, ledger)),
        ...ledger.wrong,
      )
      outcome.orders = await ordersByState(stand.db)
      say(`at rest after ${rest.seconds} s: orders ${listed(outcome.orders)}`)
      await stand.faults(FAULTS)
    }
  } catch (error) {
    // What came in between is a riddle without its logs.
    say(`ended by itself; the database and the logs are in ${stand.folder}`)
    isKept = true
    throw error
  } finally {
    await crowd.close()
    await stand.close(isKept || breaches.length > 0)
  }
  return outcome
}

/** `completed 12, expired 3` */
export const listed = (counts: Record<string, number>): string =>
  Object.entries(counts)
    .map(([name, count]) => `${name} ${count}`)
    .join(', ')
