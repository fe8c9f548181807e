import fc from 'fast-check'
import type { StaffPermission } from '#shared/staff-permissions.ts'

/** A part of the shop's OpenAPI document, as far as requests are generated from it. */
interface Schema {
  type?: string | string[]
  properties?: Record<string, Schema>
  items?: Schema
  anyOf?: Schema[]
  minimum?: number
  maximum?: number
  maxLength?: number
  enum?: unknown[]
  const?: unknown
  required?: string[]
  minLength?: number
  minItems?: number
  format?: string
}

interface Operation {
  requestBody?: { content?: Record<string, { schema?: Schema }> }
  parameters?: { in: string; name: string; required?: boolean; schema?: Schema }[]
  /** Of staff calls. */
  'x-permission'?: { name: StaffPermission; step_up: boolean }
}
export interface OpenApi {
  paths: Record<string, Record<string, Operation>>
}

export interface FuzzRequest {
  method: string
  url: string
  headers: Record<string, string>
  payload?: string
}

/** Values that exist in the shop, by the name of a field or parameter, so that not every request is refused early. */
export type Known = Record<string, readonly (string | number)[]>

const NASTY_TEXT = [
  ['', ' ', '\0', 'a\0b', '\uD800', '\uDFFF\uD800', '\u202Eevil', '😀'.repeat(40), 'é'.normalize('NFD')],
  ["' OR 1=1 --", '"; DROP TABLE users; --', '<script>alert(1)</script>', '${7*7}', '%00'],
  ['../../../etc/passwd', '\r\nSet-Cookie: a=b', 'null', 'NaN', '1e309', '-0', '__proto__', 'constructor'],
  ['9'.repeat(400), 'x'.repeat(300), 'x'.repeat(20_000)],
].flat()
const NASTY_NUMBERS = [0, -1, 1.5, -0, 2 ** 31 - 1, 2 ** 31, 2 ** 53, -(2 ** 63), 1e308, 5e-324]

/** Mostly the first, sometimes one of the others. */
const mostly = <T>(weight: number, usual: fc.Arbitrary<T>, ...rare: fc.Arbitrary<T>[]): fc.Arbitrary<T> =>
  fc.oneof({ weight, arbitrary: usual }, ...rare.map((arbitrary) => ({ weight: 1, arbitrary })))

const nasty: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom(...NASTY_TEXT),
  fc.constantFrom(...NASTY_NUMBERS),
  fc.constantFrom(null, true, false, [], {}, [[]], { __proto__: null }, [null]),
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc.jsonValue({ maxDepth: 4 }),
)

const typesOf = ({ type }: Schema): string[] => (Array.isArray(type) ? type : [type ?? 'object'])

/** A value that fits a schema more or less; `name` is the field's. */
function fitting(schema: Schema, name: string, known: Known): fc.Arbitrary<unknown> {
  if (schema.enum) return fc.constantFrom(...schema.enum)
  if (schema.anyOf) return fc.oneof(...schema.anyOf.map((one) => almost(one, name, known)))
  return fc.oneof(...typesOf(schema).map((type) => ofType(type, schema, name, known)))
}

function ofType(type: string, schema: Schema, name: string, known: Known): fc.Arbitrary<unknown> {
  const values = known[name] ?? []
  const withKnown = (...others: fc.Arbitrary<unknown>[]): fc.Arbitrary<unknown> =>
    fc.oneof(...(values.length > 0 ? [fc.constantFrom(...values)] : []), ...others)
  switch (type) {
    case 'object': {
      const fields = Object.entries(schema.properties ?? {}).map(
        ([key, value]) => [key, almost(value, key, known)] as const,
      )
      return fc.record(Object.fromEntries(fields), { requiredKeys: [] })
    }
    case 'array':
      return fc.array(almost(schema.items ?? {}, name, known), { maxLength: 5 })
    case 'integer':
    case 'number': {
      const { minimum = -10, maximum = 1_000 } = schema
      const edges = fc.constantFrom(minimum - 1, minimum, maximum, maximum + 1)
      return withKnown(fc.integer({ min: Math.max(minimum, -1_000), max: Math.min(maximum, 1_000) }), edges)
    }
    case 'boolean':
      return fc.boolean()
    case 'null':
      return fc.constant(null)
    default: {
      const { maxLength = 60 } = schema
      const edges = fc.constantFrom('x'.repeat(maxLength), 'x'.repeat(maxLength + 1), 'é'.repeat(maxLength))
      return withKnown(fc.string({ unit: 'grapheme', maxLength: Math.min(maxLength, 40) }), edges)
    }
  }
}

/** Mostly a value that fits, sometimes an unexpected one. */
const almost = (schema: Schema, name: string, known: Known): fc.Arbitrary<unknown> =>
  mostly(9, fitting(schema, name, known), nasty)

/** A body as text: JSON that fits, or broken JSON. */
function bodies(schema: Schema, known: Known): fc.Arbitrary<string> {
  const json = almost(schema, '', known).map((value) => JSON.stringify(value) ?? '')
  const broken = fc.oneof(
    fc.constantFrom('', '{', '[]', 'null', '"', '{"a":1,}', '\uFEFF{}', '{"a":1}{"a":2}', '[1', '\0', 'true'),
    json.map((text) => text.slice(0, -1)),
    json.map((text) => text.replace('{', '{"offer_id":1,"offer_id":2,"order_id":[],')),
    json.map((text) => text.replace('{', '{"__proto__":{"isStaff":true},"constructor":1,')),
    fc.nat({ max: 3_000 }).map((depth) => '['.repeat(depth) + ']'.repeat(depth)),
  )
  return mostly(8, json, broken)
}

const ODD_SEGMENTS = '%00 %ff ..%2f %2e%2e % %zz -1 0 1e3 %F0%9F%98%80'.split(' ')

/** A segment of a path: mostly an id that exists, where one is known. */
function segments(name: string, known: Known): fc.Arbitrary<string> {
  const odd = fc.constantFrom(...ODD_SEGMENTS, '9'.repeat(40))
  const any = fc.string({ maxLength: 30 }).map(safely)
  const values = known[name] ?? []
  return values.length > 0 ? mostly(4, fc.constantFrom(...values.map(String)), odd, any) : fc.oneof(odd, any)
}

const safely = (text: string): string => encodeURIComponent(text.toWellFormed()) || 'x'

const TYPES = ['application/json', 'application/json; charset=utf-8', 'text/plain', 'application/xml', 'x']
const LANGUAGES = ['fr', 'nl', 'en', 'de-AT,nl;q=0.5', '*', 'x'.repeat(500), ';;q=']

/** An idempotency key: mostly none, sometimes one that others use as well, an invalid one, or one of the call's own. */
const KEYS = mostly(
  8,
  fc.constant(''),
  fc.constantFrom('one', 'two', 'a b', 'é', 'x'.repeat(256)),
  fc.uuid() as fc.Arbitrary<string>,
)

/** A small value that fits a schema, and names nothing that exists. */
export function sampleOf(schema: Schema): unknown {
  const { enum: values, const: only, anyOf } = schema
  if (only !== undefined) return only
  if (values) return values[0]
  if (anyOf?.[0]) return sampleOf(anyOf[0])
  const [type] = typesOf(schema)
  switch (type) {
    case 'object': {
      const needed = (schema.required ?? []).map((name) => [name, sampleOf(schema.properties?.[name] ?? {})])
      return Object.fromEntries(needed)
    }
    case 'array':
      return Array.from({ length: schema.minItems ?? 0 }, () => sampleOf(schema.items ?? {}))
    case 'integer':
    case 'number':
      return Math.min(schema.maximum ?? Infinity, Math.max(schema.minimum ?? 1, 900_000_001))
    case 'boolean':
      return true
    default:
      return SAMPLE_TEXTS[schema.format ?? ''] ?? 'x'.repeat(Math.max(1, schema.minLength ?? 1))
  }
}

const SAMPLE_TEXTS: Record<string, string> = {
  email: 'nobody@example.test',
  uuid: '00000000-0000-4000-8000-000000000000',
  date: '2026-01-01',
  'date-time': '2026-01-01T00:00:00Z',
}

/** The headers by which a caller is known; none of a visitor. */
export type Caller = Readonly<Record<string, string>>

/** Requests to every call of the document, by every caller. */
export function fuzzRequests(
  { paths }: OpenApi,
  known: Known,
  callers: readonly Caller[],
): fc.Arbitrary<FuzzRequest> {
  const calls = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, call]) => ({ path, method: method.toUpperCase(), call })),
  )
  const general = fc.record({
    'content-type': mostly(8, fc.constant('application/json'), fc.constantFrom(...TYPES)),
    'accept-language': fc.constantFrom(...LANGUAGES),
  })
  const headers = fc
    .tuple(general, fc.constantFrom(...callers))
    .map(([sent, caller]): Record<string, string> => ({ ...sent, ...caller }))
  return fc.constantFrom(...calls).chain(({ path, method, call }) => {
    const takesKey = call.parameters?.some((one) => one.name === 'Idempotency-Key') ?? false
    const schema = call.requestBody?.content?.['application/json']?.schema ?? {}
    const address = filled(path.replaceAll(/\{(\w+)\}/g, ':$1'), known)
    const query = mostly(
      6,
      fc.constant(''),
      fc.string({ maxLength: 20 }).map((text) => `?${safely(text)}=${safely(text)}`),
      fc.constantFrom('?', '?%ff', '?a[]=1&a[]=2', '?__proto__[x]=1', '?lang=xx'),
    )
    const body = method === 'GET' ? fc.constant(undefined) : bodies(schema, known)
    const key = takesKey ? KEYS : fc.constant('')
    return fc.tuple(address, query, headers, body, key).map(([url, search, sent, payload, idempotency]) => ({
      method,
      url: url + search,
      headers: Object.fromEntries(
        Object.entries({ ...sent, 'idempotency-key': idempotency }).filter(([, value]) => value !== ''),
      ),
      ...(payload !== undefined && { payload }),
    }))
  })
}

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

const RAW_BODIES = [
  ...wordsOf('{} { null [] a=b&c=%zz'),
  '',
  '\0',
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

function headersOf(callers: readonly Caller[]): fc.Arbitrary<Record<string, string>> {
  const values = {
    authorization: some('Basic x', 'x'.repeat(9_000)),
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
  const few = fc
    .tuple(fc.array(one, { maxLength: 4 }), mostly<Caller>(4, fc.constant({}), fc.constantFrom(...callers)))
    .map(([pairs, caller]) => ({ ...Object.fromEntries(pairs), ...caller }))
  return mostly<Record<string, string>>(9, few, SIGNED)
}

interface OddOptions {
  /** The shop's routes, as "GET /api/offers/:slug". */
  routes: readonly string[]
  /** Addresses of pages. */
  pages: readonly string[]
  known: Known
  callers: readonly Caller[]
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
export function oddRequests({ routes, pages, known, callers }: OddOptions): fc.Arbitrary<FuzzRequest> {
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
    method: mostly(3, some('GET', 'HEAD'), some(...METHODS)),
    address: fc.oneof(address, address.chain(broken)),
  })
  const tokenQueries = [...(known['orderId'] ?? []), '..', '%00'].map((token) => `token=${token}`)
  const query = mostly(
    3,
    fc.constant(''),
    some(...QUERIES, ...tokenQueries).map((text) => `?${text}`),
  )
  return fc
    .tuple(fc.oneof(usual, strange), query, headersOf(callers), some(...RAW_BODIES))
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
