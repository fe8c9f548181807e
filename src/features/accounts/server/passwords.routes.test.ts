import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { silentLog } from '#platform/postgres/log.ts'
import { securityLog } from '#platform/security-log.ts'
import { closeGate, rowOf, statuses } from '../../../../test/support/races.ts'
import {
  TEST_EMAILS,
  TEST_SECRET,
  hour,
  openAccounts,
  passwordChange,
  statusesInTurn,
} from './accounts.test-app.ts'
import { sendPasswordResets } from './password-resets.service.ts'
import { resetTokens } from './tokens.ts'

const shop = await openAccounts()
const { database, member, logIn, refresh, forgot, reset, suspend } = shop
const db = database.db

const STRONG = 'Correct1!'
const TOO_WELL_KNOWN = ['This password is too common. Choose another one that only you know']
const OWN_NAME = ['Your password cannot be your name or your email address. Choose another one']
const logsIn = async (email: string, password: string) => (await logIn(email, password)).status

describe('a change of the password', () => {
  test('replaces the old one', async () => {
    const anna = await member()
    const change = passwordChange(anna.password, STRONG)
    const response = await shop.changePassword(anna.access, change, { language: 'fr' })
    expect([response.status, response.body]).toEqual([200, { detail: 'Mot de passe modifié' }])
    expect([await logsIn(anna.email, anna.password), await logsIn(anna.email, STRONG)]).toEqual([401, 200])
  })

  test('ends the other sessions and keeps this one', async () => {
    const ben = await member()
    const [phone, tablet] = [await ben.logIn(), await ben.logIn()]
    const sessions = [ben, phone, tablet, await member()]
    expect((await shop.changePassword(phone.access, passwordChange(ben.password, STRONG))).status).toBe(200)
    const after = await statusesInTurn(4, (index) => refresh(sessions[index]!.refresh))
    expect(after).toEqual([401, 200, 401, 200])
  })

  test('takes other names of the fields', async () => {
    const body = { currentPassword: 'correct horse', newPassword: STRONG, confirmPassword: STRONG }
    expect((await shop.changePassword((await member()).access, body)).status).toBe(200)
  })

  const RULES = [
    'Password must be at least 8 characters',
    'Password must contain at least one uppercase letter',
    'Password must contain at least one lowercase letter',
    'Password must contain at least one digit',
    'Password must contain at least one special character from !@#$%^&*',
  ]
  test.each([
    ['Short1!', RULES.slice(0, 1)],
    ['       ', RULES],
    [`Aa1!${'x'.repeat(253)}`, ['Password cannot be longer than 256 characters']],
  ])(
    'to %j is refused under new_password, each rule with its own message [spec 5.29-5.33]',
    async (password, messages) => {
      const dora = await member()
      const response = await shop.changePassword(dora.access, passwordChange(dora.password, password))
      expect([response.status, response.body]).toEqual([400, { new_password: messages }])
      expect(await logsIn(dora.email, dora.password)).toBe(200)
    },
  )

  test.each([
    ['a common one', 'Password1!', TOO_WELL_KNOWN],
    ['the own name', 'Fay.Valerie1!', OWN_NAME],
  ])('to %s is refused', async (what, password, messages) => {
    const fay = await member(what === 'the own name' ? { username: 'fay.valerie' } : {})
    const refused = await shop.changePassword(fay.access, passwordChange(fay.password, password))
    expect([refused.status, refused.body]).toEqual([400, { new_password: messages }])
  })

  test.each([
    [{ current_password: 'wrong' }, { current_password: ['The current password is incorrect.'] }],
    [{ current_password: '' }, { current_password: ['Please enter your current password'] }],
    [{ confirm_password: `${STRONG}?` }, { confirm_password: ['Passwords do not match'] }],
    [{ confirm_password: undefined }, { confirm_password: ['Please confirm your password'] }],
    [
      { new_password: 'Aa1-----', confirm_password: 'x' },
      { new_password: RULES.slice(4), confirm_password: ['Passwords do not match'] },
    ],
    [
      { current_password: 1, new_password: {}, confirm_password: STRONG },
      { current_password: ['Please enter your current password'], new_password: ['Password is required'] },
    ],
  ])('with %j is refused and changes nothing', async (part, fields) => {
    const finn = await member()
    const other = await finn.logIn()
    const body = { ...passwordChange(finn.password, STRONG), ...part }
    const response = await shop.changePassword(finn.access, body)
    expect([response.status, response.body]).toEqual([400, fields])
    expect([await logsIn(finn.email, finn.password), (await refresh(other.refresh)).status]).toEqual([
      200, 200,
    ])
  })

  test('succeeds once for two at the same time; the other has a wrong current password', async () => {
    for (let round = 0; round < 5; round += 1) {
      const gus = await member()
      const passwords = ['First1!!', 'Second2!!'] as const
      const responses = await Promise.all(
        passwords.map((one) => shop.changePassword(gus.access, passwordChange(gus.password, one))),
      )
      expect(statuses(responses)).toEqual([200, 400])
      const winner = passwords[responses.findIndex(({ status }) => status === 200)] ?? ''
      expect(await logsIn(gus.email, winner)).toBe(200)
    }
  })

  test('is refused after a logout and without a token', async () => {
    const hal = await member()
    await shop.logOut(hal.refresh)
    const change = passwordChange(hal.password, STRONG)
    const loggedOut = { status: 401, body: { code: 'auth.tokenInvalid' } }
    expect(await shop.changePassword(hal.access, change)).toMatchObject(loggedOut)
    const visitor = { status: 401, body: { code: 'auth.required' } }
    expect(await shop.changePassword('', change)).toMatchObject(visitor)
    expect(await logsIn(hal.email, hal.password)).toBe(200)
  })
})

const tokens = resetTokens(TEST_SECRET)
const security = securityLog({ db, secret: TEST_SECRET, log: silentLog })
const work = () =>
  sendPasswordResets({ db, emails: TEST_EMAILS, resetTokens: tokens, security, perAccount: hour(5) })
const emailsTo = (email: string) => shop.emailsTo('password-reset', email)

/** The tokens of the links sent to an address, the oldest first. */
const tokensFor = async (email: string, from = tokens): Promise<string[]> =>
  (await emailsTo(email)).map(({ secret_link }) => from.of((secret_link as { ref: string }).ref))

/** An account that was sent a reset link. */
async function forgetful() {
  const account = await member()
  await forgot(account.email)
  await work()
  const [token = ''] = await tokensFor(account.email)
  return { ...account, token }
}

/** Moves the links of an account into the past. */
const letTimePass = (email: string, interval: string) =>
  sql`UPDATE password_resets SET created_at = created_at - ${interval}::interval, expires_at = expires_at - ${interval}::interval
      WHERE user_id = (SELECT id FROM users WHERE lower(email) = lower(${email}))`.execute(db)

describe('a request for a reset link', () => {
  test('gets a response before its address is looked up, known or not', async () => {
    const { email } = await member()
    const [known, unknown] = [await forgot(email), await forgot('nobody@example.test')]
    expect(known.status).toBe(202)
    expect(known.body['detail']).toMatch(/^If there is an account/)
    expect(unknown).toMatchObject({ status: 202, body: known.body })
    expect(await emailsTo(email), 'before the background work').toEqual([])
    await work()
    expect(await emailsTo(email)).toHaveLength(1)
    expect(await emailsTo('nobody@example.test')).toEqual([])
    const left = await db.selectFrom('password_reset_requests').selectAll().execute()
    expect(left, 'requests that remain').toEqual([])
  })

  test('sends a link in the language of the request, whose token is not stored', async () => {
    const { email } = await member()
    await forgot(email.toUpperCase(), { language: 'nl' })
    await work()
    const [sent] = await emailsTo(email)
    expect(sent).toMatchObject({ subject: 'Kies een nieuw wachtwoord', language: 'nl', recipient: email })
    const [token = ''] = await tokensFor(email)
    const { rows } = await sql`SELECT password_resets::text AS row FROM password_resets`.execute(db)
    expect(JSON.stringify([sent, rows])).not.toContain(token)
    expect(JSON.stringify(rows)).not.toContain(Buffer.from(token).toString('hex'))
  })

  test('sends one link in a minute and five in an hour', async () => {
    const { email } = await member()
    const sent = async (later: string) => {
      await letTimePass(email, later)
      await forgot(email)
      await work()
      return (await emailsTo(email)).length
    }
    expect(await sent('0')).toBe(1)
    expect(await sent('0'), 'at once again').toBe(1)
    for (const count of [2, 3, 4, 5]) expect(await sent('61 seconds')).toBe(count)
    expect(await sent('61 seconds'), 'a sixth').toBe(5)
    expect(await sent('1 hour'), 'an hour later').toBe(6)
  })

  test('sends one link for twenty requests at once, over several processes', async () => {
    const { email } = await member()
    await Promise.all(Array.from({ length: 20 }, () => forgot(email)))
    await Promise.all([work(), work(), work()])
    expect(await emailsTo(email)).toHaveLength(1)
  })

  test('sends nothing to a suspended account', async () => {
    const { email } = await member()
    await suspend(email)
    expect((await forgot(email)).status).toBe(202)
    await work()
    expect(await emailsTo(email)).toEqual([])
  })

  test.each([
    ['', 'Email is required'],
    ['nobody', 'Please enter a valid email address'],
  ])('for %j is refused below the field', async (email, message) => {
    expect(await forgot(email)).toMatchObject({ status: 400, body: { email: [message] } })
  })
})

describe('a reset link', () => {
  test('works once, and ends every session and every other link', async () => {
    const account = await forgetful()
    await letTimePass(account.email, '61 seconds')
    await forgot(account.email)
    await work()
    const [first = '', second = ''] = await tokensFor(account.email)
    const elsewhere = await account.logIn()

    expect(await reset(first, STRONG)).toMatchObject({ status: 200, body: { email: account.email } })
    expect(await logsIn(account.email, account.password)).toBe(401)
    for (const session of [account, elsewhere]) expect((await refresh(session.refresh)).status).toBe(401)
    for (const used of [first, second]) {
      expect(await reset(used, 'Another1!')).toMatchObject({ status: 410, body: { code: 'reset.invalid' } })
    }
    expect(await logsIn(account.email, STRONG)).toBe(200)
  })

  test('confirms the address it was sent to, and ends a change of it that waits', async () => {
    const { email, token, access, password } = await forgetful()
    await shop.updateProfile(access, { email: `new-${email}`, current_password: password })
    const waiting = await shop.linkTo(`new-${email}`)
    expect((await reset(token, STRONG)).status).toBe(200)
    expect((await shop.useLink(waiting.token)).status).toBe(410)
    expect((await shop.userOf(email))?.email_confirmed_at).toEqual(expect.any(Date))
  })

  test('used twice at the same time sets one password', async () => {
    const { email, token } = await forgetful()
    const gate = await closeGate(database.url, 'SELECT 1 FROM password_resets FOR UPDATE')
    const passwords = ['First-One1!', 'Second-One1!']
    const racing = passwords.map((one) => reset(token, one))
    await gate.waiting(2)
    await gate.open()
    const responses = await Promise.all(racing)
    expect(statuses(responses)).toEqual([200, 410])
    const winner = passwords[responses.findIndex(({ status }) => status === 200)] ?? ''
    expect(await logsIn(email, winner)).toBe(200)
  })

  test('locks the account before the link, as a change of the password does', async () => {
    const { email, token } = await forgetful()
    const gate = await closeGate(database.url, rowOf.user(email))
    const using = reset(token, STRONG)
    await gate.waiting(1)
    const row = `SELECT 1 FROM password_resets r JOIN users u ON u.id = r.user_id WHERE u.email = '${email}'`
    expect(await gate.gets(`${row} FOR UPDATE OF r`)).toBe(true)
    await gate.open()
    expect((await using).status).toBe(200)
  })

  test('expires after an hour', async () => {
    const { email, token } = await forgetful()
    await letTimePass(email, '61 minutes')
    expect((await reset(token, STRONG)).status).toBe(410)
    expect(await logsIn(email, STRONG)).toBe(401)
  })

  type Forgetful = Awaited<ReturnType<typeof forgetful>>
  test.each([
    [
      'a change of the password',
      410,
      (one: Forgetful) => shop.changePassword(one.access, passwordChange(one.password, 'Chosen-1!')),
    ],
    ['a change of the address', 410, (one: Forgetful) => shop.changeEmail(one, `new-${one.email}`)],
    [
      'a change of the address that waits',
      200,
      (one: Forgetful) =>
        shop.updateProfile(one.access, { email: `new-${one.email}`, current_password: one.password }),
    ],
    [
      'another change of the profile',
      200,
      (one: Forgetful) => shop.updateProfile(one.access, { email: one.email, phone: '' }),
    ],
  ])('gets a response after %s with %i', async (_, status, change) => {
    const account = await forgetful()
    expect((await change(account)).status).toBe(200)
    expect((await reset(account.token, STRONG)).status).toBe(status)
  })

  test('does not open a suspended account', async () => {
    const { email, token } = await forgetful()
    await suspend(email)
    expect((await reset(token, STRONG)).status).toBe(410)
  })

  test.each(['', 'nonsense', 'x'.repeat(43), '\u0000'])('cannot have the token %j', async (token) => {
    expect([400, 410]).toContain((await reset(token, STRONG)).status)
  })

  test('of another secret is refused', async () => {
    const { email } = await forgetful()
    const foreign = await tokensFor(email, resetTokens('another secret of thirty-two characters'))
    expect(await statusesInTurn(1, (index) => reset(foreign[index]!, STRONG))).toEqual([410])
  })

  test('keeps the rules of a new password, and still works after a refused one', async () => {
    const { token, email } = await forgetful()
    expect(await reset(token, 'short')).toMatchObject({
      status: 400,
      body: { new_password: expect.arrayContaining(['Password must be at least 8 characters']) },
    })
    const common = { status: 400, body: { new_password: TOO_WELL_KNOWN } }
    expect(await reset(token, 'Password1!')).toMatchObject(common)
    const own = { status: 400, body: { new_password: OWN_NAME } }
    expect(await reset(token, `V${email.slice(1)}1!`)).toMatchObject(own)
    const other = { status: 400, body: { confirm_password: ['Passwords do not match'] } }
    expect(await reset(token, STRONG, 'Different1!')).toMatchObject(other)
    expect((await reset(token, STRONG)).status).toBe(200)
  })
})
