import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { closeGate } from '../../../../test/support/races.ts'
import { withoutLock } from '../../../../test/support/without-lock.ts'
import { CHEAP, member, send, openAccounts } from './accounts.test-app.ts'
import { createPasswords } from './passwords.ts'
import { resetTokenHash } from './reset-tokens.ts'

const { database, app } = await openAccounts()

const run = (statement: string) => sql.raw(statement).execute(database.db)

const idOf = async (email: string): Promise<number> =>
  (await database.db.selectFrom('users').select('id').where('email', '=', email).executeTakeFirstOrThrow()).id

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
    const { email, refresh } = await member(app)
    const own = ` WHERE user_id = ${await idOf(email)}`
    const renew = async () => (await send(app, 'POST', '/api/token/refresh/', { body: { refresh } })).status
    await run(ends + own)
    expect(await renew()).toBe(401)
    await run(mends + own)
    expect(await renew()).toBe(200)
  })

  test('a session of a suspended account', async () => {
    const { email, refresh } = await member(app)
    const renew = async () => (await send(app, 'POST', '/api/token/refresh/', { body: { refresh } })).status
    await run(`UPDATE users SET is_active = false WHERE email = '${email}'`)
    expect(await renew()).toBe(401)
    await run(`UPDATE users SET is_active = true WHERE email = '${email}'`)
    expect(await renew()).toBe(200)
  })

  test('a logout that is not stored ends nothing', async () => {
    const { refresh } = await member(app)
    await run(
      `CREATE FUNCTION forget_logout() RETURNS trigger LANGUAGE plpgsql AS $$
       BEGIN NEW.revoked_at := NULL; RETURN NEW; END $$`,
    )
    await run(
      `CREATE TRIGGER forgetful BEFORE UPDATE ON sessions FOR EACH ROW EXECUTE FUNCTION forget_logout()`,
    )
    const logOutAndRenew = async () => {
      await send(app, 'POST', '/api/token/logout/', { body: { refresh } })
      return (await send(app, 'POST', '/api/token/refresh/', { body: { refresh } })).status
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
    const gate = await closeGate(
      database.url,
      `UPDATE users SET password_hash = '${hash}' WHERE email = '${email}'`,
    )
    const login = send(app, 'POST', '/api/token/', { body: { username: email, password } })
    await gate.waiting(1)
    await gate.open()
    expect((await login).status).toBe(200)
  })
})

test('a link that is being mailed to the old address while it is changed ends with it', async () => {
  const { email, access } = await member(app)
  const gate = await closeGate(
    database.url,
    `WITH account AS (SELECT id FROM users WHERE email = '${email}' FOR UPDATE)
     INSERT INTO password_resets (id, user_id, token_hash, expires_at)
     SELECT gen_random_uuid(), id, sha256('a link'), now() + interval '1 hour' FROM account`,
  )
  const changing = send(app, 'PUT', '/api/user/profile/', {
    token: access,
    body: { email: `new-${email}` },
  })
  await gate.waiting(1)
  await gate.open()
  expect((await changing).status).toBe(200)
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
  const gate = await closeGate(database.url, `SELECT 1 FROM users WHERE id = ${id} FOR UPDATE`)
  const body = { token, new_password: 'Chosen-1!', confirm_password: 'Chosen-1!' }
  const using = send(app, 'POST', '/api/user/reset-password/', { body })
  await gate.waiting(1)
  expect(await gate.gets(`SELECT 1 FROM password_resets WHERE user_id = ${id} FOR UPDATE`)).toBe(true)
  await gate.open()
  expect((await using).status).toBe(200)
})
