import type {} from '@fastify/cookie'
import type { FastifyInstance } from 'fastify'
import { answerWithPages, pageCache } from './answer-page.ts'
import { acceptPolicyReports } from './policy-reports.ts'
import { builtRenderer, developmentRenderer } from './renderer.ts'
import { serveClientFiles } from './client-files.ts'

export interface PagesOptions {
  config: { publicUrl: string; dev: boolean }
}

/**
 * Serves everything a browser loads besides the API: the rendered pages and their files. Register it last; needs
 * @fastify/cookie, and GET /api/settings/ when the first page is asked for.
 */
export async function registerPages(app: FastifyInstance, { config }: PagesOptions): Promise<void> {
  const renderer = config.dev ? await developmentRenderer(app) : builtRenderer()
  const cache = pageCache()
  acceptPolicyReports(app)
  await serveClientFiles(app, renderer)
  answerWithPages(app, { renderer, cache, config })
}
