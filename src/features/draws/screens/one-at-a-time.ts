/** How long a call may take before it is given up. */
const LIMIT_MS = 15_000

/**
 * Begins no call while one is under way, and gives up one that takes too long: for hours, a server that does not respond
 * gathers none, and no late response takes the place of a newer one.
 */
export function oneAtATime() {
  let isRunning = false
  return async (signal: AbortSignal, read: (signal: AbortSignal) => Promise<void>): Promise<void> => {
    if (isRunning) return
    isRunning = true
    const own = new AbortController()
    const stop = (): void => own.abort()
    signal.addEventListener('abort', stop)
    const limit = setTimeout(stop, LIMIT_MS)
    try {
      await read(own.signal)
    } finally {
      clearTimeout(limit)
      signal.removeEventListener('abort', stop)
      isRunning = false
    }
  }
}
