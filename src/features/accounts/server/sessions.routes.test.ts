import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { TEST_SECRET, member, send, openAccounts } from './accounts.test-app.ts'
import { accessTokens, refreshTokenHash } from './tokens.ts'

const { database, app } = await openAccounts()

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
