/** How jobs ask parties outside, such as witnesses: beside each other, each once at a time, and nobody waits for a slow one. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { DrawsDeps } from './draws-deps.ts'

export interface Patience {
  /** For one response. */
  timeoutMs?: number
  /** For all of them, before the job ends its run; those that are slower go on beside the next. */
  runMs?: number
}

const MOST_PAUSE_SECONDS = 300

/** How many seconds after the last of so many failures in a row a party is asked again. */
export const pauseAfter = (failures: number): number =>
  Math.min(MOST_PAUSE_SECONDS, 2 ** Math.min(failures, 10))

/** The questions that a process is asking. @param most how many at once */
export function questionsUnderWay(
  { isStopping }: Pick<DrawsDeps, 'isStopping'>,
  { timeoutMs = 10_000, runMs = 500 }: Patience,
  most = Infinity,
) {
  const running = new Map<string, Promise<void>>()
  return {
    /** Begins one, unless it is under way, there are enough, or the process stops. @param work never rejects */
    begin(key: string, work: (timeoutMs: number) => Promise<void>): void {
      if (running.has(key) || running.size >= most || isStopping?.()) return
      running.set(
        key,
        work(timeoutMs).finally(() => running.delete(key)),
      )
    },

    /** Ends with the last of them, or earlier, when the run has lasted long enough. */
    async ended(): Promise<void> {
      const all = Promise.all(running.values())
      await (runMs === Infinity ? all : Promise.race([all, sleep(runMs)]))
    },
  }
}
