import { createHash } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest, onSendAsyncHookHandler } from 'fastify'
import type { Database } from '#platform/database.ts'
import { Refusal } from '#shared/refusal.ts'
import { type KeyInUse, idempotencyKeys } from '../idempotency-keys.ts'
import { callerOf } from './request.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The route takes an `Idempotency-Key`: the same key and call again gets the stored answer, for a day. */
    takesKey?: boolean
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

/** Answers that say how things stand for good; any other is worth another try with the same key. */
const isLasting = (status: number): boolean =>
  status >= 200 && status < 500 && status !== 202 && status !== 401 && status !== 429

/**
 * Lets routes with `takesKey` be repeated safely by callers who send an `Idempotency-Key`: per account, the stored answer
 * to the same call, 422 for another call with that key, 409 while the first is under way. Whoever sends none pays nothing.
 */
export function acceptIdempotencyKeys(app: FastifyInstance, db: Database): void {
  const keys = idempotencyKeys(db)

  async function begin(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply | undefined> {
    const sent = request.headers['idempotency-key']
    if (sent === undefined) return undefined
    const key = String(sent)
    if (!KEY.test(key)) throw new Refusal('request.keyMalformed', 400, 'errors.request.keyMalformed')
    const { userId } = callerOf(request)
    const found = await keys.begin(userId, key, fingerprintOf(request))
    if (found === 'other call') throw new Refusal('request.keyReused', 422, 'errors.request.keyReused')
    if (found === 'under way') throw keyUnderWay()
    if ('begunAt' in found) {
      request.keyInUse = found
      return undefined
    }
    return reply
      .code(found.status)
      .header('idempotency-replayed', 'true')
      .type('application/json; charset=utf-8')
      .send(found.answer)
  }

  const keep: onSendAsyncHookHandler<unknown> = async (request, reply, payload) => {
    const used = request.keyInUse
    if (!used) return payload
    try {
      if (isLasting(reply.statusCode) && typeof payload === 'string') {
        await keys.keep(used, reply.statusCode, payload)
      } else await keys.forget(used)
    } catch (error) {
      // What was done stands, and its caller hears of it; the key is free again after a minute.
      request.log.warn({ err: error }, 'the answer to a call with a key could not be kept')
    }
    return payload
  }

  app.addHook('onRoute', (route) => {
    if (!route.config?.takesKey) return
    route.preHandler = [route.preHandler ?? [], begin].flat()
    route.onSend = [route.onSend ?? [], keep].flat()
  })
}

/** What a call is: its address and what it sends. */
const fingerprintOf = ({ method, url, body }: FastifyRequest): Buffer =>
  createHash('sha256')
    .update(`${method} ${url} ${JSON.stringify(body ?? null)}`)
    .digest()
