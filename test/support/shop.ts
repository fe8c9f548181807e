import { createHash } from 'node:crypto'
import path from 'node:path'
import { afterAll } from 'vitest'
import type { FastifyInstance } from 'fastify'
import { Writable } from 'node:stream'
import { pictureNamed } from '../../db/demo/pictures.ts'
import { type PaypalEmulator, startPaypalEmulator } from '../../emulators/paypal/server.ts'
import {
  type Passwords,
  accountsJobs,
  createDemoAccount,
  createPasswords,
  emailLinkTokens,
} from '#features/accounts/server/index.ts'
import type { MessageTimes } from '#features/alerts/alerts.rules.ts'
import { logKeyOf } from '#features/draws/server/index.ts'
import { readStampAuthority } from '#server/stamp-authority.ts'
import { readWitnessPolicy } from '#server/witness-policy.ts'
import { insertOffer } from '#features/offers/server/index.ts'
import { buildApp, shopAlertSender, shopDraws, shopPayments, shopTerms } from '#server/build-app.ts'
import { readConfig } from '#server/config.ts'
import { shopLogs } from '#server/logs.ts'
import { watchShop } from '#server/monitoring.ts'
import type { Locks } from '#platform/database.ts'
import { paypalClient } from '#platform/payment/paypal/paypal-client.ts'
import type { SecretKeys } from '#platform/keyed-hashes.ts'
import { createMetrics } from '#platform/metrics.ts'
import { readMigrations } from '#platform/migrations.ts'
import { resetLinks } from '#server/limits.ts'
import { letterhead, shopMailer } from '#server/shop-mailer.ts'
import { registerPages } from '#server/pages/register-pages.ts'
import { type Clock, systemClock } from '#shared/clock.ts'
import { type Language, LANGUAGES } from '#shared/languages.ts'
import {
  STAFF_PERMISSIONS,
  type StaffPermission,
  type StaffRole,
  needsStepUp,
  permits,
} from '#shared/staff-permissions.ts'
import { type TestDatabase, type TestDatabaseOptions, testDatabase } from './database.ts'
import type { Replicated } from './replicated.ts'
import { freePort } from '../../tools/run/free-port.ts'
import { holdExpiry } from '#features/purchase/orders/server/holds.ts'
import type { OrderRow } from '#features/purchase/orders/server/orders.repository.ts'
import { type TextFields, NO_TEXT, fieldIn, storedText } from '#shared/localized-text.ts'

const SECRET = 'a secret of the tests, long enough to sign with'
const CHEAP = { memoryKiB: 8, passes: 1, parallelism: 1, concurrent: 4, waiting: 1_000 }

export interface ShopOptions {
  /** What hashes the passwords; cheaply when left out. */
  passwords?: Passwords
  /** Settings by environment name. */
  env?: Record<string, string>
  clock?: Clock
  emulator?: Parameters<typeof startPaypalEmulator>[0]
  /** Serves the built pages too. */
  pages?: boolean
  /** The name of this machine in the shop's address. */
  host?: 'localhost' | '127.0.0.1'
  /** Called with each line of the log, which is silent otherwise. */
  logLine?: (line: Record<string, unknown>) => void
  /** Delay of the event loop; zero when left out, because a busy machine would refuse calls at random. */
  delayMs?: () => number
  isStopping?: () => boolean
  /** How many shops share the database; customers are assigned to them in turn. */
  processes?: number
  /** Changes the database before anybody is connected to it. */
  prepare?: (database: TestDatabase) => Promise<void>
  /** As for `testDatabase`. */
  hasShopsLockTimeout?: boolean
  locks?: Locks
  pooler?: TestDatabaseOptions['pooler']
  /** A database of the caller's, with a standby of it. */
  replicated?: Pick<Replicated, 'database' | 'replicaFor'>
}

interface Call {
  /** A change by staff that changes nothing, such as a repetition. */
  isWithoutEffect?: true
  language?: Language
  headers?: Record<string, string>
}

/** A response, its body read as JSON. */
// oxlint-disable-next-line typescript/no-explicit-any -- a body of any shape, which the tests match
export interface ShopResponse<Body = Record<string, any>> {
  status: number
  body: Body
  headers: Record<string, unknown>
}

type Send = (
  method: 'GET' | 'POST' | 'PUT' | 'DELETE',
  url: string,
  body: unknown,
  token: string | null,
  call?: Call,
  shop?: FastifyInstance,
) => Promise<ShopResponse>

/** The calls of one customer to one of the processes. */
function callsOf(send: Send, token: string, cartId: number, shop: FastifyInstance | undefined) {
  const post = (url: string, body?: unknown, call?: Call) => send('POST', url, body, token, call, shop)
  /** Adds tickets to the cart. */
  const add = (offerId: number, quantity: number, more: Record<string, unknown> = {}, call: Call = {}) =>
    post(`/api/cart/${cartId}/add_item/`, { offer_id: offerId, quantity, ...more }, call)
  /** Creates the order of the cart. */
  const create = (country = 'BE', call: Call = {}) =>
    post('/api/paypal/create-order/', { country_code: country }, call)
  return {
    add,
    create,
    post,
    get: (url: string, call?: Call) => send('GET', url, undefined, token, call, shop),
    put: (url: string, body?: unknown, call?: Call) => send('PUT', url, body, token, call, shop),
    delete: (url: string, call?: Call) => send('DELETE', url, undefined, token, call, shop),
    /** Adds tickets to the cart and creates the order. */
    async order(
      offerId: number,
      quantity: number,
      more: Record<string, unknown> = {},
    ): Promise<ShopResponse> {
      const added = await add(offerId, quantity, more)
      return added.status === 200 ? create() : added
    },
    capture: (orderId: string) => post('/api/paypal/capture-payment/', { order_id: orderId }),
  }
}
type CustomerCalls = ReturnType<typeof callsOf>

/** A customer with a session. */
export interface Customer extends CustomerCalls {
  id: number
  email: string
  password: string
  cartId: number
  /** The process that serves the customer's calls; notifications go to the first, 0. */
  process: number
  /** The same customer at another process, where there are several. */
  elsewhere: CustomerCalls
}

type StaffCalls = Record<
  'get' | 'post' | 'put' | 'delete',
  (url: string, body?: unknown, call?: Call) => Promise<ShopResponse>
>

/**
 * A staff member, whose calls carry the console's cookie; every step-up of the role has been made. A change that leaves no
 * entry in the audit log fails.
 */
export interface Staff extends StaffCalls {
  id: number
  name: string
  role: StaffRole
  email: string
  password: string
  cookie: string
  /** The session's id. */
  sessionId: string
  /** The same staff member at another process, where there are several. */
  elsewhere: StaffCalls
  /** Shows the password again. */
  stepUp: (permission: StaffPermission) => Promise<void>
}

const STEP_UPS = (Object.keys(STAFF_PERMISSIONS) as StaffPermission[]).filter(needsStepUp)

/** Changing calls that change nothing of the shop: one's own session, what a passkey needs, previews and checks. */
export const LEAVES_NO_AUDIT_ENTRY =
  /^\/api\/staff\/(?:session\/.*|self\/(?:sessions|order-views)\/.*|.*\/(?:options|preview|verify))\/?(?:\?|$)/

export type TestShop = Awaited<ReturnType<typeof testShop>>

/** Rows of offer_pictures for pictures of the demonstration, which every shop serves. @param stems "fastback-front" */
const picturesNamed = (stems: readonly string[]) =>
  stems.map((stem) => ({
    ...pictureNamed(stem),
    alt_fr: `Photo ${stem}`,
    alt_nl: `Foto ${stem}`,
    alt_en: `Picture ${stem}`,
  }))

const MIGRATIONS = path.resolve(import.meta.dirname, '../../db/migrations')

/** The logs of a shop, passed on line by line. */
function logsFor(logLine: ShopOptions['logLine'], config: { logLevel: string; roles: readonly string[] }) {
  const heard = new Writable({
    write(chunk, _encoding, done) {
      for (const line of String(chunk).split('\n')) if (line !== '') logLine?.(JSON.parse(line))
      done()
    },
  })
  return shopLogs(logLine ? config : { ...config, logLevel: 'silent' }, heard)
}

/** Such a shop for the tests of one file, which ends with the last of them. */
export async function openShop(options: ShopOptions = {}): Promise<TestShop> {
  const shop = await testShop(options)
  afterAll(() => shop.close())
  return shop
}

/** A whole shop on a database of its own, listening, with an emulator of its own that notifies it. */
export async function testShop(options: ShopOptions = {}) {
  const { hasShopsLockTimeout = false, locks, pooler, replicated } = options
  const database =
    replicated?.database ??
    (await testDatabase({
      hasShopsLockTimeout,
      ...(locks && { locks }),
      ...(pooler && { pooler }),
    }))
  await options.prepare?.(database)
  const port = await freePort()
  const paypal: PaypalEmulator = await startPaypalEmulator({
    port: 0,
    webhookUrl: `http://127.0.0.1:${port}/api/paypal/webhook/`,
    webhookRetryMs: 50,
    ...options.emulator,
  })
  const config = readConfig({
    PORT: String(port),
    PUBLIC_URL: `http://${options.host ?? '127.0.0.1'}:${port}`,
    PAYPAL_BASE_URL: paypal.url,
    // Far above the pauses of a busy machine.
    PAYPAL_TIMEOUT_MS: '30000',
    ...options.env,
  })
  const passwords = options.passwords ?? createPasswords(CHEAP)
  const clock = options.clock ?? systemClock
  const metrics = createMetrics()
  watchShop(metrics, database.db)
  const { logLine, delayMs = () => 0, isStopping } = options
  const logs = logsFor(logLine, config)
  const parts = {
    config,
    secret: SECRET,
    logKey: logKeyOf('5e'.repeat(32)),
    witnesses: readWitnessPolicy(config),
    stamps: readStampAuthority(config),
    db: database.db,
    ...(replicated && { replica: replicated.replicaFor({ log: logs.log, metrics }) }),
    ...logs,
    passwords,
    ...(options.clock && { clock }),
    metrics,
    migration: (await readMigrations(MIGRATIONS)).length,
    delayMs,
    ...(isStopping && { isStopping }),
  }
  const app: FastifyInstance = await buildApp(parts)
  if (options.pages) await registerPages(app, { config, db: database.db })
  await app.listen({ port, host: '127.0.0.1' })
  const apps = [app]
  while (apps.length < (options.processes ?? 1)) apps.push(await buildApp(parts))
  const apart: FastifyInstance[] = []

  const send: Send = async (method, url, body, token, call = {}, shop = app) => {
    const headers: Record<string, string> = { 'accept-language': call.language ?? 'en', ...call.headers }
    if (token) headers['authorization'] = `Bearer ${token}`
    const payload = body === undefined ? {} : { payload: body as object }
    const response = await shop.inject({ method, url, headers, ...payload })
    const isJson = String(response.headers['content-type']).startsWith('application/json')
    return {
      status: response.statusCode,
      body: isJson ? response.json() : response.rawPayload,
      headers: response.headers,
    } as ShopResponse
  }

  let customers = 0
  async function newCustomer(): Promise<Customer> {
    const number = (customers += 1)
    const email = `buyer${number}@example.test`
    const password = 'correct horse battery'
    const account = { username: `buyer ${number}`, email, phone: '', language: 'en' as const }
    const password_hash = await passwords.hash(password)
    const { id } = await createDemoAccount(database.db, { ...account, password_hash })
    const login = await send('POST', '/api/token/', { username: email, password }, null)
    const token = login.body['access'] as string
    const cart = await send('GET', '/api/cart/', undefined, token)
    const cartId = cart.body[0].id as number
    return {
      id,
      email,
      password,
      cartId,
      process: number % apps.length,
      ...callsOf(send, token, cartId, apps[number % apps.length]),
      elsewhere: callsOf(send, token, cartId, apps[(number + 1) % apps.length]),
    }
  }

  async function auditEntriesOf(sessionId: string): Promise<number> {
    const { rows } = await database.pool.query<{ count: number }>(
      `SELECT count(*)::int AS count FROM audit_log WHERE entry::jsonb ->> 'session' = $1`,
      [sessionId],
    )
    return rows[0]?.count ?? 0
  }

  /** A staff member with a session of the console. */
  async function newStaff(role: StaffRole = 'owner'): Promise<Staff> {
    const customer = await newCustomer()
    await database.db.updateTable('users').set({ role }).where('id', '=', customer.id).execute()
    const { email, password } = customer
    const signedIn = await send('POST', '/api/staff/session/', { email, password }, null, {
      headers: { origin: config.publicUrl },
    })
    const cookie = String(signedIn.headers['set-cookie']).split(';')[0] ?? ''
    const { id: sessionId } = await database.db
      .selectFrom('staff_sessions')
      .select('id')
      .where('user_id', '=', customer.id)
      .executeTakeFirstOrThrow()
    // Of calls at the same time, some repeat others: entries are counted from the first one on.
    let running = 0
    let entriesBefore = Promise.resolve(0)
    const caller = (at: FastifyInstance | undefined): StaffCalls => {
      const call =
        (method: 'GET' | 'POST' | 'PUT' | 'DELETE') =>
        async (url: string, body?: unknown, call: Call = {}): Promise<ShopResponse> => {
          const headers = { cookie, origin: config.publicUrl, ...call.headers }
          if (method === 'GET') return send(method, url, body, null, { ...call, headers }, at)
          if (running === 0) entriesBefore = auditEntriesOf(sessionId)
          running += 1
          try {
            const before = await entriesBefore
            const response = await send(method, url, body, null, { ...call, headers }, at)
            const isDone = response.status < 300 && response.headers['idempotency-replayed'] === undefined
            const isSilent = call.isWithoutEffect ?? LEAVES_NO_AUDIT_ENTRY.test(url)
            if (isDone && !isSilent && (await auditEntriesOf(sessionId)) === before)
              throw new Error(`${method} ${url} left no audit entry`)
            return response
          } finally {
            running -= 1
          }
        }
      return { get: call('GET'), post: call('POST'), put: call('PUT'), delete: call('DELETE') }
    }
    const calls = caller(app)
    const stepUp = async (permission: StaffPermission): Promise<void> => {
      await calls.post('/api/staff/session/step-up/', { permission, password })
    }
    for (const permission of STEP_UPS) if (permits(role, permission)) await stepUp(permission)
    return {
      id: customer.id,
      name: `buyer ${customers}`,
      role,
      email,
      password,
      cookie,
      sessionId,
      ...calls,
      elsewhere: caller(apps.at(-1)),
      stepUp,
    }
  }

  let offers = 0
  /** Stores an offer; what is left out is that of a running one without a question. */
  async function newOffer(change: OfferChange = {}): Promise<number> {
    const index = ++offers
    const { pictures = [], ...changed } = change
    const present = {
      slug: `contest-${index}`,
      titles: { fr: `Concours ${index}`, nl: `Wedstrijd ${index}`, en: `Contest ${index}` },
      price_cents: 490,
      total_tickets: 1_000,
      state: 'open' as const,
      end_date: new Date(Date.now() + 86_400_000),
      number_key: createHash('sha256').update(`key ${index}`).digest(),
      choices: [],
      correct_choice: null,
    }
    const offer = { ...present, ...columnsOf(changed, present) }
    return database.db
      .transaction()
      .execute((trx) => insertOffer(trx, { offer, pictures: picturesNamed(pictures) }))
  }

  /** For tests that end contests early or change prices and texts, which nobody can alone once somebody has entered. */
  const unlockTerms = async (): Promise<void> =>
    void (await database.pool.query(
      'ALTER TABLE offers DISABLE TRIGGER offers_terms_stay, DISABLE TRIGGER offers_texts_stay',
    ))

  /** Changes the row of an offer. */
  async function changeOffer(id: number, values: OfferChange): Promise<void> {
    const offer = database.db.selectFrom('offers').where('id', '=', id)
    const texts = await offer.select(Object.values(TEXT_COLUMNS)).executeTakeFirstOrThrow()
    await database.db.updateTable('offers').set(columnsOf(values, texts)).where('id', '=', id).execute()
  }

  /** A new customer with an approved order of an offer, by default a new one. */
  async function approvedOrder(quantity = 2, buyer = 'buyer@buyer.test', contest?: number) {
    const offerId = contest ?? (await newOffer())
    const customer = await newCustomer()
    const created = await customer.order(offerId, quantity)
    if (created.status !== 200) throw new Error(`no order: ${JSON.stringify(created.body)}`)
    const orderId = created.body['order_id'] as string
    await paypal.approve(orderId, buyer)
    return { offerId, customer, orderId }
  }

  /** The row of an order, found by the provider's id. */
  const orderOf = (providerId: string) =>
    database.db
      .selectFrom('orders')
      .selectAll()
      .where('provider_order_id', '=', providerId)
      .$castTo<OrderRow>()
      .executeTakeFirstOrThrow()

  /** What the provider has taken for an order. */
  const capturesOf = (orderId: string) =>
    [...paypal.book.captures.values()].filter((one) => one.orderId === orderId)

  /** The same, paid and settled; with its row and its capture, by the provider's id. */
  async function paidOrder(...what: Parameters<typeof approvedOrder>) {
    const approved = await approvedOrder(...what)
    const captured = await approved.customer.capture(approved.orderId)
    if (captured.status !== 200) throw new Error(`not captured: ${JSON.stringify(captured.body)}`)
    const ours = await orderOf(approved.orderId)
    return { ...approved, ours, captureId: capturesOf(approved.orderId)[0]?.id ?? '' }
  }

  /** The state in which a process that was killed a minute ago leaves an order it was capturing. */
  const leaveCapturing = (providerId: string) =>
    database.db
      .updateTable('orders')
      .set({
        state: 'capturing',
        capture_started_at: new Date(),
        checked_at: new Date(Date.now() - 60_000),
      })
      .where('provider_order_id', '=', providerId)
      .execute()

  /** A process with other keys, and maybe another public address, on the same database. */
  async function withKeys(keys: SecretKeys, publicUrl = config.publicUrl) {
    const other = { ...parts, config: { ...config, publicUrl }, ...keys }
    const process = await buildApp(other)
    apart.push(process)
    return {
      call: (
        method: 'GET' | 'POST' | 'PUT',
        url: string,
        {
          body,
          token = null,
          headers = {},
        }: { body?: object; token?: string | null; headers?: Call['headers'] } = {},
      ) => send(method, url, body, token, { headers: { ...headers } }, process),
      signatures: shopPayments(other).signatures,
      mailer: shopMailer(other),
      sendPasswordResets: () => passwordResets(other),
    }
  }
  /** The background work that sends links for a new password. */
  const passwordResets = ({ config: its, ...of }: typeof parts): Promise<void> =>
    accountsJobs['send password resets'].run({ ...of, shop: letterhead(its), resetLinks: resetLinks(its) })
  const checkout = shopPayments(parts)
  const draws = shopDraws(parts)
  return {
    app,
    /** All processes, `app` first. */
    apps,
    config,
    metrics,
    /** Key of the tokens. */
    secret: SECRET,
    paypal,
    clock,
    port,
    ...database,
    /** What the background jobs use, to call them by hand. */
    checkout,
    /** What the jobs of draws use. */
    draws,
    publishTerms: shopTerms(parts),
    /** A client of the emulator, past the shop. */
    client: paypalClient({
      baseUrl: config.paypalBaseUrl,
      clientId: config.paypalClientId,
      clientSecret: config.paypalClientSecret,
      timeoutMs: config.paypalTimeoutMs,
    }),
    /** The background work that lets holds expire, as a process that has just started does it. */
    expireHolds: () => holdExpiry(checkout)(),
    mailer: shopMailer(parts),
    /** Tells of alerts, at once unless the test says otherwise. */
    alertSender: (times: Partial<MessageTimes> = {}, isStopping = parts.isStopping) =>
      shopAlertSender({ ...parts, isStopping }, { window: 0, more: 0, rest: 0, ...times }),
    withKeys,
    sendPasswordResets: () => passwordResets(parts),
    /** @returns the token of the last link about an address that was mailed to a recipient */
    async emailLinkTo(recipient: string): Promise<string> {
      const { secret_link } = await database.db
        .selectFrom('emails')
        .select('secret_link')
        .where('recipient', '=', recipient)
        .orderBy('queued_at', 'desc')
        .executeTakeFirstOrThrow()
      return emailLinkTokens(SECRET).of((secret_link as { ref: string }).ref)
    },
    newCustomer,
    newStaff,
    newOffer,
    changeOffer,
    unlockTerms,
    approvedOrder,
    paidOrder,
    leaveCapturing,
    /** The tokens of a customer's login, as the browser stores them. */
    sessionOf: async (customer: Pick<Customer, 'email' | 'password'>): Promise<Record<string, string>> => {
      const login = { username: customer.email, password: customer.password }
      return (await send('POST', '/api/token/', login, null)).body
    },
    /** How many tickets a customer's list shows. */
    ticketCount: async (customer: Customer): Promise<number> =>
      ((await customer.get('/api/tickets/')).body as unknown as unknown[]).length,
    anonymous: (method: 'GET' | 'POST' | 'PUT', url: string, body?: unknown, call?: Call) =>
      send(method, url, body, null, call),
    withToken: (token: string, method: 'GET' | 'POST' | 'PUT', url: string, body?: unknown, call?: Call) =>
      send(method, url, body, token, call),
    counters: (offerId: number) =>
      database.db
        .selectFrom('offers')
        .select(['tickets_sold', 'tickets_held'])
        .where('id', '=', offerId)
        .executeTakeFirstOrThrow(),
    capturesOf,
    orderOf,
    orderState: async (providerId: string) => (await orderOf(providerId)).state,
    async close(): Promise<void> {
      const closing = Promise.all([...apps, ...apart].map((one) => one.close()))
      // A connection that the emulator has opened and not used would be waited for for more than a minute.
      const force = setTimeout(() => app.server.closeAllConnections(), 500)
      await closing
      clearTimeout(force)
      await paypal.close()
      await database.close()
    },
  }
}

const TEXT_COLUMNS = {
  title: 'titles',
  description: 'descriptions',
  draw_terms: 'draw_terms_texts',
  question: 'questions',
} as const

/** Columns of what a test writes, whose texts may be given by their fields. @param present the texts until then */
function columnsOf(change: OfferChange, present: Partial<Record<string, unknown>>) {
  const columns: Record<string, unknown> = { ...change }
  for (const [field, column] of Object.entries(TEXT_COLUMNS)) {
    const given = LANGUAGES.flatMap((language) => {
      const name = fieldIn(field, language)
      if (!(name in columns)) return []
      const text = columns[name] ?? ''
      delete columns[name]
      return [[language, text] as const]
    })
    if (given.length === 0) continue
    const text = storedText({
      ...NO_TEXT,
      ...(present[column] as object | null),
      ...Object.fromEntries(given),
    })
    columns[column] = column === 'questions' && text.fr === '' ? null : text
  }
  return columns as Partial<Parameters<typeof insertOffer>[1]['offer']>
}

/** A text may be given by its fields, as staff write it: `{ title, title_nl }`. */
type OfferChange = Partial<Parameters<typeof insertOffer>[1]['offer']> &
  Partial<TextFields<'title' | 'description' | 'draw_terms' | 'question', string | null>> & {
    pictures?: readonly string[]
  }
