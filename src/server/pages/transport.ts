import type { FastifyInstance } from 'fastify'
import type { Transport } from '#client/api-call.ts'

/** Statuses that must not carry a body. */
const EMPTY = new Set([204, 205, 304])

/** Reaches the API of this very process, without a connection: what loaders on the server use. */
export const inProcessTransport =
  (app: FastifyInstance): Transport =>
  async (path, init) => {
    const answer = await app.inject({
      method: (init.method ?? 'GET') as 'GET',
      url: path,
      headers: Object.fromEntries(new Headers(init.headers)),
      ...(typeof init.body === 'string' && { payload: init.body }),
    })
    const headers = new Headers()
    for (const [name, value] of Object.entries(answer.headers)) {
      for (const one of Array.isArray(value) ? value : [value]) headers.append(name, String(one))
    }
    const body = EMPTY.has(answer.statusCode) ? null : new Uint8Array(answer.rawPayload)
    return new Response(body, { status: answer.statusCode, headers })
  }
