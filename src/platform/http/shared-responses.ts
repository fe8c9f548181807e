import { createHash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { SHARED_MS } from '#shared/freshness.ts'

/**
 * For responses that are the same for everybody: caches between shop and browser keep them for a moment, browsers ask
 * again (ADR 0107).
 */
export const SHARED = `public, max-age=0, s-maxage=${SHARED_MS / 1000}, must-revalidate`

/** The browser keeps it and asks again, nobody else keeps it. */
export const OWN = 'private, no-cache'

/** The entity tag of a text, the same for all its encodings. */
export const weakTag = (text: string): string =>
  `W/"${createHash('sha256').update(text).digest('base64url').slice(0, 22)}"`

const withoutWeakness = (tag: string): string => tag.trim().replace(/^W\//, '')

/** Whether the caller has this version already: `If-None-Match` names its entity tag (RFC 9110, 13.1.2). */
export function isKnown({ headers }: FastifyRequest, tag: string): boolean {
  const named = headers['if-none-match']
  if (named === undefined) return false
  return named.split(',').some((one) => ['*', withoutWeakness(tag)].includes(withoutWeakness(one)))
}

/** JSON that is the same for everybody. */
export interface SharedResponse {
  text: string
  tag: string
}

export function sharedResponse(body: unknown): SharedResponse {
  const text = JSON.stringify(body)
  return { text, tag: weakTag(text) }
}

/** Responds with 304 to whoever has it. What a caller with a token gets is not kept. */
export function sendShared(
  request: FastifyRequest,
  reply: FastifyReply,
  { text, tag }: SharedResponse,
): FastifyReply {
  reply.type('application/json; charset=utf-8')
  if (request.headers.authorization !== undefined) return reply.send(text)
  reply.headers({ 'cache-control': SHARED, etag: tag })
  return isKnown(request, tag) ? reply.code(304).send() : reply.send(text)
}
