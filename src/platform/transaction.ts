import { randomInt } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { type Database, dialectOf, logOf, type Trx } from './database.ts'
import { databaseTrouble, errorCode, isOutdatedPlan } from './database-errors.ts'

type CommitHook = () => void | Promise<void>

export interface TransactOptions {
  isolation?: 'read committed' | 'repeatable read' | 'serializable'
  /**
   * False for what may be undone by a crash of PostgreSQL within half a second after its COMMIT, together with everything
   * that came after it: nobody outside may count on it before a durable commit has followed (ADR 0028).
   */
  durable?: boolean
  /** How long a statement waits for a lock, instead of the connection's own time. */
  lockTimeoutMs?: number | undefined
}

const RETRIES = 3
const SERIALIZATION_FAILURE = '40001'
const DEADLOCK = '40P01'

const hooksOf = new WeakMap<Trx, CommitHook[]>()

/** The answer of a transaction's last statements, which travel together with its COMMIT. */
class WithCommit<Result> {
  readonly answer: Promise<Result>
  constructor(answer: Promise<Result>) {
    this.answer = answer
  }
}

/**
 * What the function of a transaction may return when nothing hangs on the answer to its last statements but its result:
 * they must be executed already, COMMIT follows them at once, and a round trip is saved. When one of them fails the server
 * rolls everything back. What is made of the answer must not fail: by then it stands.
 */
export function withCommit<Result>(answer: Promise<Result>): WithCommit<Result> {
  answer.catch(() => undefined)
  return new WithCommit(answer)
}

type Work<Result> = (trx: Trx) => Promise<Result | WithCommit<Result>>

/**
 * Runs `fn` in one transaction: it commits when `fn` resolves and rolls back when it rejects. A deadlock
 * or a serialization failure runs `fn` again, at most three times (reliability, row 29), so `fn` must do
 * nothing but SQL; mail and calls belong into {@link onCommit}. Statements are sent when they are executed: those that
 * do not need each other's result may be awaited together and share a round trip.
 */
export async function transact<Result>(
  db: Database,
  fn: Work<Result>,
  options: TransactOptions = {},
): Promise<Result> {
  for (let attempt = 0; ; attempt += 1) {
    const hooks: CommitHook[] = []
    try {
      const result = await attemptOnce(db, fn, options, hooks)
      await runHooks(db, hooks)
      return result
    } catch (error) {
      if (attempt >= RETRIES || !isRetryable(error)) throw error
      await pause(attempt)
    }
  }
}

const attemptOnce = <Result>(
  db: Database,
  fn: Work<Result>,
  options: TransactOptions,
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
      // Whatever kept one of the last statements from being sent has shown by the next turn of the event loop.
      if (done instanceof WithCommit) await Promise.race([done.answer, nextTurn()])
      isOver = true
      const committed = dialect.commit(connection)
      const result = done instanceof WithCommit ? done.answer : done
      const ends = await Promise.allSettled([result, committed, begun])
      // A statement that failed says more than the COMMIT that could not follow it.
      for (const end of ends) if (end.status === 'rejected') throw end.reason
      return await result
    } catch (error) {
      isOver = true
      // One that cannot be rolled back has lost its connection, and with it everything it did. After a COMMIT that never
      // came to be, the connection would serve others in the middle of a failed transaction.
      await dialect.rollback(connection).catch(() => undefined)
      await begun.catch((reason: unknown) => {
        if (databaseTrouble(reason) !== 'down') throw new NeverBegun(reason)
      })
      throw error
    }
  })

/**
 * BEGIN was refused, which only a cancel from outside brings about, and what was sent behind it ran without it: nobody
 * knows how much of it stands. It carries the code for that, so that it is told as unknown and not done once more.
 */
class NeverBegun extends Error {
  readonly code = '08007'
  constructor(cause: unknown) {
    super('a transaction was never begun', { cause })
  }
}

/**
 * Has `hook` run after the commit of `trx`, and never when it rolls back; of a repeated transaction only
 * the hooks of the last run count. Hooks run in order and are awaited; one that fails is logged, because
 * the work it follows stands.
 */
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
  [SERIALIZATION_FAILURE, DEADLOCK].includes(errorCode(error) ?? '') || isOutdatedPlan(error)

/** 10, 20, 40 ms and as much again at random, so that two losers do not meet again. */
const pause = (attempt: number): Promise<void> => {
  const base = 10 * 2 ** attempt
  return new Promise((resolve) => setTimeout(resolve, base + randomInt(base)))
}
