import type { FastifyError, FastifyInstance } from 'fastify'
import type { ZodTypeProvider } from 'fastify-type-provider-zod'
import { AwaitingApproval } from '#features/staff/staff.contract.ts'
import type { Database } from '#platform/database.ts'
import { staffOf } from '#platform/http/request.ts'
import { Refusal } from '#shared/refusal.ts'
import {
  OfferPictures,
  OfferPicturesBody,
  OfferPicturesParams,
  PictureParams,
  PictureState,
  UploadedPicture,
} from '../pictures.contract.ts'
import { UPLOAD_MAX_BYTES } from '../pictures.rules.ts'
import type { AskForPictures } from './described-pictures.ts'
import { type PictureProcesses, pictureProcesses, tooManyPictures } from './picture-processes.ts'
import {
  offerPictures,
  picturePreview,
  pictureState,
  saveOfferPictures,
  uploadPicture,
} from './pictures.service.ts'

/** One set for all apps and jobs of this program, since its memory is one. */
export const sharedProcesses: PictureProcesses = pictureProcesses()

/** Uploads whose bodies are in memory at the same time. */
const UPLOADS_MAX = 8
const MEGABYTE = 1024 * 1024

/** Its address names its content. */
const PREVIEW_CACHING = 'private, max-age=31536000, immutable'

/** Calls of staff about pictures. */
export const picturesRoutes =
  ({
    db,
    ask,
    processes = sharedProcesses,
  }: {
    db: Database
    ask: AskForPictures
    processes?: PictureProcesses
  }) =>
  async (instance: FastifyInstance): Promise<void> => {
    const app = instance.withTypeProvider<ZodTypeProvider>()
    const tags = ['staff']
    const read = { permits: 'offers.read' } as const
    const edit = { permits: 'offers.edit' } as const

    await instance.register(uploadRoute({ db, processes }))

    app.get(
      '/api/staff/pictures/:id/',
      { config: read, schema: { tags, params: PictureParams, response: { 200: PictureState } } },
      ({ params }) => pictureState(db, params.id),
    )
    app.get(
      '/api/staff/pictures/:id/preview/',
      { config: read, schema: { tags, params: PictureParams } },
      async ({ params }, reply) => {
        const preview = await picturePreview(db, params.id)
        return reply.type('image/webp').header('cache-control', PREVIEW_CACHING).send(preview)
      },
    )

    const ofOffer = { tags, params: OfferPicturesParams, response: { 200: OfferPictures } }
    app.get('/api/staff/offers/:id/pictures/', { config: read, schema: ofOffer }, (request) =>
      offerPictures(db, request.params.id, staffOf(request).role),
    )
    app.put(
      '/api/staff/offers/:id/pictures/',
      {
        config: edit,
        schema: {
          ...ofOffer,
          body: OfferPicturesBody,
          response: { 200: OfferPictures, 202: AwaitingApproval },
        },
      },
      async (request, reply) => {
        const { params, body } = request
        const saved = await saveOfferPictures({ db, ask }, params.id, body, staffOf(request))
        return 'approval' in saved ? reply.code(202).send(saved) : reply.send(saved)
      },
    )
  }

/** The body is the file itself, of any type that says image: what it is, its decoder says. */
const uploadRoute =
  (deps: { db: Database; processes: PictureProcesses }) =>
  async (instance: FastifyInstance): Promise<void> => {
    let uploads = 0
    instance.removeAllContentTypeParsers()
    instance.addContentTypeParser(/^image\//, { parseAs: 'buffer' }, (_request, body, done) =>
      done(null, body),
    )
    instance.setErrorHandler((error: FastifyError) => {
      if (error.code !== 'FST_ERR_CTP_BODY_TOO_LARGE') throw error
      const values = { megabytes: UPLOAD_MAX_BYTES / MEGABYTE }
      throw new Refusal('pictures.tooLarge', 413, 'consolePictures.refusals.tooLarge', { values })
    })
    instance.post(
      '/api/staff/pictures/',
      {
        bodyLimit: UPLOAD_MAX_BYTES,
        config: { permits: 'offers.edit', isUpload: true },
        schema: { tags: ['staff'], consumes: ['image/*'], response: { 200: UploadedPicture } },
        // Before the body is read, and after the caller is known.
        onRequest: async (_request, reply) => {
          if (uploads >= UPLOADS_MAX) throw tooManyPictures()
          uploads += 1
          reply.raw.once('close', () => {
            uploads -= 1
          })
        },
      },
      (request) => uploadPicture(deps, (request.body ?? Buffer.alloc(0)) as Buffer, staffOf(request)),
    )
  }
