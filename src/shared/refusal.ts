import type { MessageKey } from '#i18n/keys.ts'
import type { Language } from './languages.ts'

export type MessageValues = Record<string, string | number>

interface RefusalOptions {
  values?: MessageValues | ((language: Language) => MessageValues)
  body?: Record<string, unknown>
  /** A fixed `detail` that the specification's client compares; the translation is sent as `message`. */
  literalDetail?: string
  /** Sends the translation as `message`, too. */
  asMessage?: boolean
  retryAfter?: number
  headers?: Record<string, string>
}

/** An expected refusal; its response is `{detail, code}` in the caller's language. Any other error shows no details. */
export class Refusal extends Error {
  override readonly name = 'Refusal'
  readonly code: string
  readonly status: number
  readonly messageKey: MessageKey
  readonly options: RefusalOptions

  /** @param code stable name, for example "offer.soldOut" */
  constructor(code: string, status: number, messageKey: MessageKey, options: RefusalOptions = {}) {
    super(code)
    this.code = code
    this.status = status
    this.messageKey = messageKey
    this.options = options
  }

  values(language: Language): MessageValues {
    const { values } = this.options
    return typeof values === 'function' ? values(language) : (values ?? {})
  }
}

/** Sent as 400: `{field: [messages]}` by a form route (spec section 8), `{detail, code, fields}` by others. */
export class InvalidFields extends Error {
  override readonly name = 'InvalidFields'
  readonly fields: Record<string, MessageKey[]>

  constructor(fields: Record<string, MessageKey[]>) {
    super(Object.keys(fields).join(', '))
    this.fields = fields
  }
}
