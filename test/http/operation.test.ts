import { type Socket, connect } from 'node:net'
import { afterEach, describe, expect, inject, test } from 'vitest'
import pg from 'pg'
import { closeGate } from '../support/races.ts'
import { openShop, testShop } from '../support/shop.ts'

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

const html = { headers: { accept: 'text/html,*/*' } }

describe('the number of a request', () => {
  test('is in the answer, and in every line of its log', async () => {
    const { status, headers } = await shop.anonymous('GET', '/api/offers/')
    expect(status).toBe(200)
    const id = headers['x-request-id']
    expect(id).toMatch(/^[\da-f-]{36}$/)
    expect(lines.filter((line) => line['reqId'] === id)).toEqual([
      expect.objectContaining({ msg: 'answered', route: '/api/offers/' }),
    ])
  })

  test('is the one that a proxy gives it, where that is well-formed', async () => {
    const answered = async (sent: string): Promise<unknown> => {
      const call = { headers: { 'x-request-id': sent } }
      return (await shop.anonymous('GET', '/api/offers/', undefined, call)).headers['x-request-id']
    }
    expect(await answered('proxy-0123.abc_DEF')).toBe('proxy-0123.abc_DEF')
    for (const sent of ['short', 'x'.repeat(65), 'with space 1234', '"quote":"12345', 'añadido-123']) {
      expect(await answered(sent)).toMatch(/^[\da-f-]{36}$/)
    }
  })

  test('is in the lines of everything that is done for it', async () => {
    const { customer, orderId } = await shop.approvedOrder(1, 'tampered@buyer.test')
    const { headers } = await customer.capture(orderId)
    // The notification, which may come first, says the same under a number of its own.
    const told = lines.filter(({ msg }) => String(msg).startsWith('captured another amount'))
    expect(told).toContainEqual(expect.objectContaining({ reqId: headers['x-request-id'], level: 50 }))
  })

  test('is shared by a page and the calls that it makes', async () => {
    const { status, headers } = await shop.anonymous('GET', '/offers', undefined, html)
    expect(status).toBe(200)
    const routes = lines
      .filter((line) => line['reqId'] === headers['x-request-id'])
      .map((one) => one['route'])
    expect(routes).toEqual(expect.arrayContaining(['/*', '/api/offers/']))
  })

  test('is told with a failure, so that a person can quote it', async () => {
    const { customer } = await shop.approvedOrder(1)
    await shop.pool.query('ALTER TABLE carts RENAME TO carts_away')
    try {
      const { status, body, headers } = await customer.get('/api/cart/')
      expect(status).toBe(500)
      expect(body['request_id']).toBe(headers['x-request-id'])
    } finally {
      await shop.pool.query('ALTER TABLE carts_away RENAME TO carts')
    }
  })
})

describe('figures', () => {
  const figures = (headers: Record<string, string>) =>
    shop.anonymous('GET', '/metrics', undefined, { headers })

  test('are for those who show the token only', async () => {
    for (const headers of [{}, { authorization: 'Bearer wrong' }, { authorization: TOKEN }]) {
      const { status, body } = await figures(headers as Record<string, string>)
      expect(status).toBe(401)
      expect(JSON.stringify(body)).not.toContain('volant_')
    }
  })

  test('count purchases, batches, calls to the provider and answers', async () => {
    const { customer, orderId } = await shop.approvedOrder(2)
    expect((await customer.capture(orderId)).status).toBe(200)
    const { status, body } = await figures({ authorization: `Bearer ${TOKEN}` })
    expect(status).toBe(200)
    const text = (body as unknown as Buffer).toString()
    const value = (name: string): number =>
      Number(
        text
          .split('\n')
          .find((line) => line.startsWith(`${name} `))
          ?.slice(name.length + 1),
      )
    expect(value('volant_holds_total{outcome="held"}')).toBeGreaterThanOrEqual(1)
    expect(value('volant_settlements_total')).toBeGreaterThanOrEqual(1)
    expect(value('volant_batch_size_count{batch="settle"}')).toBeGreaterThanOrEqual(1)
    expect(value('volant_batch_waiting{batch="hold"}')).toBe(0)
    expect(value('volant_batch_oldest_seconds{batch="hold"}')).toBe(0)
    expect(value('volant_provider_seconds_count{call="capture",outcome="ok"}')).toBeGreaterThanOrEqual(1)
    expect(
      value(
        'volant_http_request_seconds_count{method="POST",route="/api/paypal/capture-payment/",status="200"}',
      ),
    ).toBeGreaterThanOrEqual(1)
    expect(value('volant_orders{state="completed"}')).toBeGreaterThanOrEqual(1)
    expect(value('volant_backlog{what="emails"}')).toBeGreaterThanOrEqual(1)
  })

  test('count refusals by the limit that gave them, whichever way it counts', async () => {
    const LIMITS = {
      LIMIT_GENEROUS: 'account 1/10m, address 1000/10m, all 1000/10m',
      LIMIT_NORMAL: 'account 1/10m, address 600/10m, all 60000/10m',
    }
    const narrow = await testShop({ env: { ...LIMITS, METRICS_TOKEN: TOKEN } })
    try {
      const asks = { question: 'Deux et deux ?', choices: ['3', '4'], correct_choice: '4' }
      const customer = await narrow.newCustomer()
      const guess = { offer_id: await narrow.newOffer(asks), quantity: 1, answer: '3' }
      for (const expected of [400, 429])
        expect((await customer.post(`/api/cart/${customer.cartId}/add_item/`, guess)).status).toBe(expected)
      for (const expected of [409, 429, 429])
        expect((await customer.post('/api/paypal/create-order/', {})).status).toBe(expected)
      const { body } = await narrow.anonymous('GET', '/metrics', undefined, {
        headers: { authorization: `Bearer ${TOKEN}` },
      })
      const lines = (body as unknown as Buffer).toString().split('\n')
      expect(lines.filter((line) => line.startsWith('volant_limited_total'))).toEqual([
        'volant_limited_total{limit="answers"} 1',
        'volant_limited_total{limit="createOrder"} 2',
      ])
    } finally {
      await narrow.close()
    }
  })

  test('have no address in a shop without a token', async () => {
    const closed = await testShop({ pages: true })
    try {
      const { status } = await closed.anonymous('GET', '/metrics', undefined, {
        headers: { authorization: 'Bearer undefined' },
      })
      expect(status).toBe(404)
    } finally {
      await closed.close()
    }
  })
})

describe('a process that is overloaded', () => {
  test('turns calls and pages away, in the caller’s language, and says when to come back', async () => {
    delayMs = 101
    const call = await shop.anonymous('GET', '/api/offers/', undefined, { language: 'nl' })
    expect(call).toMatchObject({ status: 503, body: { code: 'request.overloaded' } })
    expect(call.body['detail']).toMatch(/^Het is erg druk/)
    expect(call.headers['retry-after']).toBe('2')

    const page = await shop.anonymous('GET', '/offers', undefined, { ...html, language: 'en' })
    expect(page.status).toBe(503)
    expect(page.headers['retry-after']).toBe('2')
    expect(page.headers['content-type']).toContain('text/html')
    expect((page.body as unknown as Buffer).toString()).toContain('Very busy at the moment')
  })

  test('still says how it is', async () => {
    delayMs = 1_000_000
    expect((await shop.anonymous('GET', '/api/health/live')).status).toBe(200)
    expect((await shop.anonymous('GET', '/api/health/ready')).status).toBe(200)
    const headers = { authorization: `Bearer ${TOKEN}` }
    expect((await shop.anonymous('GET', '/metrics', undefined, { headers })).status).toBe(200)
  })

  test('lets payments that have begun come to their end', async () => {
    const { customer, orderId } = await shop.approvedOrder(1)
    delayMs = 399
    expect((await customer.get('/api/cart/')).status).toBe(503)
    expect((await customer.capture(orderId)).status).toBe(200)
    expect((await shop.anonymous('POST', '/api/paypal/webhook/', {})).status).toBe(400)
  })

  test('turns even those away when it is far beyond its bounds', async () => {
    const { customer, orderId } = await shop.approvedOrder(1)
    delayMs = 401
    expect((await customer.capture(orderId)).status).toBe(503)
    expect(await shop.orderState(orderId)).toBe('held')
    delayMs = 0
    expect((await customer.capture(orderId)).status).toBe(200)
  })

  test('counts nobody whose request never comes whole, nor whoever has hung up', async () => {
    const narrow = await testShop({ env: { SHED_REQUESTS: '3' } })
    const head = 'POST /api/token/ HTTP/1.1\r\nhost: shop\r\ncontent-type: application/json\r\n'
    const sockets: Socket[] = []
    const begun = (text: string): Promise<Socket> =>
      new Promise((resolve, reject) => {
        const socket = connect(narrow.port, '127.0.0.1', () => socket.write(text, () => resolve(socket)))
        socket.on('error', reject)
        sockets.push(socket)
      })
    try {
      const halves = await Promise.all(
        Array.from({ length: 8 }, () => begun(`${head}content-length: 100\r\n\r\n{"user`)),
      )
      expect((await narrow.anonymous('GET', '/api/settings/')).status).toBe(200)
      for (const socket of halves.slice(4)) socket.destroy()

      const gate = await closeGate(narrow.url, 'LOCK TABLE offers')
      const waiting = await Promise.all(
        [1, 2, 3].map(() => begun('GET /api/offers/ HTTP/1.1\r\nhost: shop\r\n\r\n')),
      )
      await gate.waiting(3)
      expect((await narrow.anonymous('GET', '/api/settings/')).status).toBe(503)
      for (const socket of waiting) socket.destroy()
      await expect.poll(async () => (await narrow.anonymous('GET', '/api/settings/')).status).toBe(200)
      await gate.open()
      const { requestTimeout, headersTimeout } = narrow.app.server
      expect(requestTimeout).toBeGreaterThan(0)
      expect(headersTimeout).toBe(requestTimeout)
    } finally {
      for (const socket of sockets) socket.destroy()
      await narrow.close()
    }
  })

  test('counts the requests that are under way', async () => {
    const narrow = await testShop({ env: { SHED_REQUESTS: '3' } })
    try {
      const gate = await closeGate(narrow.url, 'LOCK TABLE offers')
      const waiting = [1, 2, 3].map(() => narrow.anonymous('GET', '/api/offers/'))
      await gate.waiting(3)
      expect((await narrow.anonymous('GET', '/api/settings/')).status).toBe(503)
      await gate.open()
      expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual([200, 200, 200])
      expect((await narrow.anonymous('GET', '/api/settings/')).status).toBe(200)
    } finally {
      await narrow.close()
    }
  })
})

describe('a process is ready', () => {
  const ready = () => shop.anonymous('GET', '/api/health/ready')

  test('until it is told to stop', async () => {
    expect(await ready()).toMatchObject({ status: 200, body: { status: 'ok' } })
    isStopping = true
    expect(await ready()).toMatchObject({ status: 503, body: { status: 'stopping' } })
    expect((await shop.anonymous('GET', '/api/health/live')).status).toBe(200)
  })

  test('once its database has the shape it needs', async () => {
    await shop.pool.query('UPDATE schema_migration SET version = version - 1000')
    try {
      expect(await ready()).toMatchObject({ status: 503, body: { status: 'migrations missing' } })
    } finally {
      await shop.pool.query('UPDATE schema_migration SET version = version + 1000 WHERE version < 0')
    }
    expect((await ready()).status).toBe(200)
  })

  test('while its database answers: calls are told to come back, and the process lives on', async () => {
    const name = new URL(shop.url).pathname.slice(1)
    const admin = new pg.Client({ connectionString: inject('databaseAdminUrl') })
    await admin.connect()
    try {
      await admin.query(`ALTER DATABASE "${name}" ALLOW_CONNECTIONS false`)
      await admin.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name}'`)
      await expect.poll(ready).toMatchObject({ status: 503, body: { status: 'database away' } })
      expect((await shop.anonymous('GET', '/api/health/live')).status).toBe(200)
      const headers = { 'retry-after': expect.any(String) }
      expect(await shop.anonymous('GET', '/api/offers/?away')).toMatchObject({ status: 503, headers })
    } finally {
      await admin.query(`ALTER DATABASE "${name}" ALLOW_CONNECTIONS true`)
      await admin.end()
    }
    await expect.poll(async () => (await ready()).status).toBe(200)
    expect((await shop.anonymous('GET', '/api/offers/')).status).toBe(200)
  })

  test('while its database takes what is written', async () => {
    const name = new URL(shop.url).pathname.slice(1)
    const admin = new pg.Client({ connectionString: shop.url })
    await admin.connect()
    await admin.query('SET default_transaction_read_only = off')
    const others = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                    WHERE datname = current_database() AND pid <> pg_backend_pid()`
    const customer = await shop.newCustomer()
    try {
      await admin.query(`ALTER DATABASE "${name}" SET default_transaction_read_only = on`)
      await admin.query(others)
      await expect.poll(ready).toMatchObject({ status: 503, body: { status: 'database read-only' } })
      const adding = await customer.add(1, 1)
      expect(adding).toMatchObject({ status: 503, headers: { 'retry-after': expect.any(String) } })
    } finally {
      await admin.query(`ALTER DATABASE "${name}" RESET default_transaction_read_only`)
      await admin.query(others)
      await admin.end()
    }
    await expect.poll(async () => (await ready()).status).toBe(200)
  })
})
