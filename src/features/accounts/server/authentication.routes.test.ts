import { createHmac, hkdfSync } from 'node:crypto'
import { SignJWT, decodeJwt } from 'jose'
import { describe, expect, test, vi } from 'vitest'
import { TEST_SECRET, member, send, openAccounts } from './accounts.test-app.ts'

const { app } = await openAccounts()

const who = (token: string) => send(app, 'GET', '/api/who/required/', { token })

const caller = {
  userId: 1,
  sessionId: '00000000-0000-4000-8000-000000000000',
}
const key = new Uint8Array(hkdfSync('sha256', TEST_SECRET, '', 'volant access token', 32))
const at = (seconds: number) => Math.floor(Date.now() / 1000) + seconds
const forge = (
  change: Record<string, unknown> = {},
  header: { alg: string } = { alg: 'HS256' },
  secret = key,
) =>
  new SignJWT({
    typ: 'access',
    sid: caller.sessionId,
    sub: '1',
    iss: 'volant',
    aud: 'volant',
    iat: at(0),
    exp: at(300),
    ...change,
  })
    .setProtectedHeader(header)
    .sign(secret)
const unsigned = (header: object, payload: object) =>
  `${[header, payload].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.')}.`

describe('the access token', () => {
  test('says who, which session, and ends after five minutes', async () => {
    const pia = await member(app)
    const claims = decodeJwt(pia.access)
    expect(claims).toMatchObject({
      typ: 'access',
      iss: 'volant',
      aud: 'volant',
    })
    expect((claims.exp ?? 0) - (claims.iat ?? 0)).toBe(300)
    expect((await who(pia.access)).body).toMatchObject({
      userId: Number(claims.sub),
      sessionId: claims['sid'],
    })
  })

  test('is good for a clock 30 seconds off, not more', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    try {
      expect((await who(await forge({ exp: at(-29) }))).status).toBe(200)
      expect(await who(await forge({ exp: at(-30) }))).toMatchObject({
        status: 401,
        headers: { 'www-authenticate': 'Bearer' },
        body: { code: 'auth.tokenExpired', detail: 'Your session has expired. Please log in again.' },
      })
    } finally {
      vi.useRealTimers()
    }
  })

  const otherKey = new Uint8Array(32)
  const rawSecret = new TextEncoder().encode(TEST_SECRET)
  test.each([
    ['another key', () => forge({}, { alg: 'HS256' }, otherKey)],
    ['the bare secret as its key', () => forge({}, { alg: 'HS256' }, rawSecret)],
    ['another algorithm', () => forge({}, { alg: 'HS512' }, new Uint8Array(64))],
    [
      'the right key with another algorithm',
      async () => {
        const text = unsigned({ alg: 'HS512' }, decodeJwt(await forge())).slice(0, -1)
        return `${text}.${createHmac('sha512', key).update(text).digest('base64url')}`
      },
    ],
    ['another audience', () => forge({ aud: 'elsewhere' })],
    ['another issuer', () => forge({ iss: 'elsewhere' })],
    ['another type', () => forge({ typ: 'refresh' })],
    ['no type', () => forge({ typ: undefined })],
    ['no end', () => forge({ exp: undefined })],
    ['no session', () => forge({ sid: undefined })],
    ['a session that is none', () => forge({ sid: 'x' })],
    ['a subject that is no account', () => forge({ sub: 'admin' })],
    ['subject zero', () => forge({ sub: '0' })],
    ['no signature', async () => unsigned({ alg: 'none' }, decodeJwt(await forge()))],
    ['a signature spelled in another way', async () => `${await forge()}=`],
    ['a signature cut off', async () => (await forge()).slice(0, -4)],
    [
      'a changed payload',
      async () => {
        const [head, body = '', signature] = (await forge()).split('.')
        const changed = { ...JSON.parse(Buffer.from(body, 'base64url').toString()), sub: '2' }
        return [head, Buffer.from(JSON.stringify(changed)).toString('base64url'), signature].join('.')
      },
    ],
    [
      'a key id that points at a file',
      async () => {
        const text = unsigned({ alg: 'HS256', kid: '../../dev/null' }, decodeJwt(await forge())).slice(0, -1)
        return `${text}.${createHmac('sha256', '').update(text).digest('base64url')}`
      },
    ],
    ['rubbish', async () => 'rubbish'],
  ])('with %s is refused', async (_, make) => {
    const token = await make()
    expect(await who(token)).toMatchObject({ status: 401, body: { code: 'auth.tokenInvalid' } })
    expect((await send(app, 'GET', '/api/who/optional/', { token })).status).toBe(401)
    expect(await send(app, 'GET', '/api/who/ignored/', { token })).toMatchObject({
      status: 200,
      body: { caller: null },
    })
    expect(await send(app, 'GET', '/page', { token })).toMatchObject({ status: 200, body: { caller: null } })
  })

  test('missing: a route that needs one refuses, in the caller’s language', async () => {
    const details = await Promise.all(
      (['fr', 'nl', 'en'] as const).map(
        async (language) => (await send(app, 'GET', '/api/who/required/', { language })).body,
      ),
    )
    expect(details).toEqual([
      { code: 'auth.required', detail: 'Veuillez vous connecter pour continuer.' },
      { code: 'auth.required', detail: 'Log in om verder te gaan.' },
      { code: 'auth.required', detail: 'Please log in to continue.' },
    ])
    expect((await send(app, 'GET', '/api/who/optional/')).body).toEqual({ caller: null })
  })

  test.each(['', 'Bearer', 'bearer '])('the header %j counts as none', async (authorization) => {
    expect((await send(app, 'GET', '/api/who/optional/', { headers: { authorization } })).status).toBe(200)
    expect(await send(app, 'GET', '/api/who/required/', { headers: { authorization } })).toMatchObject({
      status: 401,
      body: { code: 'auth.required' },
    })
  })

  test.each(['Basic dXNlcjpwYXNz', 'Bearer a b', 'Bearer null'])(
    'the header %j is refused',
    async (authorization) => {
      expect((await send(app, 'GET', '/api/who/optional/', { headers: { authorization } })).status).toBe(401)
    },
  )

  test('is asked for however the address is spelled, and not on unknown addresses', async () => {
    expect((await send(app, 'GET', '/%61pi/who/required/')).status).toBe(401)
    expect((await send(app, 'GET', '/api/nothing/')).status).toBe(404)
  })
})
