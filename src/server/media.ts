import path from 'node:path'
import fastifyStatic, { type FastifyStaticOptions } from '@fastify/static'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import * as z from 'zod'
import { storedPictures } from '#features/pictures/server/index.ts'
import type { Database } from '#platform/database.ts'
import type { Config } from './config.ts'
import { isKnown } from '#platform/http/shared-responses.ts'
import { Refusal } from '#shared/refusal.ts'
import { mediaFolders, sharingPictures } from './sharing-pictures.ts'

const MAX_AGE_MS = 7 * 24 * 3600 * 1000

/** A file, such as an SVG, runs no script when it is opened. */
const NOTHING_RUNS = "default-src 'none'; style-src 'unsafe-inline'; sandbox"

/** XML without a named encoding may be read in another one. */
export const SVG = 'image/svg+xml; charset=utf-8'

/** For a contest without a picture. */
const SITE_PICTURE = '/media/og-site-fr.jpg'

/** A year: the address names the content. */
const STORED_CACHING = 'public, max-age=31536000, immutable'
const SHARED_CACHING = `public, max-age=${MAX_AGE_MS / 1000}`

const Stored = z.object({ name: z.string() })
const Named = z.object({
  slug: z
    .string()
    .regex(/^[a-z0-9-]+$/i)
    .toLowerCase(),
})

/** Serves /media/: pictures of folders and of the database, and the sharing pictures of contests. */
export const mediaFiles =
  ({ db, config }: { db: Database; config: Config }) =>
  async (app: FastifyInstance): Promise<void> => {
    const stored = storedPictures(db)
    app.get(
      '/media/p/:name',
      { config: { auth: 'ignored' }, schema: { hide: true } },
      async (request, reply) => {
        const { data } = Stored.safeParse(request.params)
        const picture = data && (await stored.find(data.name))
        if (!picture) throw new Refusal('request.notFound', 404, 'errors.request.notFound')
        return send(request, reply.type(picture.type).header('cache-control', STORED_CACHING), picture)
      },
    )
    const folders = mediaFolders(config.dataDir)
    if (folders.length === 0) return
    const pictures = sharingPictures({ db, config, log: app.log })
    await app.register(fastifyStatic, { ...served(folders, 'same-origin'), decorateReply: false })

    await app.register(async (scope) => {
      // Other sites and email programs show these pictures.
      await scope.register(fastifyStatic, { ...served(folders, 'cross-origin'), serve: false })
      const find = {
        og: (slug: string) => pictures.bySlug(slug),
        email: (slug: string) => pictures.forEmails(slug),
      }
      for (const [kind, bySlug] of Object.entries(find))
        scope.get(
          `/media/${kind}-:slug.jpg`,
          { config: { auth: 'ignored' }, schema: { hide: true } },
          async (request, reply) => {
            const { data } = Named.safeParse(request.params)
            const found = data && (await bySlug(data.slug))
            if (found === undefined) throw new Refusal('request.notFound', 404, 'errors.request.notFound')
            if (found === null) return reply.header('cache-control', 'no-cache').redirect(SITE_PICTURE, 302)
            if ('file' in found) return reply.sendFile(path.basename(found.file), path.dirname(found.file))
            reply.type('image/jpeg').header('cache-control', SHARED_CACHING)
            return send(request, reply.header('cross-origin-resource-policy', 'cross-origin'), found)
          },
        )
    })
  }

/** Responds with 304 to whoever has it. */
function send(request: FastifyRequest, reply: FastifyReply, picture: { bytes: Buffer; hash: string }) {
  const etag = `"${picture.hash}"`
  reply.header('etag', etag).header('content-security-policy', NOTHING_RUNS)
  return isKnown(request, etag) ? reply.code(304).send() : reply.send(picture.bytes)
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
