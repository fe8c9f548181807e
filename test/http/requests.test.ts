import { createHash } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import Fastify, { type FastifyInstance } from 'fastify'
import { describe, expect, test } from 'vitest'
import { RequestLog } from '#server/requests.ts'
import { baseHeaders } from '#server/pages/security-headers.ts'
import { acceptPolicyReports } from '#server/pages/policy-reports.ts'
import { sendRaw } from '../support/raw-requests.ts'
import { seenRoutes } from '../support/routes.ts'
import { openShop } from '../support/shop.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { isExtended } from '../support/tier.ts'

/** What any request gets: status, headers, policy, language, errors, files of the media folder. */
const SECRET = 'nobody may read this'
const HERO = 'https://cdn.example/hero.webp'
const dataDir = temporaryFolder('volant-media-', 'file')
mkdirSync(path.join(dataDir, 'media'))
for (const [file, text] of [
  ['secret-key', SECRET],
  ['media/.hidden', SECRET],
  ['media/drawing.svg', '<svg xmlns="http://www.w3.org/2000/svg"/>'],
  ['media/og-site-fr.jpg', 'a picture of our own'],
] as const)
  writeFileSync(path.join(dataDir, file), text)

const env = {
  PUBLIC_URL: 'https://shop.example',
  DATA_DIR: dataDir,
  DEMO_TOKEN: 'a-token-of-the-tests',
  HERO_PICTURE_URL: HERO,
  CATEGORY_ELECTRIC_PICTURE_URL: '/media/hero-light-828.webp',
}
const shop = await openShop({ env, pages: true })
await shop.newOffer({ slug: 'ouverte' })

const withToken = { cookie: `demo_token=${env.DEMO_TOKEN}` }
const get = (url: string, headers: Record<string, string> = {}) => shop.app.inject({ url, headers })

/** Sends a request line and headers as they are written. */
async function raw(line: string, headers = '') {
  const always = 'host: shop\r\nconnection: close\r\naccept: text/html\r\naccept-language: nl\r\n'
  const { status, response } = await sendRaw(shop.port, `${line} HTTP/1.1\r\n${always}${headers}\r\n`)
  return { status, response, location: /^location: (.*)\r$/im.exec(response)?.[1] }
}

test.each<['GET' | 'POST' | 'PUT', string, number, string, string?]>([
  ['GET', '/api/', 404, 'request.notFound'],
  ['GET', '/api/nothing/', 404, 'request.notFound'],
  ['GET', '/api/offers/a/b/', 404, 'request.notFound'],
  ['GET', '/api/cart/1/steal_item/', 404, 'request.notFound'],
  // Longer than a route's parameter may be.
  ['GET', `/api/offers/${'x'.repeat(300)}/`, 404, 'request.notFound'],
  ['POST', '/api/offers/', 405, 'request.methodNotAllowed', 'GET, HEAD'],
  ['GET', '/api/token/', 405, 'request.methodNotAllowed', 'POST'],
  ['PUT', '/api/cart/1/add_item/', 405, 'request.methodNotAllowed', 'POST'],
])('%s %.40s gets %i', async (method, url, status, code, allow) => {
  const response = await shop.anonymous(method, url, method === 'GET' ? undefined : {})
  expect(response).toMatchObject({ status, body: { code } })
  expect(response.headers['allow']).toBe(allow)
})

test.runIf(isExtended)('a shop without a token has no metrics', async () => {
  const headers = { authorization: 'Bearer undefined' }
  expect((await shop.anonymous('GET', '/metrics', undefined, { headers })).status).toBe(404)
})

test('the trailing slash may be left out', async () => {
  expect((await shop.anonymous('GET', '/api/offers')).status).toBe(200)
})

const INVALID = 'Sommige gegevens kloppen niet. Controleer ze en probeer het opnieuw.'
const NOT_FOUND = 'Dit adres bestaat niet.'

test.each([
  ['http://elsewhere.example/offers', 200],
  ['http://elsewhere.example', 200],
  ['HTTP://elsewhere.example/api/offers/?x', 200],
  ['http://elsewhere.example/nothing-here', 404],
  ['*', 404],
  ['//elsewhere.example/offers', 308],
  ['/\\\\elsewhere.example', 308],
  ['/%', 404],
  ['/offers/%E0%A4%A', 308],
  ['/api/offers/%E0%A4%A/', 400],
  ['/api/offers/OUVERTE/', 200],
  ['/api/draws/Ouverte/', 200],
  ['/API/offers/', 404],
  ['/Assets/x.js', 404],
])('the request target %s gets %d', async (target, status) => {
  expect((await raw(`GET ${target}`)).status).toBe(status)
})

/** Pages have a policy of their own, and what caches may keep says so. */
const DIFFERS = ['content-security-policy', 'cache-control']

/** Headers of every response that this one lacks. */
const missingHeaders = (response: string): string[] =>
  Object.entries(baseHeaders(env.PUBLIC_URL))
    .map(([name, value]) => `${name}: ${DIFFERS.includes(name) ? '' : value}`)
    .filter((line) => !response.includes(`\r\n${line}`))

test.each([
  ['GET /', 200],
  ['GET /api/offers/', 200],
  ['GET /assets/nothing.js', 404],
  ['GET /media/nothing.webp', 404],
  ['GET /nowhere', 404],
  ['GET /offers/', 308],
  ['GET /api/cart/', 401],
  ['POST /', 303],
  ['DELETE /offers', 405],
  ['GET /api/health/live', 200],
  ['GET /robots.txt', 200],
])('%s has the headers of every response', async (line, status) => {
  const { response, ...got } = await raw(line)
  expect([got.status, missingHeaders(response)]).toEqual([status, []])
})

test.each([
  ['HTTP/1.1', 400],
  ['HTTP/1.0', 200],
])('a request of %s without a host gets %i', async (version, status) => {
  const got = await sendRaw(shop.port, `GET /api/health/live ${version}\r\nconnection: close\r\n\r\n`)
  expect([got.status, missingHeaders(got.response)]).toEqual([status, []])
})

describe('the mailbox of a demonstration', () => {
  const proxied = { 'x-forwarded-for': '192.0.2.7' }
  const elsewhere = { host: 'shop.example' }
  const cookie = `demo_token=${env.DEMO_TOKEN}`
  const open = (url: string, headers: Record<string, string> = {}, remoteAddress = '127.0.0.1') =>
    shop.app.inject({ url, headers, remoteAddress })

  test.each<[string, Record<string, string>, string, number]>([
    ['this machine', {}, '127.0.0.1', 403],
    ['this machine by IPv6', { host: '[::1]:3000' }, '::1', 403],
    ['another machine', {}, '192.0.2.7', 403],
    ['a proxy', proxied, '127.0.0.1', 403],
    ['a page of another site that names this machine', elsewhere, '127.0.0.1', 403],
    ['this machine with the cookie', { cookie }, '127.0.0.1', 200],
    ['another machine with the cookie', { ...elsewhere, ...proxied, cookie }, '192.0.2.7', 200],
    ['another machine with a wrong cookie', { cookie: `${cookie}x` }, '192.0.2.7', 403],
  ])('responds with %s', async (_, headers, address, status) => {
    for (const url of ['/demo/mailbox', '/api/demo/emails/'])
      expect([url, (await open(url, headers, address)).statusCode]).toEqual([url, status])
  })

  const BROWSER =
    'sec-fetch-site: none\r\nsec-fetch-mode: navigate\r\nsec-fetch-user: ?1\r\naccept: text/html\r\n'
  // What reaches the shop from a visitor whose proxy on this machine is set up without a word about forwarding.
  test.each([
    ['nginx', 'HTTP/1.0', `host: 127.0.0.1:3000\r\n${BROWSER}`],
    ['a newer nginx', 'HTTP/1.1', `host: 127.0.0.1:3000\r\n${BROWSER}`],
    ['Apache', 'HTTP/1.1', `host: 127.0.0.1:3000\r\nx-forwarded-for: 192.0.2.7\r\n${BROWSER}`],
    ['HAProxy, of a visitor who names this machine', 'HTTP/1.1', `host: localhost:3000\r\n${BROWSER}`],
    ['Caddy', 'HTTP/1.1', `host: shop.example\r\nx-forwarded-for: 192.0.2.7\r\n${BROWSER}`],
    ['cloudflared', 'HTTP/1.1', `host: localhost:3000\r\ncf-connecting-ip: 192.0.2.7\r\n${BROWSER}`],
    ['a tunnel that passes on bytes', 'HTTP/1.1', `host: localhost:3000\r\n${BROWSER}`],
    ['a name that turned to this machine', 'HTTP/1.1', `host: rebound.example:3000\r\n${BROWSER}`],
    ['no host', 'HTTP/1.0', ''],
  ])('stays closed behind %s', async (_, version, headers) => {
    for (const path of ['/demo/mailbox', '/api/demo/emails/', '/demo/mailbox.data']) {
      const text = `GET ${path} ${version}\r\n${headers}connection: close\r\n\r\n`
      expect([path, (await sendRaw(shop.port, text)).status]).toEqual([path, 403])
    }
  })

  test('says in a sentence why it does not open, however it is written', async () => {
    const refused = await open('/demo/mailbox', { ...proxied, 'accept-language': 'en' })
    expect(refused.headers['content-type']).toContain('text/plain')
    expect(refused.body).toMatch(/^This part of the demonstration opens by the address that the start prints/)
    await open('/demo/mailbox')
    for (const url of [
      '/demo/mailbox',
      '/DEMO/mailbox',
      '/%64emo/mailbox',
      '/demo/mailbox.data',
      '/%44emo%2fmailbox',
    ])
      expect([url, (await open(url, proxied)).statusCode]).toEqual([url, 403])
  })

  test('the printed address gives the cookie and leads to an address without the token', async () => {
    const { statusCode, headers } = await open(`/demo/mailbox?token=${env.DEMO_TOKEN}`, proxied)
    expect([statusCode, headers['location']]).toEqual([303, '/demo/mailbox'])
    expect(headers['set-cookie']).toBe(`${cookie}; Path=/; HttpOnly; Secure; SameSite=Lax`)
    expect((await open('/demo/mailbox?token=wrong', proxied)).statusCode).toBe(403)
  })
})

describe('a request that reaches no route gets an error in the caller’s language, without internals', () => {
  test.each([
    ['GET /api/offers/%zz/', 400, INVALID],
    ['GET /api/%E0%A4%A', 400, INVALID],
    ['TRACE /', 404, NOT_FOUND],
    ['OPTIONS *', 404, NOT_FOUND],
    ['GET /media/../../secret-key', 404, NOT_FOUND],
  ])('%s', async (line, status, detail) => {
    const got = await raw(line)
    expect(got.status).toBe(status)
    const code = status === 400 ? 'request.invalid' : 'request.notFound'
    expect(JSON.parse(got.response.slice(got.response.indexOf('{')))).toEqual({ detail, code })
    expect(missingHeaders(got.response)).toEqual([])
  })

  test.each([
    ['two lengths', 'content-length: 1\r\ncontent-length: 2\r\n', 400],
    ['a length and chunks', 'content-length: 5\r\ntransfer-encoding: chunked\r\n', 400],
    ['a name with a space', 'x y: z\r\n', 400],
    ['an expectation', 'expect: the unexpected\r\n', 417],
    ['a header without end', `x: ${'y'.repeat(40_000)}\r\n`, 431],
  ])('%s', async (_, headers, status) => {
    const got = await raw('POST /api/token/', headers)
    expect(got.status).toBe(status)
    expect(got.response).toContain('"code":"request.invalid"')
    expect(got.response).not.toMatch(/Client Error|Exceeded|HPE_/)
    expect(missingHeaders(got.response)).toEqual([])
  })

  test.each([
    ['GET /', 'Host: elsewhere.example'],
    ['GET /api/offers/', 'HOST: shop'],
    ['GET /nothing-here', 'host: elsewhere.example'],
    ['POST /api/cart/1/clear/', 'hOsT: elsewhere.example'],
  ])('%s with a second host (%s)', async (line, second) => {
    const got = await raw(line, `${second}\r\n`)
    expect(got.status).toBe(400)
    expect(got.response).toContain(INVALID)
  })
})

test.each([
  [{ 'accept-language': 'nl-BE,nl;q=0.9,en;q=0.5' }, 'Log in om verder te gaan.'],
  [{ 'accept-language': 'es', cookie: '__Host-language=en' }, 'Please log in to continue.'],
  [{ 'accept-language': '*' }, 'Veuillez vous connecter pour continuer.'],
  [{ 'accept-language': ';;q=x,,', cookie: '__Host-language=xx' }, 'Veuillez vous connecter pour continuer.'],
])(
  'the language of a response is that of the header, then the cookie, then French: %j [spec 9.20]',
  async (headers, detail) => {
    expect((await shop.anonymous('GET', '/api/cart/', undefined, { headers })).body['detail']).toBe(detail)
  },
)

test.each(['/api/offers/', '/api/nothing/', '/api/cart/'])('%s carries the security headers', async (url) => {
  const { headers } = await shop.anonymous('GET', url, undefined, {
    headers: { origin: 'https://other.example' },
  })
  expect(Object.keys(headers).filter((name) => name.startsWith('access-control-'))).toEqual([])
  expect(headers).toMatchObject({
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'strict-origin-when-cross-origin',
    'cross-origin-resource-policy': 'same-origin',
    'content-security-policy': expect.stringMatching(/^default-src 'none'.* frame-ancestors 'none'$/),
  })
})

test('the public settings hold no secret', async () => {
  const { body } = await shop.anonymous('GET', '/api/settings/')
  expect(body).toMatchObject({
    brand: 'Volant',
    demo: true,
    paypal: { funding: expect.stringContaining('bancontact:BE') },
  })
  expect(JSON.stringify(body)).not.toContain(shop.config.paypalClientSecret)
})

interface Schema {
  required?: string[]
  anyOf?: Schema[]
}
type Content = Record<string, { schema: Schema }>
const { paths } = (await shop.anonymous('GET', '/api/docs/openapi.json')).body as {
  paths: Record<string, Record<string, { responses: Record<string, { content?: Content }> }>>
}
const failures = (path: string, method = 'post') => paths[path]?.[method]?.responses['default']?.content ?? {}
const required = (content: Content) => content['application/json']!.schema.required

describe('the OpenAPI document', () => {
  test('has a success and a failure response for every call', () => {
    const calls = Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { responses }]) => [`${method} ${path}`, responses] as const),
    )
    expect(calls.length).toBeGreaterThan(30)
    for (const [call, responses] of calls)
      expect(Object.keys(responses).join(' '), call).toMatch(/^2.*default/)
  })

  test('describes failures as they are sent', async () => {
    expect(required(failures('/api/cart/', 'get'))).toEqual(['detail', 'code'])
    const body = { detail: expect.any(String), code: 'auth.required' }
    expect(await shop.anonymous('GET', '/api/cart/')).toMatchObject({ status: 401, body })

    const path = '/api/paypal/create-order/'
    const failed = await (await shop.newCustomer()).post(path, { country_code: 'nowhere' })
    expect([failed.status, failed.body['code']]).toEqual([409, expect.any(String)])
    expect(Object.keys(failed.body)).toEqual(expect.arrayContaining(required(failures(path))!))
    expect(required(failures(path))).toContain('debug_id')
  })

  test('describes the failures of a form by field, or as one failure', async () => {
    const path = '/api/user/register/'
    const { status, body } = await shop.anonymous('POST', path, {})
    expect([status, body['username'], body['code']]).toEqual([400, [expect.any(String)], undefined])
    const [fields, failure] = failures(path)['application/json']!.schema.anyOf!
    expect(fields).toMatchObject({ additionalProperties: { type: 'array', items: { type: 'string' } } })
    expect(failure!.required).toEqual(['detail', 'code'])
  })

  test('describes texts as texts', async () => {
    const path = '/api/v1.0/email/send'
    expect(Object.keys(failures(path))).toEqual(['text/plain', 'application/json'])
    const { status, headers } = await shop.anonymous('POST', path, { template_id: 'nothing' })
    expect([status, headers['content-type']]).toEqual([400, 'text/plain; charset=utf-8'])
  })
})

const policyOf = (header: unknown): string[] =>
  String(header)
    .replaceAll(/(?: 'sha256-[\w+/]{43}=')+/g, " 'hashes'")
    .replaceAll(/'nonce-[\w-]{22}'/g, "'nonce'")
    .split('; ')

test.each(seenRoutes)(
  '$path is protected by its headers and allows exactly its inline scripts',
  async (route) => {
    const { path: address } = route
    const isCart = address === '/cart'
    const provider = isCart ? ` ${shop.paypal.url} 'nonce'` : ''
    const nonces: (string | undefined)[] = []
    for (let times = 0; times < 2; times += 1) {
      const { headers, body } = await get(address, withToken)
      expect(headers).toMatchObject({
        'x-content-type-options': 'nosniff',
        'x-frame-options': 'DENY',
        'referrer-policy': 'strict-origin-when-cross-origin',
        'cross-origin-resource-policy': 'same-origin',
        'cross-origin-opener-policy': isCart ? 'same-origin-allow-popups' : 'same-origin',
        'strict-transport-security': 'max-age=63072000; includeSubDomains',
        'reporting-endpoints': 'policy="/reports/policy"',
        'cache-control': 'private, no-cache',
        vary: 'cookie, accept-encoding',
        'permissions-policy': expect.stringMatching(/camera=\(\).*microphone=\(\)/),
      })
      for (const name of ['server', 'x-powered-by', 'set-cookie']) expect(headers).not.toHaveProperty(name)
      const header = String(headers['content-security-policy'])
      const policy = policyOf(header)
      // The whole policy: src/server/pages/security-headers.test.ts.
      expect(policy).toContain("default-src 'none'")
      expect(policy).toContain(`script-src 'self' 'hashes'${provider}`)
      expect(policy).toContain(`style-src 'self'${provider}`)
      expect(policy.includes("require-trusted-types-for 'script'")).toBe(!isCart)

      const scripts = [...body.matchAll(/<script\b(?![^>]*ld\+json)[^>]*>([^]*?)<\/script>/g)]
      const hashes = scripts.map(([, code = '']) => createHash('sha256').update(code).digest('base64'))
      expect(hashes.length).toBeGreaterThan(1)
      const allowed = [...header.matchAll(/'sha256-([^']+)'/g)].map(([, hash]) => hash)
      expect(new Set(allowed)).toEqual(new Set(hashes))
      expect(body).not.toMatch(/<script[^>]* src=|<[a-z][^>]* style=| on(?:click|load|error)=/)
      const [nonce] = /(?<='nonce-)[\w-]{22}/.exec(header) ?? []
      expect(body.match(/(?<=nonce=")[^"]*/g)).toEqual(nonce === undefined ? null : [nonce])
      nonces.push(nonce)
    }
    // Only the page into which the provider writes has a nonce, another one each time.
    expect(new Set(nonces).size).toBe(isCart ? 2 : 1)
    expect(nonces.includes(undefined)).toBe(!isCart)

    const [head, whole] = [
      await shop.app.inject({ method: 'HEAD', url: address, headers: withToken }),
      await get(address, withToken),
    ]
    expect([head.statusCode, head.body]).toEqual([whole.statusCode, ''])
    expect(head.headers['content-type']).toBe(whole.headers['content-type'])
  },
)

describe('an address with a slash or line end at its end, or several slashes in front', () => {
  test.each([
    ['/cart/', '/cart'],
    ['/offers/ouverte//?a=b', '/offers/ouverte?a=b'],
    ['/nowhere/?lang=nl', '/nowhere?lang=nl'],
    ['//', '/'],
    ['///?a=//b', '/?a=//b'],
    ['/\\', '/'],
    ['//:80', '/:80'],
    ['//[', '/['],
    ['//@', '/@'],
    ['//localhost:99999/', '/localhost:99999'],
    ['//evil.example/', '/evil.example'],
    ['/\\evil.example/', '/evil.example'],
    ['/.//evil.example/', '/evil.example'],
    ['/a/..//evil.example?b', '/evil.example?b'],
    ['/%2e//evil.example/', '/evil.example'],
    ['http://shop.example//[', '/['],
    ['/OFFERS', '/offers'],
    ['/Offers/Ouverte/?Lang=NL', '/offers/ouverte?Lang=NL'],
    ['/%4c%4F%67in?next=/OFFERS', '/login?next=/OFFERS'],
    ['/Draws/%6fuverte', '/draws/ouverte'],
    ['/Terms-And-Conditions.PDF', '/terms-and-conditions.pdf'],
    ['/offers%0A', '/offers'],
    ['/offers/%0d%0a?a=%0a', '/offers?a=%0a'],
    ['/%0a/evil.example', '/evil.example'],
    ['/x%E2%80%A8/%e2%80%a9', '/x'],
  ])('%s is %s', async (asked, address) => {
    for (const method of ['GET', 'HEAD']) {
      const { status, location } = await raw(`${method} ${asked}`)
      expect([method, status, location]).toEqual([method, 308, address])
    }
  })

  test('does not redirect a form', async () => {
    expect(await raw('POST //evil.example/')).toMatchObject({ status: 405, location: undefined })
  })

  test('with a tab, which URL parsers remove, does not lead to another host', async () => {
    const { headers } = await shop.app.inject({ url: { pathname: '/\t/evil.example/' } })
    expect(headers['location']).toBe('/evil.example')
    expect((await raw('GET /%09/evil.example/')).location).toBe('/%09/evil.example')
  })
})

test('a known language in the address is remembered for a year, over https only', async () => {
  const other = await get('/?lang=de', { 'accept-language': 'en' })
  expect(other.body).toContain('<html lang="fr"')
  expect(other.headers['set-cookie']).toBeUndefined()
  const { headers } = await get('/?lang=nl')
  expect(String(headers['set-cookie']).split('; ').toSorted()).toEqual(
    ['__Host-language=nl', 'Max-Age=31536000', 'Path=/', 'Secure', 'SameSite=Lax'].toSorted(),
  )
})

test('responses to a signed-in caller and tokens are not stored by caches', async () => {
  const customer = await shop.newCustomer()
  const { email: username, password } = customer
  const responses = [await shop.anonymous('POST', '/api/token/', { username, password })]
  for (const url of ['/api/cart/', '/api/user/profile/', '/api/tickets/', '/api/offers/ouverte/'])
    responses.push(await customer.get(url))
  for (const { status, headers } of responses)
    expect([status, headers['cache-control']]).toEqual([200, 'no-store'])
})

describe('the media folder', () => {
  test.each([
    '/media/../secret-key',
    '/media/%2e%2e/secret-key',
    '/media/..%2fsecret-key',
    '/media/%2e%2e%2fsecret-key',
    '/media/..%5csecret-key',
    '/media/..\\secret-key',
    '/media/....//secret-key',
    '/media/%252e%252e%252fsecret-key',
    '/media/%c0%ae%c0%ae/secret-key',
    '/media//../../secret-key',
    `/media/${'..%2f'.repeat(12)}etc/passwd`,
    '/media/%00',
    '/media/.hidden',
    '/media/%2ehidden',
    '/media/%E0%A4%A',
    '/media/',
    '/media',
  ])('discloses nothing for %s', async (rawPath) => {
    const { status, response } = await raw(`GET ${rawPath}`)
    expect(status).toBeGreaterThanOrEqual(400)
    expect(status).toBeLessThan(500)
    for (const part of [SECRET, 'root:', dataDir]) expect(response).not.toContain(part)
  })

  test('sends pictures with caching, conditional requests and ranges', async () => {
    const url = '/media/hero-dark-828.avif'
    const whole = await get(url)
    expect(whole.headers).toMatchObject({
      'content-type': 'image/avif',
      'cache-control': 'public, max-age=604800',
      'x-content-type-options': 'nosniff',
      'cross-origin-resource-policy': 'same-origin',
      'accept-ranges': 'bytes',
    })
    const head = await shop.app.inject({ method: 'HEAD', url })
    expect([head.statusCode, head.body, head.headers['content-length']]).toEqual([
      200,
      '',
      whole.headers['content-length'],
    ])
    const same = await get(url, { 'if-none-match': String(whole.headers['etag']) })
    expect([same.statusCode, same.body]).toEqual([304, ''])
    const part = await get(url, { range: 'bytes=0-9' })
    expect([part.statusCode, part.rawPayload.length]).toEqual([206, 10])
    expect(part.headers['content-range']).toBe(`bytes 0-9/${whole.headers['content-length']}`)
    expect((await get(url, { range: 'bytes=99999999-' })).statusCode).toBe(416)
  })

  test('overrides the demonstration’s, and lets other sites show sharing pictures', async () => {
    const { body, headers } = await get('/media/og-site-fr.jpg')
    expect(body).toBe('a picture of our own')
    expect(headers['cross-origin-resource-policy']).toBe('cross-origin')
  })

  test('runs no script of its files', async () => {
    const { headers } = await get('/media/drawing.svg')
    expect(headers['content-type']).toBe('image/svg+xml; charset=utf-8')
    expect(headers['content-security-policy']).toMatch(/default-src 'none'.*sandbox/)
  })
})

test('a picture that a setting names is shown, and its host allowed', async () => {
  const { body, headers } = await get('/')
  expect(policyOf(headers['content-security-policy'])).toContain("img-src 'self' data: https://cdn.example")
  expect(body).toContain(`src="${HERO}"`)
  expect(body).toMatch(/<img [^>]*src="\/media\/hero-light-828\.webp"/)
  expect(body).not.toMatch(/hero-dark|category-electric/)
  expect(body).toContain('category-sport')
})

describe('policy reports of browsers', () => {
  const send = (app: FastifyInstance, payload: string, type = 'application/reports+json') =>
    app.inject({ method: 'POST', url: '/reports/policy', payload, headers: { 'content-type': type } })

  test.each([
    ['[{"type":"csp-violation","body":{}}]', undefined, 204],
    ['{"csp-report":{}}', 'application/csp-report', 204],
    ['not JSON at all', undefined, 204],
    [`["${'x'.repeat(20_000)}"]`, undefined, 413],
    ['a=b', 'application/x-www-form-urlencoded', 415],
  ])('%.40s as %s gets %i', async (payload, type, status) => {
    expect((await send(shop.app, payload, type)).statusCode).toBe(status)
  })

  test('cannot fill the log', async () => {
    const written: string[] = []
    const stream = { write: (line: string) => void written.push(line) }
    const app = Fastify({ logger: { stream }, logController: new RequestLog() })
    let time = 0
    acceptPolicyReports(app, () => time)
    const report = { type: 'csp-violation', body: { blockedURL: 'inline' } }
    const many = JSON.stringify(Array(50).fill(report))
    const lines: number[] = []
    for (time of [0, 0, 60_000]) {
      await send(app, many)
      lines.push(written.length)
    }
    expect(lines).toEqual([50, 60, 110])
    expect(written[0]).toContain('"blocked":"inline"')
    await app.close()
  })
})
