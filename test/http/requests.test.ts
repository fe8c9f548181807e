import { describe, expect, test } from 'vitest'
import { sendRaw } from '../support/raw-requests.ts'
import { openShop } from '../support/shop.ts'

const shop = await openShop({ pages: true })

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
])('%s %.40s is answered %i', async (method, url, status, code, allow) => {
  const answer = await shop.anonymous(method, url, method === 'GET' ? undefined : {})
  expect(answer).toMatchObject({ status, body: { code } })
  expect(answer.headers['allow']).toBe(allow)
})

test('a shop without a token has no metrics', async () => {
  const headers = { authorization: 'Bearer undefined' }
  expect((await shop.anonymous('GET', '/metrics', undefined, { headers })).status).toBe(404)
})

test('the trailing slash may be left out', async () => {
  expect((await shop.anonymous('GET', '/api/offers')).status).toBe(200)
})

const HEAD = 'host: shop\r\nconnection: close\r\naccept-language: nl\r\n'
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
  ['/%', 400],
  ['/offers/%E0%A4%A', 400],
])('the request target %s is answered %d', async (target, status) => {
  expect((await sendRaw(shop.port, `GET ${target} HTTP/1.1\r\n${HEAD}\r\n`)).status).toBe(status)
})

describe('a request that reaches no route gets an error in the caller’s language, without internals', () => {
  test.each([
    ['GET /api/offers/%zz/', 400, INVALID],
    ['GET /%E0%A4%A', 400, INVALID],
    ['TRACE /', 404, NOT_FOUND],
    ['OPTIONS *', 404, NOT_FOUND],
    ['GET /media/../../secret-key', 404, NOT_FOUND],
    ['GET /media/%2e%2e%2fsecret-key', 404, NOT_FOUND],
  ])('%s', async (line, status, detail) => {
    const got = await sendRaw(shop.port, `${line} HTTP/1.1\r\n${HEAD}\r\n`)
    expect(got.status).toBe(status)
    const code = status === 400 ? 'request.invalid' : 'request.notFound'
    expect(JSON.parse(got.answer.slice(got.answer.indexOf('{')))).toEqual({ detail, code })
    expect(got.answer.toLowerCase()).toContain('x-content-type-options: nosniff')
  })

  test.each([
    ['two lengths', 'content-length: 1\r\ncontent-length: 2\r\n', 400],
    ['a length and chunks', 'content-length: 5\r\ntransfer-encoding: chunked\r\n', 400],
    ['a name with a space', 'x y: z\r\n', 400],
    ['a header without end', `x: ${'y'.repeat(40_000)}\r\n`, 431],
  ])('%s', async (_, headers, status) => {
    const got = await sendRaw(shop.port, `POST /api/token/ HTTP/1.1\r\n${HEAD}${headers}\r\n`)
    expect(got.status).toBe(status)
    expect(got.answer).toContain('"code":"request.invalid"')
    expect(got.answer).not.toMatch(/Client Error|Exceeded|HPE_/)
  })

  test.each([
    ['GET /', 'Host: elsewhere.example'],
    ['GET /api/offers/', 'HOST: shop'],
    ['GET /nothing-here', 'host: elsewhere.example'],
    ['POST /api/cart/1/clear/', 'hOsT: elsewhere.example'],
  ])('%s with a second host (%s)', async (line, second) => {
    const got = await sendRaw(shop.port, `${line} HTTP/1.1\r\n${HEAD}${second}\r\n\r\n`)
    expect(got.status).toBe(400)
    expect(got.answer).toContain(INVALID)
  })
})

test.each([
  [{ 'accept-language': 'nl-BE,nl;q=0.9,en;q=0.5' }, 'Log in om verder te gaan.'],
  [{ 'accept-language': 'es', cookie: 'language=en' }, 'Please log in to continue.'],
  [{ 'accept-language': '*' }, 'Veuillez vous connecter pour continuer.'],
  [{ 'accept-language': ';;q=x,,', cookie: 'language=xx' }, 'Veuillez vous connecter pour continuer.'],
])(
  'the language of an answer is that of the header, then the cookie, then French: %j [spec 9.20]',
  async (headers, detail) => {
    expect((await shop.anonymous('GET', '/api/cart/', undefined, { headers })).body['detail']).toBe(detail)
  },
)

test.each(['/api/offers/', '/api/nothing/', '/api/cart/'])('%s carries the security headers', async (url) => {
  expect((await shop.anonymous('GET', url)).headers).toMatchObject({
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'strict-origin-when-cross-origin',
    'cross-origin-resource-policy': 'same-origin',
  })
})

test('the public settings hold no secret', async () => {
  const { body } = await shop.anonymous('GET', '/api/settings/')
  expect(body).toMatchObject({ brand: 'Volant', demo: true, paypal: { funding: 'venmo,bancontact' } })
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
