import type { Config } from '#server/config.ts'
import { startFault } from '#server/start-faults.ts'
import { watchLaunchers } from './instance.ts'
import { PlainError, say } from './say.ts'
import type { Stack } from './stack.ts'

// One Ctrl-C reaches us twice: from the terminal and through npm.
const SAME_KEYPRESS_MS = 700

/** Runs `work` until it ends or a signal stops it, then stops everything in order. @returns the exit code */
export async function supervise(stack: Stack, work: () => Promise<number>): Promise<number> {
  // A closed terminal must not end us before the children are stopped.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})
  const stopWanted = catchSignals(stack)
  let code = 0
  try {
    code = await Promise.race([work(), stopWanted])
  } catch (error) {
    code = explain(error, stack.options.config)
  }
  await stack.stop()
  return code
}

function catchSignals(stack: Stack): Promise<number> {
  return new Promise((resolve) => {
    let first: number | undefined
    const stop = (forcible: boolean) => {
      const now = performance.now()
      if (first === undefined) {
        first = now
        say('\nStopping …')
        resolve(0)
      } else if (forcible && now - first > SAME_KEYPRESS_MS) {
        say('\nEnding everything at once.')
        void stack.force().finally(() => process.exit(130))
      }
    }
    process.on('SIGINT', () => stop(true))
    process.on('SIGTERM', () => stop(true))
    process.on('SIGHUP', () => stop(false))
    watchLaunchers(() => stop(false))
  })
}

/** Prints why a start failed, for a person; gives the exit code. `config` is missing while it is unknown. */
export function explain(error: unknown, config?: Config): number {
  const plain =
    error instanceof PlainError || (error instanceof Error && error.name === 'EmbeddedPostgresError')
  const stack = error instanceof Error ? (error.stack ?? error.message) : String(error)
  const text = plain ? error.message : ((config && startFault(error, config)) ?? stack)
  process.stderr.write(`\n${text}\n`)
  return error instanceof PlainError ? error.exitCode || 1 : 1
}
