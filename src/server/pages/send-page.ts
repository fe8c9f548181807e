import type { FastifyReply, FastifyRequest } from 'fastify'
import { SHARED, isKnown, weakTag } from '#platform/http/shared-responses.ts'
import type { Page } from './compression.ts'

const SCRIPT_HASH = /'sha256-[^']+'/g

/**
 * The entity tag of a page. Who gets 304 keeps the policy that came with its version, so that another policy makes another
 * version; the hashes of scripts belong to the page that they came with, and may change each time.
 */
export const pageTag = (headers: Readonly<Record<string, string>>, html: string): string =>
  weakTag(JSON.stringify(headers).replaceAll(SCRIPT_HASH, '') + html)

/**
 * Sends a page, or 304 to whoever has its version.
 * @param isShared whether it is the same for everybody who asks without a cookie, and sets none
 */
export async function sendPage(
  request: FastifyRequest,
  reply: FastifyReply,
  page: Page,
  isShared = false,
): Promise<FastifyReply> {
  reply.headers(page.headers)
  if (isShared && request.headers.cookie === undefined) reply.header('cache-control', SHARED)
  const { etag } = page.headers
  if (etag !== undefined && isKnown(request, etag)) {
    // The version that the caller has was made at another time, and its own policy has the hashes of its scripts.
    reply.removeHeader('content-security-policy')
    return reply.code(304).send()
  }
  const { body, encoding } = await page.body(request.headers['accept-encoding'])
  if (encoding !== undefined) reply.header('content-encoding', encoding)
  return reply.code(page.status).send(body)
}
