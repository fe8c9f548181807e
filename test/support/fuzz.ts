import fc from 'fast-check'

/** A part of the shop's OpenAPI document, as far as requests are made from it. */
interface Schema {
  type?: string | string[]
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  anyOf?: Schema[]
  minimum?: number
  maximum?: number
  maxLength?: number
  enum?: unknown[]
}

export interface OpenApi {
  paths: Record<
    string,
    Record<
      string,
      {
        requestBody?: { content?: Record<string, { schema?: Schema }> }
        parameters?: { in: string; name: string }[]
      }
    >
  >
}

/** A request as it goes out. */
export interface FuzzRequest {
  method: string
  url: string
  headers: Record<string, string>
  payload?: string
}

/** Values that exist in the shop, so that not every request ends at the door: by the name of a field or parameter. */
export type Known = Record<string, readonly (string | number)[]>

const NASTY_TEXT = [
  '',
  ' ',
  '\0',
  'a\0b',
  '\uD800',
  '\uDFFF\uD800',
  '\u202Eevil',
  '😀'.repeat(40),
  'é'.normalize('NFD'),
  "' OR 1=1 --",
  '"; DROP TABLE users; --',
  '<script>alert(1)</script>',
  '${7*7}',
  '%00',
  '../../../etc/passwd',
  '\r\nSet-Cookie: a=b',
  'null',
  'NaN',
  '1e309',
  '-0',
  '9'.repeat(400),
  'x'.repeat(300),
  'x'.repeat(20_000),
  '__proto__',
  'constructor',
]
const NASTY_NUMBERS = [0, -1, 1.5, -0, 2 ** 31 - 1, 2 ** 31, 2 ** 53, -(2 ** 63), 1e308, 5e-324]

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
  const there = known[name] ?? []
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
      const some = fc.integer({ min: Math.max(minimum, -1_000), max: Math.min(maximum, 1_000) })
      return there.length > 0 ? fc.oneof(fc.constantFrom(...there), some, edges) : fc.oneof(some, edges)
    }
    case 'boolean':
      return fc.boolean()
    case 'null':
      return fc.constant(null)
    default: {
      const { maxLength = 60 } = schema
      const edges = fc.constantFrom('x'.repeat(maxLength), 'x'.repeat(maxLength + 1), 'é'.repeat(maxLength))
      const some = fc.string({ unit: 'grapheme', maxLength: Math.min(maxLength, 40) })
      return there.length > 0 ? fc.oneof(fc.constantFrom(...there), some, edges) : fc.oneof(some, edges)
    }
  }
}

/** Mostly a value that fits, sometimes one that nobody expects. */
const almost = (schema: Schema, name: string, known: Known): fc.Arbitrary<unknown> =>
  fc.oneof({ weight: 9, arbitrary: fitting(schema, name, known) }, { weight: 1, arbitrary: nasty })

/** A body as text: JSON that fits, or what passes for it. */
function bodies(schema: Schema, known: Known): fc.Arbitrary<string> {
  const json = almost(schema, '', known).map((value) => JSON.stringify(value) ?? '')
  const broken = fc.oneof(
    fc.constantFrom('', '{', '[]', 'null', '"', '{"a":1,}', '\uFEFF{}', '{"a":1}{"a":2}', '[1', '\0', 'true'),
    json.map((text) => text.slice(0, -1)),
    json.map((text) => text.replace('{', '{"offer_id":1,"offer_id":2,"order_id":[],')),
    json.map((text) => text.replace('{', '{"__proto__":{"isStaff":true},"constructor":1,')),
    fc.nat({ max: 3_000 }).map((depth) => '['.repeat(depth) + ']'.repeat(depth)),
  )
  return fc.oneof({ weight: 8, arbitrary: json }, { weight: 1, arbitrary: broken })
}

/** A part of an address: an id that exists, or something that only a hostile hand types. */
export function segments(name: string, known: Known): fc.Arbitrary<string> {
  const odd = fc.constantFrom(
    '%00',
    '%ff',
    '..%2f',
    '%2e%2e',
    '%',
    '%zz',
    '-1',
    '0',
    '1e3',
    '9'.repeat(40),
    '%F0%9F%98%80',
  )
  const any = fc.string({ maxLength: 30 }).map(safely)
  const there = known[name] ?? []
  const choices = [
    { weight: 1, arbitrary: odd },
    { weight: 1, arbitrary: any },
  ]
  if (there.length > 0) choices.push({ weight: 4, arbitrary: fc.constantFrom(...there.map(String)) })
  return fc.oneof(...choices)
}

const safely = (text: string): string => encodeURIComponent(text.toWellFormed()) || 'x'

const TYPES = ['application/json', 'application/json; charset=utf-8', 'text/plain', 'application/xml', 'x']
const LANGUAGES = ['fr', 'nl', 'en', 'de-AT,nl;q=0.5', '*', 'x'.repeat(500), ';;q=']

/** None mostly; else one that others use as well, one of the call's own, or what is none. */
const KEYS = fc.oneof(
  { weight: 8, arbitrary: fc.constant('') },
  { weight: 1, arbitrary: fc.constantFrom('one', 'two', 'a b', 'é', 'x'.repeat(256)) },
  { weight: 1, arbitrary: fc.uuid() },
)

/** Requests to every call of the document, by every caller. @param tokens access tokens; one that is empty sends none */
export function fuzzRequests(
  { paths }: OpenApi,
  known: Known,
  tokens: readonly string[],
): fc.Arbitrary<FuzzRequest> {
  const calls = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, call]) => ({ path, method: method.toUpperCase(), call })),
  )
  const headers = fc.record({
    authorization: fc.constantFrom(...tokens),
    'content-type': fc.oneof(
      { weight: 8, arbitrary: fc.constant('application/json') },
      { weight: 1, arbitrary: fc.constantFrom(...TYPES) },
    ),
    'accept-language': fc.constantFrom(...LANGUAGES),
  })
  return fc.constantFrom(...calls).chain(({ path, method, call }) => {
    const takesKey = call.parameters?.some((one) => one.name === 'Idempotency-Key') ?? false
    const names = (call.parameters ?? []).filter((one) => one.in === 'path').map((one) => one.name)
    const schema = call.requestBody?.content?.['application/json']?.schema ?? {}
    const parts = fc.tuple(...names.map((name) => segments(name, known)))
    const query = fc.oneof(
      { weight: 6, arbitrary: fc.constant('') },
      {
        weight: 1,
        arbitrary: fc.string({ maxLength: 20 }).map((text) => `?${safely(text)}=${safely(text)}`),
      },
      { weight: 1, arbitrary: fc.constantFrom('?', '?%ff', '?a[]=1&a[]=2', '?__proto__[x]=1', '?lang=xx') },
    )
    const body = method === 'GET' ? fc.constant(undefined) : bodies(schema, known)
    const key = takesKey ? KEYS : fc.constant('')
    return fc.tuple(parts, query, headers, body, key).map(([values, search, sent, payload, idempotency]) => ({
      method,
      url: names.reduce((url, name, index) => url.replace(`{${name}}`, values[index] ?? ''), path) + search,
      headers: Object.fromEntries(
        Object.entries({ ...sent, 'idempotency-key': idempotency }).filter(([, value]) => value !== ''),
      ),
      ...(payload !== undefined && { payload }),
    }))
  })
}
