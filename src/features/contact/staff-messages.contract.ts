import * as z from 'zod'
import { key } from '#i18n/keys.ts'
import { LANGUAGES } from '#shared/languages.ts'
import { MESSAGE_TEMPLATES } from './message-templates.rules.ts'

/** ISO 8601 in UTC. */
const Time = z.string()
const State = z.enum(['open', 'answered', 'closed'])

/** Why a message is closed without an answer of the console. */
export const CLOSINGS = ['answered_elsewhere', 'no_answer_needed', 'spam'] as const

export const MessageParams = z.object({ id: z.uuid(key('errors.field.invalid')) })

/** GET /api/staff/messages/ */
export const MessagesQuery = z.object({
  state: z.optional(State),
  /** `next` of the answer before. */
  after: z.optional(z.string().regex(/^(open|done):[0-9a-f-]{36}$/i, key('errors.field.invalid'))),
  limit: z.optional(z.coerce.number(key('errors.field.wholeNumber')).int().min(1).max(100)),
})

const MessageSummary = z.object({
  id: z.string(),
  name: z.string(),
  email: z.string(),
  /** Of the form. */
  language: z.enum(LANGUAGES),
  /** The account of which this is the confirmed address. */
  customer_id: z.nullable(z.int()),
  state: State,
  received_at: Time,
  /** 24 hours later. */
  due_at: Time,
  beginning: z.string(),
})

export type MessagesQuery = z.infer<typeof MessagesQuery>

/** Open ones first, by the time by which they are due; then the others, the newest first. */
export const Messages = z.object({
  items: z.array(MessageSummary),
  next: z.nullable(z.string()),
  /** False while an e-mail service takes the messages: then none arrives here. */
  takes_messages: z.boolean(),
  open: z.int(),
  /** Open ones that are due. */
  late: z.int(),
})
export type Messages = z.infer<typeof Messages>

const Answer = z.object({
  id: z.string(),
  template: z.string(),
  language: z.enum(LANGUAGES),
  subject: z.string(),
  text: z.string(),
  by: z.string(),
  at: Time,
  /** Of its email; null once that is gone. */
  state: z.nullable(z.enum(['queued', 'sending', 'sent', 'kept', 'failed'])),
})

/** GET /api/staff/messages/{id}/ */
export const Message = MessageSummary.extend({
  message: z.string(),
  closed_as: z.nullable(z.enum(CLOSINGS)),
  handled_by: z.nullable(z.string()),
  handled_at: z.nullable(Time),
  /** For the calls that change it. */
  version: z.int(),
  answers: z.array(Answer),
  /** Other messages from this address, the newest first. */
  others: z.array(MessageSummary),
})
export type Message = z.infer<typeof Message>

/** GET /api/staff/messages/{id}/templates/ and GET /api/staff/customers/{id}/templates/: for whom, in which language. */
export const TemplatesQuery = z.object({ language: z.enum(LANGUAGES, key('errors.field.invalid')) })

/** Ready to be edited; what nobody knows yet stands in double brackets. */
export const FilledTemplates = z.array(
  z.object({
    template: z.enum(MESSAGE_TEMPLATES),
    /** In the language of the caller. */
    label: z.string(),
    subject: z.string(),
    text: z.string(),
  }),
)
export type FilledTemplates = z.infer<typeof FilledTemplates>

const SUBJECT_MAX = 150
const TEXT_MIN = 10
const TEXT_MAX = 10_000

/** The fields of an email that staff write. */
export const StaffEmail = {
  template: z.enum(MESSAGE_TEMPLATES, key('errors.field.required')),
  language: z.enum(LANGUAGES, key('errors.field.invalid')),
  subject: z
    .string(key('errors.field.required'))
    .trim()
    .min(1, key('errors.field.required'))
    .max(SUBJECT_MAX, key('errors.field.tooLong')),
  text: z
    .string(key('errors.field.required'))
    .trim()
    .min(TEXT_MIN, key('formErrors.contact.messageTooShort'))
    .max(TEXT_MAX, key('errors.field.tooLong')),
}

const version = z.int(key('errors.field.wholeNumber'))

/** POST /api/staff/messages/{id}/answer/ */
export const AnswerBody = z.object({ version, ...StaffEmail })
export type AnswerBody = z.infer<typeof AnswerBody>

/** POST /api/staff/messages/{id}/close/ */
export const CloseMessageBody = z.object({ version, as: z.enum(CLOSINGS, key('errors.field.required')) })

/** POST /api/staff/messages/{id}/reopen/ */
export const ReopenMessageBody = z.object({ version })

/** POST /api/staff/customers/{id}/email/: of two calls with one `request_id` one email goes out. */
export const CustomerEmailBody = z.object({ request_id: z.uuid(key('errors.field.invalid')), ...StaffEmail })
export type CustomerEmailBody = z.infer<typeof CustomerEmailBody>
