import type { QueryExecutor } from 'kysely'
import { describe, expect, test, vi } from 'vitest'
import { transact } from '#platform/transaction.ts'
import { race, rowOf, statuses } from '../../../../test/support/races.ts'
import { erasedAccount } from './accounts.repository.ts'
import { hour, newcomer, openAccounts, statusesInTurn } from './accounts.test-app.ts'

const shop = await openAccounts()
const strong = await shop.another({ passwordPolicy: 'strong' })
const { database, member, register, profile, updateProfile, userOf, changeUser } = shop

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
  test('answers and stores what was sent, with the language of the caller [spec 3.20]', async () => {
    const body = newcomer({ phone_number: '+32 471 23 45 67', code: ' PARTNER-7 ' })
    expect(await register(body, { language: 'nl' })).toMatchObject({
      status: 201,
      body: { username: body.username, email: body.email, phone_number: '+32471234567' },
      headers: { 'cache-control': 'no-store' },
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
    let faults = 0
    const spy = vi.spyOn(executor, 'executeQuery').mockImplementation(function (this: QueryExecutor, query) {
      if (!query.sql.includes('SELECT lower(email) AS key FROM users'))
        return execute.call(this, query) as never
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
    for (const email of ['erased@erased.invalid', 'Erased@Erased.İNVALID'])
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

  test('trims name and e-mail, and keeps their case', async () => {
    const body = newcomer({ username: '  Zoe\u0308 Ångström 🚗 ', email: '  Zoe.A@Example.TEST ' })
    const stored = { username: 'Zoë Ångström 🚗', email: 'Zoe.A@Example.TEST' }
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
    const answer = await register(newcomer(change))
    const fields = Object.entries(messages).map(([field, message]) => [field, [message]])
    expect([answer.status, answer.body]).toEqual([400, Object.fromEntries(fields)])
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
    const answers = await Promise.all(Array.from({ length: 20 }, () => register(body)))
    expect(statuses(answers)).toEqual([201, ...Array(19).fill(400)])
    const refused = answers.filter(({ status }) => status === 400)
    expect(refused.map((answer) => answer.body)).toEqual(Array(19).fill(TAKEN))
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
    expect((await profile(access)).body).toEqual({ username, email, phone: '+33612345678', ...rights })
  })

  test('is refused without a token [spec 6.9]', async () => {
    for (const answer of [await profile(''), await updateProfile('', { email: 'a@b.test' })])
      expect(answer).toMatchObject({ status: 401, body: { code: 'auth.required' } })
  })

  test.each([
    [{ phone: '471234567', countryCode: '+32' }, '+32471234567'],
    [{ phone: '+352 12345678', countryCode: '+33' }, '+35212345678'],
    [{ phone: '  ' }, ''],
    [{ phone: null }, ''],
    [{}, '+33612345678'],
  ])('takes the phone as %j [spec 5.25, 7.28]', async (change, phone) => {
    const ben = await member()
    const answer = await updateProfile(ben.access, { email: ben.email, ...change })
    expect(answer).toMatchObject({ status: 200, body: { email: ben.email, phone } })
    expect(answer.body).toEqual((await profile(ben.access)).body)
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
    const answer = await updateProfile(carl.access, change, { language })
    expect([answer.status, answer.body]).toEqual([400, { phone: [message] }])
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
      const answer = await updateProfile(dora.access, { email, phone: '' })
      expect([answer.status, answer.body]).toEqual([400, { email: [message] }])
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

/** Who was sent an email about a changed address, among these. */
const informed = async (...addresses: string[]) =>
  (await shop.emailsTo('email-changed', ...addresses)).map(({ recipient }) => recipient)
const renews = async ({ refresh }: { refresh: string }) => (await shop.refresh(refresh)).status

describe('a change of the e-mail address', () => {
  test('is reported to the former address, in the language of the account and not of the request', async () => {
    const ida = await member()
    await changeUser(ida.email, { language: 'nl' })
    vi.useFakeTimers({ now: Date.UTC(2026, 5, 1, 21, 30), toFake: ['Date'] })
    const { access } = await ida.logIn()
    // A thief chooses the language of the request.
    const changed = await updateProfile(access, { email: `new-${ida.email}` }, { language: 'en' })
    vi.useRealTimers()
    expect(changed.status).toBe(200)
    const [sent, ...others] = await shop.emailsTo('email-changed', ida.email, `new-${ida.email}`)
    expect(others).toEqual([])
    const subject = 'Het e-mailadres van je account is gewijzigd'
    expect(sent).toMatchObject({ recipient: ida.email, language: 'nl', subject, state: 'queued' })
    for (const body of [sent?.body_text, sent?.body_html]) {
      for (const part of ['Mail dan meteen naar contact@volant.example', '01/06/2026', '23:30'])
        expect(body).toContain(part)
      expect(body).not.toContain(`new-${ida.email}`)
    }
  })

  test('ends the other sessions and not this one, and a change of the phone ends none', async () => {
    const jo = await member()
    const elsewhere = await jo.logIn()
    expect((await updateProfile(jo.access, { email: jo.email, phone: '' })).status).toBe(200)
    expect([await renews(elsewhere), await informed(jo.email)]).toEqual([200, []])
    expect((await updateProfile(jo.access, { email: `new-${jo.email}` })).status).toBe(200)
    expect([await renews(elsewhere), await renews(jo)]).toEqual([401, 200])
    expect((await updateProfile(elsewhere.access, { email: jo.email })).status).toBe(401)
    expect(await informed(jo.email)).toHaveLength(1)
  })

  test.each([
    ['that is refused', 400, (_: string, taken: string) => taken],
    ['of its case only', 200, (own: string) => own.toUpperCase()],
  ])('%s sends no email and ends no session', async (_, status, to) => {
    const [kim, leo] = [await member(), await member()]
    const elsewhere = await kim.logIn()
    const email = to(kim.email, leo.email)
    expect((await updateProfile(kim.access, { email })).status).toBe(status)
    expect(await informed(kim.email, leo.email)).toEqual([])
    expect(await renews(elsewhere)).toBe(200)
    const kept = status === 200 ? email : kim.email
    expect((await profile(kim.access)).body).toMatchObject({ email: kept })
  })

  test('sends an email to each former address', async () => {
    const mia = await member()
    const [first, second, third] = [mia.email, `second-${mia.email}`, `third-${mia.email}`]
    for (const email of [second, third, first, third])
      expect((await updateProfile(mia.access, { email })).status).toBe(200)
    expect((await informed(first, second, third)).toSorted()).toEqual(
      [first, first, second, third].toSorted(),
    )
  })

  test('by two sessions at once succeeds in one and ends the other', async () => {
    const nia = await member()
    const other = await nia.logIn()
    const answers = await race(database.url, rowOf.user(nia.email), 2, () => [
      updateProfile(nia.access, { email: `one-${nia.email}` }),
      updateProfile(other.access, { email: `two-${nia.email}` }),
    ])
    expect(statuses(answers)).toEqual([200, 401])
    expect(await informed(nia.email, `one-${nia.email}`, `two-${nia.email}`)).toEqual([nia.email])
  })

  test('twice at once by one session succeeds once', async () => {
    const sam = await member()
    const answers = await race(database.url, rowOf.user(sam.email), 2, () =>
      ['one', 'two'].map((name) => updateProfile(sam.access, { email: `${name}-${sam.email}` })),
    )
    expect(statuses(answers)).toEqual([200, 503])
    expect(await informed(sam.email, `one-${sam.email}`, `two-${sam.email}`)).toEqual([sam.email])
  })

  test('to a similar letter that is not the same in another case is reported', async () => {
    const rik = await member({ email: 'r\u03B8@example.test' })
    expect((await updateProfile(rik.access, { email: 'r\u03F4@example.test' })).status).toBe(200)
    expect(await shop.emailsTo('email-changed', rik.email)).toHaveLength(1)
  })

  test('is reported to a former address that is no longer valid', async () => {
    const tom = await member()
    const before = 'tom@192.0.2.77'
    await changeUser(tom.email, { email: before })
    expect((await updateProfile(tom.access, { email: tom.email })).status).toBe(200)
    expect(await informed(before)).toHaveLength(1)
  })

  test('to and from the address of a stranger sends a limited number of emails over all accounts', async () => {
    const limited = await shop.another({ limits: { emailTo: { account: hour(3) } } })
    const victim = 'victim@example.test'
    const answers = await statusesInTurn(4, async (turn) => {
      const email = turn === 0 ? victim.toUpperCase() : `bomber${turn}@example.test`
      const bomber = await limited.member({ email })
      if (turn > 0) await limited.updateProfile(bomber.access, { email: victim })
      const answer = await limited.updateProfile(bomber.access, { email: `away${turn}@example.test` })
      // The account that still has the address makes room for the next one.
      await database.db.deleteFrom('users').where('username', '=', bomber.username).execute()
      return answer
    })
    expect(answers).toEqual([200, 200, 429, 429])
    expect(await welcomesTo(victim)).toHaveLength(1)
    expect(await informed(victim)).toHaveLength(2)
    const late = await limited.member({ email: victim })
    expect((await profile(late.access)).status, 'registered without a welcome').toBe(200)
    expect(await welcomesTo(victim)).toHaveLength(1)
  })

  test('is limited by account, and other changes of the profile are not', async () => {
    const limited = await shop.another({ limits: { emailChange: { account: hour(2) } } })
    const olga = await limited.member()
    const change = (name: string) => limited.updateProfile(olga.access, { email: `${name}-${olga.email}` })
    expect([(await change('a')).status, (await change('b')).status]).toEqual([200, 200])
    expect(await change('c')).toMatchObject({ status: 429, body: { code: 'limit.emailChange' } })
    expect((await change('b')).status).toBe(200)
  })
})
