import type {} from '@fastify/cookie'
import type {} from '../server-time.ts'
import path from 'node:path'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance } from 'fastify'
import type { Database } from '#platform/database.ts'
import { SVG } from '../media.ts'
import { respondWithPages, pageCache } from './respond-with-pages.ts'
import { FOR_AN_HOUR, FOR_EVER, fileHeaders } from './built-folders.ts'
import { serveConsole } from './console-pages.ts'
import { serveOfflineWorker } from './offline-worker.ts'
import { acceptPolicyReports } from './policy-reports.ts'
import { serveReleaseAssets } from './release-assets.ts'
import { type Renderer, builtRenderer, developmentRenderer } from './renderer.ts'

export interface PagesOptions {
  config: { publicUrl: string; dev: boolean; brand: string; offlinePage: boolean }
  db: Database
}

/** Serves the pages and their files. Register it last; needs @fastify/cookie and GET /api/settings/. */
export async function registerPages(app: FastifyInstance, { config, db }: PagesOptions): Promise<void> {
  const renderer = config.dev ? await developmentRenderer(app) : builtRenderer()
  const cache = pageCache()
  acceptPolicyReports(app)
  serveOfflineWorker(app, config)
  await serveClientFiles(app, renderer)
  await serveConsole(app, config)
  if (!config.dev) serveReleaseAssets(app, db)
  respondWithPages(app, { renderer, cache, config, now: () => app.databaseNow() })
}

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
      const headers = fileHeaders(file, file.startsWith(assets) ? FOR_EVER : FOR_AN_HOUR)
      for (const [name, value] of Object.entries(headers)) reply.header(name, value)
      if (file.endsWith('.svg')) reply.header('content-type', SVG)
    },
  })
}
