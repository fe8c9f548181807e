import cookie from '@fastify/cookie'
import Fastify, { type FastifyInstance } from 'fastify'
import { validatorCompiler } from 'fastify-type-provider-zod'
import { sql } from 'kysely'
import { afterAll } from 'vitest'
import type { Database } from '#platform/database.ts'
import { handleErrors } from '#platform/http/errors.ts'
import { readLanguage, callerOf } from '#platform/http/request.ts'
import type { LimitRules } from '#platform/limits/limit-keys.ts'
import { limiter } from '#platform/limits/limiter.ts'
import { silentLog } from '#platform/postgres/log.ts'
import { securityLog } from '#platform/security-log.ts'
import type { Language } from '#shared/languages.ts'
import { openTestDatabase } from '../../../../test/support/database.ts'
import { TokenPair } from '../accounts.contract.ts'
import { accountEmails } from './account-emails.ts'
import { accountsRoutes } from './accounts.routes.ts'
import { authentication } from './authentication.ts'
import { type Passwords, createPasswords } from './passwords.ts'
import { accessTokens, emailLinkTokens, resetTokens } from './tokens.ts'

export const TEST_SECRET = 'a secret of the tests, long enough to sign with'

/** As cheap as Argon2 allows, so that tests spend their time elsewhere. */
export const CHEAP = { memoryKiB: 8, passes: 1, parallelism: 1, concurrent: 2, waiting: 20 }

const SHOP = {
  brand: 'Volant',
  publicUrl: 'http://shop.test',
  contactEmail: 'contact@volant.example',
  timeZone: 'Europe/Brussels',
  offersUrl: () => 'http://shop.test/offers',
}
export const TEST_EMAILS = accountEmails(SHOP)

type Limits = Parameters<typeof accountsRoutes>[0]['limits']
const LIMITS =
  'login register refresh logout forgot reset password rightPassword profile emailChange emailLink emailTo'.split(
    ' ',
  )

interface Options {
  /** Names without rules are not limited. */
  limits?: Partial<Record<keyof Limits, LimitRules>>
  passwordPolicy?: 'basic' | 'strong'
  /** Cheap hashes when left out. */
  passwords?: Passwords
}

/** A limit of so many calls in an hour. */
export const hour = (count: number) => ({ count, seconds: 3_600 })

/** A server on a database for the tests of one file, with its calls, and further servers on the same database. */
export async function openAccounts(options: Options = {}) {
  const database = await openTestDatabase()
  const { db } = database
  const another = async (other: Options = {}) => {
    const app = await accountsTestApp(db, other)
    afterAll(() => app.close())
    return { app, ...callsOf(app) }
  }
  const changeUser = (
    email: string,
    change: Partial<{ email: string; username: string; is_active: boolean; language: Language }>,
  ) => db.updateTable('users').set(change).where('email', '=', email).execute()
  const first = await another(options)
  /** The emails of a kind to addresses in any case, the oldest first. */
  const emailsTo = (kind: string, ...addresses: string[]) => {
    const recipients = addresses.map((one) => one.toLowerCase())
    const emails = db.selectFrom('emails').selectAll().where('kind', '=', kind)
    return emails
      .where(sql<string>`lower(recipient)`, 'in', recipients)
      .orderBy('queued_at')
      .execute()
  }
  /** The links about addresses that an address was sent, the oldest first. */
  async function linksTo(address: string): Promise<{ purpose: string; token: string }[]> {
    const all = await Promise.all(LINK_EMAILS.map((kind) => emailsTo(kind, address)))
    const sent = all.flat().toSorted((one, other) => +one.queued_at - +other.queued_at)
    const refs = sent.flatMap(({ secret_link }) =>
      secret_link ? [(secret_link as { ref: string }).ref] : [],
    )
    const tokens = emailLinkTokens(TEST_SECRET)
    return refs.map((ref) => ({ purpose: ref.split('.')[0] ?? '', token: tokens.of(ref) }))
  }
  const linkTo = async (address: string) => (await linksTo(address)).at(-1)!
  return {
    database,
    ...first,
    another,
    changeUser,
    suspend: (email: string) => changeUser(email, { is_active: false }),
    userOf: (email: string) =>
      db.selectFrom('users').selectAll().where('email', '=', email).executeTakeFirst(),
    emailsTo,
    linksTo,
    /** The last of them. */
    linkTo,
    /** Changes an address as its owner does. @returns the response to the use of the link */
    async changeEmail(
      { access, password }: { access: string; password: string },
      email: string,
      call?: Call,
    ) {
      await first.updateProfile(access, { email, current_password: password }, call)
      return first.useLink((await linkTo(email)).token)
    },
  }
}

const LINK_EMAILS = [
  'welcome',
  'confirm-email',
  'allow-email-change',
  'confirm-email-change',
  'email-changed',
]

/** A server with the accounts slice and routes that show the caller. */
async function accountsTestApp(db: Database, options: Options): Promise<FastifyInstance> {
  const app = Fastify({ routerOptions: { ignoreTrailingSlash: false } })
  app.setValidatorCompiler(validatorCompiler)
  app.setSerializerCompiler(() => (data) => JSON.stringify(data))
  await app.register(cookie)
  readLanguage(app, SHOP.publicUrl)
  handleErrors(app)
  const tokens = accessTokens({ secret: TEST_SECRET })
  const security = securityLog({ db, secret: TEST_SECRET, log: silentLog })
  app.addHook('onClose', () => security.flush())
  await app.register(authentication(tokens, db))
  const counting = limiter({ db, secret: TEST_SECRET, factor: 1, log: silentLog })
  app.addHook('onClose', () => counting.close())
  const rules: Partial<Record<string, LimitRules>> = options.limits ?? {}
  const limits = Object.fromEntries(
    LIMITS.map((name) => [name, counting.limit(name, rules[name] ?? {}, 'errors.limit.tooMany')]),
  ) as Limits
  const passwords = options.passwords ?? createPasswords(CHEAP)
  const passwordPolicy = options.passwordPolicy ?? 'basic'
  const links = { emailLinkTokens: emailLinkTokens(TEST_SECRET), resetTokens: resetTokens(TEST_SECRET) }
  await app.register(
    accountsRoutes({
      db,
      tokens,
      passwords,
      emails: TEST_EMAILS,
      security,
      limits,
      passwordPolicy,
      ...links,
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
  language?: Language
  headers?: Record<string, string>
  /** IP address of the connection. */
  from?: string
}

/** Sends one request and reads its JSON response. */
async function send(app: FastifyInstance, method: 'GET' | 'POST' | 'PUT', url: string, call: Call = {}) {
  const headers: Record<string, string> = { 'accept-language': call.language ?? 'en', ...call.headers }
  if (call.token !== undefined) headers['authorization'] = `Bearer ${call.token}`
  const payload = call.body === undefined ? {} : { payload: call.body as object }
  const from = call.from === undefined ? {} : { remoteAddress: call.from }
  const response = await app.inject({ method, url, headers, ...payload, ...from })
  const body: unknown = response.body === '' ? undefined : JSON.parse(response.body)
  return { status: response.statusCode, body: body as Record<string, never>, headers: response.headers }
}

/** The calls of a server. */
function callsOf(app: FastifyInstance) {
  const post = (url: string, body: unknown, call: Call = {}) => send(app, 'POST', url, { ...call, body })
  const put = (url: string, token: string, body: unknown, call: Call = {}) =>
    send(app, 'PUT', url, { ...call, token, body })
  const logIn = (username: unknown, password: unknown, call?: Call) =>
    post('/api/token/', { username, password }, call)
  const register = (body: unknown, call?: Call) => post('/api/user/register/', body, call)
  return {
    post,
    get: (url: string, call?: Call) => send(app, 'GET', url, call),
    logIn,
    register,
    refresh: (refresh: unknown, call?: Call) => post('/api/token/refresh/', { refresh }, call),
    logOut: (refresh: unknown, call?: Call) => post('/api/token/logout/', { refresh }, call),
    profile: (token: string) => send(app, 'GET', '/api/user/profile/', { token }),
    updateProfile: (token: string, body: unknown, call?: Call) =>
      put('/api/user/profile/', token, body, call),
    changePassword: (token: string, body: unknown, call?: Call) =>
      put('/api/user/change-password/', token, body, call),
    forgot: (email: unknown, call?: Call) => post('/api/user/forgot-password/', { email }, call),
    useLink: (token: string, call?: Call) => post('/api/user/email-link/', { token }, call),
    resendLink: (token: string) => send(app, 'POST', '/api/user/email-link/resend/', { token }),
    cancelChange: (token: string) => send(app, 'POST', '/api/user/email-change/cancel/', { token }),
    reset: (token: string, password: string, confirm = password) =>
      post('/api/user/reset-password/', { token, new_password: password, confirm_password: confirm }),
    /** Registers a newcomer and logs in, at a network of its own. */
    member: async (change: Record<string, unknown> = {}) => {
      const account = newcomer(change)
      const from = newNetwork()
      const made = await register(account, { from })
      if (made.status !== 201) throw new Error(JSON.stringify(made.body))
      const again = async (password = account.password) => {
        const { status, body } = await logIn(account.email, password, { from })
        if (status !== 200) throw new Error(JSON.stringify(body))
        return TokenPair.parse(body)
      }
      return { ...account, logIn: again, ...(await again()) }
    },
  }
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

let networks = 0

/** An address that no other call comes from. */
export const newNetwork = (): string => {
  networks += 1
  return `198.51.${networks >> 8}.${networks & 255}`
}

/** The body of a changed password. */
export const passwordChange = (current: string, replacement: string) => ({
  current_password: current,
  new_password: replacement,
  confirm_password: replacement,
})

/** Makes calls one after the other. @returns their statuses, in turn */
export async function statusesInTurn(
  count: number,
  call: (index: number) => Promise<{ status: number }>,
): Promise<number[]> {
  const statuses = []
  for (let index = 0; index < count; index += 1) statuses.push((await call(index)).status)
  return statuses
}
