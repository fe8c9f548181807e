import { createHmac, hkdfSync } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import { SignJWT, decodeJwt } from 'jose'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type TestDatabase, testDatabase } from '../../../../test/support/database.ts'
import { CHEAP, TEST_SECRET, accountsTestApp, member, send } from './accounts.test-app.ts'
import { createDemoAccount } from './demo-account.ts'
import { createPasswords } from './passwords.ts'
import { accessTokens, refreshTokenHash } from './tokens.ts'

let database: TestDatabase
let app: FastifyInstance

beforeAll(async () => {
  database = await testDatabase()
  app = await accountsTestApp(database.db)
})
afterAll(async () => {
  await app.close()
  await database.close()
})

const logIn = (username: unknown, password: unknown, language?: 'fr' | 'nl' | 'en') =>
  send(app, 'POST', '/api/token/', { body: { username, password }, ...(language && { language }) })
const refresh = (token: unknown) => send(app, 'POST', '/api/token/refresh/', { body: { refresh: token } })
const logOut = (token: unknown) => send(app, 'POST', '/api/token/logout/', { body: { refresh: token } })
const who = (token: string) => send(app, 'GET', '/api/who/required/', { token })
const ageSession = (token: string, change: { last_used_at?: unknown; expires_at?: unknown }) =>
  database.db
    .updateTable('sessions')
    .set(change as { last_used_at: Date })
    .where('refresh_hash', '=', refreshTokenHash(token))
    .execute()
const suspend = (email: string, is_active = false) =>
  database.db.updateTable('users').set({ is_active }).where('email', '=', email).execute()

describe('logging in', () => {
  test('answers exactly the two tokens, never to be cached', async () => {
    const anna = await member(app)
    const answer = await logIn(anna.email, anna.password)
    expect(answer).toMatchObject({ status: 200, headers: { 'cache-control': 'no-store' } })
    expect(Object.keys(answer.body)).toEqual(['access', 'refresh'])
  })

  test('works by e-mail and by username, in any case, with spaces around', async () => {
    const ada = await member(app, { username: 'Ada L', email: 'Ada.L@Example.test' })
    for (const name of ['ada.l@example.TEST', 'Ada.L@Example.test', 'ADA L', '  ada l ']) {
      expect((await logIn(name, ada.password)).status, name).toBe(200)
    }
  })

  test('an e-mail address means its owner, even when somebody took it as a username', async () => {
    const owner = await member(app, { email: 'owner@example.test', password: 'the owner’s own' })
    const squatter = await member(app, { username: 'owner@example.test', password: 'the squatter’s' })
    expect((await logIn('owner@example.test', owner.password)).status).toBe(200)
    expect((await logIn('owner@example.test', squatter.password)).status).toBe(401)
    expect((await logIn(squatter.email, squatter.password)).status).toBe(200)
  })

  test.each([
    ['fr', 'Adresse e-mail ou mot de passe incorrect.'],
    ['nl', 'E-mailadres of wachtwoord is onjuist.'],
    ['en', 'Incorrect email address or password.'],
  ] as const)('an unknown name and a wrong password get the same answer (%s)', async (language, detail) => {
    const ben = await member(app)
    const unknown = await logIn('nobody@example.test', ben.password, language)
    const wrong = await logIn(ben.email, 'not the password', language)
    expect(unknown).toMatchObject({ status: 401, body: { detail, code: 'auth.badCredentials' } })
    const { date: _, ...unknownHeaders } = unknown.headers
    expect(wrong.headers).toMatchObject(unknownHeaders)
    expect(wrong).toMatchObject({ status: 401, body: unknown.body })
  })

  test('who is suspended learns it only with the right password', async () => {
    const carl = await member(app)
    await suspend(carl.email)
    expect(await logIn(carl.email, 'wrong password')).toMatchObject({ status: 401, body: { code: 'auth.badCredentials' } })
    expect(await logIn(carl.email, carl.password)).toMatchObject({
      status: 403,
      body: { code: 'auth.suspended', detail: 'This account is suspended. Please contact us to find out more.' },
    })
  })

  test.each([
    ['nothing', {}, { username: ['Email is required'], password: ['Password is required'] }],
    ['empty texts', { username: '  ', password: '' }, { username: ['Email is required'], password: ['Password is required'] }],
    ['wrong types', { username: ['a'], password: 7 }, { username: ['Email is required'], password: ['Password is required'] }],
    [
      'texts that are too long',
      { username: 'u'.repeat(300), password: 'p'.repeat(257) },
      { username: ['Please enter a valid email address'], password: ['Password cannot be longer than 256 characters'] },
    ],
  ])('%s is refused field by field', async (_, body, fields) => {
    const answer = await send(app, 'POST', '/api/token/', { body })
    expect(answer).toMatchObject({ status: 400, body: { code: 'request.invalid', fields } })
  })

  test.each(['a\0b@example.test', '\ud800', "' or 1=1 --", '𝔘𝔫𝔦@example.test'])('the name %j is simply unknown', async (name) => {
    expect((await logIn(name, 'some password')).status).toBe(401)
  })

  test('a password is the same in every Unicode form', async () => {
    const zoe = await member(app, { password: 'Zoë’s Ångström' })
    expect((await logIn(zoe.email, 'Zoë’s Ångström'.normalize('NFD'))).status).toBe(200)
  })

  test('a hash of another cost is renewed at login and still fits', async () => {
    const dora = await member(app)
    const stored = async () =>
      (await database.db.selectFrom('users').select('password_hash').where('email', '=', dora.email).executeTakeFirstOrThrow())
        .password_hash
    const before = await stored()
    const dearer = await accountsTestApp(database.db, { passwords: { ...CHEAP, memoryKiB: 16, passes: 2 } })
    const body = { username: dora.email, password: dora.password }
    expect((await send(dearer, 'POST', '/api/token/', { body })).status).toBe(200)
    const after = await stored()
    expect([before, after].map((hash) => hash.split('$')[3])).toEqual(['m=8,t=1,p=1', 'm=16,t=2,p=1'])
    expect((await send(dearer, 'POST', '/api/token/', { body })).status).toBe(200)
    expect(await stored()).toBe(after)
    await dearer.close()
  })

  test('an unknown name takes as long as a wrong password', async () => {
    const fay = await member(app)
    const slow = await accountsTestApp(database.db, { passwords: { ...CHEAP, memoryKiB: 8192, passes: 2 } })
    await send(slow, 'POST', '/api/token/', { body: { username: fay.email, password: fay.password } })
    const took = { known: [] as number[], unknown: [] as number[] }
    for (let round = 0; round < 10; round += 1) {
      for (const [kind, username] of [['known', fay.email], ['unknown', 'nobody@example.test']] as const) {
        const began = performance.now()
        await send(slow, 'POST', '/api/token/', { body: { username, password: 'wrong one' } })
        took[kind].push(performance.now() - began)
      }
    }
    const [known = 0, unknown = 0] = [took.known, took.unknown].map((times) => times.toSorted((a, b) => a - b)[5])
    expect(Math.abs(known - unknown)).toBeLessThan(Math.max(known, unknown) / 2)
    await slow.close()
  })

  test('beyond two hashes and a full queue the next caller is asked to wait', async () => {
    const eve = await member(app)
    const busy = await accountsTestApp(database.db, {
      passwords: { ...CHEAP, memoryKiB: 32_768, passes: 4 },
    })
    const storm = await Promise.all(
      Array.from({ length: 40 }, () =>
        send(busy, 'POST', '/api/token/', { body: { username: 'nobody@example.test', password: 'wrong one' } }),
      ),
    )
    const refused = storm.filter(({ status }) => status === 429)
    expect(storm.filter(({ status }) => status === 401)).toHaveLength(22)
    expect(refused).toHaveLength(18)
    expect(refused[0]).toMatchObject({ headers: { 'retry-after': '2' }, body: { code: 'auth.busy' } })
    const body = { username: eve.email, password: eve.password }
    expect((await send(busy, 'POST', '/api/token/', { body })).status).toBe(200)
    await busy.close()
  })
})

describe('staying logged in', () => {
  test('the refresh token gives a new access token and stays the same', async () => {
    const finn = await member(app)
    for (const _ of [1, 2]) {
      const answer = await refresh(finn.refresh)
      expect(answer.status).toBe(200)
      expect(Object.keys(answer.body)).toEqual(['access'])
      expect((await who(answer.body['access'] ?? '')).body).toEqual((await who(finn.access)).body)
    }
  })

  test('nothing at rest gives the token back', async () => {
    const gus = await member(app)
    const { rows } = await sql<{ whole: string }>`select sessions::text as whole from sessions`.execute(database.db)
    expect(rows.length).toBeGreaterThan(0)
    expect(rows.some(({ whole }) => whole.includes(gus.refresh))).toBe(false)
  })

  test.each([
    ['a week without use', { last_used_at: sql`now() - interval '7 days'` }],
    ['thirty days', { expires_at: sql`now()` }],
  ])('%s ends the session', async (_, change) => {
    const hal = await member(app)
    await ageSession(hal.refresh, change)
    expect(await refresh(hal.refresh)).toMatchObject({ status: 401, body: { code: 'auth.tokenExpired' } })
  })

  test('use keeps it alive, up to thirty days after the login', async () => {
    const ida = await member(app)
    await ageSession(ida.refresh, { last_used_at: sql`now() - interval '6 days 23 hours'` })
    expect((await refresh(ida.refresh)).status).toBe(200)
    const row = await database.db
      .selectFrom('sessions')
      .select(sql<boolean>`last_used_at > now() - interval '1 minute'`.as('touched'))
      .select(sql<boolean>`expires_at between created_at + interval '29 days' and created_at + interval '30 days 1 second'`.as('capped'))
      .where('refresh_hash', '=', refreshTokenHash(ida.refresh))
      .executeTakeFirst()
    expect(row).toEqual({ touched: true, capped: true })
  })

  test('refreshes in quick succession write nothing', async () => {
    const jim = await member(app)
    const version = async () =>
      (await sql<{ xmin: string }>`select xmin::text from sessions where refresh_hash = ${refreshTokenHash(jim.refresh)}`.execute(database.db)).rows
    const before = await version()
    await Promise.all(Array.from({ length: 20 }, () => refresh(jim.refresh)))
    expect(await version()).toEqual(before)
  })

  test('a login sweeps the account’s sessions that are over', async () => {
    const kim = await member(app)
    await ageSession(kim.refresh, { expires_at: sql`now() - interval '1 second'` })
    await kim.logIn()
    expect(await refresh(kim.refresh)).toMatchObject({ status: 401, body: { code: 'auth.tokenInvalid' } })
  })

  test('a suspended account gets no new access token', async () => {
    const lea = await member(app)
    await suspend(lea.email)
    expect(await refresh(lea.refresh)).toMatchObject({ status: 401, body: { code: 'auth.suspended' } })
    await suspend(lea.email, true)
    expect((await refresh(lea.refresh)).status).toBe(200)
  })

  test('staff rights follow the account at the next refresh', async () => {
    const max = await member(app)
    await database.db.updateTable('users').set({ is_staff: true }).where('email', '=', max.email).execute()
    const { body } = await refresh(max.refresh)
    expect((await who(body['access'] ?? '')).body).toMatchObject({ isStaff: true, isSuperuser: false })
  })

  test.each([['an unknown token', 'x'.repeat(43)], ['an access token', ''], ['rubbish', '\0 ☃']])('%s is refused', async (_, given) => {
    const token = given || (await member(app)).access
    expect(await refresh(token)).toMatchObject({ status: 401, body: { code: 'auth.tokenInvalid' } })
  })

  test.each([undefined, '', 5, null, 'x'.repeat(600)])('the body value %j is malformed', async (token) => {
    expect(await refresh(token)).toMatchObject({ status: 400, body: { code: 'request.invalid' } })
  })
})

describe('logging out', () => {
  test('ends this session on the server and no other', async () => {
    const nils = await member(app)
    const elsewhere = await nils.logIn()
    const answer = await logOut(nils.refresh)
    expect([answer.status, answer.body]).toEqual([204, undefined])
    expect(await refresh(nils.refresh)).toMatchObject({ status: 401, body: { code: 'auth.tokenInvalid' } })
    expect((await refresh(elsewhere.refresh)).status).toBe(200)
  })

  test('an unknown token, a second time and an expired access token are all fine', async () => {
    const otto = await member(app)
    const expired = await accessTokens({ secret: TEST_SECRET, clock: () => new Date(0) }).issue(caller)
    expect((await logOut('unknown')).status).toBe(204)
    for (const _ of [1, 2]) {
      const answer = await send(app, 'POST', '/api/token/logout/', { token: expired, body: { refresh: otto.refresh } })
      expect(answer.status).toBe(204)
    }
  })
})

const caller = { userId: 1, sessionId: '00000000-0000-4000-8000-000000000000', isStaff: false, isSuperuser: false }
const key = new Uint8Array(hkdfSync('sha256', TEST_SECRET, '', 'volant access token', 32))
const at = (seconds: number) => Math.floor(Date.now() / 1000) + seconds
const forge = (change: Record<string, unknown> = {}, header: { alg: string } = { alg: 'HS256' }, secret = key) =>
  new SignJWT({ typ: 'access', sid: caller.sessionId, sub: '1', iss: 'volant', aud: 'volant', iat: at(0), exp: at(300), ...change })
    .setProtectedHeader(header)
    .sign(secret)
const unsigned = (header: object, payload: object) =>
  `${[header, payload].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.')}.`

describe('the access token', () => {
  test('says who, which session, and ends after five minutes', async () => {
    const pia = await member(app)
    const claims = decodeJwt(pia.access)
    expect(claims).toMatchObject({ typ: 'access', iss: 'volant', aud: 'volant', is_staff: false, is_superuser: false })
    expect((claims.exp ?? 0) - (claims.iat ?? 0)).toBe(300)
    expect((await who(pia.access)).body).toMatchObject({ userId: Number(claims.sub), sessionId: claims['sid'] })
  })

  test('is good for a clock 30 seconds off, not more', async () => {
    expect((await who(await forge({ exp: at(-25) }))).status).toBe(200)
    expect(await who(await forge({ exp: at(-35) }))).toMatchObject({
      status: 401,
      headers: { 'www-authenticate': 'Bearer' },
      body: { code: 'auth.tokenExpired', detail: 'Your session has expired. Please log in again.' },
    })
  })

  const otherKey = new Uint8Array(32)
  const rawSecret = new TextEncoder().encode(TEST_SECRET)
  test.each([
    ['another key', () => forge({}, { alg: 'HS256' }, otherKey)],
    ['the bare secret as its key', () => forge({}, { alg: 'HS256' }, rawSecret)],
    ['another algorithm', () => forge({}, { alg: 'HS512' }, new Uint8Array(64))],
    ['the right key with another algorithm', () => forge({}, { alg: 'HS384' }, new Uint8Array([...key, ...key.slice(0, 16)]))],
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
    expect(await send(app, 'GET', '/api/who/ignored/', { token })).toMatchObject({ status: 200, body: { caller: null } })
    expect(await send(app, 'GET', '/page', { token })).toMatchObject({ status: 200, body: { caller: null } })
  })

  test('missing: a route that needs one refuses, in the caller’s language', async () => {
    const details = await Promise.all(
      (['fr', 'nl', 'en'] as const).map(async (language) => (await send(app, 'GET', '/api/who/required/', { language })).body),
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

  test.each(['Basic dXNlcjpwYXNz', 'Bearer a b', 'Bearer null'])('the header %j is refused', async (authorization) => {
    expect((await send(app, 'GET', '/api/who/optional/', { headers: { authorization } })).status).toBe(401)
  })

  test('is asked for however the address is spelled, and not on unknown addresses', async () => {
    expect((await send(app, 'GET', '/%61pi/who/required/')).status).toBe(401)
    expect((await send(app, 'GET', '/api/nothing/')).status).toBe(404)
  })
})

test('the demo account can log in, and making it twice changes nothing', async () => {
  const demo = { username: 'demo', email: 'demo@example.test', password: 'demo password', phone: '', language: 'nl', is_staff: true } as const
  const first = await createDemoAccount(database.db, createPasswords(CHEAP), demo)
  const second = await createDemoAccount(database.db, createPasswords(CHEAP), { ...demo, password: 'another one' })
  expect(second).toBe(first)
  const { body } = await logIn(demo.email, demo.password)
  expect((await who(body['access'] ?? '')).body).toMatchObject({ userId: first, isStaff: true, isSuperuser: false })
})
