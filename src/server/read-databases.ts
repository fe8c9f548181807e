import type {} from '@fastify/cookie'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Database, ReadDatabase } from '#platform/database.ts'
import type { PublicReads } from '#platform/http/public-reads.ts'
import { STAFF_ROUTES } from '#platform/http/request.ts'
import type { ReadReplica } from '#platform/read-replica.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /**
     * When what the response shows was all there was, in milliseconds since the epoch; 0 when nobody has to be told,
     * undefined when it shows none of that.
     */
    readonly shownFrom: number | undefined
  }
}

interface ReadDatabasesOptions {
  db: Database
  replica: ReadReplica | undefined
  publicUrl: string
}

/** What of the public's responses may be read from the replica. */
const PUBLIC = /^\/api\/(?:offers|draws|winners|last-check)\//
const PLACE = /^\d{1,16}$/
/** Until the replica is too far behind to be read, and a bit longer. */
const SEEN_SECONDS = 600

/** The last place of the primary's log that a session of staff has to see: a cookie of the calls of the console. */
export const seenCookie = (publicUrl: string): string =>
  publicUrl.startsWith('https:') ? '__Secure-volant-seen' : 'volant-seen'

/**
 * Decides where lists, reports and public pages are read (ADR 0112): `request.reads` for staff, the result for the public.
 * Without a replica both are the database itself.
 */
export function readDatabases(
  app: FastifyInstance,
  { db, replica, publicUrl }: ReadDatabasesOptions,
): PublicReads {
  if (!replica) {
    app.decorateRequest('reads', { getter: () => db })
    app.decorateRequest('shownFrom', { getter: () => undefined })
    return { db, find: (read) => read(db) }
  }
  const cookie = seenCookie(publicUrl)
  let publicFrom: number | undefined
  const told = (from: number | undefined): number => (replica.isTold(from) ? from : 0)
  const shared = replica.reader({ onRead: ({ from }) => (publicFrom = from) })

  interface Asked {
    reads: ReadDatabase
    least: number | undefined
    from: number | undefined
    /** By the primary, for a session that must not see less. */
    seen: number
  }
  const asked = new WeakMap<FastifyRequest, Asked>()
  function readsOf(request: FastifyRequest): Asked {
    const given = request.cookies[cookie] ?? ''
    const least = PLACE.test(given) ? Number(given) : undefined
    const made: Asked = {
      least,
      from: undefined,
      seen: 0,
      reads: replica!.reader({
        least,
        onRead: ({ from, reached = 0 }) => {
          if (from === undefined) made.seen = Math.max(made.seen, reached)
          else made.from = Math.min(made.from ?? from, from)
        },
      }),
    }
    asked.set(request, made)
    return made
  }
  app.decorateRequest('reads', {
    getter(this: FastifyRequest) {
      return (asked.get(this) ?? readsOf(this)).reads
    },
  })
  app.decorateRequest('shownFrom', {
    getter(this: FastifyRequest) {
      const own = asked.get(this)
      if (own) return told(own.from)
      return PUBLIC.test(this.url) || !this.url.startsWith('/api/') ? told(publicFrom) : undefined
    },
  })
  app.addHook('onSend', async (request, reply) => {
    if (!request.routeOptions.url?.startsWith(STAFF_ROUTES) || reply.statusCode >= 400) return
    const { least, seen } = asked.get(request) ?? { least: undefined, seen: 0 }
    const isChange = request.method !== 'GET' && request.method !== 'HEAD'
    // Whoever sees the primary because of a change goes on seeing all that they have seen.
    const place = isChange
      ? ((await replica.written()) ?? Number.MAX_SAFE_INTEGER)
      : least !== undefined && seen > least
        ? seen
        : undefined
    if (place === undefined) return
    reply.setCookie(cookie, String(place), {
      path: STAFF_ROUTES,
      httpOnly: true,
      sameSite: 'strict',
      secure: publicUrl.startsWith('https:'),
      maxAge: SEEN_SECONDS,
    })
  })
  return {
    db: shared,
    find: async (read, isCertain = () => true) => {
      const found = await read(shared)
      if (found !== undefined && isCertain(found)) return found
      publicFrom = undefined
      return await read(db)
    },
  }
}
