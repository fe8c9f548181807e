import type { FastifyInstance } from 'fastify'
import type { ZodTypeProvider } from 'fastify-type-provider-zod'
import * as z from 'zod'
import { AwaitingApproval } from '#features/staff/staff.contract.ts'
import { staffOf } from '#platform/http/request.ts'
import {
  ChangeOfferBody,
  Checklist,
  NewOfferBody,
  OfferPreview,
  OfferSales,
  OfferVersionBody,
  PublishOfferBody,
  StaffOffer,
  StaffOfferId,
  StaffOfferList,
  StaffOfferQuery,
} from '../staff-offers.contract.ts'
import { type StaffOffersOptions, staffOffers } from './staff-offers.ts'

/** Contests in the console: their drafts, their life cycle and their sales. */
export const staffOffersRoutes =
  (options: StaffOffersOptions) =>
  async (instance: FastifyInstance): Promise<void> => {
    const app = instance.withTypeProvider<ZodTypeProvider>()
    const offers = staffOffers(options)
    const tags = ['staff']
    const read = { permits: 'offers.read' } as const
    const edit = { permits: 'offers.edit' } as const
    const publish = { permits: 'offers.publish' } as const
    const one = { tags, params: StaffOfferId, response: { 200: StaffOffer } }
    const moved = { ...one, body: OfferVersionBody }

    app.get(
      '/api/staff/offers/',
      { config: read, schema: { tags, querystring: StaffOfferQuery, response: { 200: StaffOfferList } } },
      (request) => offers.list(request.reads, request.query, staffOf(request)),
    )
    app.post(
      '/api/staff/offers/',
      { config: edit, schema: { tags, body: NewOfferBody, response: { 201: StaffOffer } } },
      async (request, reply) => reply.code(201).send(await offers.create(request.body, staffOf(request))),
    )
    app.get('/api/staff/offers/:id/', { config: read, schema: one }, (request) =>
      offers.read(request.params.id, staffOf(request)),
    )
    app.put(
      '/api/staff/offers/:id/',
      {
        config: edit,
        schema: { ...one, body: ChangeOfferBody, response: { 200: StaffOffer, 202: AwaitingApproval } },
      },
      async (request, reply) => {
        const changed = await offers.change(request.params.id, request.body, staffOf(request))
        return 'approval' in changed ? reply.code(202).send(changed) : reply.send(changed)
      },
    )
    app.delete(
      '/api/staff/offers/:id/',
      {
        config: edit,
        schema: { tags, params: StaffOfferId, body: OfferVersionBody, response: { 204: z.null() } },
      },
      async (request, reply) => {
        await offers.remove(request.params.id, request.body.version, staffOf(request))
        return reply.code(204).send(null)
      },
    )
    app.get(
      '/api/staff/offers/:id/checklist/',
      { config: read, schema: { ...one, response: { 200: Checklist } } },
      (request) => offers.checklist(request.params.id, staffOf(request)),
    )
    app.get(
      '/api/staff/offers/:id/preview/',
      { config: read, schema: { ...one, response: { 200: OfferPreview } } },
      (request) => offers.preview(request.params.id, staffOf(request)),
    )
    app.get(
      '/api/staff/offers/:id/sales/',
      { config: read, schema: { ...one, response: { 200: OfferSales } } },
      (request) => offers.sales(request.params.id, staffOf(request)),
    )
    app.post(
      '/api/staff/offers/:id/publish/',
      { config: publish, schema: { ...one, body: PublishOfferBody } },
      (request) => {
        const { params, body } = request
        return offers.publish(params.id, body.version, body.when, staffOf(request))
      },
    )
    app.post('/api/staff/offers/:id/unschedule/', { config: publish, schema: moved }, (request) =>
      offers.unschedule(request.params.id, request.body.version, staffOf(request)),
    )
    app.post('/api/staff/offers/:id/resume/', { config: publish, schema: moved }, (request) =>
      offers.resume(request.params.id, request.body.version, staffOf(request)),
    )
  }
