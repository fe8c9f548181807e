import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type TestShop, testShop } from '../support/shop.ts'

let shop: TestShop

beforeAll(async () => {
  shop = await testShop()
})
afterAll(() => shop.close())

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

describe('language of the answer', () => {
  const detail = async (headers: Record<string, string>) =>
    (await shop.anonymous('GET', '/api/cart/', undefined, { headers })).body['detail'] as string

  test('the header decides, then the cookie, then French', async () => {
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

test('the API describes itself', async () => {
  const { body } = await shop.anonymous('GET', '/api/docs/openapi.json')
  expect(Object.keys(body['paths'])).toEqual(
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

test('the settings a browser sees hold no secret', async () => {
  const { body } = await shop.anonymous('GET', '/api/settings/')
  expect(body).toMatchObject({ brand: 'Volant', demo: true, paypal: { funding: 'venmo,bancontact' } })
  expect(JSON.stringify(body)).not.toContain(shop.config.paypalClientSecret)
})
