import type { QueryExecutor } from 'kysely'
import { describe, expect, test, vi } from 'vitest'
import { transact } from '#platform/transaction.ts'
import { erasedAccount } from './accounts.repository.ts'
import { newcomer, openAccounts, send } from './accounts.test-app.ts'

const { database, app, another } = await openAccounts()
const strong = await another({ passwordPolicy: 'strong' })

const register = (body: unknown, language: 'fr' | 'nl' | 'en' = 'en', on = app) =>
  send(on, 'POST', '/api/user/register/', { body, language })
const accountOf = (email: string) =>
  database.db.selectFrom('users').selectAll().where('email', '=', email).executeTakeFirst()
const countAccounts = async () =>
  (
    await database.db
      .selectFrom('users')
      .select((of) => of.fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow()
  ).count

const emailsTo = (email: string) =>
  database.db.selectFrom('emails').selectAll().where('recipient', '=', email).execute()

describe('the welcome', () => {
  test('goes out once, in the language of the registration, as text and HTML', async () => {
    const body = newcomer({ username: 'Zoé d’Artagnan' })
    await register(body, 'fr')
    await register(body, 'fr')
    const emails = await emailsTo(body.email)
    expect(emails).toHaveLength(1)
    expect(emails[0]).toMatchObject({
      kind: 'welcome',
      language: 'fr',
      subject: 'Bienvenue chez Volant',
      state: 'queued',
    })
    expect(emails[0]?.body_text).toContain('Bonjour Zoé d’Artagnan,')
    expect(emails[0]?.body_text).toContain('http://shop.test/offers')
    expect(emails[0]?.body_html).toContain('href="http://shop.test/offers"')
  })

  test('says nothing that a stranger may have put into the name', async () => {
    const body = newcomer({ username: 'You won: http://evil.example' })
    await register(body)
    const [mail] = await emailsTo(body.email)
    expect(mail?.body_text).toContain('Hello,')
    expect(`${mail?.subject}${mail?.body_text}${mail?.body_html}`).not.toContain('evil')
  })

  test('is not sent when there is no account', async () => {
    const body = newcomer({ phone_number: '12' })
    expect((await register(body)).status).toBe(400)
    expect(await emailsTo(body.email)).toEqual([])
  })
})

describe('registering', () => {
  test('answers what was registered and stores it in the caller’s language [spec 3.20]', async () => {
    const body = newcomer({ phone_number: '+32 471 23 45 67', code: ' PARTNER-7 ' })
    expect(await register(body, 'nl')).toMatchObject({
      status: 201,
      body: { username: body.username, email: body.email, phone_number: '+32471234567' },
      headers: { 'cache-control': 'no-store' },
    })
    const stored = await accountOf(body.email)
    expect(stored).toMatchObject({
      phone: '+32471234567',
      language: 'nl',
      partner_code: 'PARTNER-7',
      is_active: true,
      is_staff: false,
      is_superuser: false,
    })
    expect(stored?.password_hash).toMatch(/^\$argon2id\$v=19\$m=8,t=1,p=1\$/)
  })

  test('cannot make anybody staff [spec 6.19]', async () => {
    const body = newcomer({
      is_staff: true,
      is_superuser: true,
      is_active: false,
      id: 1,
      confirm_password: 'x',
    })
    expect(Object.keys((await register(body)).body)).toEqual(['username', 'email', 'phone_number'])
    expect(await accountOf(body.email)).toMatchObject({
      is_staff: false,
      is_superuser: false,
      is_active: true,
    })
  })

  test('stands when its place cannot be noted', async () => {
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
    expect(await accountOf(body.email)).toBeDefined()
  })

  test('does not give away what stands for erased buyers: neither its address nor its name', async () => {
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
    const { username } = await database.db
      .selectFrom('users')
      .select('username')
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
    expect(username).toBe(' erased')
    await database.db.deleteFrom('users').where('id', '=', id).execute()
  })

  test('an account of somebody with that address is not taken for it', async () => {
    const squatter = newcomer()
    await register(squatter)
    await database.db
      .updateTable('users')
      .set({ email: 'erased@erased.invalid' })
      .where('email', '=', squatter.email)
      .execute()
    expect(await transact(database.db, (trx) => erasedAccount(trx).find())).toBeUndefined()
    await expect(transact(database.db, (trx) => erasedAccount(trx).make())).rejects.toThrow(
      'belongs to an account',
    )
    await database.db.deleteFrom('users').where('email', '=', 'erased@erased.invalid').execute()
  })

  test('tidies name and e-mail, and leaves their letters as they were typed', async () => {
    const body = newcomer({ username: '  Zoe\u0308 Ångström 🚗 ', email: '  Zoe.A@Example.TEST ' })
    expect((await register(body)).body).toMatchObject({
      username: 'Zoë Ångström 🚗',
      email: 'Zoe.A@Example.TEST',
    })
  })

  test.each([
    ['+33612345678', '+33612345678'],
    ['0033 6 12 34 56 78', '+33612345678'],
    ['+33 (0)6.12.34.56.78', '+33612345678'],
    ['+49 123456789012', '+49123456789012'],
    ['+352 12345678', '+35212345678'],
    ['+31-612345678', '+31612345678'],
  ])('stores the phone number %s as %s', async (phone_number, stored) => {
    expect((await register(newcomer({ phone_number }))).body).toMatchObject({ phone_number: stored })
  })

  const empty = { username: '', email: '', password: '', phone_number: '' }
  test.each([
    [
      'fr',
      {
        username: ['Le nom d’utilisateur est obligatoire'],
        email: ['L’adresse e-mail est obligatoire'],
        password: ['Le mot de passe est obligatoire'],
        phone_number: ['Le numéro de téléphone est obligatoire'],
      },
    ],
    [
      'nl',
      {
        username: ['De gebruikersnaam is verplicht'],
        email: ['Het e-mailadres is verplicht'],
        password: ['Het wachtwoord is verplicht'],
        phone_number: ['Het telefoonnummer is verplicht'],
      },
    ],
    [
      'en',
      {
        username: ['Username is required'],
        email: ['Email is required'],
        password: ['Password is required'],
        phone_number: ['Phone number is required'],
      },
    ],
  ] as const)(
    'names every empty field, bare and in the caller’s language (%s) [spec 5.4, 5.5, 5.7, 5.10]',
    async (language, fields) => {
      expect(await register(empty, language)).toMatchObject({ status: 400, body: fields })
    },
  )

  test.each([
    [{ username: 'x'.repeat(151) }, { username: ['The username cannot be longer than 150 characters'] }],
    [{ username: 'two\nlines' }, { username: ['This value is not valid.'] }],
    [{ username: 'nul\0' }, { username: ['This value is not valid.'] }],
    [{ username: '\u202Egnp.exe' }, { username: ['This value is not valid.'] }],
    [{ username: '\ud800' }, { username: ['This value is not valid.'] }],
    [{ username: 12 }, { username: ['Username is required'] }],
    [{ email: 'not an address' }, { email: ['Please enter a valid email address'] }],
    [{ email: 'nul\0@example.test' }, { email: ['Please enter a valid email address'] }],
    [{ email: `${'e'.repeat(250)}@example.test` }, { email: ['Please enter a valid email address'] }],
    [{ password: 'seven77' }, { password: ['Password must be at least 8 characters'] }],
    [{ password: 'p'.repeat(257) }, { password: ['Password cannot be longer than 256 characters'] }],
    [{ password: null }, { password: ['Password is required'] }],
    [{ phone_number: '+33 12' }, { phone_number: ['Please enter a valid phone number'] }],
    [{ phone_number: '+33012345678' }, { phone_number: ['Please enter a valid phone number'] }],
    [{ phone_number: '0612345678' }, { phone_number: ['Please enter a valid phone number'] }],
    [{ phone_number: '+1 555 123 4567' }, { phone_number: ['Please enter a valid phone number'] }],
    [{ phone_number: '+3361234567a' }, { phone_number: ['Please enter a valid phone number'] }],
    [{ phone_number: '9'.repeat(41) }, { phone_number: ['Please enter a valid phone number'] }],
    [
      { email: 'x', password: 'short', phone_number: '+33 1' },
      {
        email: ['Please enter a valid email address'],
        password: ['Password must be at least 8 characters'],
        phone_number: ['Please enter a valid phone number'],
      },
    ],
    [{ code: 'c'.repeat(65) }, { code: ['This text is too long.'] }],
    [{ code: 'nul\0' }, { code: ['This value is not valid.'] }],
  ])('refuses %j and makes no account [spec 5.6, 5.8, 5.11, 5.23, 9.1]', async (change, fields) => {
    const before = await countAccounts()
    const answer = await register(newcomer(change))
    expect([answer.status, answer.body]).toEqual([400, fields])
    expect(await countAccounts()).toBe(before)
  })

  test.each([
    ['a list', []],
    ['a text', '"text"'],
    ['null', 'null'],
    ['nothing', undefined],
  ])('%s is no registration', async (_, body) => {
    const headers = { 'content-type': 'application/json' }
    expect((await send(app, 'POST', '/api/user/register/', { body, headers })).status).toBe(400)
  })

  test('a taken e-mail and a taken name are each told under their field, in any case', async () => {
    const first = newcomer({ username: 'Taken Name', email: 'Taken@Example.test' })
    await register(first)
    const email = ['An account with this email address already exists.']
    const username = ['This username is already taken.']
    expect(await register(newcomer({ email: 'tAKEN@example.test' }))).toMatchObject({
      status: 400,
      body: { email },
    })
    expect(await register(newcomer({ username: 'TAKEN name' }))).toMatchObject({
      status: 400,
      body: { username },
    })
    expect((await register(first)).body).toEqual({ email, username })
  })

  test('an address is a username only for whoever has it', async () => {
    const username = ['The username cannot be an email address other than your own']
    for (const name of ['somebody@example.test', 'v\u0130ctim@example.test'])
      expect(await register(newcomer({ username: name }))).toMatchObject({ status: 400, body: { username } })
    const own = newcomer({ email: 'Own.Name@example.test', username: 'own.name@EXAMPLE.test' })
    expect((await register(own)).status).toBe(201)
    expect((await register(newcomer({ username: 'kim @ home' }))).status).toBe(201)
  })

  test('twenty at once for one name make one account, the others learn what is taken', async () => {
    const body = newcomer()
    const answers = await Promise.all(Array.from({ length: 20 }, () => register(body)))
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1)
    const lost = answers.filter(({ status }) => status === 400)
    expect(lost).toHaveLength(19)
    expect(lost.every((answer) => 'email' in answer.body && 'username' in answer.body)).toBe(true)
  })

  test('names that differ only in Unicode form are one name', async () => {
    await register(newcomer({ username: 'Renée' }))
    expect((await register(newcomer({ username: 'Rene\u0301e' }))).body).toHaveProperty('username')
  })

  test('basic asks for length alone; strong asks for every rule, each with its own message [spec 5.12, 5.13, 9.1]', async () => {
    expect((await register(newcomer({ password: 'aaaaaaaa' }))).status).toBe(201)
    const weak = await register(newcomer({ password: '--------' }), 'en', strong)
    expect(weak).toMatchObject({
      status: 400,
      body: {
        password: [
          'Password must contain at least one uppercase letter',
          'Password must contain at least one lowercase letter',
          'Password must contain at least one digit',
          'Password must contain at least one special character from !@#$%^&*',
        ],
      },
    })
    const known = await register(newcomer({ password: 'P@ssw0rd' }), 'en', strong)
    expect(known.body).toEqual({
      password: ['This password is too well known. Choose another one that only you know'],
    })
    expect((await register(newcomer({ password: 'password' }), 'en', app)).status, 'by its length').toBe(201)
    expect((await register(newcomer({ password: 'Str0ng!pass' }), 'en', strong)).status).toBe(201)
  })
})
