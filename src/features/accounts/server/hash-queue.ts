import { Refusal } from '#shared/refusal.ts'

export interface HashQueueOptions {
  /** Hashes computed at the same time. */
  concurrent: number
  /** Callers that may wait; the next one is refused. */
  waiting: number
}

/**
 * Runs expensive work a few at a time.
 * @param network where the caller comes from, in whatever words; the networks take turns
 */
export type HashQueue = <Result>(network: string, work: () => Promise<Result>) => Promise<Result>

/** When a refused caller should try again: a full queue is empty by then. */
const RETRY_SECONDS = 2

interface Waiter {
  begin: () => void
  refuse: (refusal: Refusal) => void
}

/**
 * Caps how much of the machine password hashing may take, so that a login storm cannot slow the shop
 * (reliability, "Login"). Beyond the queue it refuses with 429.
 *
 * Nobody keeps the others out by asking more often: the networks are served in turn, and one that finds the queue full
 * takes the last place of the one with the longest line. A count of places for each network would give less: a few
 * networks could fill the queue all the same, and an office whose people all log in at nine would wait beside empty
 * places.
 */
export function hashQueue({ concurrent, waiting }: HashQueueOptions): HashQueue {
  /** Who waits, by network; the network whose turn it is stands first. None of the lines is empty. */
  const lines = new Map<string, Waiter[]>()
  let queued = 0
  let running = 0

  function join(network: string): Promise<void> {
    if (queued >= waiting) makeRoom(network)
    queued += 1
    return new Promise((begin, refuse) => {
      const line = lines.get(network)
      if (line) line.push({ begin, refuse })
      else lines.set(network, [{ begin, refuse }])
    })
  }

  /** @throws Refusal 429 when no line is longer than the newcomer's becomes: theirs is the last place then */
  function makeRoom(network: string): void {
    const longest = [...lines.values()].reduce((one, other) => (other.length > one.length ? other : one), [])
    if (longest.length <= (lines.get(network)?.length ?? 0) + 1) throw busy()
    longest.pop()?.refuse(busy())
    queued -= 1
  }

  /** Whose turn it is, out of the queue. */
  function next(): Waiter | undefined {
    for (const [network, line] of lines) {
      lines.delete(network)
      const waiter = line.shift()
      if (line.length > 0) lines.set(network, line)
      queued -= 1
      return waiter
    }
    return undefined
  }

  return async (network, work) => {
    // The caller before hands its place over, so that nobody slips in between.
    if (running >= concurrent) await join(network)
    else running += 1
    try {
      return await work()
    } finally {
      const waiter = next()
      if (waiter) waiter.begin()
      else running -= 1
    }
  }
}

const busy = (): Refusal => new Refusal('auth.busy', 429, 'errors.auth.busy', { retryAfter: RETRY_SECONDS })
