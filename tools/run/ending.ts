import { constants } from 'node:os'

type Clean = () => unknown

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
// One Ctrl-C reaches a tool twice: from the terminal and through npm.
const SAME_KEYPRESS_MS = 700

const cleaning = new Set<Clean>()
let endedAt: number | undefined

/**
 * Names what a tool must do before it ends when a signal ends it: stop a server, remove a folder. Runs the last one named
 * first. A second signal ends the tool at once.
 * @returns takes it back, for work that has ended by itself
 */
export function atEnd(clean: Clean): () => void {
  if (cleaning.size === 0) for (const signal of SIGNALS) process.on(signal, end)
  cleaning.add(clean)
  return () => void cleaning.delete(clean)
}

function end(signal: NodeJS.Signals): void {
  const code = 128 + constants.signals[signal]
  const now = performance.now()
  if (endedAt !== undefined) {
    if (now - endedAt > SAME_KEYPRESS_MS) process.exit(code)
    return
  }
  endedAt = now
  // The work that goes on fails when its servers stop. The signal is the reason, not what it says.
  process.on('uncaughtException', () => {})
  process.stderr.write('\nStopping …\n')
  void cleanAll().finally(() => process.exit(code))
}

async function cleanAll(): Promise<void> {
  for (const clean of [...cleaning].toReversed()) {
    try {
      await clean()
    } catch (error) {
      process.stderr.write(`${(error as Error).message}\n`)
    }
  }
}

/** Aborted when a signal ends this tool. */
export function endingSignal(): AbortSignal {
  const controller = new AbortController()
  atEnd(() => controller.abort())
  return controller.signal
}

/** Whether a signal is ending this tool: what fails now needs no message. */
export const isEnding = (): boolean => endedAt !== undefined
