import { setTimeout as sleep } from 'node:timers/promises'
import type { PlatformLog } from './postgres/log.ts'

const BUSY = new Set(['55P03', '57014', '53300', '40001', '40P01'])
// 55000: the database takes no connections at the moment (ALLOW_CONNECTIONS false).
const DOWN = new Set(['57P01', '57P02', '57P03', '55000', '53200', '53100', '25006'])
const UNREACHABLE = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOENT',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
])
const BROKEN =
  /Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error/

/** The SQLSTATE of a database error, or the system's code of a connection error. */
export const errorCode = (error: unknown): string | undefined => {
  const code = (error as { code?: unknown } | null | undefined)?.code
  return typeof code === 'string' ? code : undefined
}

/** Whether a prepared statement was refused because a migration has changed its tables; asked again it succeeds. */
export const isOutdatedPlan = (error: unknown): boolean =>
  errorCode(error) === '0A000' && error instanceof Error && error.message.startsWith('cached plan')

/**
 * What an error says about the database itself: `busy` (locks, timeouts, too many connections) or `down`
 * (restarting, unreachable, full, read-only). Both deserve 503 with Retry-After (reliability, rows 29 and 30), and
 * after `down` the outcome of a transaction is unknown, not failed. Nothing for ordinary errors.
 */
export function databaseTrouble(error: unknown): 'busy' | 'down' | undefined {
  const code = errorCode(error)
  if (code && BUSY.has(code)) return 'busy'
  // A name with several addresses fails with the errors of all of them in one.
  const isSystemError = error instanceof AggregateError || (error instanceof Error && 'syscall' in error)
  if (code && (DOWN.has(code) || code.startsWith('08') || (isSystemError && UNREACHABLE.has(code))))
    return 'down'
  return error instanceof Error && BROKEN.test(error.message) ? 'down' : undefined
}

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
