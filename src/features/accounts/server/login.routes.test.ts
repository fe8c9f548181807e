import path from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { migrate } from '#platform/migrations.ts'
import { silentLog } from '#platform/postgres/log.ts'
import { type TestDatabase, testDatabase } from '../../../../test/support/database.ts'
import { CHEAP, hour, newNetwork, newcomer, openAccounts, statusesInTurn } from './accounts.test-app.ts'
import { accountsRepository } from './accounts.repository.ts'
import { createDemoAccount } from './accounts.ts'
import { computeArgon2, createPasswords } from './passwords.ts'
import { isExtended } from '../../../../test/support/tier.ts'

/** The cost of each hash. */
const hashes: string[] = []
const passwords = createPasswords(CHEAP, (algorithm, parameters) => {
  const { memory, passes, parallelism, tagLength } = parameters
  hashes.push([memory, passes, parallelism, tagLength].join())
  return computeArgon2(algorithm, parameters)
})

const shop = await openAccounts({ passwords })
const { database, logIn, member, changeUser, suspend, userOf } = shop

describe('a login', () => {
  test('gets exactly the two tokens [spec 3.19]', async () => {
    const anna = await member()
    const response = await logIn(anna.email, anna.password)
    expect(response.status).toBe(200)
    expect(Object.keys(response.body)).toEqual(['access', 'refresh'])
  })

  test('works by e-mail and by username, in any case, with spaces around [spec 3.18]', async () => {
    const ada = await member({ username: 'Ada L', email: 'Ada.L@Example.test' })
    for (const name of ['ada.l@example.TEST', 'Ada.L@Example.test', 'ADA L', '  ada l ']) {
      expect((await logIn(name, ada.password)).status, name).toBe(200)
    }
  })

  test('by an address opens the account of its owner, even if it is the username of another', async () => {
    const owner = await member({ email: 'owner@example.test', password: 'the owner’s own' })
    const squatter = await member({ password: 'the squatter’s' })
    // A registration refuses such a username, but older accounts may have one.
    await changeUser(squatter.email, { username: owner.email })
    expect((await logIn(owner.email, owner.password)).status).toBe(200)
    expect((await logIn(owner.email, squatter.password)).status).toBe(401)
    expect((await logIn(squatter.email, squatter.password)).status).toBe(200)
  })

  test('with an unknown name gets the response of one with a wrong password', async () => {
    const ben = await member()
    const unknown = await logIn('nobody@example.test', ben.password, { language: 'fr' })
    const wrong = await logIn(ben.email, 'not the password', { language: 'fr' })
    const detail = 'Adresse e-mail ou mot de passe incorrect.'
    expect(unknown).toMatchObject({ status: 401, body: { detail, code: 'auth.badCredentials' } })
    const { date: _, ...unknownHeaders } = unknown.headers
    expect(wrong.headers).toMatchObject(unknownHeaders)
    expect(wrong).toMatchObject({ status: 401, body: unknown.body })
  })

  test('of a suspended account shows the suspension only with the right password', async () => {
    const carl = await member()
    await suspend(carl.email)
    const wrong = { status: 401, body: { code: 'auth.badCredentials' } }
    expect(await logIn(carl.email, 'wrong password')).toMatchObject(wrong)
    const detail = 'This account is suspended. Please contact us to find out more.'
    expect(await logIn(carl.email, carl.password)).toMatchObject({
      status: 403,
      body: { code: 'auth.suspended', detail },
    })
  })

  const REQUIRED = { username: ['Email is required'], password: ['Password is required'] }
  test.each([
    [{}, REQUIRED],
    [{ username: '  ', password: '' }, REQUIRED],
    [{ username: ['a'], password: 7 }, REQUIRED],
    [
      { username: 'u'.repeat(300), password: 'p'.repeat(257) },
      {
        username: ['Please enter a valid email address'],
        password: ['Password cannot be longer than 256 characters'],
      },
    ],
  ])('with the body %j is refused field by field', async (body, fields) => {
    const response = await shop.post('/api/token/', body)
    expect([response.status, response.body]).toEqual([400, fields])
  })

  test.each(['a\0b@example.test', '\ud800', "' or 1=1 --", '𝔘𝔫𝔦@example.test'])(
    'with the name %j is refused as unknown',
    async (name) => {
      expect((await logIn(name, 'some password')).status).toBe(401)
    },
  )

  test('takes a password in every Unicode form', async () => {
    const zoe = await member({ password: 'Zoë’s Ångström' })
    expect((await logIn(zoe.email, 'Zoë’s Ångström'.normalize('NFD'))).status).toBe(200)
  })

  test('renews a hash of another cost, once', async () => {
    const dora = await member()
    const stored = async () => (await userOf(dora.email))?.password_hash
    const before = await stored()
    const dearer = await shop.another({ passwords: createPasswords({ ...CHEAP, memoryKiB: 16, passes: 2 }) })
    expect((await dearer.logIn(dora.email, dora.password)).status).toBe(200)
    const after = await stored()
    expect([before, after].map((hash) => hash?.split('$')[3])).toEqual(['m=8,t=1,p=1', 'm=16,t=2,p=1'])
    expect((await dearer.logIn(dora.email, dora.password)).status).toBe(200)
    expect(await stored()).toBe(after)
  })
})

test('the demo account can log in, and making it twice changes nothing', async () => {
  const demo = {
    username: 'demo',
    email: 'demo@example.test',
    phone: '',
    language: 'nl',
    role: 'support',
  } as const
  const make = async (password: string) =>
    createDemoAccount(database.db, { ...demo, password_hash: await passwords.hash(password) })
  const first = await make('demo password')
  expect([first.isNew, await make('another one')]).toEqual([true, { id: first.id, isNew: false }])
  const { body } = await logIn(demo.email, 'demo password')
  expect((await shop.profile(body['access'] ?? '')).body).toMatchObject({
    username: 'demo',
    is_staff: true,
    is_superuser: false,
  })
})

describe('failed logins under several spellings of a name', () => {
  const limits = { login: { accountAtAddress: hour(5), account: hour(8) } }
  let limited: Awaited<ReturnType<typeof shop.another>>
  beforeAll(async () => {
    limited = await shop.another({ limits })
  })

  async function account(change: Record<string, unknown> = {}) {
    const body = newcomer(change)
    expect((await limited.register(body, { from: newNetwork() })).status).toBe(201)
    return body
  }

  /** Letters with more than one spelling, or whose case differs between Unicode rules. */
  const LETTERS = [
    'i I \u0130 \u0131 i\u0307 k K \u212A s S \u017F ß \u1E9E é É e\u0301 Å \u212B σ ς Σ',
    '\uFF49 \uFF29 Ω \u2126 µ \u03BC ǆ ǅ Ǆ Ⴀ ⴀ 𐐀 𐐨 \ud800',
  ].flatMap((line) => line.split(' '))

  describe.runIf(isExtended).each([
    ['the locale of the shop', undefined],
    ['a locale of ASCII letters only', "locale_provider builtin builtin_locale 'C'"],
    ['a Turkish locale', "locale_provider icu icu_locale 'tr'"],
  ])('in a database with %s', (_, locale) => {
    let own: TestDatabase
    beforeAll(async () => {
      own = await testDatabase(locale === undefined ? {} : { locale })
      if (locale) await migrate({ url: own.url, folder: path.resolve('db/migrations'), log: silentLog })
    })
    afterAll(() => own.close())

    test('two spellings have one key exactly when they open one account', async () => {
      const name = fc
        .array(fc.constantFrom(...LETTERS), { minLength: 1, maxLength: 3 })
        .map((letters) => letters.join(''))
      await fc.assert(
        fc.asyncProperty(fc.array(name, { minLength: 2, maxLength: 12 }), async (names) => {
          await own.db.deleteFrom('users').execute()
          const accounts = accountsRepository(own.db)
          const user = { password_hash: '!', phone: '', partner_code: null, language: 'fr' } as const
          for (const [index, one] of names.entries())
            await accounts.insert({ ...user, username: `user ${index}`, email: `${one}@example.test` })
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
  ])('share one limit: %s', async (_, plain, other) => {
    const { email } = await account({
      email: `${plain.repeat(6)}.spelled.${other.codePointAt(0)}@example.test`,
    })
    const from = newNetwork()
    const spelled = (index: number) =>
      email.replaceAll(plain, (letter) => ((index & 1) === 0 ? letter : other))
    const guesses = await statusesInTurn(8, (index) => limited.logIn(spelled(index), 'wrong', { from }))
    expect(guesses).toEqual([401, 401, 401, 401, 401, 429, 429, 429])
  })

  test('are not forgotten after a login to another account with a similar name', async () => {
    const victim = await account({ email: 'victim@example.test' })
    const alike = await account()
    // A registration refuses such a username, but older accounts may have one.
    await changeUser(alike.email, { username: 'vi\u0307ctim@example.test' })
    const from = newNetwork()
    const guesses = []
    for (let round = 0; round < 4; round += 1) {
      const own = await limited.logIn('vi\u0307ctim@example.test', alike.password, { from })
      expect(own.status).toBe(200)
      const guess = () => limited.logIn('v\u0130ctim@example.test', 'wrong', { from })
      guesses.push(...(await statusesInTurn(2, guess)))
    }
    expect(guesses).toEqual([401, 401, 401, 401, 401, 429, 429, 429])
    const elsewhere = { from: newNetwork() }
    expect((await limited.logIn('v\u0130ctim@example.test', victim.password, elsewhere)).status).toBe(200)
  })

  test('count for the new owner of a name on a network that its former owner used', async () => {
    const before = await account()
    await changeUser(before.email, { username: 'handed.on@example.test' })
    const old = { from: newNetwork() }
    expect((await limited.logIn('handed.on@example.test', before.password, old)).status).toBe(200)
    const { email } = await account({ email: 'handed.on@example.test' })
    await statusesInTurn(8, () => limited.logIn(email, 'wrong', { from: newNetwork() }))
    expect((await limited.logIn(email, 'wrong', old)).status).toBe(429)
  })
})

describe('the work for a response does not depend on the account', () => {
  let kim: Awaited<ReturnType<typeof member>>
  let suspended: Awaited<ReturnType<typeof member>>
  beforeAll(async () => {
    kim = await member()
    suspended = await member()
    await suspend(suspended.email)
  })

  const work = async (url: string, sent: unknown) => {
    hashes.length = 0
    const { status, body, headers } = await shop.post(url, sent)
    const names = Object.keys(headers).filter((name) => !['date', 'content-length'].includes(name))
    return { status, body, names, hashes: [...hashes] }
  }

  test('a refused login costs one hash of the same cost, for every name', async () => {
    const known = await work('/api/token/', { username: kim.email, password: 'wrong' })
    expect(known.status).toBe(401)
    expect(known.hashes).toHaveLength(1)
    for (const username of ['nobody@example.test', kim.username, 'nobody', suspended.email, 'no\u0000body'])
      expect(await work('/api/token/', { username, password: 'wrong' }), username).toEqual(known)
  })

  test('a request for a new password costs no hash and has one response, for every address', async () => {
    const known = await work('/api/user/forgot-password/', { email: kim.email })
    expect(known).toMatchObject({ status: 202, hashes: [] })
    for (const email of ['nobody@example.test', suspended.email])
      expect(await work('/api/user/forgot-password/', { email }), email).toEqual(known)
  })

  test('a registration costs a hash only when it makes an account', async () => {
    expect(await work('/api/user/register/', newcomer({ email: kim.email }))).toMatchObject({
      status: 400,
      body: { email: ['An account with this email address already exists.'] },
      hashes: [],
    })
    const made = { status: 201, hashes: [expect.any(String)] }
    expect(await work('/api/user/register/', newcomer())).toMatchObject(made)
  })

  test('an invalid reset link costs no hash', async () => {
    const body = { token: 'x'.repeat(43), new_password: 'Correct1!', confirm_password: 'Correct1!' }
    expect(await work('/api/user/reset-password/', body)).toMatchObject({ status: 410, hashes: [] })
  })
})
