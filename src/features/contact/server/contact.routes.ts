import type { FastifyInstance, FastifyReply } from 'fastify'
import { confirmedAccountOf } from '#features/accounts/server/index.ts'
import { type EmailShop, type NewEmail, composeEmail, enqueueEmail } from '#features/emails/server/index.ts'
import { translate } from '#i18n/server-translator.ts'
import type { Database } from '#platform/database.ts'
import { sendRefusalHeaders } from '#platform/http/errors.ts'
import { newId } from '#platform/ids.ts'
import type { Limit } from '#platform/limits/limiter.ts'
import { transact } from '#platform/transaction.ts'
import type { Clock } from '#shared/clock.ts'
import { LANGUAGES, type Language } from '#shared/languages.ts'
import { Refusal } from '#shared/refusal.ts'
import {
  BLOCKED,
  ContactMessage,
  templateOf,
  RATE_LIMITED,
  SEND_PATH,
  SendCall,
  messageFaults,
} from '../contact.contract.ts'
import { isBlocked } from '../contact.rules.ts'
import { messageKey, messagesRepository } from './messages.repository.ts'

interface ContactDeps {
  db: Database
  clock: Clock
  limit: Limit
  shop: EmailShop
  /** Addresses and "@domains" whose messages are refused. */
  blocked: readonly string[]
}

const BODY_MAX_BYTES = 64 * 1024
const sendText = (reply: FastifyReply, status: number, text: string): FastifyReply =>
  reply.code(status).type('text/plain; charset=utf-8').send(text)

/** The e-mail service's call, answered by this shop when none is set up, with plain texts. */
export const contactRoutes =
  (deps: ContactDeps) =>
  async (app: FastifyInstance): Promise<void> => {
    app.post(
      SEND_PATH,
      {
        bodyLimit: BODY_MAX_BYTES,
        config: { auth: 'ignored', errors: 'text' },
        schema: { tags: ['contact'] },
      },
      async (request, reply) => {
        const call = SendCall.safeParse(request.body)
        if (!call.success) return sendText(reply, 400, translate(request.language, 'errors.request.invalid'))
        const { template_id: template, template_params: parameters } = call.data
        const language = LANGUAGES.find((one) => templateOf(one) === template) ?? request.language
        const message = ContactMessage.safeParse(parameters)
        if (!message.success) {
          const fault = Object.values(messageFaults(parameters))[0] ?? 'errors.request.invalid'
          return sendText(reply, 400, translate(language, fault))
        }
        const { contactEmail: email } = deps.shop
        const outcome = await takeMessage(deps, { message: message.data, language, ip: request.ip }).catch(
          (error: unknown) => {
            if (!(error instanceof Refusal) || error.status !== RATE_LIMITED) throw error
            sendRefusalHeaders(reply, error)
            return 'tooMany' as const
          },
        )
        switch (outcome) {
          case 'taken':
            return sendText(reply, 200, 'OK')
          case 'blocked':
            return sendText(reply, BLOCKED, translate(language, 'contact.failed.blocked', { email }))
          case 'tooMany':
            return sendText(reply, RATE_LIMITED, translate(language, 'contact.failed.rateLimited', { email }))
        }
      },
    )
  }

interface Arrival {
  message: ContactMessage
  language: Language
  ip: string
}

/** Stores a message and queues it as an email to the shop. @throws Refusal 429 */
async function takeMessage(
  { db, clock, limit, shop, blocked }: ContactDeps,
  { message, language, ip }: Arrival,
): Promise<'taken' | 'blocked'> {
  if (isBlocked(message.user_email, blocked)) return 'blocked'
  await limit.take({ account: message.user_email.toLowerCase(), address: ip })
  const id = newId(clock().getTime())
  const { user_name: name, user_email: email, message: words } = message
  await transact(db, async (trx) => {
    const userId = await confirmedAccountOf(trx, email)
    await messagesRepository(trx).insert({ id, name, email, message: words, language, userId })
    await enqueueEmail(trx, contactEmail(shop, { id, language, message }))
  })
  return 'taken'
}

/** In the language of the form, with the sender as the reply address. */
function contactEmail(
  shop: EmailShop,
  { id, language, message }: { id: string; language: Language; message: ContactMessage },
): NewEmail {
  const { user_name: name, user_email: email, message: words } = message
  const content = composeEmail(shop, {
    language,
    subject: translate(language, 'emails.contact.subject', { name }),
    preview: words.slice(0, 120),
    title: translate(language, 'emails.contact.title'),
    blocks: [
      {
        kind: 'facts',
        facts: [
          { name: translate(language, 'emails.contact.name'), text: name },
          { name: translate(language, 'emails.contact.email'), text: email },
        ],
      },
      { kind: 'quote', text: words },
      { kind: 'note', text: translate(language, 'emails.contact.answer') },
    ],
  })
  return {
    key: messageKey(id),
    kind: 'contact',
    to: shop.contactEmail,
    replyTo: email,
    language,
    ...content,
  }
}
