import { createHash } from 'node:crypto'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import cookie from '@fastify/cookie'
import Fastify, { type FastifyInstance } from 'fastify'
import { describe, expect, test, vi } from 'vitest'
import { handleErrors } from '#platform/http/errors.ts'
import { readLanguage } from '#platform/http/request.ts'
import { answerWithPages, pageCache, pageLanguage } from './answer-page.ts'
import type { Renderer } from './renderer.ts'

type Render = Awaited<ReturnType<Renderer['load']>>['render']

/** Renders what it was asked for, the way React Router writes a document. */
const echo: Render = async (request, _, { mark, language, sidebar }) => {
  const { pathname, search } = new URL(request.url)
  const page = `<html lang="${language}"><head><link rel="modulepreload" href="/a.js"/></head><body data-sidebar="${sidebar}">${pathname}${search}<script nonce="${mark}" type="module">import * as route0 from "/page.js";({"routes/page":route0});import("/entry.js")</script></body></html>`
  return {
    response: new Response(null, { status: pathname === '/missing' ? 404 : 200 }),
    page,
  }
}

async function shop(
  render = vi.fn<Render>(echo),
  settingsStatus = 200,
  paypal: object = { flow: 'redirect' },
): Promise<{ app: FastifyInstance; render: typeof render }> {
  const app = Fastify()
  await app.register(cookie)
  handleErrors(app)
  readLanguage(app)
  app.get('/api/settings/', async (_, reply) =>
    reply.code(settingsStatus).send({
      contactEmail: 'help@shop.example',
      publicUrl: 'https://shop.example',
      pictures: {},
      paypal,
    }),
  )
  const renderer: Renderer = {
    load: async () => ({ render }),
    messages: (language, page) => [
      `/assets/${language}.js`,
      ...(page === '/cart' ? ['/assets/more.js'] : []),
    ],
    inlined: {},
    clientFolder: undefined,
  }
  const config = { publicUrl: 'https://shop.example', dev: false }
  answerWithPages(app, { renderer, cache: pageCache(), config })
  return { app, render }
}

/** Sources of `script-src` for the inline scripts that a body holds. */
const scriptSources = (body: string): string[] =>
  [...body.matchAll(/<script\b[^>]*>([^]*?)<\/script>/g)].map(
    ([, code = '']) => `'sha256-${createHash('sha256').update(code).digest('base64')}'`,
  )

const allowedScripts = (headers: Record<string, unknown>): string[] =>
  /script-src ([^;]*)/.exec(String(headers['content-security-policy']))?.[1]?.split(' ') ?? []

describe('a page', () => {
  test('is sent with the hashes of its scripts, each time the same bytes and headers', async () => {
    const { app, render } = await shop()
    const answers = [await app.inject('/offers'), await app.inject('/offers')]
    for (const { body, headers } of answers) {
      expect(scriptSources(body)).toHaveLength(2)
      expect(allowedScripts(headers)).toEqual(["'self'", ...scriptSources(body)])
      expect(body).not.toContain('nonce')
    }
    const [first, second] = answers.map(({ body, headers }) => [body, headers['content-security-policy']])
    expect(second).toEqual(first)
    expect(render).toHaveBeenCalledOnce()
  })

  test('does not vouch for a script that got into it from elsewhere', async () => {
    const injected = '<script>steal()</script><script nonce="guess">steal()</script>'
    const { app } = await shop(
      vi.fn<Render>(async (...args) => {
        const { response, page = '' } = await echo(...args)
        return { response, page: page.replace('</body>', `${injected}</body>`) }
      }),
    )
    for (const url of ['/offers', '/offers?page=2']) {
      const { body, headers } = await app.inject(url)
      expect(body).toContain(injected)
      const [steal, ...others] = scriptSources(body).toReversed()
      expect(allowedScripts(headers)).not.toContain(steal)
      expect(allowedScripts(headers)).toEqual(expect.arrayContaining(others.slice(1)))
    }
  })

  test('with the provider’s script is made for each request, with a nonce of its own', async () => {
    const { app, render } = await shop(undefined, 200, { sdkBaseUrl: 'https://pay.example' })
    const answers = [await app.inject('/cart'), await app.inject('/cart')]
    const nonces = answers.map(
      ({ headers }) =>
        /style-src [^;]*'nonce-([\w-]{22})'/.exec(String(headers['content-security-policy']))?.[1],
    )
    expect(new Set(nonces).size).toBe(2)
    answers.forEach(({ body, headers }, index) => {
      expect(body.match(/nonce="[^"]+"/g)).toEqual([`nonce="${nonces[index]}"`])
      expect(allowedScripts(headers)).toEqual([
        "'self'",
        ...scriptSources(body),
        'https://pay.example',
        `'nonce-${nonces[index]}'`,
      ])
    })
    expect(render).toHaveBeenCalledTimes(2)
  })

  test('says before the first paint who looks at it, and loads its messages with its scripts', async () => {
    const { app } = await shop()
    const { body } = await app.inject('/')
    expect(body.indexOf('dataset.auth')).toBeLessThan(body.indexOf('</head>'))
    expect(body).toContain('["/page.js","/a.js","/assets/fr.js"]')
    expect((await app.inject('/cart')).body).toContain(
      '["/page.js","/a.js","/assets/fr.js","/assets/more.js"]',
    )
  })

  test('is compressed by the best means the client knows, kept or made for one request', async () => {
    const { app } = await shop()
    for (const url of ['/offers', '/offers?page=2']) {
      const plain = await app.inject(url)
      expect(plain.headers['content-encoding']).toBeUndefined()
      expect(plain.headers['vary']).toBe('cookie, accept-encoding')
      for (const [accepted, encoding, open] of [
        ['gzip, deflate, br', 'br', brotliDecompressSync],
        ['gzip', 'gzip', gunzipSync],
      ] as const) {
        const answer = await app.inject({ url, headers: { 'accept-encoding': accepted } })
        expect(answer.headers['content-encoding']).toBe(encoding)
        expect(open(answer.rawPayload).toString()).toBe(plain.body)
      }
    }
  })

  test('is made and compressed once when many ask for it at the same time', async () => {
    const { app, render } = await shop()
    const ask = { url: '/offers', headers: { 'accept-encoding': 'br' } }
    const answers = await Promise.all(Array.from({ length: 40 }, () => app.inject(ask)))
    expect(render).toHaveBeenCalledOnce()
    expect(new Set(answers.map(({ rawPayload }) => rawPayload.toString('base64'))).size).toBe(1)
  })

  test('is never mixed up with another language or sidebar', async () => {
    const { app } = await shop()
    const cookies: Record<string, string>[] = [
      {},
      { language: 'nl' },
      { sidebar_state: 'false' },
      { language: 'nl', sidebar_state: 'false' },
    ]
    const bodies = await Promise.all(
      cookies.map(async (sent) => (await app.inject({ url: '/', cookies: sent })).body),
    )
    expect(
      bodies.map((body) => [/lang="(..)"/.exec(body)?.[1], /data-sidebar="(\w+)"/.exec(body)?.[1]]),
    ).toEqual([
      ['fr', 'expanded'],
      ['nl', 'expanded'],
      ['fr', 'collapsed'],
      ['nl', 'collapsed'],
    ])
  })

  test('with a query is made for that query alone', async () => {
    const { app } = await shop()
    expect((await app.inject('/login?next=/a')).body).toContain('/login?next=/a')
    expect((await app.inject('/login?next=/b')).body).toContain('/login?next=/b')
    expect((await app.inject('/login')).body).not.toContain('next')
  })

  test('that does not exist is a 404 and is not kept', async () => {
    const { app, render } = await shop()
    expect((await app.inject('/missing')).statusCode).toBe(404)
    await app.inject('/missing')
    expect(render).toHaveBeenCalledTimes(2)
  })
})

describe('the language of a page', () => {
  test('asked for in the address is remembered', async () => {
    const { app } = await shop()
    const answer = await app.inject('/offers?lang=nl')
    expect(answer.body).toContain('lang="nl"')
    expect(answer.body).toContain('/offers<')
    expect(answer.cookies).toMatchObject([{ name: 'language', value: 'nl', path: '/' }])
  })

  test('is French without a choice, whatever the browser prefers [spec 1.20]', async () => {
    const { app } = await shop()
    const answer = await app.inject({ url: '/?lang=de', headers: { 'accept-language': 'en' } })
    expect(answer.body).toContain('lang="fr"')
    expect(answer.cookies).toEqual([])
  })
})

test('the address decides, then the cookie, then French [spec 1.20]', () => {
  expect(pageLanguage('nl', 'en')).toEqual({ language: 'nl', chosen: true })
  expect(pageLanguage(null, 'en')).toEqual({ language: 'en', chosen: false })
  expect(pageLanguage(null, undefined)).toEqual({ language: 'fr', chosen: false })
})

test.each(['de', '', 'NL', '__proto__'])(
  'a language that the shop does not speak is ignored: %j',
  (asked) => {
    expect(pageLanguage(asked, 'en')).toEqual({ language: 'en', chosen: false })
    expect(pageLanguage(null, asked)).toEqual({ language: 'fr', chosen: false })
  },
)

describe('a failure', () => {
  const broken = async (): ReturnType<typeof shop> =>
    await shop(
      vi.fn<Render>(async () => {
        throw new Error('secret insides')
      }),
    )

  test('is a page of its own in the language of the visitor, without its insides', async () => {
    const { app } = await broken()
    const answer = await app.inject({ url: '/', cookies: { language: 'en' } })
    expect(answer.statusCode).toBe(500)
    expect(answer.body).toContain('This page could not be shown')
    expect(answer.body).toContain('help@shop.example')
    expect(answer.body).not.toContain('secret')
    expect(answer.headers['cache-control']).toBe('no-store')
  })

  test('of the settings is not kept for ever', async () => {
    const { app } = await shop(undefined, 503)
    expect((await app.inject('/')).statusCode).toBe(500)
  })
})

describe('what is no page', () => {
  test.each(['/api/nothing/', '/assets/gone.js', '/media/gone.avif'])('%s is a short 404', async (url) => {
    const { app, render } = await shop()
    const answer = await app.inject({ url, headers: { 'accept-language': 'nl' } })
    expect(answer.statusCode).toBe(404)
    expect(answer.json()).toMatchObject({ code: 'request.notFound', detail: 'Dit adres bestaat niet.' })
    expect(render).not.toHaveBeenCalled()
  })

  test('another method than GET is refused', async () => {
    const { app } = await shop()
    const answer = await app.inject({ method: 'DELETE', url: '/offers' })
    expect(answer.statusCode).toBe(405)
    expect(answer.headers['allow']).toBe('GET, HEAD')
  })

  test('a form that was sent too early comes back, without what was in it', async () => {
    const { app } = await shop()
    const answer = await app.inject({
      method: 'POST',
      url: '/login?next=/cart',
      headers: { accept: 'text/html', 'content-type': 'application/x-www-form-urlencoded' },
      payload: 'password=secret',
    })
    expect(answer.statusCode).toBe(303)
    expect(answer.headers['location']).toBe('/login?next=/cart')
  })

  test.each(['//evil.example/', '/\\evil.example/'])('nobody is sent away by %s', async (url) => {
    const { app, render } = await shop()
    const sent = await app.inject({ method: 'POST', url: '/', headers: { accept: 'text/html' } })
    expect(sent.statusCode).toBe(303)
    const answer = await app.inject({
      method: 'POST',
      url: { pathname: url },
      headers: { accept: 'text/html' },
    })
    expect(answer.headers['location']).toBeUndefined()
    expect(answer.statusCode).toBe(405)
    const asked = await app.inject({ url: { pathname: url } })
    expect([asked.statusCode, asked.headers['location']]).toEqual([308, '/evil.example'])
    expect(render).not.toHaveBeenCalled()
  })
})
