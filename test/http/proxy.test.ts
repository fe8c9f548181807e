import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http'
import path from 'node:path'
import { request as httpsRequest } from 'node:https'
import { text } from 'node:stream/consumers'
import { type SecureVersion, connect } from 'node:tls'
import { setTimeout as sleep } from 'node:timers/promises'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { UPLOAD_MAX_BYTES } from '#features/pictures/pictures.rules.ts'
import { STATEMENT_MAX_BYTES } from '#features/reports/statement.rules.ts'
import { freePort } from '../../tools/run/free-port.ts'
import { selfSignedCertificate } from '../../tools/testbed/haproxy.ts'
import { sendRaw } from '../support/raw-requests.ts'
import { openShop } from '../support/shop.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const deploy = path.resolve(import.meta.dirname, '../../deploy/haproxy')
const isMissing = ['haproxy', 'openssl'].some((program) => spawnSync(program, ['-v']).error !== undefined)

/** The example of deploy/, in front of a shop. */
describe.skipIf(isMissing)('the example of a proxy', async () => {
  if (isMissing) return
  const shop = await openShop({ env: { TRUST_PROXY: 'true' } })
  const web = `127.0.0.1:${shop.port}`
  const [plain, secure] = [await freePort(), await freePort()]
  const env = {
    ...process.env,
    SHOP_TRIAL: 'yes',
    SHOP_AWAY: deploy,
    SHOP_HTTP: `127.0.0.1:${plain}`,
    SHOP_HTTPS: `127.0.0.1:${secure}`,
    SHOP_CERTIFICATE: selfSignedCertificate(temporaryFolder('volant-proxy-', 'file')).withKey,
    SHOP_WEB_1: web,
    SHOP_WEB_2: web,
  }
  const proxy = spawn('haproxy', ['-db', '-f', path.join(deploy, 'haproxy.cfg')], { env, stdio: 'ignore' })
  const ended = once(proxy, 'exit')
  afterAll(async () => {
    proxy.kill()
    await ended
  })
  const ask = (line: string) =>
    sendRaw(plain, `${line} HTTP/1.1\r\nhost: shop.example\r\nconnection: close\r\n\r\n`)
  beforeAll(async () => {
    while ((await ask('GET /')).status === 0) await sleep(50)
  })

  test.each([
    ['GET /offers?lang=nl', 308, 'location: https://shop.example/offers?lang=nl'],
    ['GET /api/offers/', 403, '"code":"request.httpsOnly"'],
    ['GET /%61pi/offers/', 403, '"code":"request.httpsOnly"'],
    ['POST /api/token/', 403, '"code":"request.httpsOnly"'],
    ['POST /login', 403, 'HTTPS is required.'],
  ])(
    'responds to %s over plain HTTP with %i, and the headers of every response',
    async (line, status, part) => {
      const got = await ask(line)
      expect(got.status).toBe(status)
      for (const one of [
        part,
        'x-content-type-options: nosniff',
        'strict-transport-security: max-age=63072000',
        'cache-control: no-store',
      ])
        expect(got.response.toLowerCase()).toContain(one.toLowerCase())
    },
  )

  test('passes on what comes over TLS 1.2 and 1.3, and refuses older versions', async () => {
    const over = async (maxVersion: SecureVersion): Promise<string> => {
      const ciphers = 'DEFAULT@SECLEVEL=0'
      const socket = connect({
        port: secure,
        minVersion: 'TLSv1',
        maxVersion,
        ciphers,
        rejectUnauthorized: false,
      })
      socket.end('GET /api/health/live HTTP/1.1\r\nhost: shop.example\r\nconnection: close\r\n\r\n')
      return (await socket.setEncoding('utf8').toArray()).join('')
    }
    for (const version of ['TLSv1.2', 'TLSv1.3'] as const)
      expect(await over(version)).toMatch(/^HTTP\/1\.1 200 /)
    for (const version of ['TLSv1', 'TLSv1.1'] as const)
      await expect(over(version)).rejects.toThrow(/version|alert/)
  })

  const staff = await shop.newStaff('manager')
  const send = async (path: string, type: string, body: Buffer, more: OutgoingHttpHeaders = {}) => {
    const headers = { ...more, cookie: staff.cookie, origin: shop.config.publicUrl, 'content-type': type }
    for (let tries = 1; ; tries += 1) {
      const call = httpsRequest({ port: secure, method: 'POST', path, headers, rejectUnauthorized: false })
      // A refusal comes before the last byte; a connection that closes then can lose it.
      call.on('error', () => undefined).end(body)
      try {
        const [response] = (await once(call, 'response')) as [IncomingMessage]
        return { status: response.statusCode, body: await text(response) }
      } catch (error) {
        if (tries === 5) throw error
      }
    }
  }
  const MEGABYTE = 1024 * 1024
  const pictures = '/api/staff/pictures/'
  const statements = '/api/staff/reports/statements/'

  test('passes on a picture of 20 MB', async () => {
    const create = { width: 2_640, height: 2_640, channels: 3, background: 'green' } as const
    const picture = await sharp({ create }).png({ compressionLevel: 0 }).toBuffer()
    expect(picture.length).toBeGreaterThan(20_000_000)
    const got = await send(pictures, 'image/png', picture)
    expect([got.status, got.body]).toEqual([200, expect.stringContaining('"width":2640')])
  })

  test('lets the shop say what it thinks of a file that is as large as allowed, or a little larger', async () => {
    const file = (bytes: number) => Buffer.alloc(bytes, '-')
    const codes = []
    for (const [path, type, most] of [
      [pictures, 'image/png', UPLOAD_MAX_BYTES],
      [statements, 'text/csv', STATEMENT_MAX_BYTES],
      [`${statements}?again=true`, 'text/csv', STATEMENT_MAX_BYTES],
    ] as const)
      for (const bytes of [most, most + 1]) {
        const { status, body } = await send(path, type, file(bytes))
        codes.push([status, (JSON.parse(body) as { code: string }).code])
      }
    const refused = [413, 'reports.statement.tooLarge']
    const read = [422, expect.stringMatching(/^reports\.statement\./)]
    expect(codes).toEqual([
      [415, 'pictures.unsupported'],
      [413, 'pictures.tooLarge'],
      read,
      refused,
      read,
      refused,
    ])
  })

  test.each(['/api/contact/', '/api/staff/pictures/1/', '/api/staff/orders/search/', '/login'])(
    'refuses 2 MB for %s',
    async (path) => {
      const length = { 'content-length': 2 * MEGABYTE }
      const { status, body } = await send(path, 'application/json', Buffer.alloc(MEGABYTE / 8), length)
      expect([status, body]).toEqual([413, expect.stringContaining('<h1>413')])
    },
  )
})
