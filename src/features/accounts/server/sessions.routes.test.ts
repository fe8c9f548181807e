import { createHmac, hkdfSync, randomUUID } from 'node:crypto'
import { SignJWT, decodeJwt } from 'jose'
import { sql } from 'kysely'
import { beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { closeGate, race, statuses } from '../../../../test/support/races.ts'
import { withoutLock } from '../../../../test/support/statements.ts'
import {
  CHEAP,
  TEST_SECRET,
  hour,
  openAccounts,
  passwordChange,
  statusesInTurn,
} from './accounts.test-app.ts'
import { type OpenSession, TokenPair } from '../accounts.contract.ts'
import { deleteEnded } from './accounts.ts'
import { createPasswords } from './passwords.ts'
import { hashToken } from '#platform/keyed-hashes.ts'
import { accessTokens } from './tokens.ts'

const shop = await openAccounts()
const { database, member, refresh, logOut, suspend, changeUser, userOf } = shop

const TWO_AN_HOUR = { account: hour(2) }

const who = (token: string) => shop.get('/api/who/required/', { token })
const renews = async (token: string) => (await refresh(token)).status

const key = new Uint8Array(hkdfSync('sha256', TEST_SECRET, '', 'volant access token', 32))
const at = (seconds: number) => Math.floor(Date.now() / 1000) + seconds
/** An open session, so that nothing but the fault of a forged token refuses it. */
const { sid, sub } = decodeJwt((await member()).access)
const forge = (change: Record<string, unknown> = {}, alg = 'HS256', secret = key) =>
  new SignJWT({
    typ: 'access',
    sid,
    sub,
    iss: 'volant',
    aud: 'volant',
    iat: at(0),
    exp: at(300),
    ...change,
  })
    .setProtectedHeader({ alg })
    .sign(secret)
const base64 = (part: object): string => Buffer.from(JSON.stringify(part)).toString('base64url')
/** The claims of a good token under another header, with a signature by another algorithm or key. */
const signedAs = async (header: object, algorithm: string, secret: Uint8Array | string) => {
  const text = `${base64(header)}.${base64(decodeJwt(await forge()))}`
  return `${text}.${createHmac(algorithm, secret).update(text).digest('base64url')}`
}

describe('an access token', () => {
  test('names account and session, and expires after five minutes', async () => {
    const pia = await member()
    const claims = decodeJwt(pia.access)
    expect(claims).toMatchObject({ typ: 'access', iss: 'volant', aud: 'volant' })
    expect((claims.exp ?? 0) - (claims.iat ?? 0)).toBe(300)
    const caller = { userId: Number(claims.sub), sessionId: claims['sid'] }
    expect((await who(pia.access)).body).toMatchObject(caller)
  })

  test('is accepted up to 30 seconds after its expiry', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    try {
      expect((await who(await forge({ exp: at(-29) }))).status).toBe(200)
      expect(await who(await forge({ exp: at(-30) }))).toMatchObject({
        status: 401,
        headers: { 'www-authenticate': 'Bearer' },
        body: { code: 'auth.tokenExpired', detail: 'You have been logged out. Please log in again.' },
      })
    } finally {
      vi.useRealTimers()
    }
  })

  test.each([
    ['another key', () => forge({}, 'HS256', new Uint8Array(32))],
    ['the bare secret as its key', () => forge({}, 'HS256', new TextEncoder().encode(TEST_SECRET))],
    ['another algorithm', () => forge({}, 'HS512', new Uint8Array(64))],
    ['the right key with another algorithm', () => signedAs({ alg: 'HS512' }, 'sha512', key)],
    ['a key id that points at a file', () => signedAs({ alg: 'HS256', kid: '../../dev/null' }, 'sha256', '')],
    ['another audience', () => forge({ aud: 'elsewhere' })],
    ['another issuer', () => forge({ iss: 'elsewhere' })],
    ['another type', () => forge({ typ: 'refresh' })],
    ['no type', () => forge({ typ: undefined })],
    ['no expiry', () => forge({ exp: undefined })],
    ['no session', () => forge({ sid: undefined })],
    ['an invalid session', () => forge({ sid: 'x' })],
    ['another subject', () => forge({ sub: '2' })],
    ['an unknown session', () => forge({ sid: '00000000-0000-4000-8000-000000000000' })],
    ['a subject that is no account', () => forge({ sub: 'admin' })],
    ['subject zero', () => forge({ sub: '0' })],
    ['no signature', async () => `${base64({ alg: 'none' })}.${base64(decodeJwt(await forge()))}.`],
    ['a signature with padding', async () => `${await forge()}=`],
    ['a signature cut off', async () => (await forge()).slice(0, -4)],
    [
      'a changed payload',
      async () => {
        const [head, , signature] = (await forge()).split('.')
        return [head, base64({ ...decodeJwt(await forge()), sub: '2' }), signature].join('.')
      },
    ],
    ['rubbish', async () => 'rubbish'],
  ])('with %s is refused', async (_, make) => {
    const token = await make()
    expect(await who(token)).toMatchObject({ status: 401, body: { code: 'auth.tokenInvalid' } })
    for (const url of ['/api/who/ignored/', '/page'])
      expect(await shop.get(url, { token })).toMatchObject({ status: 200, body: { caller: null } })
  })

  test('is required in the language of the caller', async () => {
    const { body } = await shop.get('/api/who/required/', { language: 'nl' })
    expect(body).toEqual({ code: 'auth.required', detail: 'Log in om verder te gaan.' })
    expect((await shop.get('/api/who/optional/')).body).toEqual({ caller: null })
  })

  test.each([
    ['', 200],
    ['Bearer', 200],
    ['bearer ', 200],
    ['Basic dXNlcjpwYXNz', 401],
    ['Bearer a b', 401],
    ['Bearer null', 401],
  ])('in the header %j gets %i where a token is optional', async (authorization, status) => {
    const headers = { authorization }
    expect((await shop.get('/api/who/optional/', { headers })).status).toBe(status)
    const required = { status: 401, body: { code: status === 200 ? 'auth.required' : 'auth.tokenInvalid' } }
    expect(await shop.get('/api/who/required/', { headers })).toMatchObject(required)
  })

  test('is required in every spelling of the address, and not on unknown addresses', async () => {
    expect((await shop.get('/%61pi/who/required/')).status).toBe(401)
    expect((await shop.get('/api/nothing/')).status).toBe(404)
  })
})

const changeSession = (token: string, set: string) =>
  sql`UPDATE sessions SET ${sql.raw(set)} WHERE refresh_hash = ${hashToken(token)}`.execute(database.db)

describe('a refresh token', () => {
  test('gives new access tokens and stays the same', async () => {
    const finn = await member()
    for (const _ of [1, 2]) {
      const response = await refresh(finn.refresh)
      expect(response.status).toBe(200)
      expect(Object.keys(response.body)).toEqual(['access'])
      expect((await who(response.body['access'] ?? '')).body).toEqual((await who(finn.access)).body)
    }
  })

  test('is not stored', async () => {
    const gus = await member()
    const { rows } = await sql<{ row: string }>`SELECT sessions::text AS row FROM sessions`.execute(
      database.db,
    )
    expect(rows.length).toBeGreaterThan(0)
    expect(JSON.stringify(rows)).not.toContain(gus.refresh)
  })

  // The second change shows that nothing else refuses the token.
  test.each([
    [
      'unused for a week',
      "last_used_at = now() - interval '7 days'",
      "last_used_at = now() - interval '6 days'",
    ],
    ['thirty days old', 'expires_at = now()', "expires_at = now() + interval '1 minute'"],
  ])('of a session %s is refused as expired', async (_, end, mend) => {
    const hal = await member()
    await changeSession(hal.refresh, end)
    expect(await refresh(hal.refresh)).toMatchObject({ status: 401, body: { code: 'auth.tokenExpired' } })
    await changeSession(hal.refresh, mend)
    expect(await renews(hal.refresh)).toBe(200)
  })

  test('of a suspended account is refused until the suspension ends', async () => {
    const lea = await member()
    await suspend(lea.email)
    expect(await refresh(lea.refresh)).toMatchObject({ status: 401, body: { code: 'auth.suspended' } })
    await changeUser(lea.email, { is_active: true })
    expect(await renews(lea.refresh)).toBe(200)
  })

  test('extends the session with each use, up to thirty days after the login', async () => {
    const ida = await member()
    await changeSession(ida.refresh, "last_used_at = now() - interval '6 days 23 hours'")
    expect(await renews(ida.refresh)).toBe(200)
    const { rows } = await sql`
      SELECT last_used_at > now() - interval '1 minute' AS touched, expires_at BETWEEN
        created_at + interval '29 days' AND created_at + interval '30 days 1 second' AS capped
      FROM sessions WHERE refresh_hash = ${hashToken(ida.refresh)}`.execute(database.db)
    expect(rows).toEqual([{ touched: true, capped: true }])
  })

  test('writes nothing when it is used in quick succession', async () => {
    const jim = await member()
    const version = async () =>
      (
        await sql`SELECT xmin::text FROM sessions WHERE refresh_hash = ${hashToken(jim.refresh)}`.execute(
          database.db,
        )
      ).rows
    const before = await version()
    await Promise.all(Array.from({ length: 20 }, () => refresh(jim.refresh)))
    expect(await version()).toEqual(before)
  })

  test.each([
    ['an unknown token', 'x'.repeat(43)],
    ['an access token', ''],
    ['rubbish', '\0 ☃'],
  ])('cannot be %s', async (_, given) => {
    const token = given || (await member()).access
    expect(await refresh(token)).toMatchObject({ status: 401, body: { code: 'auth.tokenInvalid' } })
  })

  test.each([undefined, '', 5, null, 'x'.repeat(600)])('of %j is malformed', async (token) => {
    expect(await refresh(token)).toMatchObject({ status: 400, body: { code: 'request.invalid' } })
  })
})

describe('a logout', () => {
  test('ends this session on the server and no other [spec 2.12]', async () => {
    const nils = await member()
    const elsewhere = await nils.logIn()
    const response = await logOut(nils.refresh)
    expect([response.status, response.body]).toEqual([204, undefined])
    expect(await refresh(nils.refresh)).toMatchObject({ status: 401, body: { code: 'auth.tokenInvalid' } })
    expect(await renews(elsewhere.refresh)).toBe(200)
    await changeSession(nils.refresh, 'revoked_at = NULL')
    expect(await renews(nils.refresh), 'refused by nothing else').toBe(200)
  })

  test('succeeds with an unknown token, twice, and with an expired access token', async () => {
    const otto = await member()
    const expired = accessTokens({ secret: TEST_SECRET, clock: () => new Date(0) })
    const token = await expired.issue({ userId: 1, sessionId: randomUUID() })
    expect((await logOut('unknown')).status).toBe(204)
    expect(await statusesInTurn(2, () => logOut(otto.refresh, { token }))).toEqual([204, 204])
  })
})

describe('an ended session', () => {
  type Member = Awaited<ReturnType<typeof member>>
  const idOf = (one: { access: string }) => String(decodeJwt(one.access)['sid'])
  const asked = ({ password }: Member) => ({ current_password: password })
  const end = (one: Member, id: string, body: unknown = asked(one)) =>
    shop.post(`/api/user/sessions/${id}/end/`, body, { token: one.access })
  const endAll = (one: Member, body: unknown = asked(one)) =>
    shop.post('/api/user/sessions/end-all/', body, { token: one.access })

  test.each<[string, (ada: Member, phone: { access: string; refresh: string }) => Promise<unknown>]>([
    ['its logout', (_, phone) => logOut(phone.refresh)],
    ['another session that ends it', (ada, phone) => end(ada, idOf(phone))],
    ['"log out everywhere"', (ada) => endAll(ada)],
    [
      'a new password from another session',
      (ada) => shop.changePassword(ada.access, passwordChange(ada.password, 'Chosen-1!')),
    ],
    ['a new address from another session', (ada) => shop.changeEmail(ada, `x${ada.email}`)],
  ])('after %s serves no call of its access token, in no process', async (_, ending) => {
    const ada = await member()
    const phone = await ada.logIn()
    expect((await who(phone.access)).status).toBe(200)
    await ending(ada, phone)
    const other = await shop.another()
    for (const one of [shop, other]) {
      const change = await one.updateProfile(phone.access, { email: ada.email, phone: '' })
      const read = await one.get('/api/who/required/', { token: phone.access })
      expect([change.status, read.status]).toEqual([401, 401])
    }
  })

  test('is off the list, which shows devices, this one marked', async () => {
    const ada = await member()
    const from = (userAgent: string) =>
      shop.logIn(ada.email, ada.password, { headers: { 'user-agent': userAgent } })
    await from('Mozilla/5.0 (Windows NT 10.0; rv:140.0) Gecko/20100101 Firefox/140.0')
    const old = await from('curl/8')
    const sessions = async () =>
      (await shop.get('/api/user/sessions/', { token: ada.access })).body as unknown as OpenSession[]
    const seen = async () =>
      (await sessions()).map(({ browser, system, is_current }) => [browser, system, is_current])
    expect(await seen()).toEqual([
      [null, null, false],
      ['Firefox', 'Windows', false],
      [null, null, true],
    ])
    expect((await end(ada, idOf(TokenPair.parse(old.body)))).status).toBe(204)
    expect(await seen()).toEqual([
      ['Firefox', 'Windows', false],
      [null, null, true],
    ])
    expect((await sessions())[1]).toMatchObject({ id: idOf(ada), started_at: expect.any(String) })
  })

  test.each(['another account’s', 'ended', 'unknown', 'nonsense'])(
    'cannot be %s: nothing is ended then',
    async (which) => {
      const [ada, bob] = [await member(), await member()]
      const former = await ada.logIn()
      await logOut(former.refresh)
      const ids: Record<string, string> = {
        'another account’s': idOf(bob),
        ended: idOf(former),
        unknown: randomUUID(),
      }
      expect((await end(ada, ids[which] ?? which)).status).toBe(404)
      expect([(await who(ada.access)).status, (await who(bob.access)).status]).toEqual([200, 200])
    },
  )
})

describe('the end of a session', () => {
  const ENDS = [
    ['one session', (id: string) => `/api/user/sessions/${id}/end/`],
    ['all sessions', () => '/api/user/sessions/end-all/'],
  ] as const
  const REQUIRED = 'Please enter your current password'
  const WRONG = 'The current password is incorrect.'

  /** A member who is logged in on a phone, too, and the call that ends that session or all. */
  async function ender(url: (typeof ENDS)[number][1], of: Pick<typeof shop, 'post'> = shop) {
    const ada = await member()
    const phone = await ada.logIn()
    const id = String(decodeJwt(phone.access)['sid'])
    const end = (body: unknown) => of.post(url(id), body, { token: ada.access })
    const open = async () => [(await who(ada.access)).status, (await who(phone.access)).status]
    return { ada, end, open }
  }

  test.each(ENDS)('%s needs the current password, and without it nothing ends', async (which, url) => {
    const { ada, end, open } = await ender(url)
    for (const [body, fields] of [
      [
        undefined,
        { non_field_errors: ['Some of the details are not valid. Please check them and try again.'] },
      ],
      [{}, { current_password: [REQUIRED] }],
      [{ current_password: '' }, { current_password: [REQUIRED] }],
      [{ current_password: `${ada.password}!` }, { current_password: [WRONG] }],
      [{ password: ada.password }, { current_password: [REQUIRED] }],
    ] as const) {
      const { status, body: response } = await end(body)
      expect({ status, response }).toEqual({ status: 400, response: fields })
      expect(await open()).toEqual([200, 200])
    }
    expect((await end({ current_password: ada.password })).status).toBe(204)
    expect(await open()).toEqual(which === 'one session' ? [200, 401] : [401, 401])
  })

  test('asks for the password before it says that a session is unknown', async () => {
    const { ada } = await ender(ENDS[1][1])
    const unknown = (password: string) =>
      shop.post(
        `/api/user/sessions/${randomUUID()}/end/`,
        { current_password: password },
        { token: ada.access },
      )
    expect(await unknown('wrong')).toMatchObject({ status: 400, body: { current_password: [WRONG] } })
    expect((await unknown(ada.password)).status).toBe(404)
  })

  test.each(ENDS)('%s after too many wrong passwords is refused with the right one', async (_, url) => {
    const { ada, end, open } = await ender(url, await shop.another({ limits: { password: TWO_AN_HOUR } }))
    const wrong = await statusesInTurn(2, () => end({ current_password: 'wrong' }))
    expect(wrong).toEqual([400, 400])
    const refused = { status: 429, body: { code: 'limit.password' } }
    expect(await end({ current_password: ada.password })).toMatchObject(refused)
    expect(await open()).toEqual([200, 200])
  })

  test('counts right passwords with those of other calls', async () => {
    const limited = await shop.another({ limits: { rightPassword: TWO_AN_HOUR } })
    const { ada, end, open } = await ender(ENDS[0][1], limited)
    const twice = () => end({ current_password: ada.password })
    expect(await statusesInTurn(2, twice)).toEqual([204, 404])
    const phone = await ada.logIn()
    const everywhere = await limited.post(
      '/api/user/sessions/end-all/',
      { current_password: ada.password },
      { token: ada.access },
    )
    expect(everywhere).toMatchObject({ status: 429, body: { code: 'limit.rightPassword' } })
    expect([await open(), (await who(phone.access)).status]).toEqual([[200, 401], 200])
  })
})

describe('a login while the password is changed', () => {
  const LOCK = /INSERT INTO sessions[\s\S]*FOR SHARE/

  /** A login with a right password, during which another hash is stored. */
  async function loginDuring(hash: (password: string) => Promise<string>): Promise<number> {
    const { email, password } = await member()
    const gate = await closeGate(
      database.url,
      `UPDATE users SET password_hash = '${await hash(password)}' WHERE email = '${email}'`,
    )
    const login = shop.logIn(email, password)
    await Promise.race([gate.waiting(1), login])
    await gate.open()
    return (await login).status
  }
  const toAnother = () => createPasswords(CHEAP).hash('another password')

  test('gets no session for the old password; without the lock on the account it does', async () => {
    expect(await loginDuring(toAnother)).toBe(401)
    expect(await withoutLock(LOCK, () => loginDuring(toAnother))).toBe(200)
  })

  test('gets its session when only the cost of the same password changed', async () => {
    expect(await loginDuring((password) => createPasswords(CHEAP).hash(password))).toBe(200)
  })
})

describe('the maintenance job', () => {
  beforeEach(async () => {
    await database.db.deleteFrom('sessions').execute()
    await database.db.deleteFrom('password_resets').execute()
  })

  const sessions = async () => {
    const rows = await database.db.selectFrom('sessions').select('refresh_hash').execute()
    return rows.map((row) => row.refresh_hash.toString('hex'))
  }

  test.each([
    ['expired', "expires_at = now() - interval '1 second'"],
    ['was unused for a week', "last_used_at = now() - interval '7 days 1 second'"],
    ['was revoked an hour ago', "revoked_at = now() - interval '61 minutes'"],
  ])('deletes a session that %s, and no other', async (_, change) => {
    const [kim, lee] = [await member(), await member()]
    await changeSession(kim.refresh, change)
    await deleteEnded(database.db)
    expect(await sessions()).toEqual([hashToken(lee.refresh).toString('hex')])
    expect(await renews(kim.refresh)).toBe(401)
  })

  test('keeps a session that was just revoked, so that its last access tokens get the right refusal', async () => {
    await logOut((await member()).refresh)
    await deleteEnded(database.db)
    expect(await sessions()).toHaveLength(1)
  })

  test('deletes reset links that are expired and no longer counted, in more than one statement', async () => {
    const { email } = await member()
    const id = (await userOf(email))?.id
    await sql`INSERT INTO password_resets (id, user_id, token_hash, created_at, expires_at)
      SELECT gen_random_uuid(), ${id}, sha256(n::text::bytea), now() - age, now() - age + interval '1 hour'
      FROM generate_series(1, 2500) n, LATERAL (SELECT CASE WHEN n > 2 THEN interval '25 hours'
        WHEN n = 2 THEN interval '2 hours' ELSE interval '0' END AS age) a`.execute(database.db)
    await deleteEnded(database.db)
    const left = await database.db.selectFrom('password_resets').select('id').execute()
    expect(left, 'one that works, one that is counted').toHaveLength(2)
  })

  test('deletes expired links about addresses, and no other', async () => {
    const { email } = await member()
    await sql`UPDATE email_links SET expires_at = now() WHERE email <> ${email}`.execute(database.db)
    await deleteEnded(database.db)
    expect(await database.db.selectFrom('email_links').select('email').execute()).toEqual([{ email }])
  })
})

describe('two processes', () => {
  const processes = [shop as Awaited<ReturnType<typeof shop.another>>]
  beforeAll(async () => void processes.push(await shop.another()))
  const other = () => processes[1]!

  const everywhere = (token: string) =>
    Promise.all(Array.from({ length: 50 }, (_, index) => processes[index % 2]!.refresh(token)))

  test('give each of fifty concurrent renewals a token that works', async () => {
    const { refresh: token } = await member()
    const responses = await everywhere(token)
    expect(new Set(statuses(responses))).toEqual(new Set([200]))
    const uses = responses.map(({ body }, index) => processes[(index + 1) % 2]!.profile(body['access'] ?? ''))
    expect(new Set(statuses(await Promise.all(uses)))).toEqual(new Set([200]))
    expect(await renews(token)).toBe(200)
  })

  test('refuse every renewal after a logout amid fifty renewals', async () => {
    const { refresh: token } = await member()
    const racing = everywhere(token)
    await other().logOut(token)
    for (const { status } of await racing) expect([200, 401]).toContain(status)
    expect(new Set(statuses(await everywhere(token)))).toEqual(new Set([401]))
  })

  test('refuse every renewal of another session after a change of the password, and keep the one that made it', async () => {
    const kim = await member()
    const elsewhere = await kim.logIn()
    const change = passwordChange(kim.password, 'Chosen-1!')
    expect((await other().changePassword(kim.access, change)).status).toBe(200)
    expect(new Set(statuses(await everywhere(elsewhere.refresh)))).toEqual(new Set([401]))
    expect(await renews(kim.refresh)).toBe(200)
  })
})

test('a reset link that is stored while the address changes ends with the old address', async () => {
  const { email, access, password } = await member()
  await shop.updateProfile(access, { email: `new-${email}`, current_password: password })
  const { token } = await shop.linkTo(`new-${email}`)
  const [changed] = await race(
    database.url,
    `WITH account AS (SELECT id FROM users WHERE email = '${email}' FOR UPDATE)
     INSERT INTO password_resets (id, user_id, token_hash, expires_at)
     SELECT gen_random_uuid(), id, sha256('a link'), now() + interval '1 hour' FROM account`,
    1,
    () => [shop.useLink(token)],
  )
  expect(changed.status).toBe(200)
  const id = (await userOf(`new-${email}`))!.id
  const links = await database.db
    .selectFrom('password_resets')
    .select('ended_at')
    .where('user_id', '=', id)
    .execute()
  expect(links).toEqual([{ ended_at: expect.any(Date) }])
})
