/** A failed call as plain data for the store. */
export interface ApiFailure {
  /** 0 without a response. */
  status: number
  /** In the language of the page: the server's `detail`, or a general message (spec section 8). */
  message: string
  network: boolean
  detail?: string | undefined
  /** For example "offer.soldOut". */
  code?: string | undefined
  fields?: Record<string, string>
  /** For calls whose failures have more (`details`, `debug_id`). */
  body?: unknown
}

export class ApiError extends Error implements ApiFailure {
  override readonly name = 'ApiError'
  declare readonly status: number
  declare readonly network: boolean
  declare readonly detail?: string | undefined
  declare readonly code?: string | undefined
  declare readonly fields?: Record<string, string>
  declare readonly body?: unknown
  readonly failure: ApiFailure

  constructor(failure: ApiFailure) {
    super(failure.message)
    Object.assign(this, failure)
    this.failure = failure
  }
}

export interface FailureTexts {
  network: string
  unexpected: string
}

/** Any error as a failure; any but an `ApiError` gets the general message. */
export const failureOf = (error: unknown, texts: FailureTexts): ApiFailure =>
  error instanceof ApiError ? error.failure : { status: 0, network: false, message: texts.unexpected }

/** Reads `{detail}`, `{field: [messages]}`, `{fields}` or text (spec section 8, "Form calls with a response body"). */
export function readFailure(status: number, body: unknown, texts: FailureTexts): ApiFailure {
  const record = isRecord(body) ? body : {}
  const detail = typeof body === 'string' && body.length > 0 ? body : textOf(record['detail'])
  const fields = firstMessages(
    isRecord(record['fields']) ? record['fields'] : detail === undefined ? record : {},
  )
  const code = textOf(record['code'])
  const shown = status < 500 || status === 503 ? detail : undefined
  return {
    status,
    network: false,
    message: shown ?? Object.values(fields)[0] ?? texts.unexpected,
    detail,
    code,
    fields,
    body,
  }
}

function firstMessages(record: Record<string, unknown>): Record<string, string> {
  const found: Record<string, string> = {}
  for (const [field, messages] of Object.entries(record)) {
    if (Array.isArray(messages) && typeof messages[0] === 'string') found[field] = messages[0]
  }
  return found
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined
