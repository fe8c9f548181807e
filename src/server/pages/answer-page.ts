import type {} from '@fastify/cookie'
import type {} from '#platform/http/request.ts'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { PageOfParts } from '#client/kept-markup.tsx'
import type { Shell } from '#client/shell.ts'
import { nowMs } from '#shared/clock.ts'
import { PAGE_MS } from '#shared/freshness.ts'
import { LANGUAGE_COOKIE } from '#shared/languages.ts'
import type { PublicSettings } from '#shared/public-settings.ts'
import { Refusal } from '#shared/refusal.ts'
import { ShortCache } from '#shared/short-cache.ts'
import { onePagePath } from '../request-target.ts'
import { documentBytes, documentText, finishDocument } from './document.ts'
import { PLAIN_PAGE_HEADERS, fallbackPage } from './fallback-page.ts'
import { freshNonce } from './nonce.ts'
import { NoncedPage } from './nonced-page.ts'
import { acceptsGzip, bodyOnce } from './page-body.ts'
import { LANGUAGE_MAX_AGE_S, pageLanguage } from './page-language.ts'
import type { Rendered, Renderer } from './renderer.ts'
import { documentHeaders } from './security-headers.ts'
import { inProcessTransport } from './transport.ts'

/** Stands for the nonce in a page that is kept; nobody outside this process can know it. */
const PLACEHOLDER = freshNonce()

const SIDEBAR_COOKIE = 'sidebar_state'
const HTML = 'text/html; charset=utf-8'

/** Headers of every page. Not "no-store": the browser may keep the page for its back button. */
const PAGE_HEADERS = {
  'content-type': HTML,
  'cache-control': 'private, no-cache',
  vary: 'cookie, accept-encoding',
} as const

/** Addresses under which nothing is ever a page. */
const NO_PAGES = /^\/(?:api|assets|media)(?:\/|$)/

/** A rendered page and the headers it is sent with, both with the placeholder for a nonce. */
export interface KeptPage {
  page: NoncedPage
  headers: Record<string, string>
}

/** The caches of one process: most pages kept at a time are as many as it can make in that time. */
export const pageCache = (): ShortCache<KeptPage> => new ShortCache({ ttlMs: PAGE_MS, capacity: 300 })

interface Context {
  renderer: Renderer
  cache: ShortCache<KeptPage>
  config: { publicUrl: string; dev: boolean }
}

/** Answers every GET that nothing else answers with a page. */
export function answerWithPages(app: FastifyInstance, { renderer, cache, config }: Context): void {
  const transport = inProcessTransport(app)
  const languageCookie = {
    path: '/',
    maxAge: LANGUAGE_MAX_AGE_S,
    sameSite: 'lax',
    // No script reads it: pages know their language by <html lang>.
    httpOnly: true,
    secure: config.publicUrl.startsWith('https:'),
  } as const
  let settings: Promise<PublicSettings> | undefined

  /** The settings hold for the life of the process; only a failed reading is repeated. */
  const publicSettings = (): Promise<PublicSettings> => (settings ??= readSettings())

  async function readSettings(): Promise<PublicSettings> {
    const response = await transport('/api/settings/', { method: 'GET' })
    if (!response.ok) {
      settings = undefined
      throw new Error(`the settings could not be read: ${response.status}`)
    }
    return (await response.json()) as PublicSettings
  }

  async function render(
    request: FastifyRequest,
    { url, shell, nonce }: { url: URL; shell: Omit<Shell, 'renderedAt'>; nonce: string },
  ): Promise<Rendered> {
    const module = await renderer.load()
    return await module.render(
      new Request(url, { headers: { accept: request.headers.accept ?? '*/*' } }),
      transport,
      {
        ...shell,
        renderedAt: nowMs(),
        nonce,
        report: (error) => request.log.error({ err: error, path: url.pathname }, 'a page failed'),
      },
    )
  }

  /** A page as it is now, with that nonce in it and in its headers. */
  async function document(
    request: FastifyRequest,
    asked: { url: URL; shell: Omit<Shell, 'renderedAt'>; nonce: string },
  ): Promise<{ status: number; page: PageOfParts; headers: Record<string, string> }> {
    const { url, shell, nonce } = asked
    const { response, page = await pageOf(response) } = await render(request, asked)
    const messages = renderer.messages(shell.language, url.pathname)
    const { settings } = shell
    const scripts = { nonce, path: url.pathname, messages, inlined: renderer.inlined }
    return {
      status: response.status,
      page: finishDocument(page, { ...scripts, dev: config.dev }),
      headers: documentHeaders({ nonce, dev: config.dev, path: url.pathname, settings }),
    }
  }

  async function answer(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    // Put together as text: resolved as an address, "//other.example/" would name another host.
    const url = new URL(config.publicUrl + request.url)
    if (NO_PAGES.test(url.pathname)) throw new Refusal('request.notFound', 404, 'errors.request.notFound')
    if (await renderer.serveModule?.(request, reply)) return reply.hijack()
    const path = onePagePath(url.pathname)
    if (path !== url.pathname) return await reply.redirect(path + url.search, 308)

    const { language, chosen } = pageLanguage(url.searchParams.get('lang'), request.cookies[LANGUAGE_COOKIE])
    // Only then: deleting writes the whole query anew, in another spelling than the browser's.
    if (url.searchParams.has('lang')) url.searchParams.delete('lang')
    const sidebar = sidebarOf(request)
    if (chosen) reply.setCookie(LANGUAGE_COOKIE, language, languageCookie)
    request.language = language
    const shell = { language, settings: await publicSettings(), sidebar } as const
    if (url.pathname.endsWith('.data')) {
      const { response } = await render(request, { url, shell, nonce: freshNonce() })
      return await passOn(response, reply)
    }
    if (config.dev || url.search !== '') {
      const { status, page, headers } = await document(request, { url, shell, nonce: freshNonce() })
      const { body, encoding } = await bodyOnce(documentBytes(page), request.headers['accept-encoding'])
      if (encoding !== undefined) reply.header('content-encoding', encoding)
      return reply.code(status).headers(PAGE_HEADERS).headers(headers).send(body)
    }
    const kept = await cache.get(
      nameOf(language, sidebar, url.pathname),
      async () => {
        const { status, page, headers } = await document(request, { url, shell, nonce: PLACEHOLDER })
        return { page: new NoncedPage(status, documentText(page), PLACEHOLDER), headers }
      },
      ({ page }) => page.status === 200,
    )
    return sendKept(request, reply, kept)
  }

  /** The page if it is kept: the common case, answered before anything is worked out about the request. */
  function keptPage(request: FastifyRequest): KeptPage | undefined {
    const { language } = pageLanguage(null, request.cookies[LANGUAGE_COOKIE])
    return cache.find(nameOf(language, sidebarOf(request), request.url))
  }

  app.get('/*', { config: { auth: 'ignored' }, schema: { hide: true } }, async (request, reply) => {
    const kept = keptPage(request)
    if (kept) return sendKept(request, reply, kept)
    try {
      return await answer(request, reply)
    } catch (error) {
      if (error instanceof Refusal) throw error
      request.log.error({ err: error }, 'a page failed')
      return await answerWithFallback(request, reply)
    }
  })

  app.route({
    method: ['POST', 'PUT', 'PATCH', 'DELETE'],
    url: '/*',
    config: { auth: 'ignored' },
    schema: { hide: true },
    // Before the body is read: whatever it is, no page takes one.
    onRequest: async (request, reply) => {
      reply.header('allow', 'GET, HEAD')
      // A form that was sent before its page could handle it: the person gets the form again.
      if (request.method === 'POST' && request.headers.accept?.includes('text/html') && isOurs(request.url)) {
        return await reply.redirect(request.url, 303)
      }
      throw new Refusal('request.methodNotAllowed', 405, 'errors.request.methodNotAllowed')
    },
    handler: async () => undefined,
  })

  async function answerWithFallback(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const contactEmail = await publicSettings().then(
      (read) => read.contactEmail,
      () => '',
    )
    const { language } = pageLanguage(null, request.cookies[LANGUAGE_COOKIE])
    return await reply
      .code(500)
      .type(HTML)
      .headers(PLAIN_PAGE_HEADERS)
      .send(fallbackPage({ language, contactEmail, requestId: request.id }))
  }
}

const sidebarOf = (request: FastifyRequest): Shell['sidebar'] =>
  request.cookies[SIDEBAR_COOKIE] === 'false' ? 'collapsed' : 'expanded'

/** All that a kept page depends on. A path with a query is never the path of a kept page. */
const nameOf = (language: string, sidebar: string, path: string): string => `${language} ${sidebar} ${path}`

function sendKept(request: FastifyRequest, reply: FastifyReply, { page, headers }: KeptPage): FastifyReply {
  const nonce = freshNonce()
  reply.code(page.status).headers(PAGE_HEADERS)
  for (const name in headers) {
    const value = headers[name] as string
    reply.header(name, value.includes(PLACEHOLDER) ? value.replaceAll(PLACEHOLDER, nonce) : value)
  }
  if (!acceptsGzip(request.headers['accept-encoding'])) return reply.send(page.plain(nonce))
  return reply.header('content-encoding', 'gzip').send(page.gzip(nonce))
}

/** Whether a redirect to this path stays with us: browsers read two slashes as the beginning of another host. */
const isOurs = (path: string): boolean => /^\/(?![/\\])/.test(path)

/** What React Router answered in place of a rendered page. */
const pageOf = async (response: Response): Promise<PageOfParts> => ({
  text: await response.text(),
  hole: '',
  parts: [],
})

/** An answer of React Router that is not a document, as it is. */
async function passOn(response: Response, reply: FastifyReply): Promise<FastifyReply> {
  reply.code(response.status).header('cache-control', 'no-store')
  response.headers.forEach((value, name) => void reply.header(name, value))
  return reply.send(Buffer.from(await response.arrayBuffer()))
}
