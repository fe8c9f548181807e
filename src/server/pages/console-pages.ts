import type {} from '@fastify/cookie'
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { PREVIEW_PATH } from '#features/offers/preview.contract.ts'
import { OWN } from '#platform/http/shared-responses.ts'
import { DEFAULT_LANGUAGE, languageCookie } from '#shared/languages.ts'
import { pageLanguage } from './respond-with-pages.ts'
import { FOR_EVER } from './built-folders.ts'
import { Page } from './compression.ts'
import { consoleHeaders, previewHeaders } from './security-headers.ts'
import { pageTag, sendPage } from './send-page.ts'

const ROOT = path.resolve(import.meta.dirname, '../../..')
const ADDRESS = '/admin/'

/** An application of a page of its own: what it is built to, and what it is compiled from in development. */
interface Application {
  folder: string
  source: string
  config: string
}

const CONSOLE: Application = {
  folder: path.join(ROOT, 'build/console'),
  source: path.join(ROOT, 'src/apps/console/index.html'),
  config: path.join(ROOT, 'vite.console.config.ts'),
}
const PREVIEW: Application = {
  folder: path.join(ROOT, 'build/preview'),
  source: path.join(ROOT, 'src/apps/site/preview/index.html'),
  config: path.join(ROOT, 'vite.preview.config.ts'),
}
const LANGUAGE_MAX_AGE_S = 31_536_000

interface ConsoleConfig {
  publicUrl: string
  dev: boolean
}

const DOCUMENT = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': OWN,
  vary: 'cookie, accept-encoding',
}

const OPTIONS = { config: { auth: 'ignored' }, schema: { hide: true } } as const

/** Serves the console: one document for every address below /admin/, its files, and the frame of its preview. */
export async function serveConsole(app: FastifyInstance, config: ConsoleConfig): Promise<void> {
  const { publicUrl, dev } = config
  const headers = { ...consoleHeaders(dev), ...DOCUMENT }
  const develop = dev ? await development(app, CONSOLE) : undefined
  const documents = new Map<string, Page>()
  const built = dev ? '' : readDocument(CONSOLE)

  function documentIn(language: string): Page {
    const known = documents.get(language)
    if (known) return known
    const made = tagged(headers, inLanguage(built, language))
    documents.set(language, made)
    return made
  }

  async function respond(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
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
    return develop
      ? await develop(request, reply, language, headers)
      : await sendPage(request, reply, documentIn(language))
  }

  await servePreview(app, dev)
  app.get('/admin', OPTIONS, respond)
  if (!dev) await serveFiles(app, CONSOLE, ADDRESS)
  app.get(`${ADDRESS}*`, OPTIONS, respond)
}

/** A document without data: the console gives it what it shows (docs/adr/0050-console-as-an-application-of-its-own.md). */
async function servePreview(app: FastifyInstance, dev: boolean): Promise<void> {
  const headers = { ...previewHeaders(dev), ...DOCUMENT }
  if (dev) {
    const develop = await development(app, PREVIEW)
    app.get(`${PREVIEW_PATH}*`, OPTIONS, (request, reply) =>
      develop(request, reply, DEFAULT_LANGUAGE, headers),
    )
    return
  }
  const page = tagged(headers, readDocument(PREVIEW))
  app.get(PREVIEW_PATH, OPTIONS, (request, reply) => sendPage(request, reply, page))
  await serveFiles(app, PREVIEW, PREVIEW_PATH)
}

const tagged = (headers: Record<string, string>, html: string): Page =>
  new Page(200, { ...headers, etag: pageTag(headers, html) }, html)

async function serveFiles(app: FastifyInstance, { folder }: Application, address: string): Promise<void> {
  await app.register(fastifyStatic, {
    root: path.join(folder, 'assets'),
    prefix: `${address}assets/`,
    wildcard: false,
    index: false,
    decorateReply: false,
    preCompressed: true,
    globIgnore: ['**/*.br', '**/*.gz'],
    cacheControl: false,
    setHeaders: (reply) => void reply.header('cache-control', FOR_EVER),
  })
}

function readDocument({ folder }: Application): string {
  const file = path.join(folder, 'index.html')
  if (!existsSync(file)) throw new Error('the console is not built: "npm start" builds it')
  return readFileSync(file, 'utf8')
}

/** An application that is compiled on request. */
async function development(app: FastifyInstance, { config, source }: Application) {
  const { createServer } = await import('vite')
  const vite = await createServer({
    configFile: config,
    server: { middlewareMode: true, hmr: false },
    appType: 'custom',
  })
  app.addHook('onClose', async () => await vite.close())
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
    return reply.headers(headers).send(inLanguage(html, language))
  }
}

/** `data-language` stays when a translator sets `lang` to the reader's language. */
const inLanguage = (html: string, language: string): string =>
  html.replace('<html lang="fr"', `<html lang="${language}" data-language="${language}"`)
