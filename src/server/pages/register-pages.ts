import type {} from '@fastify/cookie'
import type { FastifyInstance } from 'fastify'
import { answerWithPages } from './answer-page.ts'
import { PageCache } from './page-cache.ts'
import type { NoncedPage } from './nonced-page.ts'
import { acceptPolicyReports } from './policy-reports.ts'
import { builtRenderer, developmentRenderer } from './renderer.ts'
import { serveClientFiles } from './client-files.ts'

export interface PagesOptions {
  config: { publicUrl: string; dev: boolean }
}

export interface Pages {
  /** Forgets the kept pages: call it when an offer has changed. A page is never kept for more than a second. */
  invalidate(): void
}

/**
 * Serves everything a browser loads besides the API: the rendered pages and their files. Register it last; needs
 * @fastify/cookie, and GET /api/settings/ when the first page is asked for.
 */
export async function registerPages(app: FastifyInstance, { config }: PagesOptions): Promise<Pages> {
  const renderer = config.dev ? await developmentRenderer(app) : builtRenderer()
  const cache = new PageCache<NoncedPage>()
  acceptPolicyReports(app)
  await serveClientFiles(app, renderer)
  answerWithPages(app, { renderer, cache, config })
  return { invalidate: () => cache.invalidate() }
}
