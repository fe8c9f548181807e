import swagger from '@fastify/swagger'
import type { FastifyInstance } from 'fastify'
import { jsonSchemaTransform } from 'fastify-type-provider-zod'
import { takesKey } from '#platform/http/idempotency.ts'
import { failuresOf } from './api-failures.ts'
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

/** A route's schema for the document, with the failures and the header that it has in common with others. */
const described: typeof jsonSchemaTransform = (given) => {
  const { schema, url } = jsonSchemaTransform(given)
  const headers = takesKey(given.route) && { headers: KEY_HEADER }
  const success = (schema?.response as object | undefined) ?? { '2XX': { description: 'Done.' } }
  const response = { ...success, default: failuresOf(given.route) }
  return { schema: { ...schema, ...headers, response }, url }
}

/** The OpenAPI document of the routes, at /api/docs/openapi.json. To be called before any route is registered. */
export async function describeApi(app: FastifyInstance, config: Config): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: { title: `${config.brand} API`, version: '1' },
      servers: [{ url: config.publicUrl }],
      components: { securitySchemes: { bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' } } },
      security: [{ bearer: [] }],
    },
    transform: described,
  })
  app.get('/api/docs/openapi.json', { config: { auth: 'ignored' }, schema: { hide: true } }, async () =>
    app.swagger(),
  )
}
