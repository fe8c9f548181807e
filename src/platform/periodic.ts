import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyBaseLogger } from 'fastify'

export interface PeriodicTask {
  name: string
  everyMs: number
  afterMs?: number
  run: () => Promise<unknown>
}

/** Repeats tasks without overlap; logs failures. @returns function that stops them and waits for running ones */
export function startPeriodic(
  tasks: readonly PeriodicTask[],
  log: FastifyBaseLogger,
  ended: (task: string, outcome: 'done' | 'failed') => void = () => {},
): () => Promise<void> {
  const stopping = new AbortController()
  const pause = (ms: number): Promise<unknown> =>
    sleep(ms, undefined, { signal: stopping.signal }).catch(() => undefined)

  const loops = tasks.map(async (task) => {
    if (task.afterMs) await pause(task.afterMs)
    while (!stopping.signal.aborted) {
      try {
        await task.run()
        ended(task.name, 'done')
      } catch (error) {
        ended(task.name, 'failed')
        log.error({ err: error, task: task.name }, 'background work failed, will be tried again')
      }
      await pause(task.everyMs)
    }
  })

  return async () => {
    stopping.abort()
    await Promise.all(loops)
  }
}
