import type { Server, ServerResponse } from 'node:http'

interface Patience {
  /** For whoever reads nothing at all. */
  milliseconds: number
  /** Below this a reader counts as one who reads nothing. */
  bytesPerSecond: number
}

/** The slowest mobile line is faster. */
const PATIENCE: Patience = { milliseconds: 60_000, bytesPerSecond: 4_096 }

interface Reading {
  /** What the system had taken over, and what still waited, when that changed last. */
  taken: number
  waits: number
  since: number
}

/** Closes connections whose other side does not read its response, so that responses do not pile up in memory. */
export function closeUnread(server: Server, patience: Patience = PATIENCE): void {
  const responses = new Map<ServerResponse, Reading>()
  server.on('request', (_request, response: ServerResponse) => {
    responses.set(response, { taken: 0, waits: 0, since: performance.now() })
    response.once('close', () => responses.delete(response))
  })

  function look(): void {
    const now = performance.now()
    for (const [{ socket }, reading] of responses) {
      if (!socket) continue
      const waits = socket.writableLength
      const taken = socket.bytesWritten - waits
      if (waits === 0 || reading.waits === 0 || taken !== reading.taken)
        Object.assign(reading, { taken, waits, since: now })
      const most = patience.milliseconds + (reading.waits / patience.bytesPerSecond) * 1_000
      if (now - reading.since > most) socket.destroy()
    }
  }
  const timer = setInterval(look, patience.milliseconds / 10).unref()
  server.once('close', () => clearInterval(timer))
}
