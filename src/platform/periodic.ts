import type { FastifyBaseLogger } from 'fastify'

/** A piece of background work. */
export interface PeriodicTask {
  name: string
  everyMs: number
  /** Pause before the first run; none when left out. */
  afterMs?: number
  run: () => Promise<void>
}

/**
 * Runs tasks again and again, each first at once, or after its first pause, and then after its pause; a task never overlaps itself, and one that
 * fails is logged and tried again.
 * @param ended told of each run
 * @returns function that stops the tasks and waits for those under way
 */
export function startPeriodic(
  tasks: readonly PeriodicTask[],
  log: FastifyBaseLogger,
  ended: (task: string, outcome: 'done' | 'failed') => void = () => {},
): () => Promise<void> {
  let stopped = false
  const wake = new Set<() => void>()

  const pause = (ms: number): Promise<void> =>
    new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer)
        wake.delete(done)
        resolve()
      }
      const timer = setTimeout(done, ms)
      wake.add(done)
    })

  const loops = tasks.map(async (task) => {
    if (task.afterMs) await pause(task.afterMs)
    while (!stopped) {
      try {
        await task.run()
        ended(task.name, 'done')
      } catch (error) {
        ended(task.name, 'failed')
        log.error({ err: error, task: task.name }, 'background work failed, will be tried again')
      }
      if (!stopped) await pause(task.everyMs)
    }
  })

  return async () => {
    stopped = true
    for (const done of wake) done()
    await Promise.all(loops)
  }
}
