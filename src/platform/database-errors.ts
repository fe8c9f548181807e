import { setTimeout as sleep } from 'node:timers/promises'
import type { PlatformLog } from './postgres/log.ts'

const BUSY = new Set(['55P03', '57014', '53300', '40001', '40P01'])
// 55000: the database takes no connections at the moment (ALLOW_CONNECTIONS false).
const DOWN = new Set(['57P01', '57P02', '57P03', '55000', '53200', '53100', '25006'])
const UNREACHABLE = new Set('ECONNREFUSED ECONNRESET ENOENT EPIPE ETIMEDOUT ENOTFOUND EAI_AGAIN'.split(' '))
const BROKEN =
  /Connection terminated|Query read timeout|timeout exceeded when trying to connect|Client has encountered a connection error/

/** The SQLSTATE of a database error, or the system's code of a connection error. */
export const errorCode = (error: unknown): string | undefined => {
  const code = (error as { code?: unknown } | null | undefined)?.code
  return typeof code === 'string' ? code : undefined
}

/** Whether a statement waited too long for a locked row. */
export const isLockTimeout = (error: unknown): boolean => errorCode(error) === '55P03'

/** Whether the statement was refused only because one before it in its transaction has failed. */
export const isRefusedAfterFailure = (error: unknown): boolean => errorCode(error) === '25P02'

/** Whether a migration has outdated a prepared statement; repeated, it succeeds. */
export const isOutdatedPlan = (error: unknown): boolean =>
  errorCode(error) === '0A000' && error instanceof Error && error.message.startsWith('cached plan')

const LOST_STATEMENT = new Set(['26000', '42P05'])

/** Whether a named statement met another session than the one that prepared it, which a pooler does; it was not run. */
export const isLostStatement = (error: unknown): boolean => LOST_STATEMENT.has(errorCode(error) ?? '')

/** `busy`: locks, timeouts, connections. `down`: unreachable, full, read-only; outcome open (failure modes 29, 30). */
export function databaseTrouble(error: unknown): 'busy' | 'down' | undefined {
  const code = errorCode(error)
  if (code && BUSY.has(code)) return 'busy'
  // A name with several addresses fails with an AggregateError.
  const isSystemError =
    error instanceof AggregateError ||
    (error instanceof Error && 'syscall' in error && error.syscall !== 'open')
  if (code && (DOWN.has(code) || code.startsWith('08') || (isSystemError && UNREACHABLE.has(code))))
    return 'down'
  return error instanceof Error && BROKEN.test(error.message) ? 'down' : undefined
}

const TRIES = 120
const PAUSE_MS = 500

/** Repeats `work` for a minute while the database is unreachable: a shop may start before its database. */
export async function onceDatabaseResponds<Result>(
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
