import { Refusal } from '#shared/refusal.ts'

export interface HashQueueOptions {
  /** Hashes computed at the same time. */
  concurrent: number
  /** Callers that may wait; the next one is refused. */
  waiting: number
}

/** Runs expensive work a few at a time. */
export type HashQueue = <Result>(work: () => Promise<Result>) => Promise<Result>

/** When a refused caller should try again: a full queue is empty by then. */
const RETRY_SECONDS = 2

/**
 * Caps how much of the machine password hashing may take, so that a login storm cannot slow the shop
 * (reliability, "Login"). Beyond the queue it refuses with 429.
 */
export function hashQueue({ concurrent, waiting }: HashQueueOptions): HashQueue {
  const queue: (() => void)[] = []
  let running = 0
  return async (work) => {
    if (running < concurrent) {
      running += 1
    } else {
      if (queue.length >= waiting) {
        throw new Refusal('auth.busy', 429, 'errors.auth.busy', { retryAfter: RETRY_SECONDS })
      }
      // The caller before hands its place over, so that nobody slips in between.
      await new Promise<void>((resolve) => queue.push(resolve))
    }
    try {
      return await work()
    } finally {
      const next = queue.shift()
      if (next) next()
      else running -= 1
    }
  }
}
