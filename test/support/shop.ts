import { createHash } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import type { FastifyInstance } from 'fastify'
import pino from 'pino'
import { type PaypalEmulator, startPaypalEmulator } from '../../emulators/paypal/server.ts'
import { createDemoAccount, createPasswords } from '#features/accounts/server/index.ts'
import { insertOffer } from '#features/offers/server/index.ts'
import { checkoutDeps, buildApp } from '#server/build-app.ts'
import { readConfig } from '#server/config.ts'
import { registerPages } from '#server/pages/register-pages.ts'
import { type Clock, systemClock } from '#shared/clock.ts'
import type { Language } from '#shared/languages.ts'
import { type TestDatabase, testDatabase } from './database.ts'

const SECRET = 'a secret of the tests, long enough to sign with'
const CHEAP = { memoryKiB: 8, passes: 1, parallelism: 1, concurrent: 4, waiting: 1_000 }

interface ShopOptions {
  /** Settings by environment name. */
  env?: Record<string, string>
  clock?: Clock
  emulator?: Parameters<typeof startPaypalEmulator>[0]
  /** Serves the built pages too. */
  pages?: boolean
}

interface Call {
  language?: Language
  headers?: Record<string, string>
}

/** An answer, its body read as JSON. */
// oxlint-disable-next-line typescript/no-explicit-any -- a body is whatever came; the matchers of the tests look into it
interface Answer<Body = Record<string, any>> {
  status: number
  body: Body
  headers: Record<string, unknown>
}

/** One customer of a test with a token of their own. */
export interface Customer {
  id: number
  email: string
  password: string
  cartId: number
  get: (url: string, call?: Call) => Promise<Answer>
  post: (url: string, body?: unknown, call?: Call) => Promise<Answer>
  put: (url: string, body?: unknown, call?: Call) => Promise<Answer>
  /** Puts tickets into the cart and makes the provider's order. */
  order: (offerId: number, quantity: number, more?: Record<string, unknown>) => Promise<Answer>
  capture: (orderId: string) => Promise<Answer>
}

export type TestShop = Awaited<ReturnType<typeof testShop>>

const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const probe = createServer()
    probe.once('error', reject)
    probe.listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as AddressInfo
      probe.close(() => resolve(port))
    })
  })

/** A whole shop on a database of its own, listening, with an emulator of its own that notifies it. */
export async function testShop(options: ShopOptions = {}) {
  const database: TestDatabase = await testDatabase()
  const port = await freePort()
  const paypal: PaypalEmulator = await startPaypalEmulator({
    port: 0,
    webhookUrl: `http://127.0.0.1:${port}/api/paypal/webhook/`,
    webhookRetryMs: 50,
    ...options.emulator,
  })
  const config = readConfig({
    PORT: String(port),
    PUBLIC_URL: `http://127.0.0.1:${port}`,
    PAYPAL_BASE_URL: paypal.url,
    PAYPAL_TIMEOUT_MS: '2000',
    ...options.env,
  })
  const passwords = createPasswords(CHEAP)
  const clock = options.clock ?? systemClock
  const parts = { config, secret: SECRET, db: database.db, log: pino({ level: 'silent' }), passwords, clock }
  const app: FastifyInstance = await buildApp(parts)
  if (options.pages) await registerPages(app, { config })
  await app.listen({ port, host: '127.0.0.1' })

  async function send(
    method: 'GET' | 'POST' | 'PUT',
    url: string,
    body: unknown,
    token: string | null,
    call: Call = {},
  ) {
    const headers: Record<string, string> = { 'accept-language': call.language ?? 'en', ...call.headers }
    if (token) headers['authorization'] = `Bearer ${token}`
    const payload = body === undefined ? {} : { payload: body as object }
    const answer = await app.inject({ method, url, headers, ...payload })
    const isJson = String(answer.headers['content-type']).startsWith('application/json')
    return {
      status: answer.statusCode,
      body: isJson ? answer.json() : answer.rawPayload,
      headers: answer.headers,
    } as Answer
  }

  let customers = 0
  async function newCustomer(): Promise<Customer> {
    customers += 1
    const email = `buyer${customers}@example.test`
    const password = 'correct horse battery'
    const account = { username: `buyer ${customers}`, email, password, phone: '', language: 'en' as const }
    const id = await createDemoAccount(database.db, passwords, account)
    const login = await send('POST', '/api/token/', { username: email, password }, null)
    const token = login.body['access'] as string
    const get = (url: string, call?: Call) => send('GET', url, undefined, token, call)
    const post = (url: string, body?: unknown, call?: Call) => send('POST', url, body, token, call)
    const put = (url: string, body?: unknown, call?: Call) => send('PUT', url, body, token, call)
    const cart = await get('/api/cart/')
    const cartId = (cart.body as unknown as { id: number }[])[0]?.id ?? 0
    return {
      id,
      email,
      password,
      cartId,
      get,
      post,
      put,
      async order(offerId, quantity, more = {}) {
        const added = await post(`/api/cart/${cartId}/add_item/`, { offer_id: offerId, quantity, ...more })
        return added.status === 200 ? post('/api/paypal/create-order/', { country_code: 'BE' }) : added
      },
      capture: (orderId) => post('/api/paypal/capture-payment/', { order_id: orderId }),
    }
  }

  let offers = 0
  /** Stores a contest; what is left out is an ordinary running one without a question. */
  async function newOffer(change: OfferChange = {}): Promise<number> {
    offers += 1
    const { question = null, choices = [], correct_choice = null } = change
    return database.db.transaction().execute((trx) =>
      insertOffer(trx, {
        offer: {
          slug: change.slug ?? `contest-${offers}`,
          title: change.title ?? `Concours ${offers}`,
          title_nl: `Wedstrijd ${offers}`,
          title_en: `Contest ${offers}`,
          price_cents: change.price_cents ?? 490,
          total_tickets: change.total_tickets ?? 1_000,
          active: change.active ?? true,
          end_date: change.end_date ?? new Date(Date.now() + 86_400_000),
          number_key: createHash('sha256').update(`key ${offers}`).digest(),
          question,
          choices,
          correct_choice,
        },
        pictures: [],
      }),
    )
  }

  /** A new customer with an approved order of a contest, by default a new one. */
  async function approvedOrder(quantity = 2, buyer = 'buyer@buyer.test', contest?: number) {
    const offerId = contest ?? (await newOffer())
    const customer = await newCustomer()
    const created = await customer.order(offerId, quantity)
    if (created.status !== 200) throw new Error(`no order: ${JSON.stringify(created.body)}`)
    const orderId = created.body['order_id'] as string
    await paypal.approve(orderId, buyer)
    return { offerId, customer, orderId }
  }

  return {
    app,
    config,
    paypal,
    clock,
    port,
    ...database,
    /** What the background work uses, to call it by hand. */
    checkout: checkoutDeps(parts),
    newCustomer,
    newOffer,
    approvedOrder,
    /** How many tickets a customer's list shows. */
    ticketCount: async (customer: Customer): Promise<number> =>
      ((await customer.get('/api/tickets/')).body as unknown as unknown[]).length,
    anonymous: (method: 'GET' | 'POST' | 'PUT', url: string, body?: unknown, call?: Call) =>
      send(method, url, body, null, call),
    withToken: (token: string, method: 'GET' | 'POST' | 'PUT', url: string, body?: unknown) =>
      send(method, url, body, token),
    counters: (offerId: number) =>
      database.db
        .selectFrom('offers')
        .select(['tickets_sold', 'tickets_held'])
        .where('id', '=', offerId)
        .executeTakeFirstOrThrow(),
    orderState: async (providerId: string) =>
      (
        await database.db
          .selectFrom('orders')
          .select('state')
          .where('provider_order_id', '=', providerId)
          .executeTakeFirstOrThrow()
      ).state,
    async close(): Promise<void> {
      await app.close()
      await paypal.close()
      await database.close()
    },
  }
}

interface OfferChange {
  slug?: string
  title?: string
  price_cents?: number
  total_tickets?: number
  active?: boolean
  end_date?: Date
  question?: string | null
  choices?: string[]
  correct_choice?: string | null
}
