import path from 'node:path'
import fastifyStatic, { type FastifyStaticOptions } from '@fastify/static'
import type { FastifyInstance } from 'fastify'
import * as z from 'zod'
import type { Database } from '#platform/database.ts'
import { Refusal } from '#shared/refusal.ts'
import { mediaFolders, sharingPictures } from './sharing-pictures.ts'

const MAX_AGE_MS = 7 * 24 * 3600 * 1000

/** A file, such as an SVG, runs no script when it is opened. */
const NOTHING_RUNS = "default-src 'none'; style-src 'unsafe-inline'; sandbox"

/** XML without a named encoding may be read in another one. */
export const SVG = 'image/svg+xml; charset=utf-8'

/** For a contest without a picture. */
const SITE_PICTURE = '/media/og-site-fr.jpg'

const Named = z.object({ slug: z.string().regex(/^[a-z0-9-]+$/) })

/** Serves /media/: pictures, and the sharing pictures of contests. */
export const mediaFiles =
  ({ db, dataDir }: { db: Database; dataDir: string }) =>
  async (app: FastifyInstance): Promise<void> => {
    const folders = mediaFolders(dataDir)
    if (folders.length === 0) return
    const pictures = sharingPictures({ db, dataDir, log: app.log })
    await app.register(fastifyStatic, { ...served(folders, 'same-origin'), decorateReply: false })

    await app.register(async (scope) => {
      // Other sites show these pictures.
      await scope.register(fastifyStatic, { ...served(folders, 'cross-origin'), serve: false })
      scope.get(
        '/media/og-:slug.jpg',
        { config: { auth: 'ignored' }, schema: { hide: true } },
        async (request, reply) => {
          const { data } = Named.safeParse(request.params)
          const file = data && (pictures.ready(`og-${data.slug}.jpg`) ?? (await pictures.bySlug(data.slug)))
          if (file === undefined) throw new Refusal('request.notFound', 404, 'errors.request.notFound')
          if (file === null) return reply.header('cache-control', 'no-cache').redirect(SITE_PICTURE, 302)
          return reply.sendFile(path.basename(file), path.dirname(file))
        },
      )
    })
  }

const served = (root: string[], sharing: 'same-origin' | 'cross-origin'): FastifyStaticOptions => ({
  root,
  prefix: '/media/',
  index: false,
  dotfiles: 'ignore',
  maxAge: MAX_AGE_MS,
  setHeaders: (response, file) => {
    if (file.endsWith('.svg')) response.header('content-type', SVG)
    response.header('content-security-policy', NOTHING_RUNS)
    response.header('cross-origin-resource-policy', sharing)
  },
})
