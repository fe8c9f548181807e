import { expect, test } from 'vitest'
import pageRoutes from '../../src/apps/site/routes.ts'
import { type OpenApi, sampleOf } from '../support/fuzz.ts'
import { routesOf } from '../support/printed-routes.ts'
import { sendRaw } from '../support/raw-requests.ts'
import { openShop } from '../support/shop.ts'
import { sized } from '../support/tier.ts'

// A name in an address may look like something else. Every route that takes one responds to all of them without a
// failure.

const TOKEN = 'a-token-of-the-tests'

const shop = await openShop({
  env: { LIMITS_FACTOR: '1000000', METRICS_TOKEN: 'a token for the metrics', DEMO_TOKEN: TOKEN },
  pages: true,
})
await shop.newOffer({ slug: 'ouverte' })
const document = (await shop.app.inject('/api/docs/openapi.json')).json() as OpenApi
const routes = routesOf(shop.app)
const pages = pageRoutes.flatMap(({ children = [] }) => children).map(({ path = '' }) => `/${path}`)
const patterns = routes.map((route) => route.slice(route.indexOf(' ') + 1))

/** A parameter, with the pattern that it must match. */
const PARAMETER = /:\w+(?:\(.*?\))?(?=\/|$)/g
const takesName = (pattern: string): boolean => /:\w/.test(pattern)

/** The words of the addresses that anybody calls, without those of files. */
const WORDS = [
  ...new Set([...patterns, ...pages].flatMap((one) => (one.startsWith('/api/staff/') ? [] : one.split('/')))),
].filter((word) => /^[a-z_-]+$/i.test(word))
const NAMES = [
  // Properties of every object.
  ['__proto__', 'constructor', 'prototype', 'toString', 'valueOf', 'hasOwnProperty', 'then'],
  // Numbers, also beyond those of the database.
  ['0', '-0', '-1', '01', '1.5', '1e3', '0x10', '+1', '%D9%A3', 'NaN', 'Infinity', 'null', 'undefined'],
  ['2147483647', '2147483648', '9007199254740993', '9223372036854775807', '9223372036854775808'],
  ['-9223372036854775809', '9'.repeat(40), '9'.repeat(99)],
  // Files, and what the router adds to the address of a page.
  [
    'a.json',
    'a.data',
    '.data',
    '_root.data',
    'a.txt',
    'a.zip',
    'a.b.c',
    'index.html',
    '.env',
    '.well-known',
    'a;b',
    '~',
  ],
  // Encoded, wrongly too: half a character, half a pair, signs alone.
  [
    '%00',
    'a%00b',
    '%2e',
    '%2e%2e',
    '%252e%252e',
    '..%2f..%2f',
    '%2F',
    '%2F%2F',
    '%5C',
    'a%2Fb',
    '%20',
    '%09',
    '%0A',
  ],
  [
    '%',
    '%z',
    '%zz',
    '%ff',
    '%C0%AF',
    '%E0%A4%A',
    '%ED%A0%80',
    '%ED%BF%BF%ED%A0%80',
    '%EF%BF%BE',
    '%F4%90%80%80',
  ],
  [
    '%E2%80%AE',
    '%E2%80%8B',
    '%F0%9F%98%80',
    'e%CC%81',
    '%27%20OR%201=1',
    '%3Cscript%3E',
    '%25',
    '*',
    ':slug',
    '()',
  ],
  ['x'.repeat(101), 'x'.repeat(201), '%41'.repeat(400), 'x'.repeat(9_000)],
  ['OUVERTE', 'Ouverte', 'VERIFY', 'Live', 'NOWHERE'],
  ['00000000-0000-0000-0000-000000000000', 'ffffffff-ffff-ffff-ffff-ffffffffffff', '5O190127TN364715T'],
].flat()

/** A route's address: with the name in place of all parameters, then of one of them beside values that fit. */
function addresses(pattern: string, name: string): string[] {
  const parameters = pattern.match(PARAMETER) ?? []
  const withName = (isNamed: (index: number) => boolean): string => {
    let at = -1
    return pattern.replaceAll(PARAMETER, (parameter) => {
      at += 1
      return isNamed(at) ? name : parameter === ':slug' ? 'ouverte' : '1'
    })
  }
  const single = parameters.length > 1 ? parameters.map((_, one) => withName((at) => at === one)) : []
  return [withName(() => true), ...single]
}

test('no call has a word of its own where another call takes a name', () => {
  const ambiguous = routes.flatMap((named) => {
    const parts = named.split('/')
    return routes.filter((other) => {
      const words = other.split('/')
      return (
        words.length === parts.length &&
        parts.some((part, at) => /^:\w+$/.test(part) && !words[at]!.startsWith(':')) &&
        parts.every((part, at) => /^:\w+$/.test(part) || part === words[at])
      )
    })
  })
  expect(ambiguous).toEqual([])
})

const EVERY = sized({ short: 9, extended: 1 })
/** Of the addresses of pages. */
const EVERY_PAGE = sized({ short: 3, extended: 1 })

test('a call responds to every name, to staff and customers', async () => {
  const { access } = await shop.sessionOf(await shop.newCustomer())
  const { cookie } = await shop.newStaff('owner')
  await shop.pool.query("UPDATE staff_step_ups SET until = now() + interval '1 hour'")
  const headers = { cookie, origin: shop.config.publicUrl, authorization: `Bearer ${access}` }
  const faults: string[] = []
  const statuses = new Set<number>()
  for (const [turn, route] of routes.filter(takesName).entries()) {
    const [method = '', pattern = ''] = route.split(' ')
    const path = `${pattern.replaceAll(PARAMETER, (name) => `{${name.slice(1)}}`)}/`
    const schema =
      document.paths[path]?.[method.toLowerCase()]?.requestBody?.content?.['application/json']?.schema ?? {}
    const payload = method === 'GET' ? {} : { payload: (sampleOf(schema) ?? {}) as object }
    // In the short form every call meets some of them, and each name several calls.
    const names = NAMES.filter((_, at) => at % EVERY === turn % EVERY)
    const urls = names.flatMap((name) => addresses(pattern, name))
    for (const url of urls) {
      const response = await shop.app.inject({ method: method as 'GET', url, headers, ...payload })
      statuses.add(response.statusCode)
      if (response.statusCode >= 500) faults.push(`${response.statusCode} to ${method} ${url.slice(0, 100)}`)
    }
  }
  expect(faults).toEqual([])
  expect([...statuses]).toEqual(expect.arrayContaining([200, 400, 404]))
}, 900_000)

const COOKIE = `cookie: demo_token=${TOKEN}`

/** What a response is: its status, with "page" for one of the shop's pages. */
async function seen(target: string, isSecond = false): Promise<string> {
  const head = `GET ${target} HTTP/1.1\r\nhost: shop\r\nconnection: close\r\naccept: text/html\r\n${COOKIE}\r\n\r\n`
  const { status, response } = await sendRaw(shop.port, head)
  // Capitals and needless escapes are written in another way first.
  const [, other] = /^location: (.*)$/im.exec(response) ?? []
  if (status === 308 && !isSecond && other !== undefined) return await seen(other.trim(), true)
  return /<main[ >]/.test(response) ? `${status} page` : `${status}`
}

test('a page responds to every name with the page, or says that there is none', async () => {
  const wrong: string[] = []
  let turn = 0
  for (const pattern of pages.filter(takesName))
    for (const name of [...WORDS, ...NAMES])
      for (const url of addresses(pattern, name)) {
        turn += 1
        if (turn % EVERY_PAGE !== 0) continue
        const [page, data] = [await seen(url), await seen(`${url}.data`)]
        // Files of draws, and addresses that are written in another way.
        const isElsewhere =
          /^(?:308|[234]00|404)$/.test(page) && /checkpoint|log|leaf|consistency|data$|%2e$|%0A/.test(url)
        if (!['404 page', '200 page'].includes(page) && !isElsewhere) wrong.push(`${page} to ${url}`)
        if (Number(data) >= 500) wrong.push(`${data} to ${url}.data`)
      }
  expect(wrong).toEqual([])
}, 900_000)
