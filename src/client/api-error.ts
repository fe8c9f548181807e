/** What went wrong with a call, as plain data that the store may keep. */
export interface ApiFailure {
  /** HTTP status; 0 when no answer came. */
  status: number
  /** Sentence for people, in the language of the page: the server's `detail`, or the general one (spec section 8). */
  message: string
  /** True when the server could not be reached. */
  network: boolean
  /** The server's own words, when it gave any. */
  detail?: string
  /** Stable name of the refusal, for example "offer.soldOut". */
  code?: string
  /** First message of each faulty form field. */
  fields?: Record<string, string>
  /** The answer's body as it came, for calls whose failures carry more (`details`, `debug_id`). */
  body?: unknown
}

/** A call that did not succeed. */
export class ApiError extends Error implements ApiFailure {
  override readonly name = 'ApiError'
  readonly status: number
  readonly network: boolean
  readonly detail?: string
  readonly code?: string
  readonly fields?: Record<string, string>
  readonly body?: unknown

  constructor(failure: ApiFailure) {
    super(failure.message)
    this.status = failure.status
    this.network = failure.network
    if (failure.detail !== undefined) this.detail = failure.detail
    if (failure.code !== undefined) this.code = failure.code
    if (failure.fields !== undefined) this.fields = failure.fields
    if (failure.body !== undefined) this.body = failure.body
  }
}

/** The two sentences of spec section 8 that stand for failures without words of their own. */
export interface FailureTexts {
  network: string
  unexpected: string
}

/** Any thrown thing as plain data; what is not an `ApiError` is a fault of ours and keeps its words to itself. */
export function failureOf(error: unknown, texts: FailureTexts): ApiFailure {
  if (!(error instanceof ApiError)) return { status: 0, network: false, message: texts.unexpected }
  const { status, message, network, detail, code, fields, body } = error
  return {
    status,
    message,
    network,
    ...(detail !== undefined && { detail }),
    ...(code !== undefined && { code }),
    ...(fields !== undefined && { fields }),
    ...(body !== undefined && { body }),
  }
}

/**
 * Reads a refusal (spec section 8, "Form calls with a response body"): `{detail}`, `{field: [messages]}`,
 * `{fields: {…}}` or a plain text.
 */
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
    ...(detail !== undefined && { detail }),
    ...(code !== undefined && { code }),
    ...(Object.keys(fields).length > 0 && { fields }),
    ...(body !== undefined && { body }),
  }
}

/** The first message of each field; fields without a message are left out. */
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
