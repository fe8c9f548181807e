import cookie from '@fastify/cookie'
import Fastify, { type FastifyInstance } from 'fastify'
import { validatorCompiler } from 'fastify-type-provider-zod'
import { afterAll } from 'vitest'
import type { Database } from '#platform/database.ts'
import { handleErrors } from '#platform/http/errors.ts'
import { readLanguage, callerOf } from '#platform/http/request.ts'
import type { LimitRules } from '#platform/limits/limit-keys.ts'
import { type Limit, limiter } from '#platform/limits/limiter.ts'
import { silentLog } from '#platform/postgres/log.ts'
import { openTestDatabase } from '../../../../test/support/database.ts'
import { TokenPair } from '../accounts.contract.ts'
import { accountEmails } from './account-emails.ts'
import { accountsRoutes } from './accounts.routes.ts'
import { authentication } from './authentication.ts'
import { type Passwords, createPasswords } from './passwords.ts'
import { accessTokens } from './tokens.ts'

export const TEST_SECRET = 'a secret of the tests, long enough to sign with'

/** As cheap as Argon2 allows, so that tests spend their time elsewhere. */
export const CHEAP = { memoryKiB: 8, passes: 1, parallelism: 1, concurrent: 2, waiting: 20 }

/** What its emails say of the shop. */
export const TEST_SHOP = {
  brand: 'Volant',
  publicUrl: 'http://shop.test',
  contactEmail: 'contact@volant.example',
  timeZone: 'Europe/Brussels',
}

const LIMITS = [
  'login',
  'register',
  'refresh',
  'logout',
  'forgot',
  'reset',
  'password',
  'rightPassword',
  'profile',
  'emailChange',
  'emailTo',
] as const
type LimitName = (typeof LIMITS)[number]

interface Options {
  /** What is limited; the rest is not. */
  limits?: Partial<Record<LimitName, LimitRules>>
  passwordPolicy?: 'basic' | 'strong'
  /** What hashes the passwords; cheaply when left out. */
  passwords?: Passwords
}

/** Such a server on a database of its own, for the tests of one file, and further ones on the same; all end with the last test. */
export async function openAccounts(options: Options = {}) {
  const database = await openTestDatabase()
  const another = async (other: Options = {}): Promise<FastifyInstance> => {
    const app = await accountsTestApp(database.db, other)
    afterAll(() => app.close())
    return app
  }
  return { database, app: await another(options), another }
}

/** A server with the accounts slice and three routes that only show who calls. */
export async function accountsTestApp(db: Database, options: Options = {}): Promise<FastifyInstance> {
  const app = Fastify({ routerOptions: { ignoreTrailingSlash: false } })
  app.setValidatorCompiler(validatorCompiler)
  app.setSerializerCompiler(() => (data) => JSON.stringify(data))
  await app.register(cookie)
  readLanguage(app)
  handleErrors(app)
  const tokens = accessTokens({ secret: TEST_SECRET })
  await app.register(authentication(tokens, db))
  const counting = limiter({ db, secret: TEST_SECRET, factor: 1, log: silentLog })
  app.addHook('onClose', () => counting.close())
  const limits = Object.fromEntries(
    LIMITS.map((name) => [name, counting.limit(name, options.limits?.[name] ?? {}, 'errors.limit.tooMany')]),
  ) as Record<LimitName, Limit>
  const passwords = options.passwords ?? createPasswords(CHEAP)
  const emails = accountEmails(TEST_SHOP, {
    offers: () => '/offers',
    resetPassword: () => '/reset-password',
  })
  await app.register(
    accountsRoutes({
      db,
      tokens,
      passwords,
      emails,
      limits,
      passwordPolicy: options.passwordPolicy ?? 'basic',
    }),
  )
  app.get('/api/who/required/', (request) => callerOf(request))
  app.get('/api/who/optional/', { config: { auth: 'optional' } }, (request) => ({ caller: request.caller }))
  app.get('/api/who/ignored/', { config: { auth: 'ignored' } }, (request) => ({ caller: request.caller }))
  app.get('/page', (request) => ({ caller: request.caller }))
  await app.ready()
  return app
}

interface Call {
  body?: unknown
  token?: string
  language?: 'fr' | 'nl' | 'en'
  headers?: Record<string, string>
}

/** Sends one request and reads its JSON answer. */
export async function send(
  app: FastifyInstance,
  method: 'GET' | 'POST' | 'PUT',
  url: string,
  call: Call = {},
) {
  const headers: Record<string, string> = { 'accept-language': call.language ?? 'en', ...call.headers }
  if (call.token !== undefined) headers['authorization'] = `Bearer ${call.token}`
  const payload = call.body === undefined ? {} : { payload: call.body as object }
  const answer = await app.inject({ method, url, headers, ...payload })
  const body: unknown = answer.body === '' ? undefined : JSON.parse(answer.body)
  return { status: answer.statusCode, body: body as Record<string, never>, headers: answer.headers }
}

let counter = 0

/** A registration that nobody else sends. */
export const newcomer = (change: Record<string, unknown> = {}) => {
  counter += 1
  return {
    username: `visitor ${counter}`,
    email: `visitor${counter}@example.test`,
    password: 'correct horse',
    phone_number: '+33612345678',
    ...change,
  }
}

/** Registers a newcomer and logs in. */
export async function member(app: FastifyInstance, change: Record<string, unknown> = {}) {
  const account = newcomer(change)
  const made = await send(app, 'POST', '/api/user/register/', { body: account })
  if (made.status !== 201) throw new Error(JSON.stringify(made.body))
  const logIn = async (password = account.password) => {
    const { status, body } = await send(app, 'POST', '/api/token/', {
      body: { username: account.email, password },
    })
    if (status !== 200) throw new Error(JSON.stringify(body))
    return TokenPair.parse(body)
  }
  return { ...account, logIn, ...(await logIn()) }
}
