import { expect, test } from 'vitest'
import { routesOf } from '../support/printed-routes.ts'
import { openShop } from '../support/shop.ts'

// What docs/security.md ("Input") says of bodies that anybody can send; the other readers have tests beside them.

const shop = await openShop({ env: { LIMITS_FACTOR: '1000' } })
const KIB = 1024
const send = async (url: string, type: string, payload: string) =>
  (await shop.app.inject({ method: 'POST', url, payload, headers: { 'content-type': type } })).statusCode

/** JSON of so many bytes, and as deep as that allows. */
const deep = (bytes: number): string => '['.repeat(bytes / 2) + ']'.repeat(bytes / 2)
const long = (bytes: number): string => `{"a":"${'x'.repeat(bytes - 8)}"}`

test.each([
  ['a call', '/api/token/', 256 * KIB],
  ['a notification', '/api/paypal/webhook/', 256 * KIB],
  ['the contact form', '/api/v1.0/email/send', 64 * KIB],
])('the body of %s is read up to its most and no further', async (_, url, most) => {
  for (const body of [long, deep]) {
    expect([413, 500]).not.toContain(await send(url, 'application/json', body(most)))
    expect(await send(url, 'application/json', body(most + 2))).toBe(413)
  }
})

test.each(['/api/token/', '/api/user/register/', '/api/v1.0/email/send', '/api/paypal/create-order/'])(
  'no forms of several parts, and no archives, are read at %s',
  async (url) => {
    for (const type of ['multipart/form-data; boundary=x', 'application/zip', 'application/octet-stream'])
      expect([400, 401, 415]).toContain(await send(url, type, '--x\r\n\r\na\r\n--x--'))
  },
)

test('a body of many levels is refused by every call, whoever sends it', async () => {
  const [customer, staff] = [await shop.newCustomer(), await shop.newStaff('owner')]
  const { access } = await shop.sessionOf(customer)
  const headers = {
    'content-type': 'application/json',
    authorization: `Bearer ${access}`,
    'idempotency-key': 'many-levels',
    cookie: staff.cookie,
    origin: shop.config.publicUrl,
  }
  const changes = routesOf(shop.app).filter((route) => /^(?:POST|PUT|PATCH|DELETE) \/api/.test(route))
  expect(changes.length).toBeGreaterThan(100)
  const responses = new Map<string, number>()
  for (const route of changes) {
    const [method = '', pattern = ''] = route.split(' ')
    const url = pattern.replaceAll(/:\w+/g, '1')
    for (const levels of [33, 16_000]) {
      const payload = `{"a":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`
      const { statusCode } = await shop.app.inject({ method: method as 'POST', url, payload, headers })
      responses.set(`${route} ${levels}`, statusCode)
    }
  }
  // No such call, not for an owner, or no call that reads JSON.
  const others = [403, 404, 415]
  expect([...responses].filter(([, status]) => ![400, ...others].includes(status))).toEqual([])
  expect([...responses].filter(([, status]) => others.includes(status)).length).toBeLessThan(
    responses.size / 5,
  )
  const payload = `{"a":${'['.repeat(31)}${']'.repeat(31)}}`
  const read = await shop.app.inject({ method: 'POST', url: '/api/user/register/', payload, headers })
  expect(read.json()).toHaveProperty('email')
})
