import type { RouteOptions } from 'fastify'

const TEXT = { type: 'string' } as const

/** Sentences for each field that is wrong, in the caller's language. */
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
  description: 'Not done. With 429 and 503 `Retry-After` says in how many seconds to ask again.',
}

/** How a route tells of failures, as the error handler answers them; for the OpenAPI document. */
export function failuresOf({ config }: Pick<RouteOptions, 'config'>): object {
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
