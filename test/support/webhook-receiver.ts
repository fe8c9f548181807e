import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { json } from 'node:stream/consumers'
import { temporaryFolder } from './temporary-folder.ts'

export interface Received {
  path: string
  headers: IncomingMessage['headers']
  // oxlint-disable-next-line typescript/no-explicit-any -- a body of any shape, which the tests match
  body: any
}

type Reply = (response: ServerResponse) => void

/** A receiver of webhooks on the loopback. It takes everything until it is told otherwise. @param isSecure by a certificate of its own */
export async function startWebhookReceiver({ isSecure = false, port = 0 } = {}) {
  const taken: Received[] = []
  const next: Reply[] = []
  let always: Reply = (response) => void response.end('ok')
  const respond = (request: IncomingMessage, response: ServerResponse): void =>
    void json(request).then(
      (body) => {
        taken.push({ path: request.url ?? '', headers: request.headers, body })
        ;(next.shift() ?? always)(response)
      },
      () => response.destroy(),
    )
  const server = isSecure ? createTlsServer(ownCertificate(), respond) : createServer(respond)
  server.on('tlsClientError', () => {})
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  const bound = (server.address() as AddressInfo).port
  return {
    url: `${isSecure ? 'https' : 'http'}://127.0.0.1:${bound}`,
    port: bound,
    /** Every request so far, whatever the response. */
    taken,
    /** Responds to the next requests so, and later ones with 200. */
    reply: (...replies: Reply[]) => void next.push(...replies),
    always: (reply: Reply) => void (always = reply),
    close: () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
}

export const withStatus =
  (status: number, body = '', headers: Record<string, string> = {}): Reply =>
  (response) =>
    void response.writeHead(status, headers).end(body)

function ownCertificate(): { key: string; cert: string } {
  const folder = temporaryFolder('volant-certificate-', 'file')
  const [key, cert] = [path.join(folder, 'key.pem'), path.join(folder, 'cert.pem')]
  const kind = [
    'req',
    '-x509',
    '-newkey',
    'ec',
    '-pkeyopt',
    'ec_paramgen_curve:prime256v1',
    '-nodes',
    '-days',
    '9',
  ]
  const about = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1']
  execFileSync('openssl', [...kind, ...about, '-keyout', key, '-out', cert], { stdio: 'ignore' })
  return { key: readFileSync(key, 'utf8'), cert: readFileSync(cert, 'utf8') }
}
