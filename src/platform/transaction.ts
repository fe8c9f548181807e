import { randomInt } from 'node:crypto'
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import { nowMs } from '#shared/clock.ts'
import { type Database, type Trx, dialectOf, locksOf, logOf } from './database.ts'
import {
  databaseTrouble,
  errorCode,
  isLockTimeout,
  isLostStatement,
  isOutdatedPlan,
} from './database-errors.ts'

type CommitHook = () => void | Promise<void>

export interface TransactOptions {
  isolation?: 'read committed' | 'repeatable read' | 'serializable'
  /** False: a crash of PostgreSQL within half a second may undo it, until a durable commit follows (ADR 0028). */
  durable?: boolean
  /** For how long it is repeated while a row is locked; as the database says when left out. */
  patienceMs?: number | undefined
}

const RETRIES = 3
/** Of repeated attempts: many callers who wait for one row leave connections for others. */
const LATER_WAIT_MS = 10
const LOCK_PAUSE_MS = 50
const SERIALIZATION_FAILURE = '40001'
const DEADLOCK = '40P01'

const hooksOf = new WeakMap<Trx, CommitHook[]>()

class WithCommit<Result> {
  readonly response: Promise<Result>
  constructor(response: Promise<Result>) {
    this.response = response
  }
}

/**
 * Returned by a transaction's function to send COMMIT with its last statements, which saves a round trip. They must be
 * executed already; when one fails, the server rolls back. Later steps on the response must not fail.
 */
export function withCommit<Result>(response: Promise<Result>): WithCommit<Result> {
  response.catch(() => undefined)
  return new WithCommit(response)
}

type Work<Result> = (trx: Trx) => Promise<Result | WithCommit<Result>>

/**
 * Runs `fn` in a transaction, after a conflict up to three times again, and while a row is locked for as long as its
 * patience lasts (failure mode 29): it must only run SQL.
 */
export async function transact<Result>(
  db: Database,
  fn: Work<Result>,
  options: TransactOptions = {},
): Promise<Result> {
  const { waitMs, patienceMs: patience } = locksOf(db)
  const { patienceMs = patience } = options
  const begun = nowMs()
  let lockTimeoutMs = waitMs
  for (let conflicts = 0; ;) {
    const hooks: CommitHook[] = []
    try {
      const result = await attemptOnce(db, fn, { ...options, lockTimeoutMs }, hooks)
      await runHooks(db, hooks)
      return result
    } catch (error) {
      if (isLockTimeout(error)) {
        if (nowMs() - begun >= patienceMs) throw error
        lockTimeoutMs = Math.min(waitMs, LATER_WAIT_MS)
        await sleep(LOCK_PAUSE_MS)
        continue
      }
      if (conflicts >= RETRIES || !isRetryable(error)) throw error
      await pause(conflicts)
      conflicts += 1
    }
  }
}

const attemptOnce = <Result>(
  db: Database,
  fn: Work<Result>,
  options: TransactOptions & { lockTimeoutMs: number },
  hooks: CommitHook[],
): Promise<Result> =>
  db.getExecutor().provideConnection(async (connection) => {
    const dialect = dialectOf(db)
    let isOver = false
    const trx: Trx = dialect.transactionOn(db, connection, () => isOver)
    hooksOf.set(trx, hooks)
    const begun = dialect.begin(connection, options)
    try {
      const done = await fn(trx)
      // A statement that cannot be sent fails by the next turn of the event loop.
      if (done instanceof WithCommit) await Promise.race([done.response, nextTurn()])
      isOver = true
      const committed = dialect.commit(connection)
      const result = done instanceof WithCommit ? done.response : done
      const ends = await Promise.allSettled([result, committed, begun])
      // A failed statement explains more than its failed COMMIT.
      for (const end of ends) if (end.status === 'rejected') throw end.reason
      return await result
    } catch (error) {
      isOver = true
      // A failed rollback means a lost connection. After a cancelled COMMIT, others would get a failed transaction.
      await dialect.rollback(connection).catch(() => undefined)
      await begun.catch((reason: unknown) => {
        if (databaseTrouble(reason) !== 'down') throw new NeverBegun(reason)
      })
      throw error
    }
  })

/** BEGIN was cancelled and the next statements ran alone. The code means: outcome unknown, no retry. */
class NeverBegun extends Error {
  readonly code = '08007'
  constructor(cause: unknown) {
    super('a transaction was never begun', { cause })
  }
}

/** Runs `hook` after the commit, never after a rollback. Hooks run in order; failures are logged. */
export function onCommit(trx: Trx, hook: CommitHook): void {
  const hooks = hooksOf.get(trx)
  if (!hooks) throw new Error('onCommit needs a transaction made by transact()')
  hooks.push(hook)
}

async function runHooks(db: Database, hooks: CommitHook[]): Promise<void> {
  for (const hook of hooks) {
    try {
      await hook()
    } catch (error) {
      logOf(db).error({ err: error }, 'a step after a commit failed')
    }
  }
}

const isRetryable = (error: unknown): boolean =>
  [SERIALIZATION_FAILURE, DEADLOCK].includes(errorCode(error) ?? '') ||
  isOutdatedPlan(error) ||
  isLostStatement(error)

/** 10, 20, 40 ms with jitter. */
const pause = (attempt: number): Promise<void> => {
  const base = 10 * 2 ** attempt
  return sleep(base + randomInt(base))
}
