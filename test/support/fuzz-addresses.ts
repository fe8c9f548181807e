import fc from 'fast-check'
import { type FuzzRequest, type Known, segments } from './fuzz.ts'

/** The words of a text, which spaces separate. */
const wordsOf = (text: string): string[] => text.trim().split(/\s+/)

/** Parts of unusual addresses. */
const PIECES = [
  wordsOf(String.raw`
    / // /\ \ /./ /../ /.// /%2e%2e/ /%2E%2e%2f ..;/ %2f %5c % %zz %00 %0d%0aset-cookie:%20a=b %0A %E2%80%A8 %0b%0c %25
    %C0%AF %E0%A4%A %ED%A0%80 %F0%9F%98%80 %EF%BC%8F [ ] [::1] {} | ^ " <script> :80 :99999 : @ a@b * ; # ? ?? & = + ~ . é 😀
    localhost:99999 evil.example http:// https://evil.example javascript: .data _root.data __manifest?p=// ?_routes=x ?index
    api assets media offers cart __proto__ constructor`),
  ['`', '\0', '\t', ' ', '\u007F', '\u202E'],
  ['x'.repeat(300), 'x'.repeat(9_000), '/'.repeat(3_000), '%41'.repeat(2_000)],
].flat()

const QUERIES = wordsOf(`
  lang=nl lang=xx&lang=fr lang=%ff next=//evil.example/ next=/.//evil.example payment=__proto__ success=true code=%00
  sort=constructor&page=-1 token= a[]=1&a[b]=2 = %`)

/** Methods that the server's parser knows, one unknown, and one in lower case. */
const METHODS = ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND', 'NONSENSE', 'get']

const BODIES = [
  '',
  '{}',
  '{',
  'null',
  '[]',
  '\0',
  'a=b&c=%zz',
  '[{"type":"csp-violation","url":"//","body":{"documentURL":"//["}}]',
  '{"csp-report":{"document-uri":"http://[","blocked-uri":"//"}}',
  '{"id":"WH-1","event_type":"PAYMENT.CAPTURE.COMPLETED","resource":{"id":"__proto__"}}',
  '{"id":{},"event_type":[],"resource":null}',
  'x'.repeat(20_000),
  'x'.repeat(300_000),
]

const some = (...values: readonly string[]): fc.Arbitrary<string> => fc.constantFrom(...values)

/** Headers of a notification, so that its signature is verified. */
const SIGNED = fc.record({
  'paypal-auth-algo': some('SHA256withRSA', 'none'),
  'paypal-cert-url': some('http://[', '//', 'http://127.0.0.1:1/v1/notifications/certs/x'),
  'paypal-transmission-id': some('1', '|'),
  'paypal-transmission-sig': some('AAAA', '%'),
  'paypal-transmission-time': some('now', '2026-01-01T00:00:00Z'),
})

function headersOf(tokens: readonly string[]): fc.Arbitrary<Record<string, string>> {
  const values = {
    authorization: some(...tokens.filter((token) => token !== ''), 'Basic x', 'x'.repeat(9_000)),
    accept: some(...wordsOf('text/html application/json */* ;;q= text/x-component')),
    'accept-encoding': some('gzip', 'br', 'gzip;q=0, *;q=0', 'identity;q=0', 'x'.repeat(2_000)),
    'accept-language': some('nl', 'en', '*', ';;q=', 'x'.repeat(2_000)),
    'content-type': some(
      ...wordsOf('application/json application/reports+json text/plain ; multipart/form-data'),
    ),
    cookie: some(
      ...wordsOf('language=nl language=__proto__ language=%;sidebar_state=%zz =;;='),
      'a='.repeat(900),
    ),
    'content-encoding': some('gzip', 'x'),
    expect: some('100-continue'),
    host: some('', '[', 'evil.example', 'localhost:99999', '//'),
    'idempotency-key': some('', 'one', 'x'.repeat(500)),
    'if-modified-since': some('Thu, 01 Jan 2026 00:00:00 GMT', 'yesterday'),
    'if-none-match': some('*', '"x"', 'W/'),
    origin: some('null', 'https://evil.example', '//['),
    range: some('bytes=0-', 'bytes=9-1', 'bytes=-0', 'x'),
    referer: some('//', 'http://[', '/.//evil.example'),
    upgrade: some('websocket', 'h2c'),
    'x-forwarded-for': some('[', '1.2.3.4, ::1', 'x'.repeat(2_000)),
    'x-forwarded-host': some('//', '[', 'evil.example'),
    'x-forwarded-proto': some('javascript', 'https, http'),
    'x-http-method-override': some('DELETE'),
    'x-request-id': some('', '\u00FF', 'x'.repeat(2_000)),
  }
  const one = fc.oneof(
    ...Object.entries(values).map(([name, value]) => value.map((text) => [name, text] as const)),
  )
  return fc.oneof(
    { weight: 9, arbitrary: fc.array(one, { maxLength: 4 }).map((pairs) => Object.fromEntries(pairs)) },
    { weight: 1, arbitrary: SIGNED },
  )
}

interface OddOptions {
  /** The shop's routes, as "GET /api/offers/:slug". */
  routes: readonly string[]
  /** Addresses of pages. */
  pages: readonly string[]
  known: Known
  tokens: readonly string[]
}

/** An address with a piece inserted at random. */
const broken = (address: string): fc.Arbitrary<string> =>
  fc
    .tuple(some(...PIECES), fc.nat({ max: address.length }))
    .map(([piece, at]) => address.slice(0, at) + piece + address.slice(at))

/** An address of a route with values for its parameters. */
function filled(pattern: string, known: Known): fc.Arbitrary<string> {
  const names = pattern.match(/:\w+|\*/g) ?? []
  return fc
    .tuple(...names.map((name) => (name === '*' ? some(...PIECES) : segments(name.slice(1), known))))
    .map((values) =>
      names.reduce((url, name, index) => url.replace(name, () => values[index] ?? ''), pattern),
    )
}

/**
 * Requests to every route and page, documented or not, and to addresses that do not exist, with any method and unusual
 * headers. The addresses are written as they are, so they need a socket.
 */
export function oddRequests({ routes, pages, known, tokens }: OddOptions): fc.Arbitrary<FuzzRequest> {
  const patterns = [...new Set(routes.map((route) => route.slice(route.indexOf(' ') + 1)))]
  const usual = fc.oneof(
    fc.constantFrom(...routes).chain((route) => {
      const [method = '', pattern = ''] = route.split(' ')
      return filled(pattern, known).map((address) => ({ method, address }))
    }),
    some(...pages).map((address) => ({ method: 'GET', address })),
  )
  const address = fc.oneof(
    fc.constantFrom(...patterns).chain((pattern) => filled(pattern, known)),
    some(...pages),
    fc.array(some(...PIECES), { minLength: 1, maxLength: 5 }).map((pieces) => pieces.join('')),
    fc.array(some(...PIECES), { minLength: 1, maxLength: 5 }).map((pieces) => `/${pieces.join('')}`),
    fc.webPath().map((path) => `/${path}`),
  )
  const strange = fc.record({
    method: fc.oneof(
      { weight: 3, arbitrary: some('GET', 'HEAD') },
      { weight: 1, arbitrary: some(...METHODS) },
    ),
    address: fc.oneof(address, address.chain(broken)),
  })
  const tokenQueries = [...(known['orderId'] ?? []), '..', '%00'].map((token) => `token=${token}`)
  const query = fc.oneof(
    { weight: 3, arbitrary: fc.constant('') },
    { weight: 1, arbitrary: some(...QUERIES, ...tokenQueries).map((text) => `?${text}`) },
  )
  return fc
    .tuple(fc.oneof(usual, strange), query, headersOf(tokens), some(...BODIES))
    .map(([{ method, address: path }, search, headers, payload]) => ({
      method,
      url: path + search,
      headers,
      ...(method !== 'GET' && method !== 'HEAD' && { payload }),
    }))
}

/** A request as it goes over the wire, the last on its connection. */
export function asText({ method, url, headers, payload }: FuzzRequest): string {
  const sent: Record<string, string> = { host: 'shop', ...headers, connection: 'close' }
  if (payload !== undefined) sent['content-length'] = String(Buffer.byteLength(payload))
  const lines = Object.entries(sent).map(([name, value]) => `${name}: ${value}\r\n`)
  return `${method} ${url} HTTP/1.1\r\n${lines.join('')}\r\n${payload ?? ''}`
}
