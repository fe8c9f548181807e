import { sql } from 'kysely'
import { beforeEach, expect, test } from 'vitest'
import { member, send, openAccounts } from './accounts.test-app.ts'
import { deleteEnded } from './accounts.ts'
import { refreshTokenHash } from './tokens.ts'

const { database, app } = await openAccounts()
beforeEach(async () => {
  await database.db.deleteFrom('sessions').execute()
})

const age = (refresh: string, change: Record<string, ReturnType<typeof sql<Date>>>) =>
  database.db
    .updateTable('sessions')
    .set(change)
    .where('refresh_hash', '=', refreshTokenHash(refresh))
    .execute()

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
  await age(kim.refresh, change)
  await deleteEnded(database.db)
  expect(await sessions()).toEqual([refreshTokenHash(lee.refresh).toString('hex')])
  expect((await send(app, 'POST', '/api/token/refresh/', { body: { refresh: kim.refresh } })).status).toBe(
    401,
  )
})

test('a session that was just revoked stays, so that its last access tokens are told what happened', async () => {
  const kim = await member(app)
  await send(app, 'POST', '/api/token/logout/', { body: { refresh: kim.refresh } })
  await deleteEnded(database.db)
  expect(await sessions()).toHaveLength(1)
})

test('links that have ended go once nobody counts them any more, and more than one statement deletes', async () => {
  const { email } = await member(app)
  const { id } = await database.db
    .selectFrom('users')
    .select('id')
    .where('email', '=', email)
    .executeTakeFirstOrThrow()
  await sql`INSERT INTO password_resets (id, user_id, token_hash, created_at, expires_at)
    SELECT gen_random_uuid(), ${id}, sha256(n::text::bytea), now() - age, now() - age + interval '1 hour'
    FROM generate_series(1, 2500) n, LATERAL (SELECT CASE WHEN n > 2 THEN interval '25 hours'
      WHEN n = 2 THEN interval '2 hours' ELSE interval '0' END AS age) a`.execute(database.db)
  await deleteEnded(database.db)
  const left = await database.db.selectFrom('password_resets').select('id').execute()
  expect(left, 'one that works, one that is counted').toHaveLength(2)
})
