import type {} from '@fastify/cookie'
import type {} from '../server-time.ts'
import path from 'node:path'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance } from 'fastify'
import { SVG } from '../media.ts'
import { answerWithPages, pageCache } from './answer-page.ts'
import { serveConsole } from './console-pages.ts'
import { serveOfflineWorker } from './offline-worker.ts'
import { acceptPolicyReports } from './policy-reports.ts'
import { type Renderer, builtRenderer, developmentRenderer } from './renderer.ts'

export interface PagesOptions {
  config: { publicUrl: string; dev: boolean }
}

/** Serves the pages and their files. Register it last; needs @fastify/cookie and GET /api/settings/. */
export async function registerPages(app: FastifyInstance, { config }: PagesOptions): Promise<void> {
  const renderer = config.dev ? await developmentRenderer(app) : builtRenderer()
  const cache = pageCache()
  acceptPolicyReports(app)
  serveOfflineWorker(app)
  await serveClientFiles(app, renderer)
  await serveConsole(app, config)
  answerWithPages(app, { renderer, cache, config, now: () => app.databaseNow() })
}

/** Names under /assets/ contain a content hash. */
const FOR_EVER = 'public, max-age=31536000, immutable'
const FOR_AN_HOUR = 'public, max-age=3600'

async function serveClientFiles(app: FastifyInstance, { clientFolder }: Renderer): Promise<void> {
  if (!clientFolder) return
  const assets = path.join(clientFolder, 'assets') + path.sep
  await app.register(fastifyStatic, {
    root: clientFolder,
    wildcard: false,
    index: false,
    decorateReply: false,
    preCompressed: true,
    globIgnore: ['.vite/**', '**/*.br', '**/*.gz'],
    cacheControl: false,
    setHeaders: (reply, file) => {
      reply.header('cache-control', file.startsWith(assets) ? FOR_EVER : FOR_AN_HOUR)
      if (file.endsWith('.svg')) reply.header('content-type', SVG)
    },
  })
}
