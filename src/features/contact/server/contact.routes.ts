import type { FastifyInstance, FastifyReply } from 'fastify'
import { translate } from '#i18n/server-translator.ts'
import { LANGUAGES } from '#shared/languages.ts'
import { Refusal } from '#shared/refusal.ts'
import {
  BLOCKED,
  ContactMessage,
  OWN_SERVICE,
  RATE_LIMITED,
  SEND_PATH,
  SendCall,
  messageFaults,
} from '../contact.contract.ts'
import { type ContactDeps, takeMessage } from './contact.service.ts'

/** Ample for the longest message, however its characters are written. */
const BODY_MAX_BYTES = 64 * 1024
const say = (reply: FastifyReply, status: number, text: string): FastifyReply =>
  reply.code(status).type('text/plain; charset=utf-8').send(text)

/**
 * The call of the e-mail service, answered by this shop where no such service is set up (decisions, "Contact"): the
 * same body, and plain texts as answers.
 */
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
        if (!call.success) return say(reply, 400, translate(request.language, 'errors.request.invalid'))
        const { template_id: template, template_params: parameters } = call.data
        const language = LANGUAGES.find((one) => OWN_SERVICE.templates[one] === template) ?? request.language
        const message = ContactMessage.safeParse(parameters)
        if (!message.success) {
          const fault = Object.values(messageFaults(parameters))[0] ?? 'errors.request.invalid'
          return say(reply, 400, translate(language, fault))
        }
        const { contactEmail: email } = deps.shop
        const outcome = await takeMessage(deps, { message: message.data, language, ip: request.ip }).catch(
          (error: unknown) => {
            if (!(error instanceof Refusal) || error.status !== RATE_LIMITED) throw error
            reply.header('retry-after', String(error.options.retryAfter))
            return 'tooMany' as const
          },
        )
        switch (outcome) {
          case 'taken':
            return say(reply, 200, 'OK')
          case 'blocked':
            return say(reply, BLOCKED, translate(language, 'contact.failed.blocked', { email }))
          case 'tooMany':
            return say(reply, RATE_LIMITED, translate(language, 'contact.failed.rateLimited', { email }))
        }
      },
    )
  }
