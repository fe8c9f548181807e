import path from 'node:path'
import type { FastifyInstance } from 'fastify'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { migrate } from '#platform/migrations.ts'
import { silentLog } from '#platform/postgres/log.ts'
import { type TestDatabase, testDatabase } from '../../../../test/support/database.ts'
import { accountsRepository } from './accounts.repository.ts'
import { accountsTestApp, newcomer } from './accounts.test-app.ts'

const hour = (count: number) => ({ count, seconds: 3_600 })

let database: TestDatabase
let app: FastifyInstance

beforeAll(async () => {
  database = await testDatabase()
  app = await accountsTestApp(database.db, {
    limits: { login: { accountAtAddress: hour(5), account: hour(8) } },
  })
})
afterAll(async () => {
  await app.close()
  await database.close()
})

let networks = 0
const newNetwork = () => `198.51.100.${(networks += 1)}`

const post = (url: string, payload: object, remoteAddress: string) =>
  app.inject({ method: 'POST', url, payload, remoteAddress })
const logIn = (username: string, password: string, from: string) =>
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
          for (const other of found) expect(one.key === other.key).toBe(one.account?.id === other.account?.id)
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
      await logIn(
        email.replaceAll(plain, (letter) => ((index & 1) === 0 ? letter : other)),
        'wrong',
        from,
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
    expect((await logIn('vi\u0307ctim@example.test', alike.password, from)).statusCode).toBe(200)
    for (let index = 0; index < 2; index += 1)
      guesses.push((await logIn('v\u0130ctim@example.test', 'wrong', from)).statusCode)
  }
  expect(guesses).toEqual([401, 401, 401, 401, 401, 429, 429, 429])
  expect((await logIn('v\u0130ctim@example.test', victim.password, newNetwork())).statusCode).toBe(200)
})

test('a place where a name was somebody else’s is a stranger to its new owner', async () => {
  const before = await account()
  const rename = (username: string) =>
    database.db.updateTable('users').set({ username }).where('email', '=', before.email).execute()
  await rename('handed.on@example.test')
  const old = newNetwork()
  expect((await logIn('handed.on@example.test', before.password, old)).statusCode).toBe(200)
  const { email } = await account({ email: 'handed.on@example.test' })
  for (let index = 0; index < 8; index += 1) await logIn(email, 'wrong', newNetwork())
  expect((await logIn(email, 'wrong', old)).statusCode, 'known to the one before').toBe(429)
})
