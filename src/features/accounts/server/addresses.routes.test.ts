import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { newcomer, openAccounts } from './accounts.test-app.ts'
import { respellAccounts } from './respell-addresses.repository.ts'

const shop = await openAccounts()
const { database, forgot, logIn, member, profile, register, updateProfile, userOf } = shop

/** Makes an account whose address is from before there was one spelling. */
async function formerAccount(email: string) {
  const made = await member()
  await shop.changeUser(made.email, { email })
  return made
}
const emailOf = async (username: string): Promise<string | undefined> =>
  (await database.db.selectFrom('users').select('email').where('username', '=', username).executeTakeFirst())
    ?.email

test('one mailbox has one account, however its address is typed', async () => {
  const first = newcomer({ email: 'u@münchen-one.example.de' })
  expect(await register(first)).toMatchObject({ status: 201, body: { email: first.email } })
  expect(await userOf('u@xn--mnchen-one-9db.example.de')).toMatchObject({ username: first.username })
  const spellings = [
    'u@xn--mnchen-one-9db.example.de',
    'U@MÜNCHEN-ONE.example.DE',
    'u@mu\u0308nchen-one.example.de',
    '\u202au＠münchen-one。example.de\u202c',
  ]
  for (const email of spellings) {
    expect((await register(newcomer({ email }))).body).toEqual({ email: [expect.any(String)] })
    const { status, body } = await logIn(email, first.password)
    expect(status).toBe(200)
    expect(await profile(body['access'] ?? '')).toMatchObject({ body: { email: first.email } })
    expect((await forgot(email)).status).toBe(202)
  }
  const requests = await database.db.selectFrom('password_reset_requests').select('email').execute()
  expect(new Set(requests.map(({ email }) => email.toLowerCase()))).toEqual(
    new Set(['u@xn--mnchen-one-9db.example.de']),
  )
})

test('a username that is an address counts in the spelling of addresses', async () => {
  const owner = newcomer({ email: 'owner@börse.example' })
  await register(owner)
  const thief = newcomer({ username: 'OWNER@xn--brse-5qa.example' })
  expect((await register(thief)).body).toEqual({ username: [expect.any(String)] })
})

test.each([
  ['jörg@example.com', 'Before the @ we only accept letters without accents'],
  ['u@example..org', 'Please enter a valid email address'],
  ['u.@example.org', 'Please enter a valid email address'],
  ['u@-example.org', 'Please enter a valid email address'],
  [`${'u'.repeat(65)}@example.org`, 'Please enter a valid email address'],
])('%s is refused with its reason, at registration and in the profile', async (email, reason) => {
  const refusal = { status: 400, body: { email: [expect.stringContaining(reason)] } }
  expect(await register(newcomer({ email }))).toMatchObject(refusal)
  const { access } = await member()
  expect(await updateProfile(access, { email })).toMatchObject(refusal)
  expect(await forgot(email)).toMatchObject(refusal)
})

test('the profile takes its own address in any spelling without asking for a password', async () => {
  const { access } = await member({ email: 'own@ünder.example' })
  const response = await updateProfile(access, { email: 'OWN@ÜNDER.example', phone: '0031 6 12345678' })
  expect(response).toMatchObject({ status: 200, body: { phone: '+31612345678' } })
  expect(response.body).not.toHaveProperty('pending_email')
})

test('a registration takes a phone number as people write it', async () => {
  for (const phone_number of ['+31 6 12345678', '\u202a0031 (0)6-12345678\u202c', '+31\u00a06\u200b12345678'])
    expect(await register(newcomer({ phone_number }))).toMatchObject({
      status: 201,
      body: { phone_number: '+31612345678' },
    })
})

test('addresses from before get the one spelling, no account is merged, and everybody still logs in', async () => {
  const alone = await formerAccount('alone@zürich.example')
  const older = await formerAccount('two@köln.example')
  const younger = await member({ email: 'two@xn--kln-sna.example' })
  const foreign = await formerAccount('jörg@example.com')
  await sql`INSERT INTO excluded_payers (kind, value, digest, reason, added_by)
    SELECT 'email', 'x@köln.example', sha256(convert_to('x@köln.example', 'UTF8')), 'other', id
    FROM users LIMIT 1`.execute(database.db)
  await respellAccounts(database.db)
  await respellAccounts(database.db)
  expect(await emailOf(alone.username)).toBe('alone@xn--zrich-kva.example')
  expect(await emailOf(older.username)).toBe('two@köln.example')
  expect(await emailOf(younger.username)).toBe('two@xn--kln-sna.example')
  expect(await emailOf(foreign.username)).toBe('jörg@example.com')
  const { rows } = await sql<{ value: string; same: boolean }>`
    SELECT value, digest = sha256(convert_to(value, 'UTF8')) AS same FROM excluded_payers`.execute(
    database.db,
  )
  expect(rows).toEqual([{ value: 'x@xn--kln-sna.example', same: true }])
  const logins = [
    ['alone@zürich.example', alone],
    ['alone@xn--zrich-kva.example', alone],
    ['two@köln.example', older],
    ['two@xn--kln-sna.example', younger],
    ['jörg@example.com', foreign],
  ] as const
  for (const [email, account] of logins) {
    const { body } = await logIn(email, account.password)
    expect(await profile(body['access'] ?? '')).toMatchObject({ body: { username: account.username } })
  }
})
