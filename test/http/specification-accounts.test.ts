import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type NaiveClient, naiveClient } from '../support/naive-client.ts'
import { type TestShop, testShop } from '../support/shop.ts'

const PASSWORD = 'Correct1!'
const DAMAGED = 'eyJhbGciOiJIUzI1NiJ9.eyJleHAiOjk5OTk5OTk5OTl9.AAAA'

let shop: TestShop
let client: NaiveClient
let email: string
let people = 0

/** A client of the specification with an account made by its own call, logged in. */
async function newPerson(): Promise<void> {
  people += 1
  email = `person${people}@example.test`
  client = naiveClient(shop.config.publicUrl)
  const body = { username: `person ${people}`, email, password: PASSWORD, phone_number: '+33612345678' }
  expect((await client.post('/api/user/register/', body)).status).toBe(201)
  expect((await client.login(email, PASSWORD)).status).toBe(200)
}

beforeAll(async () => {
  shop = await testShop()
})
afterAll(() => shop.close())
beforeEach(newPerson)

describe('the account calls, as the specification’s client makes them', () => {
  test('POST /api/token/ takes username and password and answers access and refresh', async () => {
    const { status, body } = await client.login(email, PASSWORD)
    expect(status).toBe(200)
    expect(body).toEqual({ access: expect.any(String), refresh: expect.any(String) })
  })

  test('POST /api/token/refresh/ takes refresh and answers an access that works', async () => {
    const { status, body } = await client.post('/api/token/refresh/', {
      refresh: client.storage.get('refresh'),
    })
    expect(status).toBe(200)
    client.storage.set('access', body.access)
    expect((await client.get('/api/user/profile/')).status).toBe(200)
  })

  test('a refused token is refreshed once, the call is sent again, and the refresh token stays good', async () => {
    const { sent } = client
    for (const round of [1, 2]) {
      client.storage.set('access', DAMAGED)
      sent.length = 0
      expect(await client.get('/api/user/profile/'), `round ${round}`).toMatchObject({
        status: 200,
        body: { email },
      })
      expect(sent).toEqual(['GET /api/user/profile/', 'POST /api/token/refresh/', 'GET /api/user/profile/'])
    }
  })

  test('a stale token in the header stops neither a login, a refresh nor a registration', async () => {
    client.storage.set('access', DAMAGED)
    expect((await client.login(email, PASSWORD)).status).toBe(200)
    client.storage.set('access', DAMAGED)
    const refresh = client.storage.get('refresh')
    expect((await client.post('/api/token/refresh/', { refresh })).status).toBe(200)
    const other = { username: `other ${people}`, email: `other.${email}`, password: PASSWORD }
    const registered = await client.post('/api/user/register/', { ...other, phone_number: '+32471234567' })
    expect(registered.status).toBe(201)
  })

  test('POST /api/token/ names what is missing by the names of the payload', async () => {
    const { status, body } = await client.post('/api/token/', { username: '', password: '' })
    expect(status).toBe(400)
    expect(Object.keys(body)).toEqual(['username', 'password'])
    expect(body).toMatchObject({ username: [expect.any(String)], password: [expect.any(String)] })
  })

  test('POST /api/user/register/ refuses with the messages of each field, by the names of the payload', async () => {
    const refused = await client.post('/api/user/register/', {
      username: '',
      email: 'nobody',
      password: 'short',
      phone_number: '+3312',
    })
    expect(refused.status).toBe(400)
    expect(refused.body).toEqual({
      username: ['Username is required'],
      email: ['Please enter a valid email address'],
      password: ['Password must be at least 8 characters'],
      phone_number: ['Please enter a valid phone number'],
    })
  })

  test('GET /api/user/profile/ answers e-mail, phone with its country code, and the data of the client', async () => {
    const { body } = await client.get('/api/user/profile/')
    expect(body).toEqual({
      username: `person ${people}`,
      email,
      phone: '+33612345678',
      is_staff: false,
      is_superuser: false,
    })
  })
})

describe('PUT /api/user/profile/', () => {
  test.each([
    ['612345679', '+33', '+33612345679'],
    ['06 12 34 56 79', 'FR', '+33612345679'],
    ['+32471234567', '+32', '+32471234567'],
    ['+32471234567', undefined, '+32471234567'],
    ['0032 471 23 45 67', 'BE', '+32471234567'],
    ['12345678', 'LU', '+35212345678'],
    ['12345678', '+352', '+35212345678'],
    ['123456789012', 'DE', '+49123456789012'],
    ['123456789', '+31', '+31123456789'],
    ['', '+33', ''],
  ])('phone "%s" with countryCode %s is stored as "%s"', async (phone, countryCode, stored) => {
    const answer = await client.put('/api/user/profile/', { email, phone, countryCode })
    expect(answer).toMatchObject({ status: 200, body: { email, phone: stored } })
    expect((await client.get('/api/user/profile/')).body.phone).toBe(stored)
  })

  test.each([
    ['FR', 'A French number has 9 digits after +33 (example: 612345678)'],
    ['DE', 'A German number has 9 to 12 digits after +49 (example: 123456789)'],
    ['BE', 'A Belgian number has 8 or 9 digits after +32 (example: 471234567)'],
    ['LU', 'A Luxembourg number has 8 digits after +352 (example: 12345678)'],
    ['NL', 'A Dutch number has 9 digits after +31 (example: 123456789)'],
  ])('a wrong number of %s is told in the words of its country', async (countryCode, message) => {
    const answer = await client.put('/api/user/profile/', { email, phone: '123', countryCode })
    expect(answer).toMatchObject({ status: 400, body: { phone: [message] } })
  })

  test('an address that is none, or is missing, is told below its field', async () => {
    const put = async (change: object) => (await client.put('/api/user/profile/', change)).body
    expect(await put({ email: 'nobody', phone: '' })).toEqual({
      email: ['Please enter a valid email address'],
    })
    expect(await put({ email: '', phone: '' })).toEqual({ email: ['Email is required'] })
  })
})

describe('PUT /api/user/change-password/', () => {
  test.each([
    ['current_password', 'new_password', 'confirm_password'],
    ['old_password', 'new_password', 'confirm_password'],
    ['currentPassword', 'newPassword', 'confirmPassword'],
    ['oldPassword', 'newPassword', 'confirmPassword'],
  ])('takes %s, %s and %s', async (current, replacement, confirm) => {
    const body = { [current]: PASSWORD, [replacement]: 'Another2@', [confirm]: 'Another2@' }
    expect((await client.put('/api/user/change-password/', body)).status).toBe(200)
    expect((await naiveClient(shop.config.publicUrl).login(email, 'Another2@')).status).toBe(200)
  })

  test('needs a token', async () => {
    client.storage.clear()
    expect((await client.put('/api/user/change-password/', {})).status).toBe(401)
  })
})
