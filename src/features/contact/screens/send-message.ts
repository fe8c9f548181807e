import type { PublicSettings } from '#shared/public-settings.ts'
import type { Language } from '#shared/languages.ts'
import type { MessageKey } from '#i18n/keys.ts'
import { BLOCKED, type ContactMessage, HEADLESS, OWN_SERVICE, RATE_LIMITED } from '../contact.contract.ts'

/** The part of the e-mail service's client that is used; `@emailjs/browser` has this shape. */
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

/** Where the client keeps when it last sent. */
interface StampStorage {
  get(name: string): Promise<string | null>
  set(name: string, value: string): Promise<void>
  remove(name: string): Promise<void>
}

/** Shortest time between two messages of one browser. */
export const THROTTLE_MS = 60_000
/** Entry of the local storage with the time of the last message, milliseconds since the epoch. */
export const STAMP = 'contact_sent'

interface SendOptions {
  load: () => Promise<EmailClient>
  /** The service's settings; null sends to our own server. */
  service: PublicSettings['emailService']
  /** Origin of this page. */
  origin: string
  language: Language
  storage: Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>
}

/**
 * Sends a message through the e-mail service's own client (spec section 7). The client itself refuses headless browsers
 * (451) and a second message within a minute (429).
 * @throws what the client rejects with: `{status, text}` for an answer, an Error where none came
 */
export async function sendMessage(message: ContactMessage, options: SendOptions): Promise<void> {
  const { load, service, origin, language, storage } = options
  const client = await load()
  client.init({
    publicKey: service?.publicKey ?? OWN_SERVICE.publicKey,
    origin: service?.origin ?? origin,
    blockHeadless: true,
    limitRate: { id: STAMP, throttle: THROTTLE_MS },
    // Without one given here the client's limit never applies.
    storageProvider: stamps(storage),
  })
  const template = service?.templateId ?? OWN_SERVICE.templates[language]
  try {
    await client.send(service?.serviceId ?? OWN_SERVICE.serviceId, template, { ...message })
  } catch (error) {
    // The client stamps before it sends; a message that did not leave must not keep the next one back.
    if (statusOf(error) !== RATE_LIMITED) storage.removeItem(STAMP)
    throw error
  }
}

const stamps = (storage: SendOptions['storage']): StampStorage => ({
  get: async (name) => storage.getItem(name),
  set: async (name, value) => storage.setItem(name, value),
  remove: async (name) => storage.removeItem(name),
})

const OWN_WORDS: ReadonlyMap<number, MessageKey> = new Map([
  [HEADLESS, 'contact.failed.headless'],
  [BLOCKED, 'contact.failed.blocked'],
  [RATE_LIMITED, 'contact.failed.rateLimited'],
])

/** Longest text of a service that is shown as it came; longer ones are pages, not sentences. */
const SHOWN_MAX = 300

/**
 * What a failed message says (spec section 8, "Contact send failure"): the statuses with words of their own, no
 * connection, else the service's text, else 'Error sending message'.
 */
export function failureText(error: unknown, t: (key: MessageKey) => string): string {
  const status = statusOf(error)
  // The client rejects with an answer's status, or lets the browser's own error through where no answer came.
  if (status === undefined) return t(error instanceof TypeError ? 'errors.network' : 'contact.failed.other')
  const own = OWN_WORDS.get(status)
  if (own) return t(own)
  const { text } = error as { text?: unknown }
  const said = typeof text === 'string' ? text.trim() : ''
  const isSentence = said !== '' && said.length <= SHOWN_MAX && !/^[<{[]/.test(said)
  return isSentence ? said : t('contact.failed.other')
}

const statusOf = (error: unknown): number | undefined =>
  typeof error === 'object' && error !== null && 'status' in error && typeof error.status === 'number'
    ? error.status
    : undefined
