import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { hasZodFastifySchemaValidationErrors } from 'fastify-type-provider-zod'
import type { MessageKey } from '#i18n/keys.ts'
import { translate } from '#i18n/server-translator.ts'
import { databaseTrouble } from '#platform/database-errors.ts'
import { InvalidFields, Refusal } from '#shared/refusal.ts'

const SERVER_FAULTS: Record<string, readonly [status: number, code: RequestFault]> = {
  FST_ERR_CTP_BODY_TOO_LARGE: [413, 'request.tooLarge'],
  FST_ERR_CTP_INVALID_MEDIA_TYPE: [415, 'request.unsupportedMedia'],
}

/** The database cannot store the value: a zero byte, a broken surrogate, a number out of range. */
const UNSTORABLE = new Set(['22021', '22P05', '22003'])

const RETRY_SECONDS = 2

type RequestFault =
  Extract<MessageKey, `errors.request.${string}`> extends `errors.${infer Code}` ? Code : never

/**
 * Responds to errors in the documented shape; an unexpected one is logged and not shown. @param onRefusal sees refusals
 */
export function handleErrors(
  app: FastifyInstance,
  onRefusal?: (refusal: Refusal, request: FastifyRequest) => void,
): void {
  app.setErrorHandler((error: FastifyError, request, reply) => {
    if (error instanceof Refusal) onRefusal?.(error, request)
    return respond(error, request, reply)
  })
}

function respond(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { language } = request
  // The route may have said before that its response can be kept.
  reply.header('cache-control', 'no-store').removeHeader('etag')
  if (error instanceof Refusal) {
    sendRefusalHeaders(reply, error)
    if (error.status === 401) reply.header('www-authenticate', 'Bearer')
    const message = translate(language, error.messageKey, error.values(language))
    const { literalDetail, asMessage, body } = error.options
    const texts = {
      detail: literalDetail ?? message,
      ...((asMessage || literalDetail !== undefined) && { message }),
    }
    return reply.code(error.status).send(ofRoute(request, { ...texts, code: error.code, ...body }))
  }
  if (error instanceof InvalidFields) return sendFields(request, reply, error.fields)
  if (hasZodFastifySchemaValidationErrors(error))
    return sendFields(request, reply, fieldFaults(error.validation))

  const { code, statusCode } = error as { code?: string; statusCode?: number }
  const fault = SERVER_FAULTS[code ?? '']
  if (fault) return refuse(request, reply, ...fault)
  // A file that may not be served does not exist.
  if (statusCode === 403 || statusCode === 404) return refuse(request, reply, 404, 'request.notFound')
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500)
    return refuse(request, reply, statusCode, 'request.malformed')
  if (UNSTORABLE.has(code ?? '')) return refuse(request, reply, 400, 'request.invalid')
  const trouble = databaseTrouble(error)
  if (trouble) {
    request.log.warn({ err: error, trouble }, 'database busy or away')
    reply.header('retry-after', String(RETRY_SECONDS))
    return refuse(request, reply, 503, 'request.busy')
  }
  request.log.error({ err: error }, 'unexpected failure')
  const unexpected = translate(language, 'errors.unexpected')
  return reply
    .code(500)
    .send(ofRoute(request, { detail: unexpected, code: 'internal', request_id: request.id }))
}

/** Also for routes that respond to a refusal in another shape. */
export function sendRefusalHeaders(reply: FastifyReply, { options }: Refusal): void {
  if (options.retryAfter !== undefined) reply.header('retry-after', String(options.retryAfter))
  if (options.headers) reply.headers(options.headers)
}

function refuse(request: FastifyRequest, reply: FastifyReply, status: number, code: RequestFault) {
  const detail = translate(request.language, `errors.${code}`)
  return reply.code(status).send(ofRoute(request, { detail, code }))
}

/** Failures of payment routes also carry `message`, `details` and `debug_id`. */
function ofRoute<Body extends { detail: string; code: string }>(request: FastifyRequest, body: Body): object {
  if (request.routeOptions.config.errors !== 'payment') return body
  const { detail, code } = body
  return { message: detail, details: [{ issue: code, description: detail }], debug_id: request.id, ...body }
}

function sendFields(
  request: FastifyRequest,
  reply: FastifyReply,
  keys: Record<string, MessageKey[]>,
): FastifyReply {
  const translated = (messages: MessageKey[]) => messages.map((one) => translate(request.language, one))
  const fields = Object.fromEntries(
    Object.entries(keys).map(([field, messages]) => [field, translated(messages)]),
  )
  if (request.routeOptions.config.errors === 'form') return reply.code(400).send(fields)
  const detail = Object.values(fields)[0]?.[0] ?? translate(request.language, 'errors.request.invalid')
  return reply.code(400).send(ofRoute(request, { detail, code: 'request.invalid', fields }))
}

interface Fault {
  keyword: string
  instancePath: string
  message?: string | undefined
  params?: Record<string, unknown>
}

const WHOLE_BODY = 'non_field_errors'

/** Messages for schemas that name none. */
const BY_KEYWORD: Record<string, MessageKey> = {
  too_small: 'errors.field.tooSmall',
  too_big: 'errors.field.tooLarge',
  unrecognized_keys: 'errors.field.unknown',
}

function fieldFaults(faults: readonly unknown[]): Record<string, MessageKey[]> {
  const fields: Record<string, MessageKey[]> = {}
  for (const fault of faults as readonly Fault[]) {
    const name = fault.instancePath.split('/')[1]
    const message = messageOf(fault, name === undefined || name === '')
    const list = (fields[name || WHOLE_BODY] ??= [])
    if (!list.includes(message)) list.push(message)
  }
  return fields
}

function messageOf(fault: Fault, wholeBody: boolean): MessageKey {
  if (fault.message !== undefined && /^(errors|formErrors|console\w*)(\.\w+)+$/.test(fault.message))
    return fault.message as MessageKey
  if (wholeBody && fault.keyword === 'invalid_type') return 'errors.request.invalid'
  if (fault.keyword === 'invalid_type') {
    const expected = fault.params?.['expected']
    if (expected === 'string') return 'errors.field.text'
    if (expected === 'int' || expected === 'number') return 'errors.field.wholeNumber'
  }
  return BY_KEYWORD[fault.keyword] ?? 'errors.field.invalid'
}
