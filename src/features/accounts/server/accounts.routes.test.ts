import { type QueryExecutor, sql } from 'kysely'
import { describe, expect, test, vi } from 'vitest'
import { transact } from '#platform/transaction.ts'
import { closeGate, race, rowOf, statuses } from '../../../../test/support/races.ts'
import { erasedAccount } from './accounts.repository.ts'
import {
  TEST_SECRET,
  hour,
  newcomer,
  openAccounts,
  passwordChange,
  statusesInTurn,
} from './accounts.test-app.ts'
import { resetTokens } from './tokens.ts'

const shop = await openAccounts()
const strong = await shop.another({ passwordPolicy: 'strong' })
const { database, member, register, profile, updateProfile, userOf, changeUser, linksTo, linkTo } = shop

const countAccounts = async () => (await database.db.selectFrom('users').select('id').execute()).length
const welcomesTo = (email: string) => shop.emailsTo('welcome', email)

describe('the welcome email', () => {
  test('is sent once, in the language of the registration, as text and HTML', async () => {
    const body = newcomer({ username: 'Zoé d’Artagnan' })
    await register(body, { language: 'fr' })
    await register(body, { language: 'fr' })
    const emails = await welcomesTo(body.email)
    expect(emails).toHaveLength(1)
    expect(emails[0]).toMatchObject({
      language: 'fr',
      subject: 'Bienvenue chez Volant',
      state: 'queued',
      body_text: expect.stringContaining('http://shop.test/offers'),
      body_html: expect.stringContaining('href="http://shop.test/offers"'),
    })
    expect(emails[0]?.body_text).toContain('Bonjour Zoé d’Artagnan,')
  })

  test('does not contain a username that could be an advertisement', async () => {
    const body = newcomer({ username: 'You won: http://evil.example' })
    await register(body)
    const [sent] = await welcomesTo(body.email)
    expect(sent?.body_text).toContain('Hello,')
    expect(JSON.stringify(sent)).not.toContain('evil')
  })

  test('is not sent when the registration is refused', async () => {
    const body = newcomer({ phone_number: '12' })
    expect((await register(body)).status).toBe(400)
    expect(await welcomesTo(body.email)).toEqual([])
  })
})

describe('a registration', () => {
  test('responds with and stores what was sent, with the language of the caller [spec 3.20]', async () => {
    const body = newcomer({ phone_number: '+32 471 23 45 67', code: ' PARTNER-7 ' })
    expect(await register(body, { language: 'nl' })).toMatchObject({
      status: 201,
      body: { username: body.username, email: body.email, phone_number: '+32471234567' },
    })
    expect(await userOf(body.email)).toMatchObject({
      phone: '+32471234567',
      language: 'nl',
      partner_code: 'PARTNER-7',
      password_hash: expect.stringMatching(/^\$argon2id\$v=19\$m=8,t=1,p=1\$/),
    })
  })

  test('cannot make a member of staff [spec 6.19]', async () => {
    const body = newcomer({ is_staff: true, is_superuser: true, is_active: false, id: 1 })
    expect(Object.keys((await register(body)).body)).toEqual(['username', 'email', 'phone_number'])
    const rights = { is_staff: false, is_superuser: false, is_active: true }
    expect(await userOf(body.email)).toMatchObject(rights)
  })

  test('succeeds when its network cannot be stored as trusted', async () => {
    const executor = Object.getPrototypeOf(database.db.getExecutor()) as QueryExecutor
    const execute = Reflect.get(executor, 'executeQuery') as QueryExecutor['executeQuery']
    let [isMade, faults] = [false, 0]
    const spy = vi.spyOn(executor, 'executeQuery').mockImplementation(function (this: QueryExecutor, query) {
      isMade ||= /insert into "?users"?/i.test(query.sql)
      // Limits are counted before the account is made, and its network is stored after it.
      if (!isMade || !query.sql.includes('limit_counters')) return execute.call(this, query) as never
      faults += 1
      return Promise.reject(Object.assign(new Error('gone'), { code: '57P01' }))
    })
    const body = newcomer()
    const { status } = await register(body)
    spy.mockRestore()
    expect([status, faults]).toEqual([201, 1])
    expect(await userOf(body.email)).toBeDefined()
  })

  test('cannot take the address or the name of the account of erased buyers', async () => {
    for (const email of ['erased@erased.invalid', 'Erased@ＥRASED.INVALID'])
      expect(await register(newcomer({ email }))).toMatchObject({
        status: 400,
        body: { email: ['Please enter a valid email address'] },
      })
    const alike = newcomer({ username: 'erased@erased.invalid' })
    expect((await register(alike)).body).toMatchObject({ username: [expect.any(String)] })
    expect((await register(newcomer({ username: ' erased' }))).status).toBe(201)
    const make = () => transact(database.db, (trx) => erasedAccount(trx).make())
    const id = await make()
    expect(await make()).toBe(id)
    expect(await userOf('erased@erased.invalid')).toMatchObject({ id, username: ' erased' })
    await database.db.deleteFrom('users').where('id', '=', id).execute()
  })

  test('under the address of erased buyers is not used as their account', async () => {
    const squatter = newcomer()
    await register(squatter)
    await changeUser(squatter.email, { email: 'erased@erased.invalid' })
    expect(await transact(database.db, (trx) => erasedAccount(trx).find())).toBeUndefined()
    const made = transact(database.db, (trx) => erasedAccount(trx).make())
    await expect(made).rejects.toThrow('belongs to an account')
    await database.db.deleteFrom('users').where('email', '=', 'erased@erased.invalid').execute()
  })

  test('trims name and e-mail, and keeps their case but for the domain', async () => {
    const body = newcomer({ username: '  Zoe\u0308 Ångström 🚗 ', email: '  Zoe.A@Example.TEST ' })
    const stored = { username: 'Zoë Ångström 🚗', email: 'Zoe.A@example.test' }
    expect((await register(body)).body).toMatchObject(stored)
  })

  test('names every empty field in the language of the caller [spec 5.4, 5.5, 5.7, 5.10]', async () => {
    const empty = { username: '', email: '', password: '', phone_number: '' }
    expect(await register(empty, { language: 'fr' })).toMatchObject({
      status: 400,
      body: {
        username: ['Le nom d’utilisateur est obligatoire'],
        email: ['L’adresse e-mail est obligatoire'],
        password: ['Le mot de passe est obligatoire'],
        phone_number: ['Le numéro de téléphone est obligatoire'],
      },
    })
  })

  const INVALID = 'This value is not valid.'
  const INVALID_EMAIL = 'Please enter a valid email address'
  const INVALID_PHONE = 'Please enter a valid phone number'
  test.each([
    [{ username: 'x'.repeat(151) }, { username: 'The username cannot be longer than 150 characters' }],
    [{ username: 'two\nlines' }, { username: INVALID }],
    [{ username: 'nul\0' }, { username: INVALID }],
    [{ username: '\u202Egnp.exe' }, { username: INVALID }],
    [{ username: '\ud800' }, { username: INVALID }],
    [{ username: 12 }, { username: 'Username is required' }],
    [{ email: 'nul\0@example.test' }, { email: INVALID_EMAIL }],
    [{ email: `${'e'.repeat(250)}@example.test` }, { email: INVALID_EMAIL }],
    [{ password: 'p'.repeat(257) }, { password: 'Password cannot be longer than 256 characters' }],
    [{ password: null }, { password: 'Password is required' }],
    [{ phone_number: '+33 12' }, { phone_number: INVALID_PHONE }],
    [{ phone_number: '0612345678' }, { phone_number: INVALID_PHONE }],
    [{ phone_number: '9'.repeat(41) }, { phone_number: INVALID_PHONE }],
    [
      { email: 'x', password: 'seven77', phone_number: '+1 555 123 4567' },
      {
        email: INVALID_EMAIL,
        password: 'Password must be at least 8 characters',
        phone_number: INVALID_PHONE,
      },
    ],
    [{ code: 'c'.repeat(65) }, { code: 'This text is too long.' }],
    [{ code: 'nul\0' }, { code: INVALID }],
  ])('with %j is refused and makes no account [spec 5.6, 5.8, 5.11, 5.23, 9.1]', async (change, messages) => {
    const before = await countAccounts()
    const response = await register(newcomer(change))
    const fields = Object.entries(messages).map(([field, message]) => [field, [message]])
    expect([response.status, response.body]).toEqual([400, Object.fromEntries(fields)])
    expect(await countAccounts()).toBe(before)
  })

  test.each([[[]], ['"text"'], ['null'], [undefined]])('cannot have the body %j', async (body) => {
    const headers = { 'content-type': 'application/json' }
    expect((await register(body, { headers })).status).toBe(400)
  })

  const TAKEN = {
    email: ['An account with this email address already exists.'],
    username: ['This username is already taken.'],
  }
  test('with a taken e-mail or name is refused below the field, in any case', async () => {
    const first = newcomer({ username: 'Taken Name', email: 'Taken@Example.test' })
    await register(first)
    const refusalOf = async (change: object) => (await register(newcomer({ ...change }))).body
    expect(await refusalOf({ email: 'tAKEN@example.test' })).toEqual({ email: TAKEN.email })
    expect(await refusalOf({ username: 'TAKEN name' })).toEqual({ username: TAKEN.username })
    expect(await refusalOf(first)).toEqual(TAKEN)
  })

  test('can have an address as its username only when it is its own', async () => {
    const username = ['The username cannot be an email address other than your own']
    for (const name of ['somebody@example.test', 'v\u0130ctim@example.test'])
      expect(await register(newcomer({ username: name }))).toMatchObject({ status: 400, body: { username } })
    const own = newcomer({ email: 'Own.Name@example.test', username: 'own.name@EXAMPLE.test' })
    expect((await register(own)).status).toBe(201)
    expect((await register(newcomer({ username: 'kim @ home' }))).status).toBe(201)
  })

  test('twenty times at once for one name makes one account', async () => {
    const body = newcomer()
    const responses = await Promise.all(Array.from({ length: 20 }, () => register(body)))
    expect(statuses(responses)).toEqual([201, ...Array(19).fill(400)])
    const refused = responses.filter(({ status }) => status === 400)
    expect(refused.map((response) => response.body)).toEqual(Array(19).fill(TAKEN))
  })

  test('with a name that differs only in its Unicode form is refused', async () => {
    await register(newcomer({ username: 'Renée' }))
    expect((await register(newcomer({ username: 'Rene\u0301e' }))).body).toHaveProperty('username')
  })

  test('needs a length, and with the strong policy every rule [spec 5.12, 5.13, 9.1]', async () => {
    expect((await register(newcomer({ password: 'tulipe9x' }))).status).toBe(201)
    const weak = await strong.register(newcomer({ password: '-----_--' }))
    expect([weak.status, weak.body['password']]).toEqual([400, Array(4).fill(expect.any(String))])
    expect((await strong.register(newcomer({ password: 'Str0ng!pass' }))).status).toBe(201)
  })

  const COMMON = 'This password is too common. Choose another one that only you know'
  const OWN = 'Your password cannot be your name or your email address. Choose another one'
  test.each([
    ['12345678', COMMON],
    ['PassWord', COMMON],
    ['aaaaaaaa', COMMON],
    ['ADA Lovelace', OWN],
    ['countess.ada@example.test', OWN],
    ['Countess.Ada1815!', OWN],
  ])('with the password %s is refused under either policy', async (password, message) => {
    const body = newcomer({ username: 'Ada Lovelace', email: 'countess.ada@example.test', password })
    for (const one of [shop, strong]) {
      const { status, body: faults } = await one.register(body)
      expect([status, faults]).toEqual([400, { password: expect.arrayContaining([expect.any(String)]) }])
    }
    expect((await register(body)).body).toEqual({ password: [message] })
  })
})

describe('the profile', () => {
  test('shows the account and nothing else [spec 3.16, 7.27]', async () => {
    const { access, username, email } = await member()
    const rights = { is_staff: false, is_superuser: false }
    const shown = { username, email, phone: '+33612345678', email_confirmed: false, ...rights }
    expect((await profile(access)).body).toEqual(shown)
  })

  test('is refused without a token [spec 6.9]', async () => {
    for (const response of [await profile(''), await updateProfile('', { email: 'a@b.test' })])
      expect(response).toMatchObject({ status: 401, body: { code: 'auth.required' } })
  })

  test.each([
    [{ phone: '471234567', countryCode: '+32' }, '+32471234567'],
    [{ phone: '+352 12345678', countryCode: '+33' }, '+35212345678'],
    [{ phone: '  ' }, ''],
    [{ phone: null }, ''],
    [{}, '+33612345678'],
  ])('takes the phone as %j [spec 5.25, 7.28]', async (change, phone) => {
    const ben = await member()
    const response = await updateProfile(ben.access, { email: ben.email, ...change })
    expect(response).toMatchObject({ status: 200, body: { email: ben.email, phone } })
    expect(response.body).toEqual((await profile(ben.access)).body)
  })

  const INVALID_FORMAT = 'Invalid phone number format'
  test.each([
    ['en', '12', '+33', 'A French number has 9 digits after +33 (example: 612345678)'],
    ['fr', '12', 'DE', 'Un numéro allemand compte de 9 à 12 chiffres après +49 (exemple\u00a0: 123456789)'],
    ['nl', '12', '+32', 'Een Belgisch nummer telt 8 of 9 cijfers na +32 (voorbeeld: 471234567)'],
    ['en', '612345678', '+1', INVALID_FORMAT],
    ['en', 612345678, undefined, INVALID_FORMAT],
  ] as const)('in %s refuses the phone %j with %s', async (language, phone, countryCode, message) => {
    const carl = await member()
    const change = { email: 'changed@example.test', phone, countryCode }
    const response = await updateProfile(carl.access, change, { language })
    expect([response.status, response.body]).toEqual([400, { phone: [message] }])
    expect((await profile(carl.access)).body).toMatchObject({ email: carl.email, phone: carl.phone_number })
  })

  test('needs an e-mail that is valid and belongs to no other account', async () => {
    const [dora, eve] = [await member(), await member()]
    for (const [email, message] of [
      [undefined, 'Email is required'],
      ['x', 'Please enter a valid email address'],
      ['erased@erased.invalid', 'Please enter a valid email address'],
      [eve.email.toUpperCase(), 'An account with this email address already exists.'],
    ]) {
      const response = await updateProfile(dora.access, { email, phone: '' })
      expect([response.status, response.body]).toEqual([400, { email: [message] }])
    }
    expect((await profile(dora.access)).body).toMatchObject({ email: dora.email, phone: dora.phone_number })
    expect((await updateProfile(dora.access, { email: dora.email.toUpperCase() })).status).toBe(200)
  })

  test('does not change rights or the username [spec 6.19]', async () => {
    const { access, email, username } = await member()
    const change = { email, is_staff: true, is_superuser: true, username: 'root', id: 1 }
    const same = { username, is_staff: false, is_superuser: false }
    expect((await updateProfile(access, change)).body).toMatchObject(same)
  })

  test('is refused to a suspended account and to a deleted one', async () => {
    const gus = await member()
    await shop.suspend(gus.email)
    expect(await profile(gus.access)).toMatchObject({ status: 403, body: { code: 'auth.suspended' } })
    await database.db.deleteFrom('users').where('email', '=', gus.email).execute()
    expect(await profile(gus.access)).toMatchObject({ status: 401, body: { code: 'auth.tokenInvalid' } })
  })

  test('cannot be changed by a session that was logged out', async () => {
    const hal = await member()
    await shop.logOut(hal.refresh)
    const refused = { status: 401, body: { code: 'auth.tokenInvalid' } }
    expect(await updateProfile(hal.access, { email: 'stolen@example.test' })).toMatchObject(refused)
  })
})

const useLinkTo = async (address: string) => shop.useLink((await linkTo(address)).token)
const renews = async ({ refresh }: { refresh: string }) => (await shop.refresh(refresh)).status
const letTimePass = (interval: string) =>
  sql`UPDATE email_links SET expires_at = expires_at - ${interval}::interval`.execute(database.db)
const INVALID_LINK = { status: 410, body: { code: 'emailLink.invalid' } }

type Member = Awaited<ReturnType<typeof member>>
const next = ({ email }: { email: string }) => `new-${email}`
const withPassword = (one: Member, email = next(one)) =>
  updateProfile(one.access, { email, current_password: one.password })

/** A member whose address has been changed. */
async function moved() {
  const one = await member()
  expect((await shop.changeEmail(one, next(one))).status).toBe(200)
  return one
}

describe('the link of a registration', () => {
  test('confirms the address once, and can be sent again until then', async () => {
    const { email, access } = await member()
    const [first] = await linksTo(email)
    expect(first?.purpose).toBe('confirm')
    expect((await profile(access)).body).toMatchObject({ email_confirmed: false })
    const sent = await shop.resendLink(access)
    expect(sent).toMatchObject({ status: 202, body: { detail: expect.stringContaining(email) } })
    expect(await shop.useLink(first!.token), 'replaced').toMatchObject(INVALID_LINK)
    expect(await useLinkTo(email)).toMatchObject({ status: 200, body: { purpose: 'confirm', email } })
    expect((await profile(access)).body).toMatchObject({ email_confirmed: true })
    expect(await useLinkTo(email), 'used').toMatchObject(INVALID_LINK)
    const nothing = { status: 409, body: { code: 'email.nothingToConfirm' } }
    expect(await shop.resendLink(access)).toMatchObject(nothing)
  })

  test('used twice at the same time works once', async () => {
    const ann = await member()
    await withPassword(ann)
    const { token } = await linkTo(next(ann))
    const using = () => [shop.useLink(token), shop.useLink(token)]
    expect(statuses(await race(database.url, rowOf.user(ann.email), 2, using))).toEqual([200, 410])
  })

  test('is not stored, and ends after a week or when it was tampered with', async () => {
    const { email } = await member()
    const { token } = await linkTo(email)
    const { rows } = await sql`SELECT email_links::text, emails::text FROM email_links, emails`.execute(
      database.db,
    )
    expect(JSON.stringify(rows)).not.toContain(token.slice('confirm.'.length))
    for (const forged of [token.replace('confirm', 'undo'), `${token}x`, 'confirm.', '\0'])
      expect(await shop.useLink(forged)).toMatchObject(INVALID_LINK)
    await letTimePass('7 days')
    expect(await shop.useLink(token)).toMatchObject(INVALID_LINK)
  })
})

describe('a change of the e-mail address', () => {
  test('with the password waits for the new address, everything else is saved at once', async () => {
    const ida = await member()
    const change = { email: next(ida), current_password: ida.password, phone: '' }
    const response = await updateProfile(ida.access, change)
    const waits = { email: ida.email, phone: '', pending_email: next(ida), pending_link: 'new' }
    expect(response).toMatchObject({ status: 200, body: waits })
    expect((await profile(ida.access)).body).toEqual(response.body)
    expect((await shop.logIn(next(ida), ida.password)).status).toBe(401)

    const { purpose, token } = await linkTo(next(ida))
    expect(purpose).toBe('change')
    expect((await shop.useLink(token)).body).toEqual({ purpose: 'change', email: next(ida) })
    const { body } = await profile(ida.access)
    expect(body).toMatchObject({ email: next(ida), email_confirmed: true })
    expect(body).not.toHaveProperty('pending_email')
    expect((await shop.logIn(next(ida), ida.password)).status).toBe(200)
    expect((await shop.logIn(ida.email, ida.password)).status).toBe(401)
    expect(await shop.useLink(token)).toMatchObject(INVALID_LINK)
  })

  test('without the password first waits for the present address', async () => {
    const jo = await member()
    const waits = { email: jo.email, pending_email: next(jo), pending_link: 'present' }
    expect((await updateProfile(jo.access, { email: next(jo) })).body).toMatchObject(waits)
    expect(await linksTo(next(jo))).toEqual([])
    expect((await linkTo(jo.email)).purpose).toBe('allow')
    expect((await useLinkTo(jo.email)).body).toEqual({ purpose: 'allow', email: next(jo) })
    expect((await profile(jo.access)).body).toMatchObject({ ...waits, pending_link: 'new' })
    expect((await useLinkTo(next(jo))).status).toBe(200)
    expect((await profile(jo.access)).body).toMatchObject({ email: next(jo) })
  })

  test.each([
    ['a wrong password', 400, { current_password: 'wrong' }, { current_password: [expect.any(String)] }],
    ['an empty password', 400, { current_password: '' }, { current_password: [expect.any(String)] }],
    ['only another case', 200, { email: 'CASED@example.test' }, { email: 'CASED@example.test' }],
  ])('with %s gets %i at once, and nothing waits', async (_, status, change, body) => {
    const kim = await member({ email: 'cased@example.test' })
    const elsewhere = await kim.logIn()
    const response = await updateProfile(kim.access, { email: next(kim), phone: '', ...change })
    expect(response).toMatchObject({ status, body })
    const { body: now } = await profile(kim.access)
    expect(now).toMatchObject({ phone: status === 200 ? '' : kim.phone_number })
    expect(now).not.toHaveProperty('pending_email')
    expect(await renews(elsewhere)).toBe(200)
    await database.db.deleteFrom('users').where('username', '=', kim.username).execute()
  })

  test('tells the former address in the language of the account, and ends the sessions that did not ask', async () => {
    const leo = await member()
    const elsewhere = await leo.logIn()
    await changeUser(leo.email, { language: 'nl' })
    await withPassword(leo)
    expect(await renews(elsewhere), 'while it waits').toBe(200)
    vi.useFakeTimers({ now: Date.UTC(2026, 5, 1, 21, 30), toFake: ['Date'] })
    // The link may be opened in a browser of another language.
    const { token } = await linkTo(next(leo))
    await shop.useLink(token, { language: 'en' })
    vi.useRealTimers()
    expect([await renews(elsewhere), await renews(leo)]).toEqual([401, 200])
    const [notice, ...others] = await shop.emailsTo('email-changed', leo.email, next(leo))
    expect(others).toEqual([])
    const subject = 'Het e-mailadres van je account is gewijzigd'
    expect(notice).toMatchObject({ recipient: leo.email, language: 'nl', subject, state: 'queued' })
    for (const text of [notice?.body_text, notice?.body_html]) {
      for (const part of ['Herstel dan je adres', 'contact@volant.example', '01/06/2026', '23:30'])
        expect(text).toContain(part)
      expect(text).not.toContain(next(leo))
    }
  })

  test('names a new address to the present one only when it cannot be a link', async () => {
    const mia = await member()
    for (const [email, isNamed] of [
      ['mia.b+1@example.test', true],
      ['https://evil.example/win@example.test', false],
    ] as const) {
      await updateProfile(mia.access, { email })
      const sent = (await shop.emailsTo('allow-email-change', mia.email)).at(-1)
      expect(sent?.body_text.includes(email), email).toBe(isNamed)
    }
  })

  test.each<[string, (one: Member) => Promise<{ status: number }>]>([
    ['is canceled', ({ access }) => shop.cancelChange(access)],
    ['is replaced', (one) => withPassword(one, `other-${one.email}`)],
    ['is followed by a change of the password', (one) => chooses(one, 'Chosen-1!')],
    ['is sent again', ({ access }) => shop.resendLink(access)],
    [
      'is followed by a logout everywhere',
      ({ access, password }) =>
        shop.post('/api/user/sessions/end-all/', { current_password: password }, { token: access }),
    ],
    ['is a day old', () => letTimePass('24 hours').then(() => ({ status: 200 }))],
    ['is of an account that is suspended', ({ email }) => shop.suspend(email).then(() => ({ status: 200 }))],
  ])('that %s has a link that does not work', async (_, act) => {
    const nia = await member()
    await withPassword(nia)
    const { token } = await linkTo(next(nia))
    expect((await act(nia)).status).toBeLessThan(300)
    expect(await shop.useLink(token)).toMatchObject(INVALID_LINK)
    expect(await userOf(nia.email)).toBeDefined()
  })

  test('that is canceled while its first link is used does not wait any more', async () => {
    const nora = await member()
    await updateProfile(nora.access, { email: next(nora) })
    const { token } = await linkTo(nora.email)
    // The first link is used up, and the email with the second one cannot be stored yet.
    const gate = await closeGate(database.url, 'LOCK TABLE emails IN SHARE ROW EXCLUSIVE MODE')
    const used = shop.useLink(token)
    await gate.waiting(1)
    const canceled = shop.cancelChange(nora.access)
    await gate.waiting(2)
    await gate.open()
    expect(statuses([await used, await canceled])).toEqual([200, 204])
    expect((await profile(nora.access)).body).not.toHaveProperty('pending_email')
  })

  test('whose link is sent again waits as before', async () => {
    const olga = await member()
    await updateProfile(olga.access, { email: next(olga) })
    await shop.resendLink(olga.access)
    expect((await linksTo(olga.email)).map(({ purpose }) => purpose)).toEqual(['confirm', 'allow', 'allow'])
    await useLinkTo(olga.email)
    await shop.resendLink(olga.access)
    expect((await linksTo(next(olga))).map(({ purpose }) => purpose)).toEqual(['change', 'change'])
    expect((await useLinkTo(next(olga))).status).toBe(200)
  })

  test('to an address that got another account in the meantime is refused, and does not wait any more', async () => {
    const pia = await member()
    await withPassword(pia)
    const [{ token }] = [await linkTo(next(pia)), await member({ email: next(pia).toUpperCase() })]
    const response = await shop.useLink(token)
    expect(response).toMatchObject({ status: 409, body: { code: 'email.taken' } })
    expect(response.body['detail']).toMatch(/^In the meantime this address/)
    const { body } = await profile(pia.access)
    expect(body).toMatchObject({ email: pia.email })
    expect(body).not.toHaveProperty('pending_email')
  })

  test('by two accounts at once to one address gives it to one', async () => {
    const [one, other] = [await member(), await member()]
    const both = `both-${one.email}`
    for (const owner of [one, other]) await withPassword(owner, both)
    const links = await linksTo(both)
    const responses = await Promise.all(links.map(({ token }) => shop.useLink(token)))
    expect(statuses(responses)).toEqual([200, 409])
  })

  test('with a password that is changed meanwhile is refused', async () => {
    const rik = await member()
    const gate = await closeGate(
      database.url,
      `UPDATE users SET password_hash = 'another' WHERE email = '${rik.email}'`,
    )
    const change = withPassword(rik)
    await gate.waiting(1)
    await gate.open()
    expect(await change).toMatchObject({ status: 400, body: { current_password: [expect.any(String)] } })
  })

  test('twice at once by one session leaves one that waits', async () => {
    const sam = await member()
    const responses = await race(database.url, rowOf.user(sam.email), 2, () =>
      ['one', 'two'].map((name) => withPassword(sam, `${name}-${sam.email}`)),
    )
    expect(statuses(responses)).toEqual([200, 200])
    const used = [await useLinkTo(`one-${sam.email}`), await useLinkTo(`two-${sam.email}`)]
    expect(statuses(used)).toEqual([200, 410])
  })

  test('is limited by account, by receiver over all accounts, and other changes of the profile are not', async () => {
    const limited = await shop.another({ limits: { emailChange: { account: hour(2) } } })
    const uma = await limited.member()
    const change = (email: string) => limited.updateProfile(uma.access, { email })
    expect((await change(next(uma))).status).toBe(200)
    expect((await limited.resendLink(uma.access)).status).toBe(202)
    for (const response of [await change(`x-${uma.email}`), await limited.resendLink(uma.access)])
      expect(response).toMatchObject({ status: 429, body: { code: 'limit.emailChange' } })
    expect((await change(uma.email)).status).toBe(200)

    const careful = await shop.another({ limits: { emailTo: { account: hour(2) } } })
    const victim = 'victim@example.test'
    const responses = await statusesInTurn(3, async () => {
      const { access, password } = await careful.member()
      return careful.updateProfile(access, { email: victim.toUpperCase(), current_password: password })
    })
    expect(responses).toEqual([200, 200, 429])
    const late = await careful.member({ email: victim })
    expect((await profile(late.access)).status, 'registered without a welcome').toBe(200)
    expect(await linksTo(victim)).toHaveLength(2)
  })
})

const chooses = (one: Member, password: string) =>
  shop.changePassword(one.access, passwordChange(one.password, password))

describe('the link that undoes a change of the address', () => {
  test('brings the former address back, ends every session and asks for a new password', async () => {
    const thief = await moved()
    await chooses(thief, 'Thiefs-1!')
    await shop.changeEmail({ ...thief, password: 'Thiefs-1!' }, `far-${thief.email}`)
    expect((await useLinkTo(thief.email)).body).toEqual({ purpose: 'undo', email: thief.email })
    expect(await userOf(thief.email)).toMatchObject({ email_confirmed_at: expect.any(Date) })
    expect(await renews(thief)).toBe(401)
    for (const password of [thief.password, 'Thiefs-1!'])
      expect((await shop.logIn(thief.email, password)).status).toBe(401)
    expect(await useLinkTo(next(thief)), 'the other way back').toMatchObject(INVALID_LINK)

    const [reset] = await shop.emailsTo('password-reset', thief.email)
    const { ref } = reset!.secret_link as { ref: string }
    const token = resetTokens(TEST_SECRET).of(ref)
    expect((await shop.reset(token, 'Owners-1!')).status).toBe(200)
    expect((await shop.logIn(thief.email, 'Owners-1!')).status).toBe(200)
  })

  test.each([
    ['71 hours', 200],
    ['72 hours', 410],
  ])('after %s gets %i', async (later, status) => {
    const { email } = await moved()
    await letTimePass(later)
    expect((await useLinkTo(email)).status).toBe(status)
  })

  test('reserves the former address until then', async () => {
    const vic = await moved()
    const stranger = await member()
    const taken = { status: 400, body: { email: [expect.stringContaining('already exists')] } }
    expect(await register(newcomer({ email: vic.email.toUpperCase() }))).toMatchObject(taken)
    expect(await withPassword(stranger, vic.email)).toMatchObject(taken)
    expect((await withPassword(vic, vic.email)).status, 'its owner').toBe(200)
    await letTimePass('72 hours')
    expect((await register(newcomer({ email: vic.email }))).status).toBe(201)
  })

  test('reserves it also against a change that was asked for before', async () => {
    const [wim, stranger] = [await member(), await member()]
    await withPassword(stranger, next(wim))
    const [late] = await linksTo(next(wim))
    await shop.changeEmail(wim, next(wim))
    await shop.changeEmail(wim, `far-${wim.email}`)
    expect((await shop.useLink(late!.token)).status).toBe(409)
    expect((await useLinkTo(next(wim))).body).toEqual({ purpose: 'undo', email: next(wim) })
  })
})
