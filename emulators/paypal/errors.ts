import { debugId } from './ids.ts'

export type Detail = {
  issue: string
  description: string
  field?: string
  value?: string
  location?: 'body' | 'path' | 'header'
}
export type Link = { href: string; rel: string; method?: string }

const messages = {
  INVALID_REQUEST: [400, 'Request is not well-formed, syntactically incorrect, or violates schema.'],
  AUTHENTICATION_FAILURE: [
    401,
    'Authentication failed due to missing authorization header, or invalid authentication credentials.',
  ],
  RESOURCE_NOT_FOUND: [404, 'The specified resource does not exist.'],
  METHOD_NOT_SUPPORTED: [405, 'The server does not implement the requested HTTP method.'],
  RESOURCE_CONFLICT: [409, 'The server has detected a conflict while processing this request.'],
  PAYLOAD_TOO_LARGE: [413, 'The request payload is larger than the server accepts.'],
  UNSUPPORTED_MEDIA_TYPE: [415, "The server does not support the request payload's media type."],
  UNPROCESSABLE_ENTITY: [
    422,
    'The requested action could not be performed, semantically incorrect, or failed business validation.',
  ],
  INTERNAL_SERVER_ERROR: [500, 'An internal server error has occurred.'],
  SERVICE_UNAVAILABLE: [503, 'Service Unavailable.'],
} as const satisfies Record<string, readonly [number, string]>

export type ErrorName = keyof typeof messages

/** A refusal in PayPal's shape: `{name, message, debug_id, details, links}`. */
export class PayPalError extends Error {
  readonly status: number
  readonly errorName: ErrorName
  readonly details: Detail[]
  readonly extraLinks: Link[]

  constructor(name: ErrorName, details: Detail[] = [], extraLinks: Link[] = []) {
    const [status, message] = messages[name]
    super(message)
    this.status = status
    this.errorName = name
    this.details = details
    this.extraLinks = extraLinks
  }

  toBody(debug: string = debugId()): Record<string, unknown> {
    const issue = this.details[0]?.issue ?? this.errorName
    const information: Link = {
      href: `https://developer.paypal.com/docs/api/orders/v2/#error-${issue}`,
      rel: 'information_link',
      method: 'GET',
    }
    return {
      name: this.errorName,
      message: this.message,
      debug_id: debug,
      details: this.details,
      links: [information, ...this.extraLinks],
    }
  }
}

/** A refusal of business rules (422) with one issue. */
export const unprocessable = (
  issue: string,
  description: string,
  more: Partial<Detail> = {},
  links: Link[] = [],
) => new PayPalError('UNPROCESSABLE_ENTITY', [{ issue, description, ...more }], links)

export const notFound = (field: string, value: string) =>
  new PayPalError('RESOURCE_NOT_FOUND', [
    {
      field,
      value,
      location: 'path',
      issue: 'INVALID_RESOURCE_ID',
      description: 'Specified resource ID does not exist. Please check the resource ID and try again.',
    },
  ])

export const inProgress = () =>
  new PayPalError('RESOURCE_CONFLICT', [
    {
      issue: 'PREVIOUS_REQUEST_IN_PROGRESS',
      description:
        'A previous request on this resource is currently in progress. Please wait for sometime and try again. ' +
        'It is best to space out the initial and the subsequent request(s) to avoid receiving this error.',
    },
  ])
