import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { PAGE_MS } from '#shared/freshness.ts'
import { freePort } from '../../tools/run/free-port.ts'
import { startCachingProxy } from '../support/caching-proxy.ts'
import { routesOf } from '../support/printed-routes.ts'
import { sendRaw } from '../support/raw-requests.ts'
import { seenRoutes } from '../support/routes.ts'
import { openShop } from '../support/shop.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { sized } from '../support/tier.ts'

/** What caches are told, and that caches that do as they are told give nobody what is somebody else's (ADR 0107). */
const TOKEN = 'a-token-of-the-tests'
const dataDir = temporaryFolder('volant-media-', 'file')
mkdirSync(path.join(dataDir, 'media'))
writeFileSync(path.join(dataDir, 'media/drawing.svg'), '<svg xmlns="http://www.w3.org/2000/svg"/>')
let delayMs = 0
let isStopping = false
const shop = await openShop({
  env: {
    DATA_DIR: dataDir,
    DEMO_TOKEN: TOKEN,
    METRICS_TOKEN: TOKEN,
    LIMITS_FACTOR: '1000',
    SHED_DELAY_MS: '100',
  },
  pages: true,
  delayMs: () => delayMs,
  isStopping: () => isStopping,
})
await shop.newOffer({
  slug: 'ouverte',
  title: 'Aube',
  title_nl: 'Dageraad',
  title_en: 'Dawn',
  pictures: ['fastback-front'],
})
const { customer } = await shop.paidOrder(2)
const { access = '' } = await shop.sessionOf(customer)
const staff = await shop.newStaff()

const client = path.resolve(import.meta.dirname, '../../build/client')
const [asset = ''] = readdirSync(path.join(client, 'assets')).filter((name) => name.endsWith('.js'))
const [font = ''] = readdirSync(path.join(client, 'fonts'))

/** Every visitor by the headers of their requests. */
const VISITORS: Record<string, Record<string, string>> = {
  anonymous: {},
  'who reads Dutch': { cookie: 'language=nl' },
  'who reads English, with an open sidebar': { cookie: 'language=en; sidebar_state=true' },
  customer: { authorization: `Bearer ${access}`, 'accept-language': 'en', cookie: 'language=en' },
  staff: { cookie: staff.cookie },
  'who may see the mailbox': { cookie: `demo_token=${TOKEN}` },
}

const visitors = Object.entries(VISITORS)

const SHARED = 'public, max-age=0, s-maxage=1, must-revalidate'
/** Every value that a response of the shop may have. */
const KNOWN =
  /^(?:no-store|no-cache|private, no-cache|private, max-age=31536000, immutable|public, max-age=\d+(?:, immutable|, s-maxage=1, must-revalidate)?)$/

interface Got {
  status: number
  headers: Record<string, unknown>
}

/** What is wrong with what a response tells caches; '' when nothing is. */
function fault({ status, headers }: Got): string {
  const caching = headers['cache-control']
  if (typeof caching !== 'string') return 'says nothing'
  if (!KNOWN.test(caching)) return `says ${caching}`
  const isPublic = caching.startsWith('public')
  if (isPublic && headers['set-cookie'] !== undefined) return 'is public and sets a cookie'
  // The page of an address that does not exist may be kept for the back button.
  if (status >= 400 && caching !== 'no-store' && caching !== 'private, no-cache')
    return `is a failure and ${caching}`
  if (isPublic && ![200, 206, 304].includes(status)) return `is public, and a ${status}`
  const isOfPage = caching === SHARED && String(headers['content-type']).startsWith('text/html')
  if (isOfPage && !/\bcookie\b/.test(String(headers['vary']))) return 'depends on cookies and does not say so'
  return ''
}

const seen = new Map<number, Set<string>>()

async function ask(method: string, url: string, headers: Record<string, string> = {}): Promise<Got> {
  const leaving = new AbortController()
  const options = { method, url, headers, payloadAsStream: true, signal: leaving.signal }
  const { statusCode: status, headers: got, ...response } = await shop.app.inject(options as object)
  // A stream of events has no end.
  if (String(got['content-type']).startsWith('text/event-stream')) leaving.abort()
  else await new Response(response.stream() as never).arrayBuffer()
  seen.set(status, (seen.get(status) ?? new Set()).add(String(got['cache-control'])))
  return { status, headers: got }
}

/** An address of a route. */
const addressOf = (route: string): string =>
  route
    .replace(/:slug(?=[/.]|$)/, 'ouverte')
    .replace(/:name\(.*$/, 'list.txt')
    .replace(/:\w+/g, '1')
    .replace(/\*$/, 'nothing')

const MORE = [
  ...seenRoutes.map(({ path: page }) => page),
  '/offers/',
  '/OFFERS',
  '/?lang=nl',
  '/login?next=%2Fcart',
  '/_root.data',
  '/offers.data',
  '/%',
  '/api/offers/%E0/',
  '/demo/mailbox?token=x',
  `/demo/mailbox?token=${TOKEN}`,
  '/reports/policy',
  '/api/offers/unknown/',
  `/assets/${asset}`,
  '/assets/gone.js',
  `/fonts/${font}`,
  '/icon.svg',
  '/admin',
  '/admin/',
  '/admin/offers?lang=nl',
  '/media/drawing.svg',
  '/media/fastback-front-640.webp',
  '/media/og-site-fr.jpg',
  '/media/gone.webp',
  '/media/../x',
  '/api/draws/?limit=0',
  '/api/draws/ouverte/?rehearsal=x',
  '/draws/ouverte/ouverte-evidence.zip',
  '/verify.html',
]

/** By whom an address is asked for, besides strangers: those to whom it may respond something else. */
function asked(method: string, url: string): string[] {
  // Changes by somebody who may make them would end the sessions of the others.
  if (method !== 'GET') return []
  if (url.startsWith('/api/staff/')) return ['staff']
  if (url.startsWith('/api/')) return ['customer', 'who may see the mailbox']
  return /^\/(?:assets|fonts|media|admin)\//.test(url) ? [] : Object.keys(VISITORS)
}

describe('every response tells caches what they may do', () => {
  const routes = routesOf(shop.app).map((route) => route.split(' ') as [string, string])

  test('of each route, to everybody', async () => {
    expect(routes.length).toBeGreaterThan(200)
    const addresses = [
      ...routes.map(([method, url]) => [method, addressOf(url)] as const),
      ...MORE.map((url) => ['GET', url] as const),
    ]
    const faults: string[] = []
    for (const [method, url] of addresses) {
      const callers = visitors.filter(([name]) => name === 'anonymous' || asked(method, url).includes(name))
      for (const [visitor, headers] of callers) {
        const first = await ask(method, url, headers)
        const named = `${method} ${url} as ${visitor}: ${first.status}`
        faults.push(...[fault(first)].filter(Boolean).map((one) => `${named} ${one}`))
        const isOwn = url.startsWith('/api/') && first.headers['cache-control'] !== 'no-store'
        if (isOwn && headers['authorization']) faults.push(`${named} may be kept`)
        if (method !== 'GET') continue
        // A stream of events has no end, whatever asks for it.
        if (String(first.headers['content-type']).startsWith('text/event-stream')) continue
        const head = visitor === 'anonymous' ? await ask('HEAD', url, headers) : first
        if (head.headers['cache-control'] !== first.headers['cache-control'])
          faults.push(`HEAD ${url} differs`)
        const { etag } = first.headers
        if (first.status !== 200 || typeof etag !== 'string') continue
        const again = await ask('GET', url, { ...headers, 'if-none-match': `"x", ${etag}` })
        const both = [first, again].map((one) => [
          one.headers['cache-control'],
          one.headers['vary'],
          one.headers['etag'],
        ])
        if (again.status !== 304 || String(both[0]) !== String(both[1]))
          faults.push(`${named}: then ${again.status} ${String(both)}`)
      }
    }
    expect(faults).toEqual([])
  })

  test('whatever is asked in a wrong way, or cannot get a response', async () => {
    const faults: string[] = []
    const check = (name: string, got: Got): void =>
      void faults.push(...[fault(got)].filter(Boolean).map((one) => `${name} ${one}`))
    for (const [method, url] of [
      ...routes.map(([, address]) => ['DELETE', addressOf(address)]),
      ...['OPTIONS', 'TRACE', 'PROPFIND', 'PATCH'].flatMap((method) =>
        ['/', '/api/offers/', `/assets/${asset}`].map((url) => [method, url]),
      ),
    ] as [string, string][])
      check(`${method} ${url}`, await ask(method, url))
    const json = { 'content-type': 'application/json' }
    for (const [headers, payload] of [
      [json, '{'],
      [json, `{"a":"${'x'.repeat(300_000)}"}`],
      [{ 'content-type': 'text/css' }, 'x'],
    ] as const) {
      const { statusCode: status, headers: got } = await shop.app.inject({
        method: 'POST',
        url: '/api/token/',
        headers,
        payload,
      })
      expect(status).toBeGreaterThanOrEqual(400)
      check(`a body of ${payload.length}`, { status, headers: got })
    }
    delayMs = 1_000
    isStopping = true
    for (const url of ['/', '/api/offers/', `/assets/${asset}`, '/api/health/ready']) {
      for (const accept of ['text/html', '*/*']) check(url, await ask('GET', url, { accept }))
    }
    expect(seen.get(503)).toEqual(new Set(['no-store']))
    delayMs = 0
    isStopping = false
    await shop.pool.query('ALTER TABLE offers RENAME TO elsewhere')
    for (const url of ['/api/offers/', '/api/offers/other/', '/media/og-other.jpg', '/sitemap.xml'])
      check(url, await ask('GET', url))
    await shop.pool.query('ALTER TABLE elsewhere RENAME TO offers')
    expect(faults).toEqual([])
    const statuses = [200, 303, 304, 308, 400, 401, 403, 404, 405, 500, 503]
    expect(statuses.filter((status) => !seen.has(status))).toEqual([])
  })

  test.each([
    ['what is no HTTP', 'nonsense\r\n\r\n', 400],
    ['a head of 64 KiB', `GET / HTTP/1.1\r\nhost: a\r\nx: ${'x'.repeat(65_536)}\r\n\r\n`, 431],
    ['two hosts', 'GET / HTTP/1.1\r\nhost: a\r\nhost: b\r\nconnection: close\r\n\r\n', 400],
    ['an expectation', 'GET / HTTP/1.1\r\nhost: a\r\nexpect: 7\r\nconnection: close\r\n\r\n', 417],
  ])('to %s', async (_, text, status) => {
    const got = await sendRaw(shop.port, text)
    expect([got.status, got.response.toLowerCase()]).toEqual([
      status,
      expect.stringContaining('\r\ncache-control: no-store\r\n'),
    ])
  })
})

describe('a visitor without a cookie', () => {
  // Beside each other: most of their time they wait.
  test.concurrent.each([
    '/',
    '/offers',
    '/draws',
    '/winners',
    '/offers/ouverte',
    '/contact',
    '/login',
    '/offers?utm_source=x',
    '/api/offers/',
    '/api/draws/',
    '/api/last-check/',
    '/api/winners/',
  ])('gets %s as everybody does, for a moment, and 304 for as long as nothing changes', async (url) => {
    const first = await shop.app.inject(url)
    expect([first.statusCode, first.headers['cache-control']]).toEqual([200, SHARED])
    expect(first.headers['server-timing']).toMatch(/^time;desc="\d{13}";dur=1000$/)
    // Longer than a page is kept: it is made anew, with another time in it.
    await sleep(PAGE_MS + 50)
    const tag = String(first.headers['etag'])
    const isPage = String(first.headers['content-type']).startsWith('text/html')
    for (const sent of [tag, tag.replace('W/', ''), `"a", ${tag}`, '*']) {
      const again = await shop.app.inject({ url, headers: { 'if-none-match': sent } })
      expect([sent, again.statusCode, again.body, again.headers['etag']]).toEqual([sent, 304, '', tag])
      // That of the version that the browser has stays: the hashes of its scripts stand there.
      const policy = isPage ? undefined : first.headers['content-security-policy']
      expect(again.headers['content-security-policy']).toBe(policy)
    }
    for (const sent of ['"a"', tag.slice(0, -2), ''])
      expect((await shop.app.inject({ url, headers: { 'if-none-match': sent } })).statusCode).toBe(200)
  })

  test.each([
    '/?lang=nl',
    '/cart',
    '/demo/mailbox',
    '/nowhere',
    '/login?next=%2Fcart',
    '/api/cart/',
    '/api/settings/',
    '/api/policies/terms/',
    '/admin/',
  ])('gets %s alone', async (url) => {
    const { headers } = await shop.app.inject({ url })
    expect(headers['cache-control']).toMatch(/^(?:no-store|private, no-cache)$/)
  })

  test('gets another entity tag with a change, in another language and with another sidebar', async () => {
    const id = await shop.newOffer({ slug: 'changeante' })
    const tagOf = async (url: string, cookie = '') =>
      String((await shop.app.inject({ url, headers: cookie ? { cookie } : {} })).headers['etag'])
    await shop.unlockTerms()
    for (const url of ['/offers', '/api/offers/']) {
      const before = await tagOf(url)
      await shop.changeOffer(id, { title: `Autre ${url}` })
      await expect.poll(() => tagOf(url)).not.toBe(before)
    }
    const tags = await Promise.all(
      ['', 'language=nl', 'sidebar_state=true'].map((cookie) => tagOf('/offers', cookie)),
    )
    expect(new Set(tags).size).toBe(3)
  })
})

/** The same for each visitor, whatever the moment: without the time of rendering, nonces and their hashes. */
const lasting = (body: string): string =>
  body
    .replaceAll(/"renderedAt\\",\d+/g, '')
    .replaceAll(/ nonce="[^"]*"/g, '')
    .replaceAll(/"request_id":"[^"]*"/g, '')

const PAGES = ['/', '/offers', '/login', '/nowhere']
const CALLS = [
  '/api/offers/',
  '/api/offers/ouverte/',
  '/api/draws/',
  '/api/cart/',
  '/api/tickets/',
  '/api/policies/terms/',
  '/api/staff/session/',
  '/api/demo/emails/',
]
const OWN = ['/cart', '/admin/', '/demo/mailbox', '/?lang=nl', '/offers?lang=en', ...CALLS]

/**
 * Who asks first, whose response the others could then get: a stranger, a reader of Dutch and a customer, or everybody.
 */
const FIRST = sized({ short: [0, 1, 3], extended: [...visitors.keys()] })

/** What visitors get through a cache that is not theirs, and what it kept. @param forget empties it */
async function mixUps(
  base: string,
  urls: readonly string[],
  forget: () => void = () => undefined,
): Promise<string[]> {
  const read = async (from: string, url: string, headers: Record<string, string>) => {
    const response = await fetch(from + url, { headers, redirect: 'manual' })
    const hit = /hit/i.test(response.headers.get('x-cache') ?? '')
    return { body: lasting(await response.text()), hit, cookie: response.headers.get('set-cookie') }
  }
  const mixed: string[] = []
  const hits = new Set<string>()
  for (const url of urls) {
    const own = new Map<string, string>()
    const readOwn = async (name: string, headers: Record<string, string>): Promise<string> => {
      const { body } = await read(shop.config.publicUrl, url, headers)
      own.set(name, body)
      return body
    }
    for (const [name, headers] of visitors) await readOwn(name, headers)
    for (const turn of FIRST) {
      forget()
      const inTurn = [...visitors.slice(turn), ...visitors.slice(0, turn)]
      for (const [name, headers] of [...inTurn, ...inTurn.slice(0, 1)]) {
        const got = await read(base, url, headers)
        if (got.hit) hits.add(url)
        if (got.hit && got.cookie !== null) mixed.push(`${url} from the cache sets a cookie for ${name}`)
        // A change meanwhile, such as a minute less to go, is no mix-up.
        if (got.body === own.get(name) || got.body === (await readOwn(name, headers))) continue
        const whose = visitors.find(([other]) => own.get(other) === got.body)?.[0] ?? 'nobody'
        mixed.push(`${name} gets ${url} of ${whose}${got.hit ? ' from the cache' : ''}`)
      }
    }
  }
  return [...mixed, ...[...hits].map((url) => `kept: ${url}`)]
}

const SHARED_CALLS = ['/api/offers/', '/api/draws/']
const keptOf = (urls: readonly string[]): string[] => urls.map((url) => `kept: ${url}`)

describe('a cache that all visitors share', () => {
  test('gives nobody the page or the response of somebody else', async () => {
    const cache = await startCachingProxy({ to: shop.port, heedsVary: true, now: () => 0 })
    onTestFinished(() => cache.close())
    const found = await mixUps(cache.url, [...PAGES, ...OWN], cache.forget)
    expect(found).toEqual(keptOf([...PAGES.filter((url) => url !== '/nowhere'), ...SHARED_CALLS]))
  })

  test('and takes no notice of Vary still keeps no call of somebody, no cart, no console', async () => {
    const cache = await startCachingProxy({ to: shop.port, heedsVary: false, now: () => 0 })
    onTestFinished(() => cache.close())
    expect(await mixUps(cache.url, OWN, cache.forget)).toEqual(keptOf(SHARED_CALLS))
  })

  test('asks again after a second', async () => {
    let now = 0
    const cache = await startCachingProxy({ to: shop.port, heedsVary: true, now: () => now })
    onTestFinished(() => cache.close())
    const read = async () => (await fetch(`${cache.url}/offers`)).headers.get('x-cache')
    expect([await read(), await read()]).toEqual(['miss', 'hit'])
    now = 1_000
    expect(await read()).toBe('miss')
  })
})

const isMissing = spawnSync('nginx', ['-v']).error !== undefined

describe.skipIf(isMissing)('nginx as such a cache (skipped where it is not installed)', async () => {
  if (isMissing) return
  const folder = temporaryFolder('volant-nginx-', 'file')
  const port = await freePort()
  const base = `http://127.0.0.1:${port}`
  const temp = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${folder}/${name};`,
  )
  writeFileSync(
    path.join(folder, 'nginx.conf'),
    `${process.getuid?.() === 0 ? 'user root;' : ''} pid ${folder}/pid; error_log ${folder}/error.log; events {}
     http { access_log off; ${temp.join(' ')} proxy_cache_path ${folder}/cache keys_zone=shop:1m;
       server { listen 127.0.0.1:${port};
         location / { proxy_pass http://127.0.0.1:${shop.port}; proxy_http_version 1.1; proxy_cache shop;
           proxy_cache_key $request_uri; add_header X-Cache $upstream_cache_status always; } } }`,
  )
  const log = ['-e', `${folder}/error.log`]
  const nginx = spawn('nginx', [...log, '-c', `${folder}/nginx.conf`, '-g', 'daemon off;'], {
    stdio: 'ignore',
  })
  const ended = once(nginx, 'exit')
  afterAll(async () => {
    nginx.kill()
    await ended
  })
  beforeAll(async () => {
    while (!(await fetch(`${base}/api/health/live`).catch(() => undefined))?.ok) await sleep(50)
  })

  test('gives nobody the page or the response of somebody else', async () => {
    const found = await mixUps(base, [...PAGES, ...OWN])
    expect(found.filter((line) => !line.startsWith('kept: '))).toEqual([])
    expect([...PAGES, ...SHARED_CALLS].map((url) => `kept: ${url}`)).toEqual(expect.arrayContaining(found))
  })

  test('responds to a crowd by itself', async () => {
    const read = async () => (await fetch(`${base}/offers`)).headers.get('x-cache')
    await expect.poll(read).toBe('HIT')
  })
})
