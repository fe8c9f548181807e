import { randomInt } from 'node:crypto'
import { type Database, logOf, type Trx } from './database.ts'
import { errorCode } from './database-errors.ts'

type CommitHook = () => void | Promise<void>

export interface TransactOptions {
  isolation?: 'read committed' | 'repeatable read' | 'serializable'
}

const RETRIES = 3
const SERIALIZATION_FAILURE = '40001'
const DEADLOCK = '40P01'

const hooksOf = new WeakMap<Trx, CommitHook[]>()

/**
 * Runs `fn` in one transaction: it commits when `fn` resolves and rolls back when it rejects. A deadlock
 * or a serialization failure runs `fn` again, at most three times (reliability, row 29), so `fn` must do
 * nothing but SQL; mail and calls belong into {@link onCommit}.
 */
export async function transact<Result>(
  db: Database,
  fn: (trx: Trx) => Promise<Result>,
  { isolation = 'read committed' }: TransactOptions = {},
): Promise<Result> {
  for (let attempt = 0; ; attempt += 1) {
    const hooks: CommitHook[] = []
    try {
      const result = await db
        .transaction()
        .setIsolationLevel(isolation)
        .execute((trx) => {
          hooksOf.set(trx, hooks)
          return fn(trx)
        })
      await runHooks(db, hooks)
      return result
    } catch (error) {
      if (attempt >= RETRIES || !isRetryable(error)) throw error
      await pause(attempt)
    }
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
  [SERIALIZATION_FAILURE, DEADLOCK].includes(errorCode(error) ?? '')

/** 10, 20, 40 ms and as much again at random, so that two losers do not meet again. */
const pause = (attempt: number): Promise<void> => {
  const base = 10 * 2 ** attempt
  return new Promise((resolve) => setTimeout(resolve, base + randomInt(base)))
}
