import { createHash } from 'node:crypto'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import cookie from '@fastify/cookie'
import Fastify from 'fastify'
import { describe, expect, test, vi } from 'vitest'
import { handleErrors } from '#platform/http/errors.ts'
import { readLanguage } from '#platform/http/request.ts'
import { respondWithPages, pageCache, pageLanguage } from './respond-with-pages.ts'
import type { Renderer } from './renderer.ts'

type Render = Awaited<ReturnType<Renderer['load']>>['render']

/** Renders what it was asked for, the way React Router writes a document. */
const echo: Render = async (request, _, { mark, language, sidebar }) => {
  const { pathname, search } = new URL(request.url)
  const code = 'import * as route0 from "/page.js";({"routes/page":route0});import("/entry.js")'
  const script = `<script nonce="${mark}" type="module">${code}</script>`
  const head = '<head><link rel="modulepreload" href="/a.js"/></head>'
  const body = `<body data-sidebar="${sidebar}">${pathname}${search}${script}</body>`
  const status = pathname === '/missing' ? 404 : 200
  return { response: new Response(null, { status }), page: `<html lang="${language}">${head}${body}</html>` }
}

async function shop(render = vi.fn<Render>(echo), settingsStatus = 200) {
  const app = Fastify()
  await app.register(cookie)
  handleErrors(app)
  const publicUrl = 'https://shop.example'
  readLanguage(app, publicUrl)
  const paypal = { flow: 'redirect' }
  const settings = { contactEmail: 'help@shop.example', publicUrl, pictures: {}, paypal }
  app.get('/api/settings/', async (_, reply) => reply.code(settingsStatus).send(settings))
  const renderer: Renderer = {
    load: async () => ({ render }),
    messages: (language) => [`/assets/${language}.js`],
    inlined: {},
    clientFolder: undefined,
  }
  respondWithPages(app, {
    renderer,
    cache: pageCache(),
    config: { publicUrl, dev: false, offlinePage: true },
    now: () => 0,
  })
  return { app, render }
}

/** Sources of `script-src` for the inline scripts that a body holds. */
const scriptSources = (body: string): string[] =>
  [...body.matchAll(/<script\b[^>]*>([^]*?)<\/script>/g)].map(
    ([, code = '']) => `'sha256-${createHash('sha256').update(code).digest('base64')}'`,
  )

const allowedScripts = (headers: Record<string, unknown>): string[] =>
  /script-src ([^;]*)/.exec(String(headers['content-security-policy']))?.[1]?.split(' ') ?? []

// What each page of the shop may run, by language, sidebar and cookie, and where odd addresses lead:
// test/http/requests.test.ts and test/http/fresh-pages.test.ts.
describe('a page', () => {
  test('allows no injected script', async () => {
    const injected = '<script>steal()</script><script nonce="guess">steal()</script>'
    const { app } = await shop(
      vi.fn<Render>(async (...args) => {
        const { response, page = '' } = await echo(...args)
        return { response, page: page.replace('</body>', `${injected}</body>`) }
      }),
    )
    for (const url of ['/offers', '/login?next=%2F']) {
      const { body, headers } = await app.inject(url)
      expect(body).toContain(injected)
      const [steal, ...others] = scriptSources(body).toReversed()
      expect(allowedScripts(headers)).not.toContain(steal)
      expect(allowedScripts(headers)).toEqual(expect.arrayContaining(others.slice(1)))
    }
  })

  test('marks signed-in visitors before the first paint, and loads its messages with its scripts', async () => {
    const { app } = await shop()
    const { body } = await app.inject('/')
    expect(body.indexOf('dataset.auth')).toBeLessThan(body.indexOf('</head>'))
    expect(body).toContain('["/page.js","/a.js","/assets/fr.js"]')
  })

  test('has the best encoding that the client accepts, cached or not', async () => {
    const { app } = await shop()
    for (const url of ['/offers', '/login?next=%2F']) {
      const plain = await app.inject(url)
      expect(plain.headers['content-encoding']).toBeUndefined()
      expect(plain.headers['vary']).toBe('cookie, accept-encoding')
      for (const [accepted, encoding, open] of [
        ['gzip, deflate, br', 'br', brotliDecompressSync],
        ['gzip', 'gzip', gunzipSync],
      ] as const) {
        const response = await app.inject({ url, headers: { 'accept-encoding': accepted } })
        expect(response.headers['content-encoding']).toBe(encoding)
        expect(open(response.rawPayload).toString()).toBe(plain.body)
      }
    }
  })

  test('is rendered and compressed once for concurrent requests', async () => {
    const { app, render } = await shop()
    const ask = { url: '/offers', headers: { 'accept-encoding': 'br' } }
    const responses = await Promise.all(Array.from({ length: 40 }, () => app.inject(ask)))
    expect(render).toHaveBeenCalledOnce()
    expect(new Set(responses.map(({ rawPayload }) => rawPayload.toString('base64'))).size).toBe(1)
  })

  test('with a query is rendered for that query alone', async () => {
    const { app } = await shop()
    for (const url of ['/login?next=/a', '/login?next=/b', '/unsubscribe?token=c'])
      expect((await app.inject(url)).body).toContain(url)
    expect((await app.inject('/login')).body).not.toContain('next')
  })

  test('is the same for every query that it does not read', async () => {
    const { app, render } = await shop()
    const [plain, ...others] = await Promise.all(
      ['/offers', '/offers?utm_source=a', '/offers?next=/b&x', '/offers?lang=xx'].map((url) =>
        app.inject(url),
      ),
    )
    for (const { body } of others) expect(body).toBe(plain!.body)
    expect(render).toHaveBeenCalledOnce()
    expect((await app.inject('/register?utm=a&next=/b&code=c')).body).toContain('/register?next=%2Fb&code=c')
  })

  test('that does not exist is a 404 and is not cached', async () => {
    const { app, render } = await shop()
    expect((await app.inject('/missing')).statusCode).toBe(404)
    await app.inject('/missing')
    expect(render).toHaveBeenCalledTimes(2)
  })
})

test.each([
  ['nl', 'en', 'nl', true],
  [null, 'en', 'en', false],
  [null, undefined, 'fr', false],
  ...['xx', '', 'NL', '__proto__'].flatMap((unknown) => [
    [unknown, 'en', 'en', false] as const,
    [null, unknown, 'fr', false] as const,
  ]),
] as const)('address %j and cookie %j give %s [spec 1.20]', (asked, cookie, language, chosen) => {
  expect(pageLanguage(asked, cookie)).toEqual({ language, chosen })
})

describe('a failure', () => {
  test('is a page in the language of the visitor that does not show the error', async () => {
    const { app } = await shop(vi.fn<Render>().mockRejectedValue(new Error('secret insides')))
    const response = await app.inject({ url: '/', cookies: { '__Host-language': 'en' } })
    expect(response.statusCode).toBe(500)
    expect(response.body).toContain('This page could not be shown')
    expect(response.body).toContain('help@shop.example')
    expect(response.body).not.toContain('secret')
    expect(response.headers['cache-control']).toBe('no-store')
  })

  test('of the settings is a failure, too', async () => {
    const { app } = await shop(undefined, 503)
    expect((await app.inject('/')).statusCode).toBe(500)
  })
})

describe('a request for no page', () => {
  test.each(['/api/nothing/', '/assets/gone.js', '/media/gone.avif'])('of %s is a short 404', async (url) => {
    const { app, render } = await shop()
    const response = await app.inject({ url, headers: { 'accept-language': 'nl' } })
    expect(response.statusCode).toBe(404)
    expect(response.json()).toMatchObject({ code: 'request.notFound', detail: 'Dit adres bestaat niet.' })
    expect(render).not.toHaveBeenCalled()
  })

  test('with another method is refused; a form sent before hydration leads back to the page, without its content', async () => {
    const { app } = await shop()
    const refused = await app.inject({ method: 'DELETE', url: '/offers' })
    expect([refused.statusCode, refused.headers['allow']]).toEqual([405, 'GET, HEAD'])
    const headers = { accept: 'text/html', 'content-type': 'application/x-www-form-urlencoded' }
    const url = '/login?next=/cart'
    const response = await app.inject({ method: 'POST', url, headers, payload: 'password=secret' })
    expect([response.statusCode, response.headers['location']]).toEqual([303, url])
  })
})
