import path from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { migrate } from '#platform/migrations.ts'
import { silentLog } from '#platform/postgres/log.ts'
import { type TestDatabase, testDatabase } from '../../../../test/support/database.ts'
import { CHEAP, member, newcomer, send, openAccounts } from './accounts.test-app.ts'
import { accountsRepository } from './accounts.repository.ts'
import { createDemoAccount } from './accounts.ts'
import { computeArgon2, createPasswords } from './passwords.ts'

/** Hashing that takes as long as a test wants, and what each hash cost. */
const gate = { waiting: [] as (() => void)[], isShut: false }
const hashes: string[] = []
const passwords = createPasswords(CHEAP, async (algorithm, parameters) => {
  const { memory, passes, parallelism, tagLength } = parameters
  hashes.push([memory, passes, parallelism, tagLength].join())
  if (gate.isShut) await new Promise<void>((resolve) => gate.waiting.push(resolve))
  return computeArgon2(algorithm, parameters)
})

const { database, app, another } = await openAccounts({ passwords })

const logIn = (username: unknown, password: unknown, language?: 'fr' | 'nl' | 'en') =>
  send(app, 'POST', '/api/token/', { body: { username, password }, ...(language && { language }) })
const suspend = (email: string, is_active = false) =>
  database.db.updateTable('users').set({ is_active }).where('email', '=', email).execute()

describe('logging in', () => {
  test('answers exactly the two tokens, never to be cached [spec 3.19]', async () => {
    const anna = await member(app)
    const answer = await logIn(anna.email, anna.password)
    expect(answer).toMatchObject({ status: 200, headers: { 'cache-control': 'no-store' } })
    expect(Object.keys(answer.body)).toEqual(['access', 'refresh'])
  })

  test('works by e-mail and by username, in any case, with spaces around [spec 3.18]', async () => {
    const ada = await member(app, { username: 'Ada L', email: 'Ada.L@Example.test' })
    for (const name of ['ada.l@example.TEST', 'Ada.L@Example.test', 'ADA L', '  ada l ']) {
      expect((await logIn(name, ada.password)).status, name).toBe(200)
    }
  })

  test('an e-mail address means its owner, even when somebody took it as a username', async () => {
    const owner = await member(app, { email: 'owner@example.test', password: 'the owner’s own' })
    const squatter = await member(app, { password: 'the squatter’s' })
    // Nobody can register so any more; some may have.
    await database.db
      .updateTable('users')
      .set({ username: 'owner@example.test' })
      .where('email', '=', squatter.email)
      .execute()
    expect((await logIn('owner@example.test', owner.password)).status).toBe(200)
    expect((await logIn('owner@example.test', squatter.password)).status).toBe(401)
    expect((await logIn(squatter.email, squatter.password)).status).toBe(200)
  })

  test.each([
    ['fr', 'Adresse e-mail ou mot de passe incorrect.'],
    ['nl', 'E-mailadres of wachtwoord is onjuist.'],
    ['en', 'Incorrect email address or password.'],
  ] as const)('an unknown name and a wrong password get the same answer (%s)', async (language, detail) => {
    const ben = await member(app)
    const unknown = await logIn('nobody@example.test', ben.password, language)
    const wrong = await logIn(ben.email, 'not the password', language)
    expect(unknown).toMatchObject({ status: 401, body: { detail, code: 'auth.badCredentials' } })
    const { date: _, ...unknownHeaders } = unknown.headers
    expect(wrong.headers).toMatchObject(unknownHeaders)
    expect(wrong).toMatchObject({ status: 401, body: unknown.body })
  })

  test('who is suspended learns it only with the right password', async () => {
    const carl = await member(app)
    await suspend(carl.email)
    expect(await logIn(carl.email, 'wrong password')).toMatchObject({
      status: 401,
      body: { code: 'auth.badCredentials' },
    })
    expect(await logIn(carl.email, carl.password)).toMatchObject({
      status: 403,
      body: {
        code: 'auth.suspended',
        detail: 'This account is suspended. Please contact us to find out more.',
      },
    })
  })

  test.each([
    ['nothing', {}, { username: ['Email is required'], password: ['Password is required'] }],
    [
      'empty texts',
      { username: '  ', password: '' },
      { username: ['Email is required'], password: ['Password is required'] },
    ],
    [
      'wrong types',
      { username: ['a'], password: 7 },
      { username: ['Email is required'], password: ['Password is required'] },
    ],
    [
      'texts that are too long',
      { username: 'u'.repeat(300), password: 'p'.repeat(257) },
      {
        username: ['Please enter a valid email address'],
        password: ['Password cannot be longer than 256 characters'],
      },
    ],
  ])('%s is refused field by field', async (_, body, fields) => {
    const answer = await send(app, 'POST', '/api/token/', { body })
    expect([answer.status, answer.body]).toEqual([400, fields])
  })

  test.each(['a\0b@example.test', '\ud800', "' or 1=1 --", '𝔘𝔫𝔦@example.test'])(
    'the name %j is simply unknown',
    async (name) => {
      expect((await logIn(name, 'some password')).status).toBe(401)
    },
  )

  test('a password is the same in every Unicode form', async () => {
    const zoe = await member(app, { password: 'Zoë’s Ångström' })
    expect((await logIn(zoe.email, 'Zoë’s Ångström'.normalize('NFD'))).status).toBe(200)
  })

  test('a hash of another cost is renewed at login and still fits', async () => {
    const dora = await member(app)
    const stored = async () =>
      (
        await database.db
          .selectFrom('users')
          .select('password_hash')
          .where('email', '=', dora.email)
          .executeTakeFirstOrThrow()
      ).password_hash
    const before = await stored()
    const dearer = await another({
      passwords: createPasswords({ ...CHEAP, memoryKiB: 16, passes: 2 }),
    })
    const body = { username: dora.email, password: dora.password }
    expect((await send(dearer, 'POST', '/api/token/', { body })).status).toBe(200)
    const after = await stored()
    expect([before, after].map((hash) => hash.split('$')[3])).toEqual(['m=8,t=1,p=1', 'm=16,t=2,p=1'])
    expect((await send(dearer, 'POST', '/api/token/', { body })).status).toBe(200)
    expect(await stored()).toBe(after)
  })

  test('beyond two hashes and a full queue the next caller is asked to wait', async () => {
    const eve = await member(app)
    gate.isShut = true
    let refusals = 0
    const storm = Array.from({ length: 40 }, async () => {
      const answer = await logIn('nobody@example.test', 'wrong one')
      if (answer.status === 429) refusals += 1
      return answer
    })
    const places = CHEAP.concurrent + CHEAP.waiting
    await expect.poll(() => refusals).toBe(40 - places)
    expect(gate.waiting).toHaveLength(CHEAP.concurrent)
    gate.isShut = false
    for (const compute of gate.waiting.splice(0)) compute()
    const answers = await Promise.all(storm)
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(places)
    expect(answers.find(({ status }) => status === 429)).toMatchObject({
      headers: { 'retry-after': '2' },
      body: { code: 'auth.busy' },
    })
    expect((await logIn(eve.email, eve.password)).status).toBe(200)
  })
})

test('the demo account can log in, and making it twice changes nothing', async () => {
  const demo = {
    username: 'demo',
    email: 'demo@example.test',
    password: 'demo password',
    phone: '',
    language: 'nl',
    is_staff: true,
  } as const
  const first = await createDemoAccount(database.db, createPasswords(CHEAP), demo)
  const second = await createDemoAccount(database.db, createPasswords(CHEAP), {
    ...demo,
    password: 'another one',
  })
  expect([first.isNew, second]).toEqual([true, { id: first.id, isNew: false }])
  const { body } = await logIn(demo.email, demo.password)
  const { body: profile } = await send(app, 'GET', '/api/user/profile/', { token: body['access'] ?? '' })
  expect(profile).toMatchObject({ username: 'demo', is_staff: true, is_superuser: false })
})

describe('the names of an account', () => {
  const hour = (count: number) => ({ count, seconds: 3_600 })
  let limited: typeof app
  beforeAll(async () => {
    limited = await another({ limits: { login: { accountAtAddress: hour(5), account: hour(8) } } })
  })

  let networks = 0
  const newNetwork = () => `198.51.100.${(networks += 1)}`

  const post = (url: string, payload: object, remoteAddress: string) =>
    limited.inject({ method: 'POST', url, payload, remoteAddress })
  const logInFrom = (from: string, username: string, password: string) =>
    post('/api/token/', { username, password }, from)

  async function account(change: Record<string, unknown> = {}) {
    const body = newcomer(change)
    const made = await post('/api/user/register/', body, newNetwork())
    if (made.statusCode !== 201) throw new Error(made.body)
    return body
  }

  /** Letters that have more than one spelling, or that one rule of upper and lower case knows and another does not. */
  const LETTERS = [
    'i I \u0130 \u0131 i\u0307 k K \u212A s S \u017F ß \u1E9E é É e\u0301 Å \u212B σ ς Σ',
    '\uFF49 \uFF29 Ω \u2126 µ \u03BC ǆ ǅ Ǆ Ⴀ ⴀ 𐐀 𐐨 \ud800',
  ].flatMap((line) => line.split(' '))

  describe.each([
    ['as the shop makes it', undefined],
    ['that knows no letters but ASCII', "locale_provider builtin builtin_locale 'C'"],
    ['that writes Turkish', "locale_provider icu icu_locale 'tr'"],
  ])('in a database %s', (_, locale) => {
    let own: TestDatabase
    beforeAll(async () => {
      own = await testDatabase(locale === undefined ? {} : { locale })
      if (locale) await migrate({ url: own.url, folder: path.resolve('db/migrations'), log: silentLog })
    })
    afterAll(() => own.close())

    test('two spellings open one account exactly when their failures are counted together', async () => {
      const name = fc
        .array(fc.constantFrom(...LETTERS), { minLength: 1, maxLength: 3 })
        .map((letters) => letters.join(''))
      await fc.assert(
        fc.asyncProperty(fc.array(name, { minLength: 2, maxLength: 12 }), async (names) => {
          await own.db.deleteFrom('users').execute()
          const accounts = accountsRepository(own.db)
          for (const [index, one] of names.entries()) {
            const contact = { username: `user ${index}`, email: `${one}@example.test` }
            await accounts.insert({
              ...contact,
              password_hash: '!',
              phone: '',
              partner_code: null,
              language: 'fr',
            })
          }
          const found = await Promise.all(names.map((one) => accounts.findByLogin(`${one}@EXAMPLE.test`)))
          for (const one of found) {
            expect(one.account).toBeDefined()
            for (const other of found)
              expect(one.key === other.key).toBe(one.account?.id === other.account?.id)
          }
        }),
        { numRuns: 40, examples: [[LETTERS]] },
      )
    })
  })

  test.each([
    ['a dot above', 'i', '\u0130'],
    ['the sign of Kelvin', 'k', '\u212A'],
    ['capital letters', 'i', 'I'],
  ])('an account spelled with %s is guessed no oftener', async (_, plain, other) => {
    const { email } = await account({
      email: `${plain.repeat(6)}.spelled.${other.codePointAt(0)}@example.test`,
    })
    const from = newNetwork()
    const answers = []
    for (let index = 0; index < 8; index += 1)
      answers.push(
        await logInFrom(
          from,
          email.replaceAll(plain, (letter) => ((index & 1) === 0 ? letter : other)),
          'wrong',
        ),
      )
    expect(answers.map((one) => one.statusCode)).toEqual([401, 401, 401, 401, 401, 429, 429, 429])
  })

  test('a log-in of one’s own forgets no failures at a name that reads alike', async () => {
    const victim = await account({ email: 'victim@example.test' })
    const alike = await account()
    // As it could be registered once.
    await database.db
      .updateTable('users')
      .set({ username: 'vi\u0307ctim@example.test' })
      .where('email', '=', alike.email)
      .execute()
    const from = newNetwork()
    const guesses = []
    for (let round = 0; round < 4; round += 1) {
      expect((await logInFrom(from, 'vi\u0307ctim@example.test', alike.password)).statusCode).toBe(200)
      for (let index = 0; index < 2; index += 1)
        guesses.push((await logInFrom(from, 'v\u0130ctim@example.test', 'wrong')).statusCode)
    }
    expect(guesses).toEqual([401, 401, 401, 401, 401, 429, 429, 429])
    expect((await logInFrom(newNetwork(), 'v\u0130ctim@example.test', victim.password)).statusCode).toBe(200)
  })

  test('a place where a name was somebody else’s is a stranger to its new owner', async () => {
    const before = await account()
    const rename = (username: string) =>
      database.db.updateTable('users').set({ username }).where('email', '=', before.email).execute()
    await rename('handed.on@example.test')
    const old = newNetwork()
    expect((await logInFrom(old, 'handed.on@example.test', before.password)).statusCode).toBe(200)
    const { email } = await account({ email: 'handed.on@example.test' })
    for (let index = 0; index < 8; index += 1) await logInFrom(newNetwork(), email, 'wrong')
    expect((await logInFrom(old, email, 'wrong')).statusCode, 'known to the one before').toBe(429)
  })
})

describe('the work of an answer says nothing of whom it is about', () => {
  let kim: Awaited<ReturnType<typeof member>>
  let suspended: Awaited<ReturnType<typeof member>>
  beforeAll(async () => {
    kim = await member(app)
    suspended = await member(app)
    await suspend(suspended.email)
  })

  const work = async (url: string, body: unknown) => {
    hashes.length = 0
    const answer = await send(app, 'POST', url, { body })
    const names = Object.keys(answer.headers).filter((name) => !['date', 'content-length'].includes(name))
    return { status: answer.status, body: answer.body, names, hashes: [...hashes] }
  }

  test('a refused login costs one and the same hash, whoever it is for', async () => {
    const known = await work('/api/token/', { username: kim.email, password: 'wrong' })
    expect(known.status).toBe(401)
    expect(known.hashes).toHaveLength(1)
    for (const username of ['nobody@example.test', kim.username, 'nobody', suspended.email, 'no\u0000body'])
      expect(await work('/api/token/', { username, password: 'wrong' }), username).toEqual(known)
  })

  test('asking for a new password costs no hash and gets one answer, whoever it is for', async () => {
    const known = await work('/api/user/forgot-password/', { email: kim.email })
    expect(known).toMatchObject({ status: 202, hashes: [] })
    for (const email of ['nobody@example.test', suspended.email])
      expect(await work('/api/user/forgot-password/', { email }), email).toEqual(known)
  })

  test('a registration says what is taken, as decided, and hashes only for the account it makes', async () => {
    expect(await work('/api/user/register/', newcomer({ email: kim.email }))).toMatchObject({
      status: 400,
      body: { email: ['An account with this email address already exists.'] },
      hashes: [],
    })
    expect(await work('/api/user/register/', newcomer())).toMatchObject({
      status: 201,
      hashes: [expect.any(String)],
    })
  })

  test('a link that is none costs no hash', async () => {
    const body = { token: 'x'.repeat(43), new_password: 'Correct1!', confirm_password: 'Correct1!' }
    expect(await work('/api/user/reset-password/', body)).toMatchObject({ status: 410, hashes: [] })
  })
})
