import { existsSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance } from 'fastify'
import type { Config } from './config.ts'

const DEMO_PICTURES = fileURLToPath(new URL('../../db/demo/pictures', import.meta.url))

/** Pictures keep their name when they change only in a demonstration, so a week is long enough. */
const MAX_AGE_MS = 7 * 24 * 3600 * 1000

/** Serves /media/: pictures of the shop's own folder first, then those of the demo contests. */
export const mediaFiles =
  (config: Config) =>
  async (app: FastifyInstance): Promise<void> => {
    const folders = [path.resolve(config.dataDir, 'media'), DEMO_PICTURES].filter((folder) =>
      existsSync(folder),
    )
    if (folders.length === 0) return
    await app.register(fastifyStatic, {
      root: folders,
      prefix: '/media/',
      decorateReply: false,
      index: false,
      maxAge: MAX_AGE_MS,
      setHeaders: (response) => {
        response.header('x-content-type-options', 'nosniff')
        response.header('cross-origin-resource-policy', 'same-origin')
      },
    })
  }
