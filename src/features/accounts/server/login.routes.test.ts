import { describe, expect, test } from 'vitest'
import { CHEAP, accountsTestApp, member, send, openAccounts } from './accounts.test-app.ts'
import { createDemoAccount } from './demo-account.ts'
import { computeArgon2, createPasswords } from './passwords.ts'

/** Hashing that takes as long as a test wants. */
const gate = { waiting: [] as (() => void)[], isShut: false }
const passwords = createPasswords(CHEAP, async (...args) => {
  if (gate.isShut) await new Promise<void>((resolve) => gate.waiting.push(resolve))
  return computeArgon2(...args)
})

const { database, app } = await openAccounts({ passwords })

const logIn = (username: unknown, password: unknown, language?: 'fr' | 'nl' | 'en') =>
  send(app, 'POST', '/api/token/', { body: { username, password }, ...(language && { language }) })
const suspend = (email: string, is_active = false) =>
  database.db.updateTable('users').set({ is_active }).where('email', '=', email).execute()

describe('logging in', () => {
  test('answers exactly the two tokens, never to be cached', async () => {
    const anna = await member(app)
    const answer = await logIn(anna.email, anna.password)
    expect(answer).toMatchObject({ status: 200, headers: { 'cache-control': 'no-store' } })
    expect(Object.keys(answer.body)).toEqual(['access', 'refresh'])
  })

  test('works by e-mail and by username, in any case, with spaces around', async () => {
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
    const dearer = await accountsTestApp(database.db, { passwords: createPasswords({ ...CHEAP, memoryKiB: 16, passes: 2 }) })
    const body = { username: dora.email, password: dora.password }
    expect((await send(dearer, 'POST', '/api/token/', { body })).status).toBe(200)
    const after = await stored()
    expect([before, after].map((hash) => hash.split('$')[3])).toEqual(['m=8,t=1,p=1', 'm=16,t=2,p=1'])
    expect((await send(dearer, 'POST', '/api/token/', { body })).status).toBe(200)
    expect(await stored()).toBe(after)
    await dearer.close()
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
