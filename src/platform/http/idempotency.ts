import { createHash } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest, onSendAsyncHookHandler } from 'fastify'
import { sql } from 'kysely'
import type { Database, Trx } from '#platform/database.ts'
import type { Limit } from '#platform/limits/limiter.ts'
import { transact, withCommit } from '#platform/transaction.ts'
import { Refusal } from '#shared/refusal.ts'
import { callerOf } from './request.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Accepts an `Idempotency-Key`: the same call with the same key gets the stored response for a day (ADR 0033). */
    acceptsIdempotencyKey?: true
  }
  interface FastifyRequest {
    keyInUse?: KeyInUse
  }
}

export interface KeyInUse {
  userId: number
  key: string
  /** Start of the call, to the microsecond; a later claim has another value. */
  begunAt: string
  /** The response was stored in the transaction of the change. */
  isStored?: boolean
}

type Claimed = KeyInUse | 'under way' | 'other call' | { status: number; response: string }

/** A call without a response for so long was cut off by a crash; its key may be claimed again. */
const CUT_OFF_AFTER_S = 60

const KEY = /^[\x21-\x7e]{1,255}$/

export const keyUnderWay = (): Refusal =>
  new Refusal('request.keyUnderWay', 409, 'errors.request.keyUnderWay', { retryAfter: 1 })

/** After a refusal, or 202, the key may be used again. */
const isDone = (status: number): boolean => status >= 200 && status < 300 && status !== 202

const fingerprintOf = ({ method, url, body }: FastifyRequest): Buffer =>
  createHash('sha256')
    .update(`${method} ${url} ${JSON.stringify(body ?? null)}`)
    .digest()

/** Replays stored responses; another call with the key gets 422, a concurrent one 409. Call it before adding routes. */
export function acceptIdempotencyKeys(
  app: FastifyInstance,
  { db, calls }: { db: Database; calls: Limit },
): void {
  const keys = idempotencyKeys(db)

  async function begin(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply | undefined> {
    const sent = request.headers['idempotency-key']
    if (sent === undefined) return undefined
    const key = String(sent)
    if (!KEY.test(key)) throw new Refusal('request.keyMalformed', 400, 'errors.request.keyMalformed')
    const { userId } = request.staff ?? callerOf(request)
    calls.hit({ account: userId })
    const claimed = await keys.claim(userId, key, fingerprintOf(request))
    if (claimed === 'other call') throw new Refusal('request.keyReused', 422, 'errors.request.keyReused')
    if (claimed === 'under way') throw keyUnderWay()
    if ('begunAt' in claimed) {
      request.keyInUse = claimed
      return undefined
    }
    reply.code(claimed.status).header('idempotency-replayed', 'true')
    return reply.type('application/json; charset=utf-8').send(claimed.response)
  }

  const store: onSendAsyncHookHandler<unknown> = async (request, reply, payload) => {
    const used = request.keyInUse
    if (!used) return payload
    try {
      if (!isDone(reply.statusCode)) await keys.release(used)
      else if (!used.isStored) await keys.store(used, reply.statusCode, String(payload))
    } catch (error) {
      // The change is committed; the key can be claimed again after a minute.
      request.log.warn({ err: error }, 'the answer to a call with a key could not be stored')
    }
    return payload
  }

  app.addHook('onRoute', (route) => {
    if (!route.config?.acceptsIdempotencyKey) return
    route.preHandler = [route.preHandler ?? [], begin].flat()
    route.onSend = [route.onSend ?? [], store].flat()
  })
}

export const idempotencyKeys = (db: Database) => ({
  /** Not durable, since a lost claim is made again (ADR 0028). */
  async claim(userId: number, key: string, fingerprint: Buffer): Promise<Claimed> {
    const { rows: mine } = await transact(
      db,
      async (trx) =>
        withCommit(
          sql<{ begun_at: string }>`
            INSERT INTO idempotency_keys AS k (user_id, key, fingerprint)
            VALUES (${userId}, ${key}, ${fingerprint})
            ON CONFLICT (user_id, key) DO UPDATE
            SET fingerprint = excluded.fingerprint, status = NULL, answer = NULL, begun_at = clock_timestamp()
            WHERE k.begun_at < clock_timestamp() - interval '1 day'
               OR (k.status IS NULL AND k.fingerprint = excluded.fingerprint
                   AND k.begun_at < clock_timestamp() - make_interval(secs => ${CUT_OFF_AFTER_S}))
            RETURNING begun_at::text`.execute(trx),
        ),
      { durable: false },
    )
    if (mine[0]) return { userId, key, begunAt: mine[0].begun_at }
    const known = await db
      .selectFrom('idempotency_keys')
      .select(['fingerprint', 'status', 'answer'])
      .where('user_id', '=', userId)
      .where('key', '=', key)
      .executeTakeFirst()
    // Released in the meantime: the caller tries again.
    if (!known) return 'under way'
    if (!known.fingerprint.equals(fingerprint)) return 'other call'
    if (known.status === null || known.answer === null) return 'under way'
    return { status: known.status, response: known.answer }
  },

  store: ({ userId, key, begunAt }: KeyInUse, status: number, response: string) =>
    sql`
      UPDATE idempotency_keys SET status = ${status}, answer = ${response}
      WHERE user_id = ${userId} AND key = ${key} AND begun_at = ${begunAt}::timestamptz`.execute(db),

  release: ({ userId, key, begunAt }: KeyInUse) =>
    sql`
      DELETE FROM idempotency_keys
      WHERE user_id = ${userId} AND key = ${key} AND begun_at = ${begunAt}::timestamptz AND status IS NULL`.execute(
      db,
    ),

  sweep: () => sql`DELETE FROM idempotency_keys WHERE begun_at < now() - interval '1 day'`.execute(db),
})

/** Deletes the keys of an account with the responses under them. */
export async function forgetKeysOf(trx: Trx, userId: number): Promise<void> {
  await trx.deleteFrom('idempotency_keys').where('user_id', '=', userId).execute()
}

/** Stores responses in the transaction of the change, for calls that a lost response would repeat. */
export const responsesWithin = (trx: Trx) => ({
  /** Locks keys against other claims. @returns those that still belong to their calls */
  async lock(keys: readonly KeyInUse[]): Promise<ReadonlySet<KeyInUse>> {
    if (keys.length === 0) return new Set()
    const { rows } = await sql<{ place: number }>`
      SELECT u.place::int AS place
      FROM idempotency_keys k JOIN ${unnested(keys)}
        ON u.user_id = k.user_id AND u.key = k.key AND u.begun_at = k.begun_at
      WHERE k.status IS NULL
      ORDER BY k.user_id, k.key
      FOR UPDATE OF k`.execute(trx)
    return new Set(rows.map(({ place }) => keys[place - 1] as KeyInUse))
  },

  async store(responses: readonly { key: KeyInUse; response: string }[]): Promise<void> {
    if (responses.length === 0) return
    await sql`
      UPDATE idempotency_keys k SET status = 200, answer = (${responses.map((one) => one.response)}::text[])[u.place]
      FROM ${unnested(responses.map((one) => one.key))}
      WHERE u.user_id = k.user_id AND u.key = k.key AND u.begun_at = k.begun_at`.execute(trx)
    for (const { key } of responses) key.isStored = true
  },
})

const unnested = (keys: readonly KeyInUse[]) => sql`
  unnest(
    ${keys.map((one) => one.userId)}::bigint[], ${keys.map((one) => one.key)}::text[],
    ${keys.map((one) => one.begunAt)}::timestamptz[]
  ) WITH ORDINALITY AS u (user_id, key, begun_at, place)`
