import swagger from '@fastify/swagger'
import type { FastifyInstance, RouteOptions } from 'fastify'
import { jsonSchemaTransform } from 'fastify-type-provider-zod'
import { staffCookie } from '#features/staff/server/index.ts'
import { STAFF_PERMISSIONS, type StaffPermission, needsStepUp } from '#shared/staff-permissions.ts'
import type { Config } from './config.ts'

const KEY_HEADER = {
  type: 'object',
  properties: {
    'Idempotency-Key': {
      type: 'string',
      minLength: 1,
      maxLength: 255,
      pattern: '^[\\x21-\\x7e]+$',
      description:
        'Of the signed-in account. For a day the same call with the same key gets the stored answer, with ' +
        '`Idempotency-Replayed: true`, and does nothing; another call with that key gets 422, and 409 while the first ' +
        'is under way. Refusals, faults and 202 are not stored: the key may be used again.',
    },
  },
} as const

const TEXT = { type: 'string' } as const

const FIELDS = { type: 'object', additionalProperties: { type: 'array', items: TEXT } } as const

const FAILURE = {
  type: 'object',
  required: ['detail', 'code'],
  properties: {
    detail: { ...TEXT, description: 'What is wrong, in the language of the caller.' },
    code: { ...TEXT, description: 'The same, for programs.' },
    message: TEXT,
    fields: FIELDS,
    request_id: { ...TEXT, description: 'Of a failure of ours (500), to be named when asking for help.' },
  },
} as const

const ISSUE = {
  type: 'object',
  required: ['issue', 'description'],
  properties: { issue: TEXT, description: TEXT },
} as const

const PAYMENT_FAILURE = {
  ...FAILURE,
  required: [...FAILURE.required, 'message', 'details', 'debug_id'],
  properties: { ...FAILURE.properties, details: { type: 'array', items: ISSUE }, debug_id: TEXT },
} as const

const MEANING = {
  description:
    'Not done. With 429 and 503 `Retry-After` says in how many seconds to ask again. A 429 with `X-Proof-Challenge` ' +
    '(base64url of an ALTCHA challenge as JSON) is lifted at once for a call that brings its solution in `X-Proof`.',
}

function failuresOf({ config }: Pick<RouteOptions, 'config'>): object {
  if (config?.errors === 'payment') return { ...MEANING, ...PAYMENT_FAILURE }
  if (config?.errors === 'text') {
    return {
      ...MEANING,
      content: { 'text/plain': { schema: TEXT }, 'application/json': { schema: FAILURE } },
    }
  }
  if (config?.errors === 'form') return { ...MEANING, anyOf: [FIELDS, FAILURE] }
  return { ...MEANING, ...FAILURE }
}

const described: typeof jsonSchemaTransform = (given) => {
  const { schema, url } = jsonSchemaTransform(given)
  const { config } = given.route
  const headers = config?.acceptsIdempotencyKey && { headers: KEY_HEADER }
  const success = (schema?.response as object | undefined) ?? { '2XX': { description: 'Done.' } }
  const response = { ...success, default: failuresOf(given.route) }
  const staff = config?.permits && ofStaff(config.permits, config.stepUp !== false)
  return { schema: { ...schema, ...headers, response, ...staff }, url }
}

/** What a call of staff asks for: `x-permission` with the roles that have it, and whether a step-up. */
const ofStaff = (permission: StaffPermission, canAskStepUp: boolean) => ({
  security: [{ staff: [] }],
  'x-permission': {
    name: permission,
    roles: STAFF_PERMISSIONS[permission].roles,
    step_up: canAskStepUp && needsStepUp(permission),
  },
})

/** Serves the OpenAPI document at /api/docs/openapi.json. Call it before any route is registered. */
export async function describeApi(app: FastifyInstance, config: Config): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: { title: `${config.brand} API`, version: '1' },
      servers: [{ url: config.publicUrl }],
      components: {
        securitySchemes: {
          bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
          staff: {
            type: 'apiKey',
            in: 'cookie',
            name: staffCookie(config.publicUrl),
            description: 'Set by the sign-in of the console. Changes also need an `Origin` of the shop.',
          },
        },
      },
      security: [{ bearer: [] }],
    },
    transform: described,
  })
  app.get('/api/docs/openapi.json', { config: { auth: 'ignored' }, schema: { hide: true } }, async () =>
    app.swagger(),
  )
}
