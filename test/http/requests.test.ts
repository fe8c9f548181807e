import { describe, expect, test } from 'vitest'
import { sendRaw } from '../support/raw-requests.ts'
import { openShop } from '../support/shop.ts'

const shop = await openShop({ pages: true })

describe('addresses', () => {
  test.each(['/api/', '/api/nothing/', '/api/offers/a/b/', '/api/cart/1/steal_item/'])(
    '%s does not exist',
    async (url) => {
      expect(await shop.anonymous('GET', url)).toMatchObject({
        status: 404,
        body: { code: 'request.notFound' },
      })
    },
  )

  test.each([
    ['POST', '/api/offers/', 'GET, HEAD'],
    ['GET', '/api/token/', 'POST'],
    ['PUT', '/api/cart/1/add_item/', 'POST'],
  ] as const)('%s %s is answered 405 with what is allowed', async (method, url, allow) => {
    const answer = await shop.anonymous(method, url, method === 'GET' ? undefined : {})
    expect(answer).toMatchObject({ status: 405, body: { code: 'request.methodNotAllowed' } })
    expect(answer.headers['allow']).toBe(allow)
  })

  test('an address that is too long for its route does not exist', async () => {
    expect((await shop.anonymous('GET', `/api/offers/${'x'.repeat(300)}/`)).status).toBe(404)
  })

  test('the trailing slash may be left out', async () => {
    expect((await shop.anonymous('GET', '/api/offers')).status).toBe(200)
  })

  test.each(['/api/offers/%E0%A4%A/', `/api/offers/${'x'.repeat(5_000)}/`, '/api/offers/%00/'])(
    'a damaged address %s is refused without a fault',
    async (url) => {
      expect((await shop.anonymous('GET', url.slice(0, 8_000))).status).toBeLessThan(500)
    },
  )
})

const HEAD = 'host: shop\r\nconnection: close\r\naccept-language: nl\r\n'
const sendTarget = async (target: string): Promise<number> =>
  (await sendRaw(shop.port, `GET ${target} HTTP/1.1\r\n${HEAD}\r\n`)).status

test.each([
  ['http://elsewhere.example/offers', 200],
  ['http://elsewhere.example', 200],
  ['HTTP://elsewhere.example/api/offers/?x', 200],
  ['http://elsewhere.example/nothing-here', 404],
  ['*', 404],
  ['//elsewhere.example/offers', 308],
  ['/\\\\elsewhere.example', 308],
  ['/%', 400],
  ['/offers/%E0%A4%A', 400],
])('the request line %s is answered %d', async (target, status) => {
  expect(await sendTarget(target)).toBe(status)
})

describe('what no route answers is answered as the rest: in the caller’s language, and without a word of the inside', () => {
  test.each([
    [
      'an address that cannot be decoded',
      'GET /api/offers/%zz/',
      400,
      'Het verzoek bevat ongeldige gegevens.',
    ],
    ['a page’s that cannot', 'GET /%E0%A4%A', 400, 'Het verzoek bevat ongeldige gegevens.'],
    ['a method of nothing', 'TRACE /', 404, 'Dit adres bestaat niet.'],
    ['a question about everything', 'OPTIONS *', 404, 'Dit adres bestaat niet.'],
    ['a way out of a folder', 'GET /media/../../secret-key', 404, 'Dit adres bestaat niet.'],
    ['the same, spelled out', 'GET /media/%2e%2e%2fsecret-key', 404, 'Dit adres bestaat niet.'],
  ])('%s', async (_, line, status, detail) => {
    const got = await sendRaw(shop.port, `${line} HTTP/1.1\r\n${HEAD}\r\n`)
    expect(got.status).toBe(status)
    expect(JSON.parse(got.answer.slice(got.answer.indexOf('{')))).toEqual({
      detail,
      code: status === 400 ? 'request.invalid' : 'request.notFound',
    })
    expect(got.answer.toLowerCase()).toContain('x-content-type-options: nosniff')
  })

  test.each([
    ['two lengths', `${HEAD}content-length: 1\r\ncontent-length: 2\r\n`, 400],
    ['a length and chunks', `${HEAD}content-length: 5\r\ntransfer-encoding: chunked\r\n`, 400],
    ['a name with a space', `${HEAD}x y: z\r\n`, 400],
    ['a header without end', `${HEAD}x: ${'y'.repeat(40_000)}\r\n`, 431],
  ])('%s', async (_, headers, status) => {
    const got = await sendRaw(shop.port, `POST /api/token/ HTTP/1.1\r\n${headers}\r\n`)
    expect(got.status).toBe(status)
    expect(got.answer).toContain('"code":"request.invalid"')
    expect(got.answer).not.toMatch(/Client Error|Exceeded|HPE_/)
  })
})

test.each([
  ['GET /', 'Host: elsewhere.example'],
  ['GET /api/offers/', 'HOST: shop'],
  ['GET /nothing-here', 'host: elsewhere.example'],
  ['POST /api/cart/1/clear/', 'hOsT: elsewhere.example'],
])('%s that names two hosts is refused (%s)', async (line, second) => {
  const got = await sendRaw(shop.port, `${line} HTTP/1.1\r\n${HEAD}${second}\r\n\r\n`)
  expect(got.status).toBe(400)
  expect(got.answer).toContain('Het verzoek bevat ongeldige gegevens.')
})

describe('language of the answer', () => {
  const detail = async (headers: Record<string, string>) =>
    (await shop.anonymous('GET', '/api/cart/', undefined, { headers })).body['detail'] as string

  test('the header decides, then the cookie, then French [spec 9.20]', async () => {
    expect(await detail({ 'accept-language': 'nl-BE,nl;q=0.9,en;q=0.5' })).toBe('Log in om verder te gaan.')
    expect(await detail({ 'accept-language': 'es', cookie: 'language=en' })).toBe(
      'Please log in to continue.',
    )
    expect(await detail({ 'accept-language': '*' })).toBe('Veuillez vous connecter pour continuer.')
    expect(await detail({ 'accept-language': ';;q=x,,', cookie: 'language=xx' })).toMatch(/^Veuillez/)
  })
})

test('every answer carries the headers that protect it', async () => {
  for (const url of ['/api/offers/', '/api/nothing/', '/api/cart/']) {
    expect((await shop.anonymous('GET', url)).headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'strict-origin-when-cross-origin',
      'cross-origin-resource-policy': 'same-origin',
    })
  }
})

describe('health', () => {
  test('live and ready', async () => {
    expect((await shop.anonymous('GET', '/api/health/live')).status).toBe(200)
    expect((await shop.anonymous('GET', '/api/health/ready')).status).toBe(200)
  })
})

test('the settings a browser sees hold no secret', async () => {
  const { body } = await shop.anonymous('GET', '/api/settings/')
  expect(body).toMatchObject({ brand: 'Volant', demo: true, paypal: { funding: 'venmo,bancontact' } })
  expect(JSON.stringify(body)).not.toContain(shop.config.paypalClientSecret)
})

interface Schema {
  required?: string[]
  anyOf?: Schema[]
}
type Responses = Record<string, { content?: Record<string, { schema: Schema }> }>

const { paths } = (await shop.anonymous('GET', '/api/docs/openapi.json')).body as {
  paths: Record<string, Record<string, { responses: Responses }>>
}

const failuresOf = (path: string, method = 'post') =>
  paths[path]?.[method]?.responses['default']?.content ?? {}

describe('the document of the API', () => {
  test('names the calls of the specification', () => {
    expect(Object.keys(paths)).toEqual(
      expect.arrayContaining([
        '/api/token/',
        '/api/token/refresh/',
        '/api/user/register/',
        '/api/offers/',
        '/api/offers/{slug}/',
        '/api/cart/',
        '/api/cart/{cartId}/add_item/',
        '/api/cart/calculate_tax/',
        '/api/paypal/create-order/',
        '/api/paypal/capture-payment/',
        '/api/tickets/',
        '/api/tickets/user/',
        '/api/tickets/{id}/download/',
        '/api/user/profile/',
        '/api/user/change-password/',
      ]),
    )
  })

  test('says of every call how it is answered when done, and when not', () => {
    const calls = Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { responses }]) => ({
        call: `${method} ${path}`,
        statuses: Object.keys(responses),
      })),
    )
    expect(calls.length).toBeGreaterThan(30)
    for (const { call, statuses } of calls) {
      expect(statuses, call).toContain('default')
      expect(
        statuses.some((status) => status.startsWith('2')),
        call,
      ).toBe(true)
    }
  })

  test('names all answers to a capture: done, not known yet, and declined', () => {
    const { responses } = paths['/api/paypal/capture-payment/']!['post']!
    expect(Object.keys(responses).toSorted()).toEqual(['200', '202', '422', 'default'])
    const [done, open, declined] = ['200', '202', '422'].map((status) => responses[status]!.content)
    expect(done).toEqual(open)
    expect(done).toEqual(declined)
  })

  test('describes failures as they come', async () => {
    const required = (content: ReturnType<typeof failuresOf>) => content['application/json']!.schema.required
    const stranger = await shop.anonymous('GET', '/api/cart/')
    expect(required(failuresOf('/api/cart/', 'get'))).toEqual(['detail', 'code'])
    expect(stranger).toMatchObject({
      status: 401,
      body: { detail: expect.any(String), code: 'auth.required' },
    })

    const customer = await shop.newCustomer()
    const path = '/api/paypal/create-order/'
    const failed = await customer.post(path, { country_code: 'nowhere' })
    expect([failed.status, failed.body['code']]).toEqual([409, expect.any(String)])
    expect(Object.keys(failed.body)).toEqual(expect.arrayContaining(required(failuresOf(path))!))
    expect(required(failuresOf(path))).toContain('debug_id')
  })

  test('describes the failures of a form by its fields, or as one failure of all', async () => {
    const path = '/api/user/register/'
    const { status, body } = await shop.anonymous('POST', path, {})
    expect([status, body['username']]).toEqual([400, [expect.any(String)]])
    expect(body['code']).toBeUndefined()
    const [fields, failure] = failuresOf(path)['application/json']!.schema.anyOf!
    expect(fields).toMatchObject({ additionalProperties: { type: 'array', items: { type: 'string' } } })
    expect(failure!.required).toEqual(['detail', 'code'])
  })

  test('describes texts as texts', async () => {
    const path = '/api/v1.0/email/send'
    expect(Object.keys(failuresOf(path))).toEqual(['text/plain', 'application/json'])
    const { status, headers } = await shop.anonymous('POST', path, { template_id: 'nothing' })
    expect([status, headers['content-type']]).toEqual([400, 'text/plain; charset=utf-8'])
  })
})
