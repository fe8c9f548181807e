import { fileURLToPath } from 'node:url'
import Tinypool from 'tinypool'
import type { DateOrder } from '../statement.rules.ts'
import { type StatementFile, statementFault } from './statement-file.ts'
import type { StatementTask, StatementOutcome } from './statement-worker.ts'
import { OWN_FLAGS } from '#platform/own-flags.ts'

/** Of JavaScript's heap; the largest file that is allowed needs half of it. */
const MEGABYTES = 256
const LIMIT_MS = 60_000
/** A thread without work ends after this time. */
const IDLE_MS = 10_000

let pool: Tinypool | undefined

/**
 * Reads a statement in a thread with a bound on memory and time, so that no file harms the process.
 * @throws StatementFault
 */
export async function readStatementInThread(
  file: Uint8Array,
  order: DateOrder | undefined,
): Promise<StatementFile> {
  pool ??= new Tinypool({
    filename: fileURLToPath(new URL('./statement-worker.ts', import.meta.url)),
    name: 'outcomeOf',
    minThreads: 0,
    maxThreads: 1,
    idleTimeout: IDLE_MS,
    execArgv: OWN_FLAGS,
    resourceLimits: { maxOldGenerationSizeMb: MEGABYTES },
  })
  const task: StatementTask = { file, order }
  const outcome = (await pool.run(task, { signal: AbortSignal.timeout(LIMIT_MS) }).catch((error: unknown) => {
    const { name, code } = error as { name?: string; code?: string }
    if (name === 'AbortError' || code === 'ERR_WORKER_OUT_OF_MEMORY') throw statementFault('tooMuch')
    throw error
  })) as StatementOutcome
  if ('fault' in outcome) throw statementFault(outcome.fault, outcome.shown)
  return { ...outcome, hash: Buffer.from(outcome.hash) }
}
