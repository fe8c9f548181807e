import type {} from '@fastify/cookie'
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { languageCookie } from '#shared/languages.ts'
import { pageLanguage } from './answer-page.ts'
import { Page } from './compression.ts'
import { consoleHeaders } from './security-headers.ts'

const ROOT = path.resolve(import.meta.dirname, '../../..')
const FOLDER = path.join(ROOT, 'build/console')
const ADDRESS = '/admin/'
/** A year; names contain a content hash. */
const FOR_EVER = 'public, max-age=31536000, immutable'
const LANGUAGE_MAX_AGE_S = 31_536_000

interface ConsoleConfig {
  publicUrl: string
  dev: boolean
}

/** Serves the console: one document for every address below /admin/, and its files. */
export async function serveConsole(app: FastifyInstance, config: ConsoleConfig): Promise<void> {
  const { publicUrl, dev } = config
  const headers = {
    ...consoleHeaders(dev),
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'private, no-cache',
    vary: 'cookie, accept-encoding',
  }
  const develop = dev ? await developmentConsole(app) : undefined
  const documents = new Map<string, Page>()
  const built = dev ? '' : readDocument()

  function documentIn(language: string): Page {
    const known = documents.get(language)
    if (known) return known
    const made = new Page(200, headers, built.replace('<html lang="fr">', `<html lang="${language}">`))
    documents.set(language, made)
    return made
  }

  async function answer(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { searchParams } = new URL(publicUrl + request.url)
    const { language, chosen } = pageLanguage(
      searchParams.get('lang'),
      request.cookies[languageCookie(publicUrl)],
    )
    if (chosen)
      reply.setCookie(languageCookie(publicUrl), language, {
        path: '/',
        maxAge: LANGUAGE_MAX_AGE_S,
        sameSite: 'lax',
        httpOnly: true,
        secure: publicUrl.startsWith('https:'),
      })
    if (develop) return await develop(request, reply, language, headers)
    const page = documentIn(language)
    const { body, encoding } = await page.body(request.headers['accept-encoding'])
    if (encoding !== undefined) reply.header('content-encoding', encoding)
    return reply.code(page.status).headers(page.headers).send(body)
  }

  const options = { config: { auth: 'ignored' }, schema: { hide: true } } as const
  app.get('/admin', options, answer)
  if (!dev)
    await app.register(fastifyStatic, {
      root: path.join(FOLDER, 'assets'),
      prefix: `${ADDRESS}assets/`,
      wildcard: false,
      index: false,
      decorateReply: false,
      preCompressed: true,
      globIgnore: ['**/*.br', '**/*.gz'],
      cacheControl: false,
      setHeaders: (reply) => void reply.header('cache-control', FOR_EVER),
    })
  app.get(`${ADDRESS}*`, options, answer)
}

function readDocument(): string {
  const file = path.join(FOLDER, 'index.html')
  if (!existsSync(file)) throw new Error('the console is not built: "npm start" builds it')
  return readFileSync(file, 'utf8')
}

/** The console of `src/console/`, compiled on request. */
async function developmentConsole(app: FastifyInstance) {
  const { createServer } = await import('vite')
  const vite = await createServer({
    configFile: path.join(ROOT, 'vite.console.config.ts'),
    server: { middlewareMode: true, hmr: false },
    appType: 'custom',
  })
  app.addHook('onClose', async () => await vite.close())
  const source = path.join(ROOT, 'src/console/index.html')
  return async (
    request: FastifyRequest,
    reply: FastifyReply,
    language: string,
    headers: Record<string, string>,
  ): Promise<FastifyReply> => {
    const isDocument = request.headers.accept?.includes('text/html') ?? false
    if (!isDocument) {
      const passed = await new Promise<boolean>((resolve, reject) => {
        request.raw.url = request.url
        reply.raw.once('finish', () => resolve(true))
        vite.middlewares(request.raw, reply.raw, (error: unknown) => (error ? reject(error) : resolve(false)))
      })
      if (passed) return reply.hijack()
    }
    const html = await vite.transformIndexHtml(request.url, readFileSync(source, 'utf8'))
    return reply.headers(headers).send(html.replace('<html lang="fr">', `<html lang="${language}">`))
  }
}
