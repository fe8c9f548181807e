import type { Crowd } from './buyers.ts'
import type { Ledger } from './ledger.ts'
import type { Stand } from './stand.ts'

/** Calls between two stops, and how long they are waited for at most. */
const CALLS = 150
const LONGEST_MS = 15_000

/**
 * Stops every process in turn with SIGTERM and starts it again, while buyers buy from a shop in which nothing else goes
 * wrong.
 * @returns what failed: lines of calls that were answered with 5xx, or not at all
 */
export async function restartInTurn(
  stand: Stand,
  crowd: Crowd,
  ledger: Ledger,
  times: number,
  say: (line: string) => void,
): Promise<string[]> {
  const { web, workers } = stand.shops
  crowd.goOn()
  for (let time = 1; time <= times; time += 1) {
    const before = ledger.answered
    for (const one of [...web, ...workers]) {
      await crowd.answered(CALLS, LONGEST_MS)
      await one.stop()
      // Everything goes to the other one for a while.
      await crowd.answered(CALLS, LONGEST_MS)
      await one.start()
    }
    await crowd.answered(CALLS, LONGEST_MS)
    const calls = ledger.answered - before
    say([`rolling restart ${time}/${times}: ${calls} calls answered`, ...failed(ledger)].join('; '))
  }
  await crowd.rest()
  return failed(ledger)
}

const failed = ({ answers }: Ledger): string[] =>
  [...answers]
    .filter(([name]) => /(^| )(0|5\d\d)$/.test(name))
    .map(([name, count]) => `failed during a rolling restart: ${name}, ${count} times`)
