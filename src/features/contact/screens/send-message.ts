import type { PublicSettings } from '#shared/public-settings.ts'
import type { Language } from '#shared/languages.ts'
import type { MessageKey } from '#i18n/keys.ts'
import { withProofOfWork } from '#client/api-call.ts'
import type { KeyedStore } from '#client/browser-parts.ts'
import {
  BLOCKED,
  type ContactMessage,
  HEADLESS,
  OWN_SERVICE,
  templateOf,
  RATE_LIMITED,
  SEND_PATH,
} from '../contact.contract.ts'

/** The used part of `@emailjs/browser`. */
export interface EmailClient {
  init(options: {
    publicKey: string
    origin: string
    blockHeadless: boolean
    limitRate: { id: string; throttle: number }
    storageProvider: StampStorage
  }): void
  send(serviceId: string, templateId: string, parameters: Record<string, unknown>): Promise<unknown>
}

interface StampStorage {
  get(name: string): Promise<string | null>
  set(name: string, value: string): Promise<void>
  remove(name: string): Promise<void>
}

/** Minimum time between two messages of one browser. */
export const THROTTLE_MS = 60_000
/** Local storage key of the time of the last message, in ms since the epoch. */
export const STAMP = 'contact_sent'

interface SendOptions {
  load: () => Promise<EmailClient>
  /** Null sends to our own server. */
  service: PublicSettings['emailService']
  origin: string
  language: Language
  storage: KeyedStore
}

/**
 * Sends through the e-mail service's client (spec section 7), which itself responds to headless browsers with 451 and a
 * second message within a minute with 429. @throws `{status, text}` for a response, otherwise an Error
 */
export async function sendMessage(message: ContactMessage, options: SendOptions): Promise<void> {
  const { load, service, origin, language, storage } = options
  const client = await load()
  client.init({
    publicKey: service?.publicKey ?? OWN_SERVICE.publicKey,
    origin: service?.origin ?? origin,
    blockHeadless: true,
    limitRate: { id: STAMP, throttle: THROTTLE_MS },
    // Without it the client has no limit.
    storageProvider: stamps(storage),
  })
  const template = service?.templateId ?? templateOf(language)
  try {
    const sending = client.send(service?.serviceId ?? OWN_SERVICE.serviceId, template, { ...message })
    await (service === null ? sending.catch((error) => repeatWithProof(error, message, options)) : sending)
  } catch (error) {
    // The client stores the time before it sends; a failed message must not delay the next one.
    if (statusOf(error) !== RATE_LIMITED) storage.removeItem(STAMP)
    throw error
  }
}

/** Text of the client's own refusal of a second message within a minute. */
const THROTTLED = 'Too Many Requests'

/** Our server may ask for a proof of work, of which the client knows nothing. */
async function repeatWithProof(
  error: unknown,
  message: ContactMessage,
  { origin, language }: SendOptions,
): Promise<void> {
  if (statusOf(error) !== RATE_LIMITED || (error as { text?: unknown }).text === THROTTLED) throw error
  const { publicKey, serviceId } = OWN_SERVICE
  const call = {
    user_id: publicKey,
    service_id: serviceId,
    template_id: templateOf(language),
    template_params: message,
  }
  const post = withProofOfWork((path, init) => fetch(path, init), language)
  const response = await post(origin + SEND_PATH, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(call),
  })
  if (!response.ok) throw { status: response.status, text: await response.text() }
}

const stamps = (storage: SendOptions['storage']): StampStorage => ({
  get: async (name) => storage.getItem(name),
  set: async (name, value) => storage.setItem(name, value),
  remove: async (name) => storage.removeItem(name),
})

const OWN_MESSAGES: ReadonlyMap<number, MessageKey> = new Map([
  [HEADLESS, 'contact.failed.headless'],
  [BLOCKED, 'contact.failed.blocked'],
  [RATE_LIMITED, 'contact.failed.rateLimited'],
])

/** Longer texts of a service are pages, not sentences. */
const SHOWN_MAX = 300

/** The message for a failure (spec section 8, "Contact send failure"). */
export function failureText(error: unknown, t: (key: MessageKey) => string): string {
  const status = statusOf(error)
  // Without a response the client throws the browser's own error.
  if (status === undefined) return t(error instanceof TypeError ? 'errors.network' : 'contact.failed.other')
  const own = OWN_MESSAGES.get(status)
  if (own) return t(own)
  const { text } = error as { text?: unknown }
  const answer = typeof text === 'string' ? text.trim() : ''
  const isSentence = answer !== '' && answer.length <= SHOWN_MAX && !/^[<{[]/.test(answer)
  return isSentence ? answer : t('contact.failed.other')
}

const statusOf = (error: unknown): number | undefined =>
  typeof error === 'object' && error !== null && 'status' in error && typeof error.status === 'number'
    ? error.status
    : undefined
