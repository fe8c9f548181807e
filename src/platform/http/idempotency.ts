import { createHmac, createSecretKey, hkdfSync } from 'node:crypto'
import type {
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  RouteOptions,
  onSendAsyncHookHandler,
} from 'fastify'
import type { Database } from '#platform/database.ts'
import type { Limit } from '#platform/limits/limiter.ts'
import { Refusal } from '#shared/refusal.ts'
import { type KeyInUse, idempotencyKeys } from '../idempotency-keys.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /**
     * Why a route that changes something takes no `Idempotency-Key`. Left out, it takes one: the same key and call again
     * gets the stored answer, for a day.
     */
    withoutKey?: string
  }
  interface FastifyRequest {
    /** The key whose answer this request makes; none for most requests. */
    keyInUse?: KeyInUse
  }
}

/** Another call with the same key is being answered. */
export const keyUnderWay = (): Refusal =>
  new Refusal('request.keyUnderWay', 409, 'errors.request.keyUnderWay', { retryAfter: 1 })

const KEY = /^[\x21-\x7e]{1,255}$/

const CHANGING = new Set(['POST', 'PUT', 'PATCH', 'DELETE'])

/**
 * Whether a route takes an `Idempotency-Key`: every one that changes something and knows its caller does.
 * @throws Error for one that cannot know its caller, to whom a key belongs, and does not say why it takes none
 */
export function takesKey({ method, url, config }: Pick<RouteOptions, 'method' | 'url' | 'config'>): boolean {
  if (![method].flat().some((one) => CHANGING.has(one))) return false
  if (config?.withoutKey !== undefined) return false
  if (!url.startsWith('/api/') || config?.auth === 'ignored')
    throw new Error(`${String(method)} ${url} does not know whose key it gets: say why in config.withoutKey`)
  return true
}

/** Answers of calls that are done. A refusal has done nothing, so the same key may try again; 202 is not done yet. */
const isDone = (status: number): boolean => status >= 200 && status < 300 && status !== 202

interface KeysDeps {
  db: Database
  /** Key of the fingerprints. */
  secret: string
  /** Counts calls with a key. */
  calls: Limit
  /** Counts keys that come with another call: each tells whether a body, a password in it too, was the kept one. */
  reused: Limit
}

/**
 * Lets calls that change something be repeated safely by accounts that send an `Idempotency-Key`: per account, the stored
 * answer to the same call once it is done, 422 for another call with that key, 409 while the first is under way (ADR 0029). Whoever sends
 * none pays nothing. To be called before any route is registered.
 */
export function acceptIdempotencyKeys(app: FastifyInstance, { db, secret, calls, reused }: KeysDeps): void {
  const keys = idempotencyKeys(db)
  const fingerprintOf = fingerprints(secret)

  async function begin(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply | undefined> {
    const sent = request.headers['idempotency-key']
    // A visitor has no account whose key it could be.
    if (sent === undefined || !request.caller) return undefined
    const key = String(sent)
    if (!KEY.test(key)) throw new Refusal('request.keyMalformed', 400, 'errors.request.keyMalformed')
    const { userId } = request.caller
    reused.check({ account: userId })
    calls.hit({ account: userId })
    const found = await keys.begin(userId, key, fingerprintOf(request))
    if (found === 'other call') {
      reused.hit({ account: userId })
      throw new Refusal('request.keyReused', 422, 'errors.request.keyReused')
    }
    if (found === 'under way') throw keyUnderWay()
    if ('begunAt' in found) {
      request.keyInUse = found
      return undefined
    }
    // Whoever asked for many at once learns no more than whoever asks for one after the other.
    reused.check({ account: userId })
    reply.code(found.status).header('idempotency-replayed', 'true')
    if (found.answer === '') return reply.send()
    return reply.type('application/json; charset=utf-8').send(found.answer)
  }

  const keep: onSendAsyncHookHandler<unknown> = async (request, reply, payload) => {
    const used = request.keyInUse
    if (!used) return payload
    try {
      const answer = payload ?? ''
      if (isDone(reply.statusCode) && typeof answer === 'string') {
        await keys.keep(used, reply.statusCode, answer)
      } else await keys.forget(used)
    } catch (error) {
      // What was done stands, and its caller hears of it; the key is free again after a minute.
      request.log.warn({ err: error }, 'the answer to a call with a key could not be kept')
    }
    return payload
  }

  app.addHook('onRoute', (route) => {
    if (!takesKey(route)) return
    route.preHandler = [route.preHandler ?? [], begin].flat()
    route.onSend = [route.onSend ?? [], keep].flat()
  })
}

/**
 * What a call is: its address and what it sends. Keyed, since a body may hold a password, which nobody who reads the table
 * shall be able to guess.
 */
function fingerprints(secret: string): (request: FastifyRequest) => Buffer {
  const key = createSecretKey(Buffer.from(hkdfSync('sha256', secret, '', 'volant idempotency keys', 32)))
  return ({ method, url, body }) =>
    createHmac('sha256', key)
      .update(`${method} ${url} ${JSON.stringify(body ?? null)}`)
      .digest()
}
