import type { FastifyInstance } from 'fastify'
import type { ZodTypeProvider } from 'fastify-type-provider-zod'
import type { PublicReads } from '#platform/http/public-reads.ts'
import { type SharedResponse, sendShared, sharedResponse } from '#platform/http/shared-responses.ts'
import { RESPONSE_MS } from '#shared/freshness.ts'
import { ShortCache } from '#shared/short-cache.ts'
import { LastCheck } from '../last-check.contract.ts'
import { lastInvariants } from './system.repository.ts'
import type { SystemOptions } from './system.routes.ts'

type LastCheckOptions = Pick<SystemOptions, 'invariantNames'> & { reads: PublicReads }

/** When the books were last checked and with what result, for everybody: without what is wrong, which only staff see. */
export const lastCheckRoutes =
  ({ reads, invariantNames }: LastCheckOptions) =>
  async (instance: FastifyInstance): Promise<void> => {
    const kept = new ShortCache<SharedResponse>({ ttlMs: RESPONSE_MS, capacity: 1 })

    async function lastCheck(): Promise<LastCheck> {
      const [row, names] = await Promise.all([lastInvariants(reads.db), invariantNames()])
      return {
        last: row
          ? {
              checked_at: row.checked_at.toISOString(),
              checks: names.length,
              failed: row.broken.length,
              unknown: row.unknown.length,
            }
          : null,
      }
    }

    instance
      .withTypeProvider<ZodTypeProvider>()
      .get(
        '/api/last-check/',
        { config: { auth: 'ignored' }, schema: { response: { 200: LastCheck } } },
        async (request, reply) =>
          sendShared(request, reply, await kept.get('', async () => sharedResponse(await lastCheck()))),
      )
  }
