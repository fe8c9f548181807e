import type { MessageKey } from '#i18n/keys.ts'
import type { Language } from './languages.ts'

/** Values of a message, for all languages or by language. */
export type MessageValues = Record<string, string | number>

interface RefusalOptions {
  /** Values of the message; a function where they depend on the language (titles, amounts). */
  values?: MessageValues | ((language: Language) => MessageValues)
  /** Further fields of the answer's body. */
  body?: Record<string, unknown>
  /** `detail` as a fixed text where the specification's client compares it; the translation is then sent as `message`. */
  literalDetail?: string
  /** Has the translation stand in `message` as well, where callers read that. */
  asMessage?: boolean
  /** Seconds after which trying again makes sense: becomes the Retry-After header. */
  retryAfter?: number
}

/**
 * An expected "no" of the shop: becomes an answer `{detail, code}` in the caller's language.
 * Anything else that is thrown is a fault and shows nothing of itself.
 */
export class Refusal extends Error {
  override readonly name = 'Refusal'
  readonly code: string
  readonly status: number
  readonly messageKey: MessageKey
  readonly options: RefusalOptions

  /**
   * @param code stable name for programs, for example "offer.soldOut"
   * @param status HTTP status
   * @param messageKey sentence for people
   */
  constructor(code: string, status: number, messageKey: MessageKey, options: RefusalOptions = {}) {
    super(code)
    this.code = code
    this.status = status
    this.messageKey = messageKey
    this.options = options
  }

  /** The message's values in a language. */
  values(language: Language): MessageValues {
    const { values } = this.options
    return typeof values === 'function' ? values(language) : (values ?? {})
  }
}

/**
 * Faults of single fields, each with the keys of its messages. Answered 400: by a form route as `{field: [messages]}`
 * (spec section 8), by any other as `{detail, code, fields}`.
 */
export class InvalidFields extends Error {
  override readonly name = 'InvalidFields'
  readonly fields: Record<string, MessageKey[]>

  constructor(fields: Record<string, MessageKey[]>) {
    super(Object.keys(fields).join(', '))
    this.fields = fields
  }
}
