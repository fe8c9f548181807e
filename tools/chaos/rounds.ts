import { shopInvariants } from '#server/maintenance.ts'
import { isEnding } from '../run/ending.ts'
import { seededRandom } from '../../db/story/random.ts'
import { type Crowd, type Observations, newObservations, startCrowd } from './buyers.ts'
import { breachesAtRest, breachesNow, ordersByState } from './checks.ts'
import { FAULTS, disrupt, settle, victimOf } from './disruptions.ts'
import { type ChaosShop, type ChaosShopOptions, startChaosShop } from './setup.ts'

export interface ChaosOptions extends ChaosShopOptions {
  rounds: number
  seed: number
  buyers: number
  restarts: number
  /** Called with one line for each round and each pause. */
  log: (line: string) => void
}

export interface ChaosOutcome {
  /** What was broken, one line each; none when everything held. */
  breaches: string[]
  rounds: number
  orders: Record<string, number>
  observed: Observations
  /** Longest time, in seconds, until every order was final once the buyers had stopped. */
  slowestSettling: number
  /** Where the database and the logs lie when something broke. */
  folder: string
}

/** Rounds between two pauses, in which the ledger is reconciled. */
const PAUSE_EVERY = 10

/** Lets buyers buy while things break, round after round, until an invariant is broken or the rounds are over. */
export async function runChaos({
  rounds,
  seed,
  buyers,
  restarts,
  log,
  ...about
}: ChaosOptions): Promise<ChaosOutcome> {
  const random = seededRandom(seed)
  const shop = await startChaosShop(about, random)
  const observed = newObservations()
  const breaches: string[] = []
  const outcome: ChaosOutcome = {
    breaches,
    rounds: 0,
    orders: {},
    observed,
    slowestSettling: 0,
    folder: shop.folder,
  }
  const contests = { hot: await shop.newOffer(30), wide: await shop.newOffer(1_000_000) }
  const customers = await shop.customers(buyers)
  let calm = true
  const market = () => ({ contests: [contests.hot.id, contests.hot.id, contests.wide.id], calm })
  const crowd = startCrowd(shop, customers, market, observed, random.fork('buyers'))
  const invariants = await shopInvariants()
  let isKept = false
  try {
    breaches.push(...(await restartInTurn(shop, crowd, observed, restarts, log)), ...shop.unexpectedExits())
    calm = false
    await shop.faults({ ...FAULTS, seed })
    for (let round = 1; round <= rounds && breaches.length === 0; round += 1) {
      contests.hot = await shop.newOffer(random.between(5, 60))
      const summary = await disrupt(shop, crowd, random, victimOf(round, shop))
      outcome.rounds = round
      breaches.push(...(await breachesNow(shop.db, invariants)), ...observed.wrong, ...shop.unexpectedExits())
      outcome.orders = await ordersByState(shop.db)
      log(`round ${round}/${rounds}: ${summary}; orders ${listed(outcome.orders)}`)
      if (breaches.length > 0 || (round % PAUSE_EVERY !== 0 && round !== rounds)) continue
      const end = await settle(shop, crowd)
      outcome.slowestSettling = Math.max(outcome.slowestSettling, end.seconds)
      if (end.open > 0) breaches.push(`${end.open} orders or notifications did not end`)
      // Ledgers that were not reconciled would differ for that reason alone.
      if (!end.reconciled) breaches.push('the reconciliation of the ledger did not end')
      breaches.push(
        ...(await breachesAtRest(shop.db, invariants, shop.emulatorUrl, observed)),
        ...observed.wrong,
      )
      outcome.orders = await ordersByState(shop.db)
      log(`settled after ${end.seconds} s: orders ${listed(outcome.orders)}`)
      await shop.faults(FAULTS)
    }
  } catch (error) {
    // Without the logs nobody could say why.
    if (!isEnding()) {
      log(`failed; the database and the logs are in ${shop.folder}`)
      isKept = true
    }
    throw error
  } finally {
    await crowd.close()
    await shop.close(isKept || breaches.length > 0)
  }
  return outcome
}

/** `completed 12, expired 3` */
export const listed = (counts: Record<string, number>): string =>
  Object.entries(counts)
    .map(([name, count]) => `${name} ${count}`)
    .join(', ')

/** Calls between two stops, and how long they are waited for at most. */
const CALLS_BETWEEN = 150
const WAIT_AT_MOST_MS = 15_000

/** Restarts every process in turn with SIGTERM while buyers buy. @returns a line for each failed call */
async function restartInTurn(
  shop: ChaosShop,
  crowd: Crowd,
  observed: Observations,
  times: number,
  log: (line: string) => void,
): Promise<string[]> {
  const { web, workers } = shop.shops
  crowd.resume()
  for (let time = 1; time <= times; time += 1) {
    const before = observed.responded
    for (const one of [...web, ...workers]) {
      await crowd.responded(CALLS_BETWEEN, WAIT_AT_MOST_MS)
      await one.stop()
      // The others serve everything for a while.
      await crowd.responded(CALLS_BETWEEN, WAIT_AT_MOST_MS)
      await one.start()
    }
    await crowd.responded(CALLS_BETWEEN, WAIT_AT_MOST_MS)
    const calls = observed.responded - before
    log([`rolling restart ${time}/${times}: ${calls} calls answered`, ...failed(observed)].join('; '))
  }
  await crowd.pause()
  return failed(observed)
}

const failed = ({ responses }: Observations): string[] =>
  [...responses]
    .filter(([name]) => /(^| )(0|5\d\d)$/.test(name))
    .map(([name, count]) => `failed during a rolling restart: ${name}, ${count} times`)
