import { subscribe } from 'node:diagnostics_channel'
import type { FastifyInstance, RouteOptions } from 'fastify'
import { expect, test } from 'vitest'
import * as z from 'zod/mini'
import { STAFF_ROLES, type StaffRole, permits } from '#shared/staff-permissions.ts'
import { type Staff, openShop } from '../support/shop.ts'
import { OPEN_STAFF_ROUTES, isOfStaff } from '../support/staff-routes.ts'

// Every text that staff can send, found in the schemas of their calls, is either refused or arrives without characters that
// nobody sees and that make a text read otherwise than it is stored, and in one line unless its field has several.

const routes: RouteOptions[] = []
/** What arrived before its schema was asked, by route. */
const arrived = new Map<string, { body: unknown; query: unknown }>()

/** Nothing is done then. */
let isListening = false

const nameOf = ({ method, url }: Pick<RouteOptions, 'method' | 'url'>): string =>
  `${[method].flat()[0]} ${url.replace(/\/$/, '')}`

subscribe('fastify.initialization', (message) => {
  const { fastify } = message as { fastify: FastifyInstance }
  fastify.addHook('onRoute', (route) => {
    const name = nameOf(route)
    if (!isOfStaff(name) || OPEN_STAFF_ROUTES.includes(name) || /^(?:GET|HEAD)/.test(name)) return
    routes.push(route)
    // After the hooks of the shop.
    route.preValidation = async ({ body, query }, reply) => {
      if (!isListening) return undefined
      arrived.set(name, { body, query })
      return reply.code(418).send()
    }
  })
})
const shop = await openShop({ env: { LIMITS_FACTOR: '1000' } })
const staff = {} as Record<StaffRole, Staff>
for (const role of STAFF_ROLES) staff[role] = await shop.newStaff(role)

type Schema = z.core.$ZodType
interface Def {
  type: string
  shape?: Record<string, Schema>
  element?: Schema
  valueType?: Schema
  options?: Schema[]
  innerType?: Schema
  in?: Schema
  out?: Schema
  left?: Schema
  right?: Schema
  items?: Schema[]
}

const defOf = (schema: Schema): Def => schema._zod.def as unknown as Def

type Path = readonly (string | number)[]

interface Leaf {
  path: Path
  schema: Schema
}

/** The parts of a schema that take a text, each with the checks around it. */
function textsOf(schema: Schema, path: Path, whole: Schema = schema): Leaf[] {
  const { type, ...def } = defOf(schema)
  switch (type) {
    case 'string':
    case 'unknown':
    case 'any':
    case 'custom':
      return [{ path, schema: whole }]
    case 'pipe':
      return textsOf(def.in!, path, whole)
    case 'object':
      return Object.entries(def.shape!).flatMap(([key, part]) => textsOf(part, [...path, key]))
    case 'array':
      return textsOf(def.element!, [...path, 0])
    case 'record':
      return textsOf(def.valueType!, [...path, 'key'])
    case 'union':
      return def.options!.flatMap((one) => textsOf(one, path))
    case 'intersection':
      return [...textsOf(def.left!, path), ...textsOf(def.right!, path)]
    case 'tuple':
      return def.items!.flatMap((one, at) => textsOf(one, [...path, at]))
    case 'optional':
    case 'nullable':
    case 'nonoptional':
    case 'default':
    case 'prefault':
    case 'readonly':
    case 'catch':
      return textsOf(def.innerType!, path)
    case 'number':
    case 'int':
    case 'boolean':
    case 'enum':
    case 'literal':
    case 'null':
    case 'undefined':
    case 'never':
    case 'void':
      return []
    default:
      throw new Error(`${path.join('.')}: nobody has said whether ${type} takes a text`)
  }
}

const isSchema = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && '_zod' in value

/** A body that has a text at each place. */
function bodyOf(leaves: readonly Leaf[], text: string): unknown {
  const body: Record<string, unknown> = {}
  for (const { path } of leaves) {
    let at: Record<string | number, unknown> = body
    path.forEach((step, index) => {
      const next = path[index + 1]
      at[step] ??= next === undefined ? text : typeof next === 'number' ? [] : {}
      at = at[step] as Record<string | number, unknown>
    })
  }
  return body
}

const valueAt = (body: unknown, path: Path): unknown =>
  path.reduce((value, step) => (value as Record<string | number, unknown>)[step], body)

const SIGNS =
  '\0\u0001\u0007\u001b\u007f\u0085\u009b\u00ad\u034f\u061c\u115f\u180e\u200b\u200e\u200f\u202a\u202b\u202c\u202d\u202e' +
  '\u2028\u2029\u2060\u2066\u2067\u2068\u2069\u206f\u3164\ufeff\ufff9\u{e0041}\r\v\f\t\n'
/** Fields of several lines. */
const LINES = /^(?:description|draw_terms|statement)|^(?:answer|message|note|reason|text)$/
/** As it is typed: it is compared with a hash. */
const IS_KEPT = /^password$/

const methodOf = (route: RouteOptions) =>
  nameOf(route).split(' ')[0]!.toLowerCase() as 'post' | 'put' | 'delete'

let seen = 0

/** Texts of a call that would be stored as they were typed. */
async function dirtyOf(route: RouteOptions): Promise<string[]> {
  const name = nameOf(route)
  const { permits: permission = 'today.read' } = route.config ?? {}
  const role = STAFF_ROLES.find((one) => permits(one, permission))!
  await staff[role].stepUp(permission)
  const { body, querystring } = (route.schema ?? {}) as Record<string, unknown>
  const texts = isSchema(body) ? textsOf(body, []) : []
  const asked = isSchema(querystring) ? textsOf(querystring, []) : []
  seen += texts.length + asked.length
  const typed = `Une belle ${SIGNS}maison`
  const query = asked.map(({ path }) => `${path.join('.')}=${encodeURIComponent(typed)}`).join('&')
  isListening = true
  const { status } = await staff[role][methodOf(route)](
    `${route.url.replaceAll(/:\w+/g, '1')}?${query}`,
    texts.length > 0 ? bodyOf(texts, typed) : undefined,
  )
  isListening = false
  const found = arrived.get(name)
  expect([name, status, found !== undefined]).toEqual([name, 418, true])
  return [
    ...texts.map((leaf) => ({ ...leaf, value: valueAt(found!.body, leaf.path) })),
    ...asked.map((leaf) => ({ ...leaf, value: valueAt(found!.query, leaf.path) })),
  ].flatMap(({ path, schema, value }) => {
    const field = String(path.findLast((step) => typeof step === 'string'))
    if (IS_KEPT.test(field)) return []
    const { success, data } = z.safeParse(schema, value)
    const shown = success ? JSON.stringify(data) : ''
    const kept = Array.from(SIGNS).filter(
      (sign) =>
        !(LINES.test(field) && /[\n\t]/.test(sign)) && shown.includes(JSON.stringify(sign).slice(1, -1)),
    )
    return kept.length > 0 ? `${name} ${path.join('.')}: ${JSON.stringify(kept.join(''))}` : []
  })
}

test('no call of staff takes control, invisible or direction characters in a text, nor lines where one is meant', async () => {
  const dirty: string[] = []
  for (const route of routes) dirty.push(...(await dirtyOf(route)))
  expect(dirty).toEqual([])
  expect(routes.length).toBeGreaterThan(70)
  expect(seen).toBeGreaterThan(140)
})
