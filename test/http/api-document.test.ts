import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type TestShop, testShop } from '../support/shop.ts'

interface Schema {
  required?: string[]
  anyOf?: Schema[]
}
type Responses = Record<string, { content?: Record<string, { schema: Schema }> }>

let shop: TestShop
let paths: Record<string, Record<string, { responses: Responses }>>

beforeAll(async () => {
  shop = await testShop()
  const { body } = await shop.anonymous('GET', '/api/docs/openapi.json')
  paths = body['paths'] as typeof paths
})
afterAll(() => shop.close())

const failuresOf = (path: string, method = 'post') =>
  paths[path]?.[method]?.responses['default']?.content ?? {}

describe('the document of the API', () => {
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
