import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { ClientRequest } from 'node:http'
import { type Socket, connect } from 'node:net'
import os from 'node:os'
import { afterEach, describe, expect, inject, onTestFinished, test, vi } from 'vitest'
import pg from 'pg'
import { closeGate } from '../support/races.ts'
import { type TestShop, openShop, testShop } from '../support/shop.ts'

const TOKEN = 'a token for the figures'
let delayMs = 0
let isStopping = false
const lines: Record<string, unknown>[] = []
const shop = await openShop({
  env: { METRICS_TOKEN: TOKEN, SHED_DELAY_MS: '100', LOG_LEVEL: 'debug' },
  pages: true,
  logLine: (line) => lines.push(line),
  delayMs: () => delayMs,
  isStopping: () => isStopping,
})

afterEach(() => {
  delayMs = 0
  isStopping = false
})

const asPage = { headers: { accept: 'text/html,*/*' } }
const asMonitor = { headers: { authorization: `Bearer ${TOKEN}` } }
const statusOf = async (url: string, at = shop): Promise<number> => (await at.anonymous('GET', url)).status
const textOf = ({ body }: { body: object }): string => (body as Buffer).toString()
const metrics = async (at = shop): Promise<string> =>
  textOf(await at.anonymous('GET', '/metrics', undefined, asMonitor))
const LIVE = '/api/health/live'
const retryable = { status: 503, headers: { 'retry-after': expect.any(String) } }

/** A shop with other settings, until the test ends. */
async function otherShop(env: Record<string, string>): Promise<TestShop> {
  const other = await testShop({ env })
  onTestFinished(() => other.close())
  return other
}

describe('a request id', () => {
  const UUID = /^[\da-f-]{36}$/

  test('is in the response and in every line of its log', async () => {
    const { status, headers } = await shop.anonymous('GET', '/api/offers/')
    const id = headers['x-request-id']
    expect([status, id]).toEqual([200, expect.stringMatching(UUID)])
    const logged = lines.filter((line) => line['reqId'] === id)
    expect(logged).toMatchObject([{ msg: 'answered', route: '/api/offers/' }])
  })

  test.each<[string, RegExp]>([
    ['proxy-0123.abc_DEF', /^proxy-0123\.abc_DEF$/],
    ...['short', 'x'.repeat(65), 'with space 1234', '"quote":"12345', 'añadido-123'].map(
      (id): [string, RegExp] => [id, UUID],
    ),
  ])('of a proxy, %s, is used only where it is well-formed', async (sent, used) => {
    const call = { headers: { 'x-request-id': sent } }
    const { headers } = await shop.anonymous('GET', '/api/offers/', undefined, call)
    expect(headers['x-request-id']).toMatch(used)
  })

  test('is in the log lines of everything that the request causes', async () => {
    const { customer, orderId } = await shop.approvedOrder(1, 'tampered@buyer.test')
    const { headers } = await customer.capture(orderId)
    // The notification, which may come first, logs the same under its own id.
    const found = lines.filter(({ msg }) => String(msg).startsWith('captured another amount'))
    expect(found).toContainEqual(expect.objectContaining({ reqId: headers['x-request-id'], level: 50 }))
  })

  test('is shared by a page and its calls', async () => {
    const { headers } = await shop.anonymous('GET', '/offers', undefined, asPage)
    const own = lines.filter((line) => line['reqId'] === headers['x-request-id'])
    const routes = own.map((line) => line['route'])
    expect(routes).toEqual(expect.arrayContaining(['/*', '/api/offers/']))
  })

  test('is part of an error, so that a person can quote it', async () => {
    const customer = await shop.newCustomer()
    await shop.pool.query('ALTER TABLE carts RENAME TO carts_away')
    const { status, body, headers } = await customer.get('/api/cart/')
    await shop.pool.query('ALTER TABLE carts_away RENAME TO carts')
    expect([status, body['request_id']]).toEqual([500, headers['x-request-id']])
  })
})

describe('a trace that a caller has begun', () => {
  const ID = '0af7651916cd43dd8448eb211c80319c'
  const traced = { headers: { traceparent: `00-${ID}-b7ad6b7169203331-01` } }
  const ofTrace = () => lines.filter((line) => line['trace_id'] === ID)

  test('is in every log line that the request causes', async () => {
    const { customer, orderId } = await shop.approvedOrder(1, 'tampered@buyer.test')
    const capture = await customer.post('/api/paypal/capture-payment/', { order_id: orderId }, traced)
    const own = lines.filter((line) => line['reqId'] === capture.headers['x-request-id'])
    expect(own).toEqual(own.map(() => expect.objectContaining({ trace_id: ID })))
    expect(own.map((line) => line['msg'])).toEqual(
      expect.arrayContaining(['answered', expect.stringMatching(/^captured another amount/)]),
    )
  })

  test('goes on in the calls to the provider that the request causes', async () => {
    const customer = await shop.newCustomer()
    await customer.add(await shop.newOffer(), 1)
    const sent: unknown[] = []
    const record = (message: unknown): void => {
      const { request } = message as { request: ClientRequest }
      const isOfProvider = shop.paypal.url.endsWith(String(request.getHeader('host')))
      if (isOfProvider && request.path === '/v2/checkout/orders') sent.push(request.getHeader('traceparent'))
    }
    subscribe('http.client.request.start', record)
    expect((await customer.create('BE', traced)).status).toBe(200)
    unsubscribe('http.client.request.start', record)
    expect(sent).toEqual([expect.stringMatching(`^00-${ID}-(?!b7ad6b7169203331)[\\da-f]{16}-01$`)])
  })

  test('is shared by a page and its calls', async () => {
    lines.length = 0
    await shop.anonymous('GET', '/draws', undefined, { headers: { ...asPage.headers, ...traced.headers } })
    expect(ofTrace().map((line) => line['route'])).toEqual(expect.arrayContaining(['/*', '/api/draws/']))
  })

  test.each([undefined, 'nonsense', `00-${'0'.repeat(32)}-b7ad6b7169203331-01`])(
    'is none when the caller says %s',
    async (traceparent) => {
      const call = traceparent === undefined ? {} : { headers: { traceparent } }
      const { status, headers } = await shop.anonymous('GET', '/api/offers/', undefined, call)
      const own = lines.filter((line) => line['reqId'] === headers['x-request-id'])
      expect([status, own.length > 0, own.filter((line) => 'trace_id' in line)]).toEqual([200, true, []])
    },
  )
})

describe('metrics', () => {
  test.each([{}, { authorization: 'Bearer wrong' }, { authorization: TOKEN }])(
    'need the token: %j',
    async (headers) => {
      const sent = headers as Record<string, string>
      const { status, body } = await shop.anonymous('GET', '/metrics', undefined, { headers: sent })
      expect(status).toBe(401)
      expect(JSON.stringify(body)).not.toContain('volant_')
    },
  )

  test('count purchases, batches, calls to the provider and responses', async () => {
    const { customer, orderId } = await shop.approvedOrder(2)
    expect((await customer.capture(orderId)).status).toBe(200)
    const text = await metrics()
    const value = (name: string) => {
      const line = text.split('\n').find((one) => one.startsWith(`${name} `))
      return Number(line?.slice(name.length + 1))
    }
    for (const name of [
      'holds_total{outcome="held"}',
      'settlements_total',
      'batch_size_count{batch="settle"}',
      'provider_seconds_count{call="capture",outcome="ok"}',
      'http_request_seconds_count{method="POST",route="/api/paypal/capture-payment/",status="200"}',
      'orders{state="completed"}',
      'backlog{what="emails"}',
    ])
      expect(value(`volant_${name}`), name).toBeGreaterThanOrEqual(1)
    for (const name of ['waiting', 'oldest_seconds'])
      expect(value(`volant_batch_${name}{batch="hold"}`), name).toBe(0)
  })

  test('count refusals by limit', async () => {
    const LIMITS = {
      LIMIT_GENEROUS: 'account 1/10m, address 1000/10m, all 1000/10m',
      LIMIT_NORMAL: 'account 1/10m, address 600/10m, all 60000/10m',
    }
    const narrow = await otherShop({ ...LIMITS, METRICS_TOKEN: TOKEN })
    const question = { question: 'Deux et deux ?', choices: ['3', '4'], correct_choice: '4' }
    const customer = await narrow.newCustomer()
    const offerId = await narrow.newOffer(question)
    for (const expected of [400, 429])
      expect((await customer.add(offerId, 1, { answer: '3' })).status).toBe(expected)
    for (const expected of [409, 429, 429]) expect((await customer.create()).status).toBe(expected)
    const counts = (await metrics(narrow)).match(/^volant_limited_total.*/gm)
    expect(counts).toEqual([
      'volant_limited_total{limit="answers"} 1',
      'volant_limited_total{limit="createOrder"} 2',
    ])
  })
})

describe('the log', () => {
  test('says in each line which process of which version wrote it', async () => {
    await shop.anonymous('GET', '/api/offers/')
    const version = expect.stringMatching(/^\d+\.\d+\.\d+/)
    for (const line of lines)
      expect(line).toMatchObject({ host: os.hostname(), pid: process.pid, version, roles: 'web,worker' })
  })

  test('has no line for what monitors ask', async () => {
    const asked = [LIVE, '/api/health/ready', '/api/health/jobs', '/metrics']
    const responses = await Promise.all(asked.map((url) => shop.anonymous('GET', url, undefined, asMonitor)))
    isStopping = true
    responses.push(await shop.anonymous('GET', '/api/health/ready'))
    const ids = new Set(responses.map(({ headers }) => headers['x-request-id']))
    expect(ids.size).toBe(5)
    expect(lines.filter((line) => ids.has(line['reqId']))).toEqual([])
  })

  test('has one for whoever asks for the figures without the token', async () => {
    const { headers } = await shop.anonymous('GET', '/metrics')
    const logged = lines.filter((line) => line['reqId'] === headers['x-request-id'])
    expect(logged).toMatchObject([{ msg: 'answered', route: '/metrics', status: 401 }])
  })
})

describe('an overloaded process', () => {
  test('refuses calls and pages in the caller’s language, with Retry-After', async () => {
    delayMs = 101
    const call = await shop.anonymous('GET', '/api/offers/', undefined, { language: 'nl' })
    const detail = expect.stringMatching(/^Het is erg druk/)
    const refused = { status: 503, headers: { 'retry-after': '2' } }
    expect(call).toMatchObject({ ...refused, body: { code: 'request.overloaded', detail } })

    const page = await shop.anonymous('GET', '/offers', undefined, { ...asPage, language: 'en' })
    expect(page).toMatchObject(refused)
    expect(page.headers['content-type']).toContain('text/html')
    expect(textOf(page)).toContain('Very busy at the moment')
  })

  test('still responds to health checks and metrics', async () => {
    delayMs = 1_000_000
    expect([await statusOf(LIVE), await statusOf('/api/health/ready')]).toEqual([200, 200])
    expect(await metrics()).toContain('volant_')
  })

  test('still completes payments that have begun, unless it is far beyond its limits', async () => {
    const { customer, orderId } = await shop.approvedOrder(1)
    delayMs = 401
    expect((await customer.capture(orderId)).status).toBe(503)
    expect(await shop.orderState(orderId)).toBe('held')
    delayMs = 399
    expect((await customer.get('/api/cart/')).status).toBe(503)
    expect((await customer.capture(orderId)).status).toBe(200)
    expect((await shop.anonymous('POST', '/api/paypal/webhook/', {})).status).toBe(400)
  })

  const SETTINGS = '/api/settings/'

  test('counts requests in progress, but none that is incomplete or was hung up', async () => {
    const narrow = await otherShop({ SHED_REQUESTS: '3' })
    const sockets: Socket[] = []
    const send = (text: string): Promise<Socket> =>
      new Promise((resolve, reject) => {
        const socket = connect(narrow.port, '127.0.0.1', () => socket.write(text, () => resolve(socket)))
        socket.on('error', reject)
        sockets.push(socket)
      })
    const head = 'POST /api/token/ HTTP/1.1\r\nhost: shop\r\ncontent-type: application/json\r\n'
    const half = `${head}content-length: 100\r\n\r\n{"user`
    const halves = await Promise.all(Array.from({ length: 8 }, () => send(half)))
    expect(await statusOf(SETTINGS, narrow)).toBe(200)
    for (const socket of halves.slice(4)) socket.destroy()

    const gate = await closeGate(narrow.url, 'LOCK TABLE offers')
    const whole = 'GET /api/offers/ HTTP/1.1\r\nhost: shop\r\n\r\n'
    const waiting = await Promise.all([1, 2, 3].map(() => send(whole)))
    await gate.waiting(3)
    expect(await statusOf(SETTINGS, narrow)).toBe(503)
    for (const socket of waiting) socket.destroy()
    await expect.poll(() => statusOf(SETTINGS, narrow)).toBe(200)
    await gate.open()
    const { requestTimeout, headersTimeout } = narrow.app.server
    expect(requestTimeout).toBeGreaterThan(0)
    expect(headersTimeout).toBeGreaterThan(0)
    for (const socket of sockets) socket.destroy()

    const again = await closeGate(narrow.url, 'LOCK TABLE offers')
    const calls = [1, 2, 3].map(() => statusOf('/api/offers/', narrow))
    await again.waiting(3)
    expect(await statusOf(SETTINGS, narrow)).toBe(503)
    await again.open()
    expect(await Promise.all(calls)).toEqual([200, 200, 200])
    expect(await statusOf(SETTINGS, narrow)).toBe(200)
  })
})

test('a connection whose responses nobody reads is closed', async () => {
  const timers = vi.spyOn(globalThis, 'setInterval')
  const other = await otherShop({})
  // Every tenth part of a minute of patience.
  const looks = timers.mock.calls.filter(([, ms]) => ms === 6_000).map(([look]) => look as () => void)
  timers.mockRestore()
  const isClosed = Promise.withResolvers<void>()
  const ask = 'GET /api/docs/openapi.json HTTP/1.1\r\nhost: shop\r\n\r\n'
  const socket = connect(other.port, '127.0.0.1', () => socket.write(ask.repeat(100)))
  socket.pause().on('error', () => isClosed.resolve())
  const [serving] = await new Promise<Socket[]>((resolve) =>
    other.app.server.once('connection', (one: Socket) => resolve([one])),
  )
  serving?.once('close', () => isClosed.resolve())
  await expect.poll(() => serving?.writableLength).toBeGreaterThan(0)
  const look = (): void => looks.forEach((one) => one())
  look()
  const later = performance.now() + 3_600_000
  const clock = vi.spyOn(performance, 'now').mockReturnValue(later)
  look()
  clock.mockRestore()
  await isClosed.promise
  expect(serving?.destroyed).toBe(true)
})

describe('a process is ready', () => {
  const ready = async () => {
    const { status, body } = await shop.anonymous('GET', '/api/health/ready')
    return [status, body['status']]
  }
  const OK = [200, 'ok']
  /** Changes something as the superuser, who is not bound by it, and cuts all connections of the shop. */
  async function asAdmin(change: string): Promise<void> {
    const admin = new pg.Client({ connectionString: inject('databaseAdminUrl') })
    await admin.connect()
    const name = new URL(shop.url).pathname.slice(1)
    await admin.query(`ALTER DATABASE "${name}" ${change}`)
    await admin.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name}'`)
    await admin.end()
  }

  test('until it receives a signal to stop', async () => {
    expect(await ready()).toEqual(OK)
    isStopping = true
    expect(await ready()).toEqual([503, 'stopping'])
    expect(await statusOf(LIVE)).toBe(200)
  })

  test('once its database is migrated', async () => {
    await shop.pool.query('UPDATE schema_migration SET version = version - 1000')
    expect(await ready()).toEqual([503, 'migrations missing'])
    await shop.pool.query('UPDATE schema_migration SET version = version + 1000')
    expect(await ready()).toEqual(OK)
  })

  test('while its database responds; until then calls get 503 and the process lives on', async () => {
    try {
      await asAdmin('ALLOW_CONNECTIONS false')
      await expect.poll(ready).toEqual([503, 'database away'])
      expect(await statusOf(LIVE)).toBe(200)
      expect(await shop.anonymous('GET', '/api/offers/?away')).toMatchObject(retryable)
    } finally {
      await asAdmin('ALLOW_CONNECTIONS true')
    }
    await expect.poll(ready).toEqual(OK)
    expect(await statusOf('/api/offers/')).toBe(200)
  })

  test('while its database accepts writes', async () => {
    const customer = await shop.newCustomer()
    try {
      await asAdmin('SET default_transaction_read_only = on')
      await expect.poll(ready).toEqual([503, 'database read-only'])
      expect(await customer.add(1, 1)).toMatchObject(retryable)
    } finally {
      await asAdmin('RESET default_transaction_read_only')
    }
    await expect.poll(ready).toEqual(OK)
  })
})
