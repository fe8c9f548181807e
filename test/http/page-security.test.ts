import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import os from 'node:os'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import Fastify, { type FastifyInstance } from 'fastify'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { RequestLog } from '#server/requests.ts'
import { acceptPolicyReports } from '#server/pages/policy-reports.ts'
import { seenRoutes } from '../support/routes.ts'
import { type TestShop, testShop } from '../support/shop.ts'

const dataDir = mkdtempSync(path.join(os.tmpdir(), 'volant-media-'))
const SECRET = 'nobody may read this'
const HERO = 'https://cdn.example/hero.webp'

let shop: TestShop

beforeAll(async () => {
  mkdirSync(path.join(dataDir, 'media'))
  writeFileSync(path.join(dataDir, 'secret-key'), SECRET)
  writeFileSync(path.join(dataDir, 'media', '.hidden'), SECRET)
  writeFileSync(path.join(dataDir, 'media', 'drawing.svg'), '<svg xmlns="http://www.w3.org/2000/svg"/>')
  writeFileSync(path.join(dataDir, 'media', 'og-site-fr.jpg'), 'a picture of our own')
  shop = await testShop({
    env: {
      PUBLIC_URL: 'https://shop.example',
      DATA_DIR: dataDir,
      HERO_PICTURE_URL: HERO,
      CATEGORY_ELECTRIC_PICTURE_URL: '/media/hero-light-828.webp',
    },
    pages: true,
  })
  await shop.newOffer({ slug: 'ouverte' })
})
afterAll(async () => {
  await shop?.close()
  rmSync(dataDir, { recursive: true })
})

const get = (url: string, headers: Record<string, string> = {}) => shop.app.inject({ url, headers })

/** Sends a path as it is written, without the normalisation of a client library. */
const rawGet = (
  path: string,
  method = 'GET',
): Promise<{ status: number; body: string; location: string | undefined }> =>
  new Promise((resolve, reject) => {
    const headers = { accept: 'text/html' }
    const sent = request({ host: '127.0.0.1', port: shop.port, path, method, headers }, (answer) => {
      void text(answer).then((body) =>
        resolve({ status: answer.statusCode ?? 0, body, location: answer.headers.location }),
      )
    })
    sent.on('error', reject)
    sent.end()
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
    for (const url of [address, address, `${address}?look=1`]) {
      const { headers, body } = await get(url)
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
    expect(new Set(nonces).size).toBe(isCart ? 3 : 1)
    expect(nonces.includes(undefined)).toBe(!isCart)

    const [head, whole] = [await shop.app.inject({ method: 'HEAD', url: address }), await get(address)]
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
    ['//offers', '/offers'],
    ['//evil.example/', '/evil.example'],
    ['//evil.example//', '/evil.example'],
    ['/\\evil.example/', '/evil.example'],
    ['/.//evil.example/', '/evil.example'],
    ['/a/..//evil.example?b', '/evil.example?b'],
    ['/%2e//evil.example/', '/evil.example'],
    ['http://shop.example//[', '/['],
    ['/offers%0A', '/offers'],
    ['/offers/%0d%0a?a=%0a', '/offers?a=%0a'],
    ['/%0a', '/'],
    ['/%0a/evil.example', '/evil.example'],
    ['/x%E2%80%A8/%e2%80%a9', '/x'],
  ])('%s is %s', async (asked, address) => {
    for (const method of ['GET', 'HEAD']) {
      const { status, location } = await rawGet(asked, method)
      expect([method, status, location]).toEqual([method, 308, address])
    }
  })

  test('does not redirect a form', async () => {
    expect(await rawGet('//evil.example/', 'POST')).toMatchObject({ status: 405, location: undefined })
  })

  test('with a tab, which URL parsers remove, does not lead to another host', async () => {
    const { headers } = await shop.app.inject({ url: { pathname: '/\t/evil.example/' } })
    expect(headers['location']).toBe('/evil.example')
    expect((await rawGet('/%09/evil.example/')).location).toBe('/%09/evil.example')
  })
})

test('the language is remembered for a year, over https only, and not for scripts', async () => {
  const { headers } = await get('/?lang=nl')
  expect(String(headers['set-cookie']).split('; ').toSorted()).toEqual(
    ['language=nl', 'Max-Age=31536000', 'Path=/', 'HttpOnly', 'Secure', 'SameSite=Lax'].toSorted(),
  )
})

test('answers for a signed-in caller and tokens are not stored by caches', async () => {
  const customer = await shop.newCustomer()
  const { email: username, password } = customer
  const answers = [await shop.anonymous('POST', '/api/token/', { username, password })]
  for (const url of ['/api/cart/', '/api/user/profile/', '/api/tickets/', '/api/offers/ouverte/'])
    answers.push(await customer.get(url))
  for (const { status, headers } of answers)
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
    const { status, body } = await rawGet(rawPath)
    expect(status).toBeGreaterThanOrEqual(400)
    expect(status).toBeLessThan(500)
    for (const part of [SECRET, 'root:', dataDir]) expect(body).not.toContain(part)
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
    expect(headers['content-type']).toBe('image/svg+xml')
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
  ])('%.40s as %s is answered %i', async (payload, type, status) => {
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
