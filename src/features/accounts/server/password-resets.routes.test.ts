import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { closeGate } from '../../../../test/support/races.ts'
import { accountEmails } from './account-emails.ts'
import { TEST_SECRET, TEST_SHOP, accountsTestApp, member, send, openAccounts } from './accounts.test-app.ts'
import { sendPasswordResets, resetTokens } from './password-resets.service.ts'

const STRONG = 'Correct1!'
const tokens = resetTokens(TEST_SECRET)
const emails = accountEmails(TEST_SHOP, { offers: () => '/offers', resetPassword: () => '/reset-password' })

const { database, app } = await openAccounts()

const perAccount = { count: 5, seconds: 3_600 }
const work = () => sendPasswordResets({ db: database.db, emails, resetTokens: tokens, perAccount })

const forget = (email: unknown, language: 'fr' | 'nl' | 'en' = 'en') =>
  send(app, 'POST', '/api/user/forgot-password/', { body: { email }, language })

const reset = (token: string, password = STRONG, confirm = password) =>
  send(app, 'POST', '/api/user/reset-password/', {
    body: { token, new_password: password, confirm_password: confirm },
  })

const emailsTo = (email: string) =>
  database.db
    .selectFrom('emails')
    .selectAll()
    .where('kind', '=', 'password-reset')
    .where(sql`lower(recipient)`, '=', email.toLowerCase())
    .orderBy('queued_at')
    .execute()

/** The tokens of the links that an address was sent, the oldest first. */
const tokensFor = async (email: string): Promise<string[]> =>
  (await emailsTo(email)).map(({ secret_link }) => tokens.of((secret_link as { ref: string }).ref))

/** Somebody who has asked for a link. */
async function forgetful() {
  const account = await member(app)
  await forget(account.email)
  await work()
  const [token = ''] = await tokensFor(account.email)
  return { ...account, token }
}

/** Moves what an account has asked for into the past. */
const letTimePass = (email: string, interval: string) =>
  sql`UPDATE password_resets SET created_at = created_at - ${interval}::interval, expires_at = expires_at - ${interval}::interval
      WHERE user_id = (SELECT id FROM users WHERE lower(email) = lower(${email}))`.execute(database.db)

const logIn = (email: string, password: string) =>
  send(app, 'POST', '/api/token/', { body: { username: email, password } })

describe('asking for a link', () => {
  test('answers the same for a known and an unknown address, and looks neither up', async () => {
    const { email } = await member(app)
    const [known, unknown] = [await forget(email), await forget('nobody@example.test')]
    expect(known.status).toBe(202)
    expect(known.body['detail']).toMatch(/^If there is an account/)
    expect(unknown.status).toBe(known.status)
    expect(unknown.body).toEqual(known.body)
    const named = (headers: object) => Object.keys(headers).filter((name) => name !== 'date')
    expect(named(unknown.headers)).toEqual(named(known.headers))
    expect(await emailsTo(email), 'before the background work').toEqual([])
    await work()
    expect(await emailsTo(email)).toHaveLength(1)
    expect(await emailsTo('nobody@example.test')).toEqual([])
    const left = await database.db.selectFrom('password_reset_requests').selectAll().execute()
    expect(left, 'nothing is kept of it').toEqual([])
  })

  test('sends a link in the language of who asked, and nothing of it lies in the database', async () => {
    const { email } = await member(app)
    await forget(email.toUpperCase(), 'nl')
    await work()
    const [mail] = await emailsTo(email)
    expect(mail).toMatchObject({ subject: 'Kies een nieuw wachtwoord', language: 'nl', recipient: email })
    const [token = ''] = await tokensFor(email)
    const stored = await database.db
      .selectFrom('password_resets')
      .select(sql<string>`password_resets::text`.as('row'))
      .execute()
    expect(JSON.stringify([mail, stored])).not.toContain(token)
    const hex = Buffer.from(token).toString('hex')
    expect(JSON.stringify(stored)).not.toContain(hex)
  })

  test('gives one link in a minute and five in an hour', async () => {
    const { email } = await member(app)
    const asked = async () => {
      await forget(email)
      await work()
      return (await emailsTo(email)).length
    }
    expect(await asked()).toBe(1)
    expect(await asked(), 'at once again').toBe(1)
    for (const count of [2, 3, 4, 5]) {
      await letTimePass(email, '61 seconds')
      expect(await asked()).toBe(count)
    }
    await letTimePass(email, '61 seconds')
    expect(await asked(), 'a sixth').toBe(5)
    await letTimePass(email, '1 hour')
    expect(await asked(), 'an hour later').toBe(6)
  })

  test('twenty requests at once, seen to by several processes, give one link', async () => {
    const { email } = await member(app)
    await Promise.all(Array.from({ length: 20 }, () => forget(email)))
    await Promise.all([work(), work(), work()])
    expect(await emailsTo(email)).toHaveLength(1)
  })

  test('gives a suspended account none', async () => {
    const { email } = await member(app)
    await database.db.updateTable('users').set({ is_active: false }).where('email', '=', email).execute()
    expect((await forget(email)).status).toBe(202)
    await work()
    expect(await emailsTo(email)).toEqual([])
  })

  test.each([
    ['', 'Email is required'],
    ['nobody', 'Please enter a valid email address'],
  ])('%j is told to be wrong below its field', async (email, message) => {
    expect(await forget(email)).toMatchObject({ status: 400, body: { email: [message] } })
  })
})

describe('setting the new password', () => {
  test('works once, ends every session and every other link, and leads to the login', async () => {
    const account = await forgetful()
    await letTimePass(account.email, '61 seconds')
    await forget(account.email)
    await work()
    const [first = '', second = ''] = await tokensFor(account.email)
    const elsewhere = await account.logIn()

    const done = await reset(first)
    expect(done).toMatchObject({ status: 200, body: { email: account.email } })
    expect((await logIn(account.email, STRONG)).status).toBe(200)
    expect((await logIn(account.email, account.password)).status).toBe(401)
    for (const { refresh } of [account, elsewhere]) {
      expect((await send(app, 'POST', '/api/token/refresh/', { body: { refresh } })).status).toBe(401)
    }
    for (const used of [first, second]) {
      expect(await reset(used, 'Another1!')).toMatchObject({ status: 410, body: { code: 'reset.invalid' } })
    }
    expect((await logIn(account.email, STRONG)).status).toBe(200)
  })

  test('two at once: one sets its password, the other is told that the link was used', async () => {
    const { email, token } = await forgetful()
    const gate = await closeGate(database.url, 'SELECT 1 FROM password_resets FOR UPDATE')
    const racing = [reset(token, 'First-One1!'), reset(token, 'Second-One1!')]
    await gate.waiting(2)
    await gate.open()
    const statuses = (await Promise.all(racing)).map(({ status }) => status)
    expect(statuses.toSorted((a, b) => a - b)).toEqual([200, 410])
    const winner = statuses[0] === 200 ? 'First-One1!' : 'Second-One1!'
    expect((await logIn(email, winner)).status).toBe(200)
  })

  test('an hour later the link is too old', async () => {
    const { email, token } = await forgetful()
    await letTimePass(email, '61 minutes')
    expect((await reset(token)).status).toBe(410)
    expect((await logIn(email, STRONG)).status).toBe(401)
  })

  test('a link ends when the account gets another password or address', async () => {
    const changed = await forgetful()
    const passwords = {
      current_password: changed.password,
      new_password: 'Chosen-1!',
      confirm_password: 'Chosen-1!',
    }
    const change = { body: passwords, token: changed.access }
    expect((await send(app, 'PUT', '/api/user/change-password/', change)).status).toBe(200)
    expect((await reset(changed.token)).status).toBe(410)

    const moved = await forgetful()
    const profile = { body: { email: `new-${moved.email}` }, token: moved.access }
    expect((await send(app, 'PUT', '/api/user/profile/', profile)).status).toBe(200)
    expect((await reset(moved.token)).status).toBe(410)

    const same = await forgetful()
    const phone = { body: { email: same.email, phone: '' }, token: same.access }
    expect((await send(app, 'PUT', '/api/user/profile/', phone)).status).toBe(200)
    expect((await reset(same.token)).status).toBe(200)
  })

  test('a suspended account cannot be opened by it', async () => {
    const { email, token } = await forgetful()
    await database.db.updateTable('users').set({ is_active: false }).where('email', '=', email).execute()
    expect((await reset(token)).status).toBe(410)
  })

  test.each(['', 'nonsense', 'x'.repeat(43), '\u0000'])('%j is not a link of ours', async (token) => {
    expect([400, 410]).toContain((await reset(token)).status)
  })

  test('a token of another secret is not ours', async () => {
    const { email } = await forgetful()
    const foreign = resetTokens('another secret of thirty-two characters')
    for (const { secret_link } of await emailsTo(email))
      expect((await reset(foreign.of((secret_link as { ref: string }).ref))).status).toBe(410)
  })

  test('keeps the rules of a new password, and a refused one leaves the link usable', async () => {
    const { token } = await forgetful()
    expect(await reset(token, 'short')).toMatchObject({
      status: 400,
      body: { new_password: expect.arrayContaining(['Password must be at least 8 characters']) },
    })
    const strict = await accountsTestApp(database.db, { passwordPolicy: 'strong' })
    const body = { token, new_password: 'Password1!', confirm_password: 'Password1!' }
    expect(await send(strict, 'POST', '/api/user/reset-password/', { body })).toMatchObject({
      status: 400,
      body: { new_password: ['This password is too well known. Choose another one that only you know'] },
    })
    await strict.close()
    expect(await reset(token, STRONG, 'Different1!')).toMatchObject({
      status: 400,
      body: { confirm_password: ['Passwords do not match'] },
    })
    expect((await reset(token)).status).toBe(200)
  })
})
