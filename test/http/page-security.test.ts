import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { request as httpRequest } from 'node:http'
import os from 'node:os'
import path from 'node:path'
import Fastify from 'fastify'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { RequestLog } from '#server/requests.ts'
import { acceptPolicyReports } from '#server/pages/policy-reports.ts'
import { seenRoutes } from '../support/routes.ts'
import { type TestShop, testShop } from '../support/shop.ts'

const dataDir = mkdtempSync(path.join(os.tmpdir(), 'volant-media-'))
const SECRET = 'nobody may read this'

let shop: TestShop

beforeAll(async () => {
  mkdirSync(path.join(dataDir, 'media'))
  writeFileSync(path.join(dataDir, 'secret-key'), SECRET)
  writeFileSync(path.join(dataDir, 'media', '.hidden'), SECRET)
  writeFileSync(path.join(dataDir, 'media', 'drawing.svg'), '<svg xmlns="http://www.w3.org/2000/svg"/>')
  writeFileSync(path.join(dataDir, 'media', 'og-site-fr.jpg'), 'a picture of our own')
  shop = await testShop({ env: { PUBLIC_URL: 'https://shop.example', DATA_DIR: dataDir }, pages: true })
  await shop.newOffer({ slug: 'ouverte' })
})
afterAll(async () => {
  await shop?.close()
  rmSync(dataDir, { recursive: true })
})

const get = (url: string, headers: Record<string, string> = {}) => shop.app.inject({ url, headers })

interface RawCall {
  method?: string
  headers?: Record<string, string>
}

/** Sends a path as it is written: clients that read it as an address would tidy it first. */
const rawGet = (
  rawPath: string,
  call: RawCall = {},
): Promise<{ status: number; body: string; location?: string | undefined }> =>
  new Promise((resolve, reject) => {
    const sent = httpRequest({ host: '127.0.0.1', port: shop.port, path: rawPath, ...call }, (answer) => {
      let body = ''
      answer.on('data', (chunk: Buffer) => (body += chunk.toString()))
      answer.on('end', () =>
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

describe.each(seenRoutes)('$path', ({ path: address, kind }) => {
  test('is protected by its headers, and may be kept for the back button', async () => {
    const { headers } = await get(address)
    const isCart = address === '/cart'
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
    })
    expect(headers['permissions-policy']).toMatch(/camera=\(\).*microphone=\(\)/)
    expect(headers).not.toHaveProperty('server')
    expect(headers).not.toHaveProperty('x-powered-by')
    const policy = policyOf(headers['content-security-policy'])
    const provider = shop.paypal.url
    expect(policy).toEqual(
      expect.arrayContaining([
        "default-src 'none'",
        `script-src 'self' 'hashes'${isCart ? ` ${provider} 'nonce'` : ''}`,
        `style-src 'self'${isCart ? ` ${provider} 'nonce'` : ''}`,
        "object-src 'none'",
        "base-uri 'none'",
        "form-action 'self'",
        "frame-ancestors 'none'",
        'report-to policy',
      ]),
    )
    expect(policy.includes("require-trusted-types-for 'script'")).toBe(!isCart)
    expect(policy.includes("trusted-types 'none'")).toBe(!isCart)
    expect(policy.join(' ').includes(provider)).toBe(isCart)
  })

  test('allows exactly the inline scripts that it has', async () => {
    for (const url of [address, `${address}?look=1`]) {
      const { headers, body } = await get(url)
      const running = [...body.matchAll(/<script\b(?![^>]*ld\+json)[^>]*>([^]*?)<\/script>/g)]
      const hashes = running.map(([, code = '']) => createHash('sha256').update(code).digest('base64'))
      expect(hashes.length).toBeGreaterThan(1)
      const allowed = String(headers['content-security-policy']).matchAll(/'sha256-([^']+)'/g)
      expect(new Set([...allowed].map(([, hash]) => hash))).toEqual(new Set(hashes))
      expect(body).not.toMatch(/<script[^>]* src=/)
      expect(body).not.toMatch(/<[a-z][^>]* style=/)
      expect(body).not.toMatch(/ on(?:click|load|error)=/)
    }
  })

  test('carries a nonce only where the provider writes into the page, another one each time', async () => {
    const answers = [await get(address), await get(address)]
    const nonces = answers.map(({ headers, body }) => {
      const [nonce] = /(?<='nonce-)[\w-]{22}/.exec(String(headers['content-security-policy'])) ?? []
      expect(body.match(/(?<=nonce=")[^"]*/g)).toEqual(nonce === undefined ? null : [nonce])
      return nonce
    })
    expect(new Set(nonces).size).toBe(address === '/cart' ? 2 : 1)
    expect(nonces.includes(undefined)).toBe(address !== '/cart')
  })

  test('answers HEAD as GET, without a body', async () => {
    const [head, whole] = await Promise.all([shop.app.inject({ method: 'HEAD', url: address }), get(address)])
    expect([head.statusCode, head.body]).toEqual([whole.statusCode, ''])
    expect(head.headers['content-type']).toBe(whole.headers['content-type'])
    expect(kind === 'missing' ? head.statusCode : 200).toBe(head.statusCode)
  })
})

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
      const { status, location } = await rawGet(asked, { method })
      expect([method, status, location]).toEqual([method, 308, address])
    }
  })

  test('a form sent to it is not sent on', async () => {
    const form = { method: 'POST', headers: { accept: 'text/html' } }
    const { status, location } = await rawGet('//evil.example/', form)
    expect([status, location]).toEqual([405, undefined])
  })

  test('with a tab, which resolving takes away, it does not lead to another host either', async () => {
    const { headers } = await shop.app.inject({ url: { pathname: '/\t/evil.example/' } })
    expect(headers['location']).toBe('/evil.example')
    expect((await rawGet('/%09/evil.example/')).location).toBe('/%09/evil.example')
  })
})

describe('cookies', () => {
  test('the language is remembered for a year, over https only, out of reach of scripts', async () => {
    const { headers } = await get('/?lang=nl')
    expect(String(headers['set-cookie']).split('; ').toSorted()).toEqual(
      ['language=nl', 'Max-Age=31536000', 'Path=/', 'HttpOnly', 'Secure', 'SameSite=Lax'].toSorted(),
    )
  })

  test('no page sets one unasked', async () => {
    for (const { path: address } of seenRoutes) {
      expect((await get(address)).headers, address).not.toHaveProperty('set-cookie')
    }
  })
})

describe('what is nobody’s to keep', () => {
  test('answers for a signed-in caller, and tokens', async () => {
    const customer = await shop.newCustomer()
    for (const url of ['/api/cart/', '/api/user/profile/', '/api/tickets/', '/api/offers/ouverte/']) {
      expect((await customer.get(url)).headers['cache-control'], url).toBe('no-store')
    }
    const { email: username, password } = customer
    const login = await shop.anonymous('POST', '/api/token/', { username, password })
    expect([login.status, login.headers['cache-control']]).toEqual([200, 'no-store'])
  })
})

describe('the folder of pictures', () => {
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
  ])('gives nothing away by %s', async (rawPath) => {
    const { status, body } = await rawGet(rawPath)
    expect(status).toBeGreaterThanOrEqual(400)
    expect(status).toBeLessThan(500)
    expect(body).not.toContain(SECRET)
    expect(body).not.toContain('root:')
    expect(body).not.toContain(dataDir)
  })

  test('sends pictures that may be kept, asked after, and read in parts', async () => {
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

  test('goes before the demonstration’s, and lets other sites show what is made for them', async () => {
    const { body, headers } = await get('/media/og-site-fr.jpg')
    expect(body).toBe('a picture of our own')
    expect(headers['cross-origin-resource-policy']).toBe('cross-origin')
  })

  test('runs nothing that lies in it', async () => {
    const { headers } = await get('/media/drawing.svg')
    expect(headers['content-type']).toBe('image/svg+xml')
    expect(headers['content-security-policy']).toMatch(/default-src 'none'.*sandbox/)
  })
})

test('a picture that a setting names is shown, and may be loaded', async () => {
  const hero = 'https://cdn.example/hero.webp'
  const env = { HERO_PICTURE_URL: hero, CATEGORY_ELECTRIC_PICTURE_URL: '/media/hero-light-828.webp' }
  const other = await testShop({ env, pages: true })
  const { body, headers } = await other.app.inject({ url: '/' })
  expect(policyOf(headers['content-security-policy'])).toContain("img-src 'self' data: https://cdn.example")
  expect(body).toContain(`src="${hero}"`)
  expect(body).not.toContain('hero-dark')
  expect(body).toMatch(/<img [^>]*src="\/media\/hero-light-828\.webp"/)
  expect(body).not.toContain('category-electric')
  expect(body).toContain('category-sport')
  await other.close()
  const own = await get('/')
  expect(policyOf(own.headers['content-security-policy'])).toContain("img-src 'self' data:")
  expect(own.body).toContain('hero-dark')
})

describe('reports of browsers', () => {
  const report = (payload: string, type = 'application/reports+json') =>
    shop.app.inject({
      method: 'POST',
      url: '/reports/policy',
      payload,
      headers: { 'content-type': type },
    })

  test('are taken', async () => {
    expect((await report('[{"type":"csp-violation","body":{}}]')).statusCode).toBe(204)
    expect((await report('{"csp-report":{}}', 'application/csp-report')).statusCode).toBe(204)
    expect((await report('not JSON at all')).statusCode).toBe(204)
  })

  test('are refused when they are long, or something else', async () => {
    expect((await report(`["${'x'.repeat(20_000)}"]`)).statusCode).toBe(413)
    expect((await report('a=b', 'application/x-www-form-urlencoded')).statusCode).toBe(415)
  })

  test('cannot fill the log', async () => {
    const written: string[] = []
    const stream = { write: (line: string) => void written.push(line) }
    const app = Fastify({ logger: { stream }, logController: new RequestLog() })
    let time = 0
    acceptPolicyReports(app, () => time)
    const many = JSON.stringify(
      Array.from({ length: 50 }, () => ({ type: 'csp-violation', body: { blockedURL: 'inline' } })),
    )
    const send = async (): Promise<unknown> =>
      await app.inject({
        method: 'POST',
        url: '/reports/policy',
        payload: many,
        headers: { 'content-type': 'application/reports+json' },
      })
    await send()
    await send()
    expect(written).toHaveLength(60)
    time = 60_000
    await send()
    expect(written).toHaveLength(110)
    expect(written[0]).toContain('"blocked":"inline"')
    await app.close()
  })
})
