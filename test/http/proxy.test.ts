import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { type SecureVersion, connect } from 'node:tls'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { freePort } from '../../tools/run/free-port.ts'
import { selfSignedCertificate } from '../../tools/testbed/haproxy.ts'
import { sendRaw } from '../support/raw-requests.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const deploy = path.resolve(import.meta.dirname, '../../deploy/haproxy')
const isMissing = ['haproxy', 'openssl'].some((program) => spawnSync(program, ['-v']).error !== undefined)

/** The example of deploy/, in front of a process that is ready and answers nothing else. */
describe.skipIf(isMissing)('the example of a proxy', async () => {
  if (isMissing) return
  const ready = createServer((_, answer) => void answer.end('from the shop')).listen(0, '127.0.0.1')
  await once(ready, 'listening')
  const web = `127.0.0.1:${(ready.address() as AddressInfo).port}`
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
    ready.close()
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
  ])('answers %s over plain HTTP with %i, and the headers of every answer', async (line, status, part) => {
    const got = await ask(line)
    expect(got.status).toBe(status)
    for (const one of [
      part,
      'x-content-type-options: nosniff',
      'strict-transport-security: max-age=63072000',
    ])
      expect(got.answer.toLowerCase()).toContain(one.toLowerCase())
  })

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
      socket.end('GET / HTTP/1.1\r\nhost: shop.example\r\nconnection: close\r\n\r\n')
      return (await socket.setEncoding('utf8').toArray()).join('')
    }
    for (const version of ['TLSv1.2', 'TLSv1.3'] as const)
      expect(await over(version)).toContain('from the shop')
    for (const version of ['TLSv1', 'TLSv1.1'] as const)
      await expect(over(version)).rejects.toThrow(/version|alert/)
  })
})
