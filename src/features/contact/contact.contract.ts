import * as z from 'zod/mini'
import { type MessageKey, key } from '#i18n/keys.ts'
import { emailField, typedName, typedText } from '#shared/fields.ts'
import { LANGUAGES, type Language } from '#shared/languages.ts'

/** Shortest texts after trimming (spec section 9). */
export const NAME_MIN = 2
export const MESSAGE_MIN = 10
export const NAME_MAX = 100
export const MESSAGE_MAX = 5_000

/** The parameters of the e-mail service (spec section 7), as the form sends them. */
export const ContactMessage = z.object({
  /** Part of an email's subject, hence one line. */
  user_name: typedName('formErrors.contact.nameTooShort', NAME_MAX, 'errors.field.tooLong', NAME_MIN),
  user_email: emailField('errors.email.invalid'),
  message: typedText('formErrors.contact.messageTooShort').check(
    z.minLength(MESSAGE_MIN, { error: key('formErrors.contact.messageTooShort'), abort: true }),
    z.maxLength(MESSAGE_MAX, key('errors.field.tooLong')),
  ),
})
export type ContactMessage = z.infer<typeof ContactMessage>

/** The first fault of each field. */
export function messageFaults(message: unknown): Partial<Record<keyof ContactMessage, MessageKey>> {
  const faults: Partial<Record<keyof ContactMessage, MessageKey>> = {}
  for (const issue of ContactMessage.safeParse(message).error?.issues ?? [])
    faults[issue.path[0] as keyof ContactMessage] ??= issue.message as MessageKey
  return faults
}

/** Path of the e-mail service's one call; our server answers it where no service is set up. */
export const SEND_PATH = '/api/v1.0/email/send'

/** The client's settings when our own server takes the messages. */
export const OWN_SERVICE = {
  publicKey: 'volant',
  serviceId: 'volant',
} as const

export const templateOf = (language: Language) => `contact-${language}` as const

export const SendCall = z.object({
  user_id: z.literal(OWN_SERVICE.publicKey),
  service_id: z.literal(OWN_SERVICE.serviceId),
  template_id: z.enum(LANGUAGES.map(templateOf)),
  template_params: z.record(z.string(), z.unknown()),
})

/** Statuses of the e-mail service with their own message (spec section 7). */
export const HEADLESS = 451
export const BLOCKED = 403
export const RATE_LIMITED = 429
