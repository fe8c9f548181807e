import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import Fastify from 'fastify'
import { expect, onTestFinished, test } from 'vitest'
import { handleErrors } from './errors.ts'
import { liveConnections } from './live-connections.ts'

async function serve() {
  const app = Fastify({ trustProxy: true })
  app.decorateRequest('language', 'en')
  handleErrors(app)
  const live = liveConnections({ account: 3, network: 5 })
  let ended = 0
  app.get<{ Querystring: { account?: string } }>('/', (request, reply) => {
    const { account } = request.query
    const connection = live.open(request, reply, {
      ...(account !== undefined && { account: Number(account) }),
      onEnd: () => void (ended += 1),
    })
    connection.send({ account })
  })
  const address = await app.listen({ host: '127.0.0.1', port: 0 })
  onTestFinished(() => {
    live.close()
    return app.close()
  })

  /** Connects as somebody behind a proxy. @returns `closed` resolves when the server ends it */
  async function connect(ip: string, account?: number) {
    const leave = new AbortController()
    const response = await fetch(`${address}/${account === undefined ? '' : `?account=${account}`}`, {
      headers: { 'x-forwarded-for': ip },
      signal: leave.signal,
    })
    const { status, headers } = response
    const isRefused = status !== 200
    const body = isRefused ? ((await response.json()) as object) : undefined
    const closed = isRefused
      ? Promise.resolve(true)
      : response.text().then(
          () => true,
          () => false,
        )
    return { status, headers, body, closed, leave: () => leave.abort() }
  }
  return { connect, live, endings: () => ended }
}

/** @returns the last response of as many connections */
async function fill(connect: (ip: string) => Promise<{ status: number }>, addresses: readonly string[]) {
  const statuses: number[] = []
  for (const ip of addresses) statuses.push((await connect(ip)).status)
  return statuses
}

test('a network that has all it may have is refused with a time to wait, and others are not', async () => {
  const { connect, endings } = await serve()
  const first = await connect('192.0.2.1')
  expect(
    await fill(
      connect,
      Array.from({ length: 4 }, () => '192.0.2.1'),
    ),
  ).toEqual([200, 200, 200, 200])
  const refused = await connect('192.0.2.1')
  expect([refused.status, refused.headers.get('retry-after'), refused.body]).toEqual([
    429,
    '60',
    { detail: 'Too many requests. Please try again in 60 seconds.', code: 'limit.liveConnections' },
  ])
  // Also for somebody with an account, and as an address within IPv6.
  expect((await connect('192.0.2.1', 7)).status).toBe(429)
  expect((await connect('::ffff:192.0.2.1')).status).toBe(429)
  expect((await connect('192.0.2.2')).status).toBe(200)
  // Whoever leaves makes room.
  first.leave()
  await expect.poll(endings).toBe(1)
  expect((await connect('192.0.2.1')).status).toBe(200)
  expect((await connect('192.0.2.1')).status).toBe(429)
})

test('a network of IPv6 is a /64, with a wider ceiling for a /56 and a /48', async () => {
  const { connect } = await serve()
  const near = Array.from({ length: 5 }, (_, at) => `2001:db8:0:0:${at}::1`)
  expect(await fill(connect, [...near, '2001:db8::9:9'])).toEqual([200, 200, 200, 200, 200, 429])
  const next = Array.from({ length: 6 }, () => '2001:db8:0:1::1')
  // Ten for the /56 of both.
  expect(await fill(connect, next)).toEqual([200, 200, 200, 200, 200, 429])
  expect(await fill(connect, ['2001:db8:0:2::1', '2001:db8:0:100::1'])).toEqual([429, 200])
})

test('a further connection of an account ends its oldest, at any address', async () => {
  const { connect } = await serve()
  const oldest = await connect('192.0.2.1', 1)
  const others = [await connect('192.0.2.2', 1), await connect('192.0.2.3', 1), await connect('192.0.2.1', 2)]
  expect((await connect('192.0.2.4', 1)).status).toBe(200)
  expect(await oldest.closed).toBe(true)
  expect(others.map(({ status }) => status)).toEqual([200, 200, 200])
})

test('all end when the server is closed', async () => {
  const { connect, live, endings } = await serve()
  const watching = [await connect('192.0.2.1'), await connect('192.0.2.2', 1)]
  live.close()
  expect(await Promise.all(watching.map(({ closed }) => closed))).toEqual([true, true])
  expect(endings()).toBe(2)
})

test('no other file keeps a stream of events open', () => {
  const source = join(import.meta.dirname, '../..')
  const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter(
    (file) => /\.tsx?$/.test(file) && !file.includes('.test.'),
  )
  const streams = files.filter((file) =>
    readFileSync(join(source, file), 'utf8').includes("'text/event-stream"),
  )
  expect(streams).toEqual(['platform/http/live-connections.ts'])
})
