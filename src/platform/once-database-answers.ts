import { setTimeout as sleep } from 'node:timers/promises'
import { databaseTrouble } from './database-errors.ts'
import type { PlatformLog } from './postgres/log.ts'

const TRIES = 120
const PAUSE_MS = 500

/**
 * Does what a start needs the database for, again and again for about a minute while it cannot be reached or a
 * connection breaks: a shop that starts before its database waits for it. `work` may be done any number of times.
 * @throws what `work` throws for another reason, and the last trouble when the minute is over
 */
export async function onceDatabaseAnswers<Result>(
  log: PlatformLog,
  work: () => Promise<Result>,
): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work()
    } catch (error) {
      if (databaseTrouble(error) === undefined || attempt === TRIES) throw error
      if (attempt === 1) log.warn({ reason: (error as Error).message }, 'waiting for the database')
      await sleep(PAUSE_MS)
    }
  }
}
