import type { FastifyInstance } from 'fastify'
import type { ZodTypeProvider } from 'fastify-type-provider-zod'
import * as z from 'zod'
import { translate } from '#i18n/server-translator.ts'
import { callerOf } from '#platform/http/request.ts'
import { Refusal } from '#shared/refusal.ts'
import {
  Favourites,
  OfferIdParams,
  ReminderForm,
  Reminders,
  UnsubscribeToken,
  Unsubscribing,
} from '../favourites.contract.ts'
import { type FavouritesDeps, favouritesService } from './favourites.service.ts'

/** A form with one field is far below it. */
const FORM_MAX_BYTES = 4096

export const favouritesRoutes =
  (deps: FavouritesDeps & { unsubscribePath: string }) =>
  async (instance: FastifyInstance): Promise<void> => {
    const app = instance.withTypeProvider<ZodTypeProvider>()
    const favourites = favouritesService(deps)
    const tags = ['favourites']
    const ofOffer = { tags, params: OfferIdParams }
    const done = { 204: z.null() }

    app.get('/api/favourites/', { schema: { tags, response: { 200: Favourites } } }, async (request) => ({
      favourites: await favourites.list(callerOf(request)),
    }))

    app.put(
      '/api/favourites/:offerId/',
      { schema: { ...ofOffer, response: done } },
      async (request, reply) => {
        await favourites.mark(callerOf(request), request.params.offerId)
        return reply.code(204).send(null)
      },
    )

    app.delete(
      '/api/favourites/:offerId/',
      { schema: { ...ofOffer, response: done } },
      async (request, reply) => {
        await favourites.unmark(callerOf(request), request.params.offerId)
        return reply.code(204).send(null)
      },
    )

    app.put(
      '/api/reminders/:offerId/',
      { schema: { ...ofOffer, body: ReminderForm, response: { 200: Reminders } } },
      async (request) => ({
        reminders: await favourites.remind(callerOf(request), request.params.offerId, request.body.kinds),
      }),
    )

    app.delete('/api/reminders/', { schema: { tags, response: done } }, async (request, reply) => {
      await favourites.stopReminders(callerOf(request))
      return reply.code(204).send(null)
    })

    // By the token of a link alone: whoever reads the email may not be logged in.
    const byLink = { auth: 'ignored' } as const
    const response = { 200: Unsubscribing }

    app.get(
      '/api/reminders/unsubscribe/',
      { config: byLink, schema: { tags, querystring: UnsubscribeToken, response } },
      ({ query }) => favourites.readLink(query.token),
    )

    app.post(
      '/api/reminders/unsubscribe/',
      { config: byLink, schema: { tags, body: UnsubscribeToken, response } },
      ({ body }) => favourites.unsubscribe(body.token),
    )

    await app.register(async (forms) => {
      forms.addContentTypeParser(
        ['application/x-www-form-urlencoded', 'multipart/form-data'],
        { parseAs: 'string', bodyLimit: FORM_MAX_BYTES },
        (request, body, parsed) => {
          const headers = { 'content-type': request.headers['content-type'] ?? '' }
          const form = new Response(body as string, { headers }).formData()
          form.then(
            (fields) => parsed(null, fields),
            () => parsed(null, null),
          )
        },
      )
      // RFC 8058: what an email program asks when its reader presses "Unsubscribe". Opening the address is the page, which
      // ends nothing, because scanners open links.
      forms
        .withTypeProvider<ZodTypeProvider>()
        .post(
          deps.unsubscribePath,
          { config: { errors: 'text' }, schema: { hide: true, querystring: UnsubscribeToken } },
          async ({ body, query, language }, reply) => {
            const isOneClick = body instanceof FormData && body.get('List-Unsubscribe') === 'One-Click'
            if (!isOneClick) throw new Refusal('request.invalid', 400, 'errors.request.invalid')
            await favourites.unsubscribe(query.token)
            return reply
              .type('text/plain; charset=utf-8')
              .send(`${translate(language, 'unsubscribe.doneTitle')}\n`)
          },
        )
    })
  }
