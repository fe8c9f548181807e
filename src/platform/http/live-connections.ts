import type { FastifyReply, FastifyRequest } from 'fastify'
import { networksOf } from '#platform/limits/network-address.ts'
import { Refusal } from '#shared/refusal.ts'

/** Live connections to a process. */
interface LiveBounds {
  /** A further one ends the oldest. */
  account: number
  /** A further one is refused: it must not end those of other people. */
  network: number
}

/** An office or a mobile carrier has hundreds of people behind one address. */
const BOUNDS: LiveBounds = { account: 10, network: 1_000 }

/** The browser then connects again, which asks whether the session is still open. */
const STREAM_MS = 60_000
/** A comment, so that no proxy closes a quiet connection. */
const BEAT_MS = 20_000

export interface LiveConnection {
  send(data: unknown): void
  end(): void
}

interface Watching {
  /** Without one only the network is counted. */
  account?: number
  onEnd: () => void
}

/** The streams of events (text/event-stream) of a process: nothing else keeps a connection open to tell what happens. */
export function liveConnections({ account: ofAccount, network: ofNetwork }: LiveBounds = BOUNDS) {
  const open = new Map<LiveConnection, number | undefined>()
  const counts = new Map<string, number>()

  function count(name: string, by: 1 | -1): void {
    const sum = (counts.get(name) ?? 0) + by
    if (sum === 0) counts.delete(name)
    else counts.set(name, sum)
  }

  return {
    /** @throws Refusal 429 while the network has all that one may have */
    open(request: FastifyRequest, reply: FastifyReply, { account, onEnd }: Watching): LiveConnection {
      const own = account === undefined ? [] : [...open].filter(([, whose]) => whose === account)
      for (const [oldest] of own.slice(0, Math.max(0, own.length + 1 - ofAccount))) oldest.end()
      const networks = networksOf(request.ip)
      if (networks.some(({ name, factor }) => (counts.get(name) ?? 0) >= ofNetwork * factor)) throw full()

      reply.hijack()
      const { raw } = reply
      raw.writeHead(200, {
        ...(reply.getHeaders() as Record<string, string>),
        'content-type': 'text/event-stream; charset=utf-8',
        'x-accel-buffering': 'no',
      })
      raw.flushHeaders()
      const connection: LiveConnection = {
        send: (data) => void raw.write(`data: ${JSON.stringify(data)}\n\n`),
        end() {
          if (!open.delete(connection)) return
          for (const { name } of networks) count(name, -1)
          clearInterval(beat)
          clearTimeout(over)
          raw.end()
          onEnd()
        },
      }
      const beat = setInterval(() => void raw.write(': still here\n\n'), BEAT_MS)
      const over = setTimeout(() => connection.end(), STREAM_MS)
      open.set(connection, account)
      for (const { name } of networks) count(name, 1)
      request.raw.once('close', () => connection.end())
      return connection
    },
    /** Before the server waits for its connections. */
    close(): void {
      for (const connection of open.keys()) connection.end()
    },
  }
}

function full(): Refusal {
  const seconds = STREAM_MS / 1_000
  return new Refusal('limit.liveConnections', 429, 'errors.limit.tooMany', {
    retryAfter: seconds,
    values: { minutes: 0, seconds },
  })
}
