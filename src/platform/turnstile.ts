import type { Database } from './database.ts'

/** Lets one batch after the other through, first come, first served. */
export interface Turnstile {
  /** Waits for its turn, runs `work` and lets the next one through. */
  pass(work: () => Promise<void>): Promise<void>
}

/**
 * How long the next one waits at most: a batch that waits itself, for a lock of another process or a slow disk, must not
 * hold up what has nothing to do with it.
 */
const LONGEST_MS = 25

/** A turnstile; `longestMs` is for tests. */
export function turnstile(longestMs = LONGEST_MS): Turnstile {
  const queue: (() => void)[] = []
  let isTaken = false

  /** The turn goes to the next one, with nobody in between. */
  function leave(): void {
    const next = queue.shift()
    if (next) next()
    else isTaken = false
  }

  return {
    async pass(work) {
      if (isTaken) await new Promise<void>((resolve) => queue.push(resolve))
      isTaken = true
      let isOurs = true
      const go = (): void => {
        if (isOurs) leave()
        isOurs = false
      }
      const timer = setTimeout(go, longestMs)
      try {
        await work()
      } finally {
        clearTimeout(timer)
        go()
      }
    },
  }
}

const turnstiles = new WeakMap<Database, Turnstile>()

/** The turnstile of all lanes of this process that write to a database. */
export function turnsOf(db: Database): Turnstile {
  const known = turnstiles.get(db)
  if (known) return known
  const made = turnstile()
  turnstiles.set(db, made)
  return made
}
