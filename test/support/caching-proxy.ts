import http, { type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import { buffer } from 'node:stream/consumers'

interface Kept {
  status: number
  headers: IncomingHttpHeaders
  body: Buffer
  /** The request headers that the response says it depends on, as they were. */
  dependsOn: Record<string, string | undefined>
  until: number
}

interface ProxyOptions {
  /** The port of the shop on this machine. */
  to: number
  /** False: takes one visitor's response for another's, as some content delivery networks do. */
  heedsVary: boolean
  /** Milliseconds; what is kept gets old by it alone. */
  now: () => number
}

/** Directives of Cache-Control; those without a value are ''. */
const directivesOf = (header: string | undefined): Map<string, string> =>
  new Map(
    (header ?? '')
      .toLowerCase()
      .split(',')
      .map((one) => {
        const [name = '', value = ''] = one.trim().split('=')
        return [name, value]
      }),
  )

/** For how many seconds a shared cache may keep a response (RFC 9111, 3 and 4.2.1). */
function lifetime(status: number, headers: IncomingHttpHeaders): number {
  const caching = directivesOf(headers['cache-control'])
  const isForbidden = ['no-store', 'private', 'no-cache'].some((name) => caching.has(name))
  if (status !== 200 || isForbidden || headers['set-cookie'] !== undefined) return 0
  return Number(caching.get('s-maxage') ?? caching.get('max-age') ?? 0)
}

/**
 * A cache that all visitors share, between them and a shop. Its responses name themselves `hit` or `miss` in `x-cache`.
 */
export async function startCachingProxy({ to, heedsVary, now }: ProxyOptions) {
  const kept = new Map<string, Kept[]>()

  function respond(response: ServerResponse, { status, headers, body }: Kept, cache: 'hit' | 'miss'): void {
    response.writeHead(status, { ...headers, 'x-cache': cache }).end(body)
  }

  async function keep(
    { method, url = '', headers }: IncomingMessage,
    got: IncomingMessage,
    response: ServerResponse,
  ) {
    const { statusCode: status = 0, headers: received } = got
    const { 'transfer-encoding': _chunks, connection: _open, ...kind } = received
    const named = (received['vary'] ?? '').toLowerCase().split(',')
    const dependsOn = Object.fromEntries(
      named.filter(Boolean).map((name) => [name.trim(), headers[name.trim()]?.toString()]),
    )
    const until = now() + lifetime(status, received) * 1_000
    const one = { status, headers: kind, body: await buffer(got), dependsOn, until }
    if (method === 'GET' && until > now()) kept.set(url, [one, ...(kept.get(url) ?? [])])
    respond(response, one, 'miss')
  }

  const server = http.createServer((request, response) => {
    const { method = '', url = '', headers } = request
    const isSame = ({ dependsOn }: Kept): boolean =>
      !heedsVary || Object.entries(dependsOn).every(([name, value]) => headers[name] === value)
    const found = method === 'GET' && kept.get(url)?.find((one) => now() < one.until && isSame(one))
    if (found) return respond(response, found, 'hit')
    const call = http.request(
      { port: to, method, path: url, headers },
      (got) => void keep(request, got, response),
    )
    request.pipe(call)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  return {
    url: `http://127.0.0.1:${port}`,
    forget: () => kept.clear(),
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
