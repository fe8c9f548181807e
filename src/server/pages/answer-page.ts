import { randomBytes } from 'node:crypto'
import type {} from '@fastify/cookie'
import type {} from '#platform/http/request.ts'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Shell } from '#client/shell.ts'
import { nowMs } from '#shared/clock.ts'
import { LANGUAGE_COOKIE } from '#shared/languages.ts'
import type { PublicSettings } from '#shared/public-settings.ts'
import { Refusal } from '#shared/refusal.ts'
import { finishDocument } from './document.ts'
import { fallbackPage } from './fallback-page.ts'
import { NoncedPage } from './nonced-page.ts'
import type { PageCache } from './page-cache.ts'
import { LANGUAGE_MAX_AGE_S, pageLanguage } from './page-language.ts'
import type { Renderer } from './renderer.ts'
import { documentHeaders } from './security-headers.ts'
import { inProcessTransport } from './transport.ts'

/** Stands for the nonce in a rendered page; nobody outside this process can know it. */
const PLACEHOLDER = randomBytes(16).toString('base64url')

const SIDEBAR_COOKIE = 'sidebar_state'
const HTML = 'text/html; charset=utf-8'

/** Addresses under which nothing is ever a page. */
const NO_PAGES = /^\/(?:api|assets|media)(?:\/|$)/

interface Context {
  renderer: Renderer
  cache: PageCache<NoncedPage>
  config: { publicUrl: string; dev: boolean }
}

/** Answers every GET that nothing else answers with a page. */
export function answerWithPages(app: FastifyInstance, { renderer, cache, config }: Context): void {
  const transport = inProcessTransport(app)
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
    url: URL,
    shell: Omit<Shell, 'renderedAt'>,
  ): Promise<Response> {
    const module = await renderer.load()
    return await module.render(
      new Request(url, { headers: { accept: request.headers.accept ?? '*/*' } }),
      transport,
      {
        ...shell,
        renderedAt: nowMs(),
        nonce: PLACEHOLDER,
        report: (error) => app.log.error({ err: error, path: url.pathname }, 'a page failed'),
      },
    )
  }

  async function document(
    request: FastifyRequest,
    url: URL,
    shell: Omit<Shell, 'renderedAt'>,
  ): Promise<NoncedPage> {
    const response = await render(request, url, shell)
    const messages = renderer.messages(shell.language)
    const html = finishDocument(await response.text(), { nonce: PLACEHOLDER, messages })
    return new NoncedPage(response.status, html, PLACEHOLDER)
  }

  async function answer(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    // Put together as text: resolved as an address, "//other.example/" would name another host.
    const url = new URL(config.publicUrl + request.url)
    if (NO_PAGES.test(url.pathname)) throw new Refusal('request.notFound', 404, 'errors.request.notFound')
    if (await renderer.serveModule?.(request, reply)) return reply.hijack()

    const { language, chosen } = pageLanguage(url.searchParams.get('lang'), request.cookies[LANGUAGE_COOKIE])
    // Only then: deleting writes the whole query anew, in another spelling than the browser's.
    if (url.searchParams.has('lang')) url.searchParams.delete('lang')
    const sidebar = request.cookies[SIDEBAR_COOKIE] === 'false' ? 'collapsed' : 'expanded'
    if (chosen)
      reply.setCookie(LANGUAGE_COOKIE, language, { path: '/', maxAge: LANGUAGE_MAX_AGE_S, sameSite: 'lax' })
    request.language = language
    const shell = { language, settings: await publicSettings(), sidebar } as const
    if (url.pathname.endsWith('.data')) return await passOn(await render(request, url, shell), reply)

    const make = (): Promise<NoncedPage> => document(request, url, shell)
    const name = `${language} ${sidebar} ${url.pathname}`
    const page =
      config.dev || url.search !== ''
        ? await make()
        : await cache.get(name, make, (made) => made.status === 200)
    return send(request, reply, page, { path: url.pathname, settings: shell.settings })
  }

  function send(
    request: FastifyRequest,
    reply: FastifyReply,
    page: NoncedPage,
    about: { path: string; settings: PublicSettings },
  ): FastifyReply {
    const nonce = randomBytes(16).toString('base64url')
    reply
      .code(page.status)
      .type(HTML)
      .headers(documentHeaders({ nonce, dev: config.dev, ...about }))
    // Not "no-store": the browser may keep the page for its back button.
    reply.header('cache-control', 'private, no-cache').header('vary', 'cookie, accept-encoding')
    if (!/\bgzip\b/.test(String(request.headers['accept-encoding'] ?? '')))
      return reply.send(page.plain(nonce))
    return reply.header('content-encoding', 'gzip').send(page.gzip(nonce))
  }

  app.get('/*', { config: { auth: 'ignored' }, schema: { hide: true } }, async (request, reply) => {
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
      .headers({
        'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
        'cache-control': 'no-store',
      })
      .send(fallbackPage(language, contactEmail))
  }
}

/** Whether a redirect to this path stays with us: browsers read two slashes as the beginning of another host. */
const isOurs = (path: string): boolean => /^\/(?![/\\])/.test(path)

/** An answer of React Router that is not a document, as it is. */
async function passOn(response: Response, reply: FastifyReply): Promise<FastifyReply> {
  reply.code(response.status).header('cache-control', 'no-store')
  response.headers.forEach((value, name) => void reply.header(name, value))
  return reply.send(Buffer.from(await response.arrayBuffer()))
}
