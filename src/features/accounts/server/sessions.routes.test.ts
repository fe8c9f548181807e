import { createHmac, hkdfSync, randomBytes, randomUUID } from 'node:crypto'
import { SignJWT, decodeJwt } from 'jose'
import { sql } from 'kysely'
import { beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { closeGate, race, rowOf } from '../../../../test/support/races.ts'
import { withoutLock } from '../../../../test/support/without-lock.ts'
import { CHEAP, TEST_SECRET, member, send, openAccounts } from './accounts.test-app.ts'
import { deleteEnded } from './accounts.ts'
import { createPasswords } from './passwords.ts'
import { resetTokenHash } from './password-resets.service.ts'
import { accessTokens, refreshTokenHash } from './tokens.ts'

const { database, app, another } = await openAccounts()

const who = (token: string) => send(app, 'GET', '/api/who/required/', { token })
const refresh = (token: unknown, at = app) =>
  send(at, 'POST', '/api/token/refresh/', { body: { refresh: token } })
const logOut = (token: unknown, at = app) =>
  send(at, 'POST', '/api/token/logout/', { body: { refresh: token } })
const run = (statement: string) => sql.raw(statement).execute(database.db)
const idOf = async (email: string): Promise<number> =>
  (await database.db.selectFrom('users').select('id').where('email', '=', email).executeTakeFirstOrThrow()).id

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

const ageSession = (
  token: string,
  change: { last_used_at?: unknown; expires_at?: unknown; revoked_at?: unknown },
) =>
  database.db
    .updateTable('sessions')
    .set(change as { last_used_at: Date })
    .where('refresh_hash', '=', refreshTokenHash(token))
    .execute()
const suspend = (email: string, is_active = false) =>
  database.db.updateTable('users').set({ is_active }).where('email', '=', email).execute()

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
    const { rows } = await sql<{ whole: string }>`select sessions::text as whole from sessions`.execute(
      database.db,
    )
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
      .select(
        sql<boolean>`expires_at between created_at + interval '29 days' and created_at + interval '30 days 1 second'`.as(
          'capped',
        ),
      )
      .where('refresh_hash', '=', refreshTokenHash(ida.refresh))
      .executeTakeFirst()
    expect(row).toEqual({ touched: true, capped: true })
  })

  test('refreshes in quick succession write nothing', async () => {
    const jim = await member(app)
    const version = async () =>
      (
        await sql<{
          xmin: string
        }>`select xmin::text from sessions where refresh_hash = ${refreshTokenHash(jim.refresh)}`.execute(
          database.db,
        )
      ).rows
    const before = await version()
    await Promise.all(Array.from({ length: 20 }, () => refresh(jim.refresh)))
    expect(await version()).toEqual(before)
  })

  test('a suspended account gets no new access token', async () => {
    const lea = await member(app)
    await suspend(lea.email)
    expect(await refresh(lea.refresh)).toMatchObject({ status: 401, body: { code: 'auth.suspended' } })
    await suspend(lea.email, true)
    expect((await refresh(lea.refresh)).status).toBe(200)
  })

  test.each([
    ['an unknown token', 'x'.repeat(43)],
    ['an access token', ''],
    ['rubbish', '\0 ☃'],
  ])('%s is refused', async (_, given) => {
    const token = given || (await member(app)).access
    expect(await refresh(token)).toMatchObject({ status: 401, body: { code: 'auth.tokenInvalid' } })
  })

  test.each([undefined, '', 5, null, 'x'.repeat(600)])('the body value %j is malformed', async (token) => {
    expect(await refresh(token)).toMatchObject({ status: 400, body: { code: 'request.invalid' } })
  })
})

describe('logging out', () => {
  test('ends this session on the server and no other [spec 2.12]', async () => {
    const nils = await member(app)
    const elsewhere = await nils.logIn()
    const answer = await logOut(nils.refresh)
    expect([answer.status, answer.body]).toEqual([204, undefined])
    expect(await refresh(nils.refresh)).toMatchObject({ status: 401, body: { code: 'auth.tokenInvalid' } })
    expect((await refresh(elsewhere.refresh)).status).toBe(200)
  })

  test('an unknown token, a second time and an expired access token are all fine', async () => {
    const otto = await member(app)
    const expired = await accessTokens({ secret: TEST_SECRET, clock: () => new Date(0) }).issue({
      userId: 1,
      sessionId: randomUUID(),
    })
    expect((await logOut('unknown')).status).toBe(204)
    for (const _ of [1, 2]) {
      const answer = await send(app, 'POST', '/api/token/logout/', {
        token: expired,
        body: { refresh: otto.refresh },
      })
      expect(answer.status).toBe(204)
    }
  })
})

describe('what is looked at with every renewal is all that refuses it: undone, the same token is good again', () => {
  test.each([
    ['revoked', `UPDATE sessions SET revoked_at = now()`, `UPDATE sessions SET revoked_at = NULL`],
    [
      'left alone for a week',
      `UPDATE sessions SET last_used_at = now() - interval '7 days'`,
      `UPDATE sessions SET last_used_at = now() - interval '6 days'`,
    ],
    [
      'a month old',
      `UPDATE sessions SET expires_at = now()`,
      `UPDATE sessions SET expires_at = now() + interval '1 minute'`,
    ],
  ])('a session that is %s', async (_, ends, mends) => {
    const { email, refresh: token } = await member(app)
    const own = ` WHERE user_id = ${await idOf(email)}`
    const renew = async () => (await refresh(token)).status
    await run(ends + own)
    expect(await renew()).toBe(401)
    await run(mends + own)
    expect(await renew()).toBe(200)
  })

  test('a session of a suspended account', async () => {
    const { email, refresh: token } = await member(app)
    const renew = async () => (await refresh(token)).status
    await run(`UPDATE users SET is_active = false WHERE email = '${email}'`)
    expect(await renew()).toBe(401)
    await run(`UPDATE users SET is_active = true WHERE email = '${email}'`)
    expect(await renew()).toBe(200)
  })

  test('a logout that is not stored ends nothing', async () => {
    const { refresh: token } = await member(app)
    await run(
      `CREATE FUNCTION forget_logout() RETURNS trigger LANGUAGE plpgsql AS $$
       BEGIN NEW.revoked_at := NULL; RETURN NEW; END $$`,
    )
    await run(
      `CREATE TRIGGER forgetful BEFORE UPDATE ON sessions FOR EACH ROW EXECUTE FUNCTION forget_logout()`,
    )
    const logOutAndRenew = async () => {
      await logOut(token)
      return (await refresh(token)).status
    }
    expect(await logOutAndRenew()).toBe(200)
    await run('DROP TRIGGER forgetful ON sessions')
    expect(await logOutAndRenew()).toBe(401)
  })
})

describe('a login while the password is being changed', () => {
  const LOCK = /INSERT INTO sessions[\s\S]*FOR SHARE/

  /** The old password is right when the login begins, and another one is set before its session is stored. */
  async function loginMeanwhile(): Promise<number> {
    const { email, password } = await member(app)
    const hash = await createPasswords(CHEAP).hash('another password')
    const gate = await closeGate(
      database.url,
      `UPDATE users SET password_hash = '${hash}' WHERE email = '${email}'`,
    )
    const login = send(app, 'POST', '/api/token/', { body: { username: email, password } })
    await Promise.race([gate.waiting(1), login])
    await gate.open()
    return (await login).status
  }

  test('gets no session of the old one; without the lock on the account it does', async () => {
    expect(await loginMeanwhile()).toBe(401)
    expect(await withoutLock(LOCK, loginMeanwhile)).toBe(200)
  })

  test('gets its session when only the cost of the same password changed', async () => {
    const { email, password } = await member(app)
    const hash = await createPasswords(CHEAP).hash(password)
    const [login] = await race(
      database.url,
      `UPDATE users SET password_hash = '${hash}' WHERE email = '${email}'`,
      1,
      () => [send(app, 'POST', '/api/token/', { body: { username: email, password } })],
    )
    expect(login.status).toBe(200)
  })
})

test('a link that is being mailed to the old address while it is changed ends with it', async () => {
  const { email, access } = await member(app)
  const [changed] = await race(
    database.url,
    `WITH account AS (SELECT id FROM users WHERE email = '${email}' FOR UPDATE)
     INSERT INTO password_resets (id, user_id, token_hash, expires_at)
     SELECT gen_random_uuid(), id, sha256('a link'), now() + interval '1 hour' FROM account`,
    1,
    () => [send(app, 'PUT', '/api/user/profile/', { token: access, body: { email: `new-${email}` } })],
  )
  expect(changed.status).toBe(200)
  const links = await database.db
    .selectFrom('password_resets')
    .select('ended_at')
    .where('user_id', '=', await idOf(`new-${email}`))
    .execute()
  expect(links.map((link) => link.ended_at)).toEqual([expect.any(Date)])
})

test('a link that is used locks the account before itself, as a change of the password does', async () => {
  const { email } = await member(app)
  const id = await idOf(email)
  const token = randomBytes(32).toString('base64url')
  await run(
    `INSERT INTO password_resets (id, user_id, token_hash, expires_at)
     VALUES (gen_random_uuid(), ${id}, '\\x${resetTokenHash(token).toString('hex')}', now() + interval '1 hour')`,
  )
  const gate = await closeGate(database.url, rowOf.user(email))
  const body = { token, new_password: 'Chosen-1!', confirm_password: 'Chosen-1!' }
  const using = send(app, 'POST', '/api/user/reset-password/', { body })
  await gate.waiting(1)
  expect(await gate.gets(`SELECT 1 FROM password_resets WHERE user_id = ${id} FOR UPDATE`)).toBe(true)
  await gate.open()
  expect((await using).status).toBe(200)
})

describe('what has ended', () => {
  beforeEach(async () => {
    await database.db.deleteFrom('sessions').execute()
    await database.db.deleteFrom('password_resets').execute()
  })

  const sessions = async () =>
    (await database.db.selectFrom('sessions').select('refresh_hash').execute()).map((row) =>
      row.refresh_hash.toString('hex'),
    )

  test.each([
    ['expired', { expires_at: sql<Date>`now() - interval '1 second'` }],
    ['left alone for a week', { last_used_at: sql<Date>`now() - interval '7 days 1 second'` }],
    ['revoked an hour ago', { revoked_at: sql<Date>`now() - interval '61 minutes'` }],
  ])('a session that is %s is deleted, the others stay', async (_why, change) => {
    const [kim, lee] = [await member(app), await member(app)]
    await ageSession(kim.refresh, change)
    await deleteEnded(database.db)
    expect(await sessions()).toEqual([refreshTokenHash(lee.refresh).toString('hex')])
    expect((await refresh(kim.refresh)).status).toBe(401)
  })

  test('a session that was just revoked stays, so that its last access tokens are told what happened', async () => {
    const kim = await member(app)
    await logOut(kim.refresh)
    await deleteEnded(database.db)
    expect(await sessions()).toHaveLength(1)
  })

  test('links that have ended go once nobody counts them any more, and more than one statement deletes', async () => {
    const { email } = await member(app)
    const id = await idOf(email)
    await sql`INSERT INTO password_resets (id, user_id, token_hash, created_at, expires_at)
    SELECT gen_random_uuid(), ${id}, sha256(n::text::bytea), now() - age, now() - age + interval '1 hour'
    FROM generate_series(1, 2500) n, LATERAL (SELECT CASE WHEN n > 2 THEN interval '25 hours'
      WHEN n = 2 THEN interval '2 hours' ELSE interval '0' END AS age) a`.execute(database.db)
    await deleteEnded(database.db)
    const left = await database.db.selectFrom('password_resets').select('id').execute()
    expect(left, 'one that works, one that is counted').toHaveLength(2)
  })
})

describe('two processes', () => {
  const apps = [app]
  beforeAll(async () => void apps.push(await another()))
  const at = (index: number) => apps[index % apps.length]!

  const everywhere = (token: string) =>
    Promise.all(Array.from({ length: 50 }, (_, index) => refresh(token, at(index))))

  test('fifty tabs that all renew at once, over two processes: each gets a token that works, none is logged out', async () => {
    const { refresh: token } = await member(app)
    const answers = await everywhere(token)
    expect(new Set(answers.map((one) => one.status))).toEqual(new Set([200]))
    const tokens = answers.map((one) => one.body['access'] as unknown as string)
    const uses = await Promise.all(
      tokens.map((access, index) => send(at(index + 1), 'GET', '/api/user/profile/', { token: access })),
    )
    expect(new Set(uses.map((one) => one.status))).toEqual(new Set([200]))
    expect((await refresh(token)).status, 'and once more').toBe(200)
  })

  test('a logout amid fifty renewals: whoever comes after it is refused, at every process, every time', async () => {
    const { refresh: token } = await member(app)
    const racing = everywhere(token)
    await logOut(token, at(1))
    for (const { status } of await racing) expect([200, 401]).toContain(status)
    const replayed = await everywhere(token)
    expect(new Set(replayed.map((one) => one.status))).toEqual(new Set([401]))
  })

  test('the token of a session that a new password has ended is refused every time, the session that changed it stays', async () => {
    const kim = await member(app)
    const other = await kim.logIn()
    const change = {
      current_password: kim.password,
      new_password: 'Chosen-1!',
      confirm_password: 'Chosen-1!',
    }
    const changed = await send(at(1), 'PUT', '/api/user/change-password/', {
      token: kim.access,
      body: change,
    })
    expect(changed.status).toBe(200)
    const replayed = await everywhere(other.refresh)
    expect(new Set(replayed.map((one) => one.status))).toEqual(new Set([401]))
    expect((await refresh(kim.refresh)).status).toBe(200)
  })
})
