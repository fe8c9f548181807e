import type {} from '@fastify/cookie'
import type {} from '#platform/http/request.ts'
import { randomBytes } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Shell } from '#client/shell.ts'
import { CONFIRMING, PAYMENT_NOTICES, paths } from '#client/paths.ts'
import { LIVE_PARAMETERS } from '#features/draws/live.rules.ts'
import { countriesIn } from '#shared/countries.ts'
import { OWN } from '#platform/http/shared-responses.ts'
import { PAGE_MS } from '#shared/freshness.ts'
import {
  DEFAULT_LANGUAGE,
  LANGUAGE_COOKIE_S,
  isLanguage,
  languageCookie,
  type Language,
} from '#shared/languages.ts'
import type { PublicSettings } from '#shared/public-settings.ts'
import { onePagePath } from '#shared/page-path.ts'
import { Refusal } from '#shared/refusal.ts'
import { ShortCache } from '#shared/short-cache.ts'
import { NO_PAGES } from '../requests.ts'
import { Page } from './compression.ts'
import { finishDocument } from './document.ts'
import { PLAIN_PAGE_HEADERS, fallbackPage } from './plain-pages.ts'
import { type Rendered, type Renderer, inProcessTransport } from './renderer.ts'
import { documentHeaders, needsNonce } from './security-headers.ts'
import { pageTag, sendPage } from './send-page.ts'

const freshNonce = (): string => randomBytes(16).toString('base64url')

/** The nonce of rendering, which is never sent. */
const MARK = freshNonce()

const SIDEBAR_COOKIE = 'sidebar_state'
const HTML = 'text/html; charset=utf-8'

/** Not "no-store": the browser may keep a page for its back button. */
const PAGE_HEADERS = {
  'content-type': HTML,
  'cache-control': OWN,
  vary: 'cookie, accept-encoding',
} as const

const OF_PAYMENTS = [...PAYMENT_NOTICES, CONFIRMING]

/** The parameters that the pages read, besides `lang`; whatever else an address carries changes no page. */
const READ_BY_PAGE: Readonly<Record<string, readonly string[]>> = {
  [paths.login()]: ['next'],
  [paths.register()]: ['next', 'code'],
  [paths.offers()]: ['sort', 'price'],
  [paths.draws()]: ['after'],
  [paths.mailbox()]: ['topic', 'q'],
  [paths.unsubscribe()]: ['token'],
  [paths.cart()]: OF_PAYMENTS,
  [paths.participations()]: OF_PAYMENTS,
}

/** The pages of a draw show a rehearsal of it instead (ADR 0062). */
const OF_DRAW = /^\/draws\/[^/]+$/
const OF_LIVE = /^\/draws\/[^/]+\/live$/
const OF_REHEARSALS = ['rehearsal']

const readByDraw = (path: string): readonly string[] =>
  OF_LIVE.test(path) ? [...OF_REHEARSALS, ...LIVE_PARAMETERS] : OF_DRAW.test(path) ? OF_REHEARSALS : []

/** Removes the parameters that the page does not read. */
function withoutUnreadQuery(url: URL): void {
  const { pathname: path } = url
  const read = READ_BY_PAGE[path] ?? readByDraw(path)
  const unread = [...url.searchParams.keys()].filter((name) => !read.includes(name))
  // Deleting rewrites the whole query, in another spelling than the browser's.
  for (const name of unread) url.searchParams.delete(name)
}

export const pageCache = (): ShortCache<Page> => new ShortCache({ ttlMs: PAGE_MS, capacity: 300 })

interface Context {
  renderer: Renderer
  cache: ShortCache<Page>
  config: { publicUrl: string; dev: boolean; offlinePage: boolean }
  /** Milliseconds since the epoch by the database's clock. */
  now: () => number
}

/** Responds to every GET that no other route serves. */
export function respondWithPages(app: FastifyInstance, { renderer, cache, config, now }: Context): void {
  const transport = inProcessTransport(app)
  const cookieName = languageCookie(config.publicUrl)
  const cookieOptions = {
    path: '/',
    maxAge: LANGUAGE_COOKIE_S,
    sameSite: 'lax',
    // Scripts read that there is one, and suggest no other language (ADR 0126).
    httpOnly: false,
    secure: config.publicUrl.startsWith('https:'),
  } as const
  let settings: Promise<PublicSettings> | undefined

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
    { url, shell }: Asked,
    renderedAt: number,
  ): Promise<Rendered> {
    const module = await renderer.load()
    const report = (error: unknown) => request.log.error({ err: error, path: url.pathname }, 'a page failed')
    const asked = new Request(url, { headers: { accept: request.headers.accept ?? '*/*' } })
    return await module.render(asked, transport, { ...shell, renderedAt, mark: MARK, report })
  }

  async function makePage(request: FastifyRequest, asked: Asked, isForOneRequest: boolean): Promise<Page> {
    const { pathname: path } = asked.url
    const { language, settings } = asked.shell
    const renderedAt = now()
    const { response, page = await response.text() } = await render(request, asked, renderedAt)
    const nonce = needsNonce({ path, settings }) ? { nonce: freshNonce() } : {}
    const messages = renderer.messages(language, path)
    const scripts = { mark: MARK, path, messages, inlined: renderer.inlined }
    const { dev, offlinePage } = config
    const parts = { ...scripts, language, ...nonce, dev, offlinePage }
    const { html, scriptSources } = finishDocument(page, parts)
    const policy = { scripts: scriptSources, ...nonce, dev, path, settings }
    const hasTag = !isForOneRequest && response.status === 200
    const headers = { ...PAGE_HEADERS, ...documentHeaders(policy) }
    // The time at which it was made changes nothing that it shows.
    const tag = hasTag && { etag: pageTag(headers, html.replaceAll(String(renderedAt), '')) }
    return new Page(response.status, { ...headers, ...tag }, html)
  }

  async function respond(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    // Not resolved against a base: "//other.example/" would name another host.
    const url = new URL(config.publicUrl + request.url)
    if (NO_PAGES.test(url.pathname)) throw new Refusal('request.notFound', 404, 'errors.request.notFound')
    if (await renderer.serveModule?.(request, reply)) return reply.hijack()
    const path = onePagePath(url.pathname)
    if (path !== url.pathname) return await reply.redirect(path + url.search, 308)

    const { language, chosen } = pageLanguage(url.searchParams.get('lang'), request.cookies[cookieName])
    // Such as those of other sites' links: they would make the page anew for each request.
    if (!url.pathname.endsWith('.data')) withoutUnreadQuery(url)
    const sidebar = sidebarOf(request)
    if (chosen) reply.setCookie(cookieName, language, cookieOptions)
    request.language = language
    const countries = countriesIn(language)
    const shell = { language, settings: await publicSettings(), countries, sidebar } as const
    if (url.pathname.endsWith('.data')) {
      const { response } = await render(request, { url, shell }, now())
      return await passOn(response, reply)
    }
    const isForOneRequest =
      config.dev || url.search !== '' || needsNonce({ path: url.pathname, settings: shell.settings })
    const make = (): Promise<Page> => makePage(request, { url, shell }, isForOneRequest)
    const page = isForOneRequest
      ? await make()
      : await cache.get(nameOf(language, sidebar, url.pathname), make, ({ status }) => status === 200)
    return await sendPage(request, reply, page, isSame(page, url.pathname) && !chosen)
  }

  /** The common case. */
  function keptPage(request: FastifyRequest): Page | undefined {
    const { language } = pageLanguage(null, request.cookies[cookieName])
    return cache.find(nameOf(language, sidebarOf(request), request.url))
  }

  app.get('/*', { config: { auth: 'ignored' }, schema: { hide: true } }, async (request, reply) => {
    try {
      const kept = keptPage(request)
      if (kept) return await sendPage(request, reply, kept, isSame(kept, request.url))
      return await respond(request, reply)
    } catch (error) {
      if (error instanceof Refusal) throw error
      request.log.error({ err: error }, 'a page failed')
      return await respondWithFallback(request, reply)
    }
  })

  app.route({
    method: ['POST', 'PUT', 'PATCH', 'DELETE'],
    url: '/*',
    config: { auth: 'ignored' },
    schema: { hide: true },
    // Before the body is read: no page takes one.
    onRequest: async (request, reply) => {
      reply.header('allow', 'GET, HEAD')
      // A form submitted before hydration is shown again.
      if (request.method === 'POST' && request.headers.accept?.includes('text/html') && isOurs(request.url)) {
        return await reply.redirect(request.url, 303)
      }
      throw new Refusal('request.methodNotAllowed', 405, 'errors.request.methodNotAllowed')
    },
    handler: async () => undefined,
  })

  async function respondWithFallback(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const contactEmail = await publicSettings().then(
      (read) => read.contactEmail,
      () => '',
    )
    const { language } = pageLanguage(null, request.cookies[cookieName])
    const page = fallbackPage(language, contactEmail, request.id)
    return await reply.code(500).type(HTML).headers(PLAIN_PAGE_HEADERS).send(page)
  }
}

interface Asked {
  url: URL
  shell: Omit<Shell, 'renderedAt'>
}

/** `?lang=`, which sets the cookie (`chosen`), then the cookie, then French. */
export function pageLanguage(
  asked: string | null,
  cookie: string | undefined,
): { language: Language; chosen: boolean } {
  if (isLanguage(asked)) return { language: asked, chosen: true }
  return { language: isLanguage(cookie) ? cookie : DEFAULT_LANGUAGE, chosen: false }
}

const SIDEBARS: Readonly<Record<string, Shell['sidebar']>> = { true: 'expanded', false: 'collapsed' }

const sidebarOf = (request: FastifyRequest): Shell['sidebar'] =>
  SIDEBARS[request.cookies[SIDEBAR_COOKIE] ?? ''] ?? 'auto'

/** A page with a query that it reads is never cached. */
const nameOf = (language: string, sidebar: string, path: string): string => `${language} ${sidebar} ${path}`

/** Whether everybody who asks without a cookie gets this page. The mailbox of a demonstration is not for everybody. */
const isSame = (page: Page, path: string): boolean =>
  page.headers['etag'] !== undefined && !path.startsWith('/demo/')

/** Whether a redirect to this path stays on this host. */
const isOurs = (path: string): boolean => /^\/(?![/\\])/.test(path)

/** A response of React Router other than a document. */
async function passOn(response: Response, reply: FastifyReply): Promise<FastifyReply> {
  reply.code(response.status)
  response.headers.forEach((value, name) => void reply.header(name, value))
  return reply.send(Buffer.from(await response.arrayBuffer()))
}
