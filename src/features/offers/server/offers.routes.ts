import type { FastifyInstance } from 'fastify'
import type { ZodTypeProvider } from 'fastify-type-provider-zod'
import * as z from 'zod'
import type { Database, ReadDatabase } from '#platform/database.ts'
import type { PublicReads } from '#platform/http/public-reads.ts'
import { sendShared, sharedResponse } from '#platform/http/shared-responses.ts'
import { Refusal } from '#shared/refusal.ts'
import { Offer, OfferDetail, SlugParams } from '../offers.contract.ts'
import { changedParts } from './descriptions.ts'
import { toOffer } from './offer-wire.ts'
import { offersRepository } from './offers.repository.ts'

/** @param hideAnswer omits the correct answer */
export const offersRoutes =
  ({ db, reads, hideAnswer }: { db: Database; reads: PublicReads; hideAnswer: boolean }) =>
  async (instance: FastifyInstance): Promise<void> => {
    const app = instance.withTypeProvider<ZodTypeProvider>()

    app.get(
      '/api/offers/',
      { config: { auth: 'optional' }, schema: { response: { 200: z.array(Offer) } } },
      async (request, reply) => {
        const offers = offersRepository(request.caller ? db : reads.db)
        return sendShared(request, reply, sharedResponse((await offers.list()).map(toOffer)))
      },
    )

    app.get(
      '/api/offers/:slug/',
      {
        config: { auth: 'optional' },
        schema: { params: SlugParams, response: { 200: OfferDetail } },
      },
      async (request, reply) => {
        const read = async (from: ReadDatabase) => {
          const row = await offersRepository(from).bySlug(request.params.slug)
          return row && { row, changes: await changedParts(from, row.id) }
        }
        // Who is signed in may have just bought.
        const found = await (request.caller ? read(db) : reads.find(read))
        if (!found) throw new Refusal('offer.notFound', 404, 'errors.offer.notFound')
        const { row, changes } = found
        const offer = { ...toOffer(row), ...(changes.length > 0 && { changes }) }
        if (hideAnswer) return sendShared(request, reply, sharedResponse(offer))
        // A cache that does not look at the token would give customers what visitors see.
        return { ...offer, ...(request.caller && { correct_choice: row.correct_choice }) }
      },
    )
  }
